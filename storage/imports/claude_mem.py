"""claude-mem: observations and summaries of sessions."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Row
from typing import Any

from ...modules.portability.models import Entry
from .sqlite_files import has_tables, opened

SOURCE = "import: claude-mem"
_SUMMARY = ("request", "investigated", "learned", "completed", "next_steps", "notes")


def is_here(path: Path) -> bool:
    return has_tables(path, "observations", "session_summaries")


def read(path: Path) -> Iterator[Entry]:
    with opened(path) as connection:
        for row in connection.execute("SELECT * FROM observations ORDER BY created_at_epoch, id"):
            content = _observation(row)
            if content:
                files = {name: _list(row, name) for name in ("files_read", "files_modified")}
                yield _entry(row, content, ["observation", row["type"], *_list(row, "concepts")], files)
        for row in connection.execute("SELECT * FROM session_summaries ORDER BY created_at_epoch, id"):
            told = [f"{name.replace('_', ' ').capitalize()}: {row[name]}" for name in _SUMMARY if row[name]]
            if told:
                yield _entry(row, "\n".join(told), ["summary"], {})


def _entry(row: Row, content: str, tags: list[str], more: dict[str, Any]) -> Entry:
    return Entry(
        content,
        memory_type="episodic",
        tags=tuple(dict.fromkeys(tag for tag in tags if tag)),
        metadata={
            "project": row["project"],
            "session": row["memory_session_id"],
            **{k: v for k, v in more.items() if v},
        },
        source=SOURCE,
        occurred_at=datetime.fromtimestamp(row["created_at_epoch"] / 1000, UTC).isoformat(),
    )


def _observation(row: Row) -> str:
    headline = ": ".join(row[name] for name in ("title", "subtitle") if row[name])
    facts = [f"- {fact}" for fact in _list(row, "facts")]
    return "\n".join(part for part in (headline, row["narrative"] or row["text"] or "", *facts) if part)


def _list(row: Row, name: str) -> list[str]:
    """A list kept as JSON, or a text with one thing a line."""
    value = row[name] if name in row.keys() else None  # noqa: SIM118 - a Row iterates over its values
    if not value:
        return []
    try:
        found = json.loads(value)
    except ValueError:
        found = value.splitlines()
    return [str(one) for one in found] if isinstance(found, list) else [str(found)]
