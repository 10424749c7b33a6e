"""What commands print for people: tables whose cells hold recalled text, which can steer no terminal."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

PIPED_WIDTH = 10_000
"""Where no terminal sets a width, lines are not broken."""

_LONGER = (("year", 365.25 * 86_400), ("month", 30.44 * 86_400), ("day", 86_400.0), ("hour", 3_600.0), ("minute", 60.0))


def as_json(data: object) -> None:
    """Data on standard output, for programs; it can steer no terminal either."""
    typer.echo(json_text(data))


def json_text(data: object) -> str:
    """JSON whose texts are readable, but for characters that a terminal might obey."""
    text = json.dumps(data, indent=1, ensure_ascii=False, default=str)
    return "".join(one if one.isprintable() or one == "\n" else json.dumps(one)[1:-1] for one in text)


def printable(text: str) -> str:
    """A text on one line that can steer no terminal."""
    return "".join(one if one.isprintable() else " " for one in text)


def console() -> Console:
    """Standard output: with colours and the terminal's width on a terminal, plain and unbroken in a pipe."""
    plain = Console(highlight=False, markup=False)
    return plain if plain.is_terminal else Console(highlight=False, markup=False, width=PIPED_WIDTH)


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Bars on standard error, if that is a terminal, for what hears of: what is done, how much of it, of how much."""
    from rich.progress import Progress, TaskID

    to = Console(stderr=True)
    with Progress(console=to, disable=quiet or not to.is_terminal, transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def told(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done)

        yield told


def memories(rows: Sequence[Mapping[str, Any]], now: datetime, *, scores: bool = False) -> Table:
    """Memories, one a row: id, age, type with what is special about it, content."""
    table = _table("id", "age", "type", *(["score"] if scores else []), "memory")
    for row in rows:
        special = [row.get("label", ""), *(f"#{tag}" for tag in row.get("tags", ()))]
        cells = [row["id"], age(row["occurred_at"], now), row["memory_type"]]
        if scores:
            cells.append(f"{row['score']:.2f}")
        text = _cell(row.get("passage") or row["content"])
        if any(special):
            text.append("  " + printable(", ".join(filter(None, special))), style="dim")
        table.add_row(*map(_cell, cells), text)
    return table


def goals(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Goals, one a row."""
    table = _table("id", "score", "status", "done", "due", "goal")
    for row in rows:
        due = local(row["deadline"]) if "deadline" in row else ""
        cells = (row["id"], f"{row['score']:.2f}", row["status"], f"{row['progress']:.0%}", due, row["title"])
        table.add_row(*map(_cell, cells))
    return table


def rows(names: Sequence[str], entries: Sequence[Sequence[object]]) -> Table:
    """A plain table."""
    table = _table(*names)
    for entry in entries:
        table.add_row(*(_cell(str(cell)) for cell in entry))
    return table


def facts(pairs: Mapping[str, object]) -> Table:
    """Names and values, without those that are empty."""
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    for name, value in pairs.items():
        if value not in (None, "", [], {}, ()):
            table.add_row(Text(name.replace("_", " "), style="dim"), _cell(_plain(value)))
    return table


def age(moment: str, now: datetime) -> str:
    """How long ago a moment (ISO 8601) was, in its largest unit."""
    seconds = (now - datetime.fromisoformat(moment).astimezone(UTC)).total_seconds()
    for unit, length in _LONGER:
        if abs(seconds) >= length:
            count = int(abs(seconds) / length)
            words = f"{count} {unit}{'' if count == 1 else 's'}"
            return f"{words} ago" if seconds > 0 else f"in {words}"
    return "now"


def _plain(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)


def local(moment: str) -> str:
    """A moment (ISO 8601) in this machine's time."""
    return f"{datetime.fromisoformat(moment).astimezone():%Y-%m-%d %H:%M}"


def _table(*names: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for name in names:
        table.add_column(name, no_wrap=name in ("id", "age", "score", "done", "due", "status", "type"))
    return table


def _cell(text: str) -> Text:
    return Text(printable(text))
