"""Output of commands for people: tables whose cells hold recalled text, which cannot control the terminal."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ...modules.framing import NOTICE
from .calls import ToolAnswer
from .terminal import clean, is_terminal, one_line, say, say_json
from .wording import as_commands

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

SHORT_ID_CHARS = 8
"""Hexadecimal digits of an id that are shown on a terminal; commands accept the beginning of an id."""
MOST_CHARS = 240
"""The most characters of a text in a table on a terminal; `agentos show` has the whole text."""

_LONGER = (("y", 365.25 * 86_400), ("mon", 30.44 * 86_400), ("d", 86_400.0), ("h", 3_600.0), ("min", 60.0))
_NARROW = ("id", "age", "score", "done", "due", "status", "type", "at", "rows", "risk", "key")
"""Columns whose lines are never broken."""


def tell(answer: ToolAnswer, as_json: bool, table: "Table | None" = None) -> None:
    """Show a tool's answer: as JSON, as a table if there is one, else in its own words."""
    if as_json:
        say_json(answer.data)
    else:
        say(as_commands(answer.text.removeprefix(f"{NOTICE}\n")) if table is None else table)


def memories(found: Sequence[Mapping[str, Any]], now: datetime, *, scores: bool = False) -> "Table":
    """Return memories as a table, one per row: id, age, type, and content with labels and tags."""
    from rich.text import Text

    table = _table("id", "age", "type", *(["score"] if scores else []), "memory")
    for row in found:
        special = [row.get("label", ""), *(f"#{tag}" for tag in row.get("tags", ()))]
        cells = [short_id(row["id"]), age(row["occurred_at"], now), row["memory_type"]]
        if scores:
            cells.append(f"{row['score']:.2f}")
        text = Text(cut(row.get("passage") or row["content"]))
        if any(special):
            text.append("  " + one_line(", ".join(filter(None, special))), style="dim")
        table.add_row(*map(_cell, cells), text)
    return table


def goals(found: Sequence[Mapping[str, Any]]) -> "Table":
    """Return goals as a table, one per row."""
    return rows(("id", "score", "status", "done", "due", "goal"), [_goal_cells(row) for row in found])


def goal_tree(found: Sequence[Mapping[str, Any]]) -> "Table":
    """Return goals as a table, one per row, each below the one that it is a part of."""
    children: dict[str | None, list[Mapping[str, Any]]] = {}
    known = {row["id"] for row in found}
    for row in found:
        parent = row.get("parent_goal_id")
        children.setdefault(parent if parent in known else None, []).append(row)
    entries: list[list[str]] = []
    seen: set[str] = set()
    roots = [*children.get(None, []), *found]  # goals in a cycle have no root
    waiting = [(row, 0) for row in reversed(roots)]
    while waiting:
        row, depth = waiting.pop()
        if row["id"] in seen:
            continue
        seen.add(row["id"])
        *cells, title = _goal_cells(row)
        entries.append([*cells, f"{'   ' * (depth - 1)}└─ {title}" if depth else title])
        waiting += [(child, depth + 1) for child in reversed(children.get(row["id"], []))]
    return rows(("id", "score", "status", "done", "due", "goal"), entries)


def _goal_cells(row: Mapping[str, Any]) -> list[str]:
    due = local(row["deadline"]) if "deadline" in row else ""
    return [short_id(row["id"]), f"{row['score']:.2f}", row["status"], f"{row['progress']:.0%}", due, row["title"]]


def rows(names: Sequence[str], entries: Sequence[Sequence[object]]) -> "Table":
    """Return a plain table."""
    table = _table(*names)
    for entry in entries:
        table.add_row(*(_cell(str(cell)) for cell in entry))
    return table


def facts(pairs: Mapping[str, object]) -> "Table":
    """Return names and values, without those that are empty."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    for name, value in pairs.items():
        if value not in (None, "", [], {}, ()):
            table.add_row(Text(name.replace("_", " "), style="dim"), _cell(_plain(value)))
    return table


def content(text: str) -> "Table":
    """Return a text whole, line by line."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, padding=0, pad_edge=False)
    for line in text.splitlines():
        table.add_row(Text(clean(line)))
    return table


def short_id(text: str) -> str:
    """Return an id as a person reads it: its beginning on a terminal, in a pipe the whole."""
    kind, mark, digits = text.partition("_")
    return f"{kind}{mark}{digits[:SHORT_ID_CHARS]}" if is_terminal() else text


def cut(text: str) -> str:
    """Return a text as one line; on a terminal, cut to what fits into a few."""
    line = one_line(text)
    return f"{line[: MOST_CHARS - 1]}…" if len(line) > MOST_CHARS and is_terminal() else line


def age(moment: str, now: datetime) -> str:
    """Return how long ago a moment (ISO 8601) was, in its largest unit."""
    seconds = (now - datetime.fromisoformat(moment).astimezone(UTC)).total_seconds()
    for unit, length in _LONGER:
        if abs(seconds) >= length:
            words = f"{int(abs(seconds) / length)} {unit}"
            return f"{words} ago" if seconds > 0 else f"in {words}"
    return "now"


def local(moment: str) -> str:
    """Return a moment (ISO 8601) in this machine's time."""
    return f"{datetime.fromisoformat(moment).astimezone():%Y-%m-%d %H:%M}"


def _plain(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value))
    if not isinstance(value, dict):
        return str(value)
    if all(isinstance(one, str | int | float) for one in value.values()):
        return ", ".join(f"{name.replace('_', ' ')} {one}" for name, one in value.items())
    return json.dumps(value, ensure_ascii=False)


def _table(*names: str) -> "Table":
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for name in names:
        table.add_column(name, no_wrap=name in _NARROW)
    return table


def _cell(text: str) -> "Text":
    from rich.text import Text

    return Text(clean(text.replace("\n", " ")))
