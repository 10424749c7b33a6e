"""From values to HTML: everything is escaped, marks that turn a text's direction are shown, times and numbers told."""

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

FOLDER = Path(__file__).parent
_UNSEEN = [*range(0x00, 0x09), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0), 0x200B, 0x2060, 0xFEFF]
_TURNING = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
DIRECTION_MARKS = {mark: f"⟦U+{mark:04X}⟧" for mark in (*_UNSEEN, *_TURNING)}
"""What nobody sees, or what makes a text look like another one; it is shown as what it is."""
LONGEST_COMPARED, MOST_WORDS = 4_000, 400
Pieces = Sequence[tuple[bool, str]]
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
_STEPS = ((60, "second"), (60, "minute"), (24, "hour"), (30, "day"), (12, "month"))


def texts() -> Mapping[str, Any]:
    """Read the catalogue of texts."""
    return tomllib.loads((FOLDER / "texts.toml").read_text(encoding="utf-8"))


def environment() -> Environment:
    """Return the environment of all pages."""
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {
        "ago": ago,
        "percent": percent,
        "moment": moment,
        "plural": plural,
        "shorten": shorten,
        "told": told,
    }
    return made


def shown(value: Any) -> Any:
    """Return a value as a page shows it: nothing for None, direction marks by their names."""
    if value is None:
        return ""
    return value.translate(DIRECTION_MARKS) if isinstance(value, str) and not isinstance(value, Markup) else value


def _parsed(value: str | datetime | None) -> datetime | None:
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    return value if value is None or value.tzinfo is not None else value.replace(tzinfo=UTC)


def ago(value: str | datetime | None, now: datetime) -> Markup:
    """Return a moment as how long ago it was, with the moment itself for whoever points at it."""
    then = _parsed(value)
    if then is None:
        return Markup("–")
    left = abs((now - then).total_seconds())
    unit = "year"
    for size, name in _STEPS:
        if left < size:
            unit = name
            break
        left /= size
    number = int(left)
    told = (
        "just now"
        if unit == "second"
        else f"{plural(number, unit)} ago"
        if then <= now
        else f"in {plural(number, unit)}"
    )
    return Markup('<time datetime="{0}" title="{0}">{1}</time>').format(then.isoformat(timespec="seconds"), told)


def moment(value: str | datetime | None) -> str:
    """Return a moment to the minute (UTC)."""
    then = _parsed(value)
    return "–" if then is None else f"{then.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def percent(value: float | None) -> str:
    """Return a share (0..1) as a percentage."""
    return "–" if value is None else f"{value * 100:.0f} %"


def plural(number: int, name: str, many: str = "") -> str:
    """Return a number with the name of what it counts."""
    return f"{number:,} {name}" if number == 1 else f"{number:,} {many or name + 's'}"


def told(text: str, /, **values: Any) -> str:
    """Return a text of the catalogue with values in the places that it names in braces."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def shorten(text: str, length: int = 160) -> str:
    """Return the beginning of a text."""
    return text if len(text) <= length else text[: length - 1] + "…"


def stacked(parts: Mapping[str, float], width: float) -> list[tuple[str, float, float, float]]:
    """Return the parts of a sum as bars, the largest first: name, value, beginning and length, of `width` together."""
    total = sum(abs(value) for value in parts.values()) or 1.0
    bars, at = [], 0.0
    for name, value in sorted(parts.items(), key=lambda part: -abs(part[1])):
        length = abs(value) / total * width
        bars.append((name, value, at, length))
        at += length
    return bars


def differing(one: str, other: str) -> tuple[Pieces, Pieces]:
    """Return two texts in pieces, each with whether it differs from the other; what is long is cut. Blocks."""
    before, after = (_WORDS.findall(text[:LONGEST_COMPARED])[:MOST_WORDS] for text in (one, other))
    left: list[tuple[bool, str]] = []
    right: list[tuple[bool, str]] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, before, after).get_opcodes():
        left.append((kind != "equal", "".join(before[a:b])))
        right.append((kind != "equal", "".join(after[c:d])))
    return left, right
