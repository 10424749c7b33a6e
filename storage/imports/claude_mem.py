"""claude-mem: observations with their type, project, facts and files, and summaries of sessions."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...modules.portability.models import MemoryEntry, Record, Refused
from .moments import iso
from .sqlite_files import columns, has_tables, opened, rows
from .tagging import tags_of

SOURCE = "import: claude-mem"
MAX_METADATA_CHARS = 4_000
_SUMMARY = ("request", "investigated", "learned", "completed", "next_steps", "notes")
_MARKS = {"memory_session_id", "sdk_session_id", "created_at_epoch", "narrative"}

_Row = Mapping[str, Any]


def is_here(path: Path) -> bool:
    if not has_tables(path, "observations"):
        return False
    with opened(path) as connection:
        return has_tables(path, "session_summaries") or len(columns(connection, "observations") & _MARKS) > 1


def read(path: Path) -> Iterator[Record]:
    """Raises LookupError for a database of another shape."""
    with opened(path) as connection:
        if not columns(connection, "observations") & _MARKS:
            raise LookupError("it has no table of observations")
        for row in rows(connection, "observations", "created_at_epoch"):
            yield _observation(row)
        for row in rows(connection, "session_summaries", "created_at_epoch"):
            yield _summary(row)


def _observation(row: _Row) -> Record:
    where = f"observation {row.get('id')}"
    title, subtitle, kind = (_text(row.get(name)) for name in ("title", "subtitle", "type"))
    headline = ": ".join(part for part in (title, subtitle) if part)
    narrative = _text(row.get("narrative")) or _text(row.get("text"))
    facts, concepts, read, modified = (
        _list(row.get(name)) for name in ("facts", "concepts", "files_read", "files_modified")
    )
    if not (headline or narrative or facts):
        return Refused(where, "holds no text")
    lines = [f"[{kind}] {headline}" if kind and headline else headline, narrative, *(f"- {fact}" for fact in facts)]
    lines += [f"Files changed: {', '.join(modified)}"] if modified else []
    lines += [f"Files read: {', '.join(read)}"] if read else []
    tags, more = tags_of("observation", kind, concepts)
    observation = {
        "type": kind,
        "title": title,
        "subtitle": subtitle,
        "narrative": narrative,
        "facts": facts,
        "concepts": concepts,
    }
    if len(json.dumps(observation, ensure_ascii=False)) > MAX_METADATA_CHARS:  # the content has all of it
        observation = {"type": kind, "title": title or narrative[:200]}
    files = {name: paths for name, paths in (("files_read", read), ("files_modified", modified)) if paths}
    if len(json.dumps(files, ensure_ascii=False)) > MAX_METADATA_CHARS:
        files = {}
    return _entry(
        row, where, "\n".join(filter(None, lines)), tags, {"observation": {**observation, **files}, **files, **more}
    )


def _summary(row: _Row) -> Record:
    where = f"summary {row.get('id')}"
    lines = [f"{name.replace('_', ' ').capitalize()}: {text}" for name in _SUMMARY if (text := _text(row.get(name)))]
    return _entry(row, where, "\n".join(lines), ("summary",), {}) if lines else Refused(where, "holds no text")


def _entry(row: _Row, where: str, content: str, tags: tuple[str, ...], more: dict[str, Any]) -> MemoryEntry:
    project = _text(row.get("project"))
    session = _text(row.get("memory_session_id")) or _text(row.get("sdk_session_id"))
    named = {"project": project, "project_name": project, "session": session}
    return MemoryEntry(
        content,
        memory_type="episodic",
        tags=tags,
        metadata={**{name: value for name, value in named.items() if value}, **more},
        source=SOURCE,
        occurred_at=iso(row.get("created_at_epoch")) or iso(row.get("created_at")),
        kind="observation" if "observation" in tags else "summary",
        where=where,
    )


def _list(value: object) -> list[str]:
    """A list kept as JSON, or a text with one thing a line."""
    text = _text(value)
    if not text:
        return []
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = text.splitlines()
    if isinstance(found, dict):
        found = list(found.values())
    several = found if isinstance(found, list) else [found]
    return [item for one in several if (item := _text(one))]


def _text(value: object) -> str:
    """A value as a text; what is no text at all as JSON."""
    if value is None or value == "":
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace").strip()
    return (json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)).strip()
