"""From values to HTML: everything is escaped, marks that turn a text's direction are shown, differences marked."""

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FunctionLoader, StrictUndefined, pass_context
from jinja2.runtime import Context

from ... import features
from ...modules import package_files
from .texts import parsed, shown

FOLDER = Path(__file__).parent
LONGEST_COMPARED, MOST_WORDS = 4_000, 400
Pieces = Sequence[tuple[bool, str]]
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
_HEADING = re.compile(r"^#{1,6} +", re.MULTILINE)
COLOURS = 6
"""The colours of parts in the style sheet."""


class SumPart(NamedTuple):
    """A part of a sum, as drawn: where it begins, how long it is, and the number of its colour.

    What is taken away stands to the left of where what is given begins.
    """

    name: str
    value: float
    at: float
    length: float
    colour: int


def read_all() -> None:
    """Read the templates, the texts and what browsers load, for as long as the server runs. Blocks. Raises OSError."""
    package_files.read_all(FOLDER, ("*.html", "*.toml", "*.css", "*.js", "*.svg"))
    package_files.read_all(Path(features.__file__).parent, ("page.html",))


@cache
def environment() -> Environment:
    """Return the environment of all pages. Each is given `t`, its Texts, by which filters tell values.

    The stores that a process serves share it: a template is compiled once, not for each of them.
    """
    made = Environment(
        loader=FunctionLoader(lambda name: package_files.text(FOLDER / "templates" / name)),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    names = (
        "ago",
        "percent",
        "moment",
        "clock",
        "duration",
        "size",
        "number",
        "day",
        "whole_day",
        "named",
        "explained",
        "part",
        "labelled",
        "job",
        "count",
    )
    made.filters |= {name: _told(name) for name in names} | {"shorten": shorten, "passed": passed}
    return made


def _told(name: str) -> Callable[..., Any]:
    """Return a filter that tells a value by the texts of the page."""

    @pass_context
    def told(context: Context, *values: Any) -> Any:
        return getattr(context["t"], name)(*values)

    return told


def shorten(text: str, length: int = 160) -> str:
    """Return the beginning of a text in one line, headings without their marks."""
    line = " ".join(_HEADING.sub("", text[: 2 * length]).split())
    return line if len(line) <= length and len(text) <= 2 * length else line[: length - 1] + "…"


def passed(value: str | datetime, now: datetime) -> bool:
    """Return whether a moment is over."""
    then = parsed(value)
    return then is not None and then <= now


def stacked(sums: Mapping[str, Mapping[str, float]], width: float) -> dict[str, list[SumPart]]:
    """Return the parts of each sum as bars, the largest first; a part has one colour in all.

    All sums have one scale, by which the longest is `width`: penalties to the left, the others to the right.
    """
    colours: dict[str, int] = {}
    stacks: dict[str, list[SumPart]] = {}
    taken = max((-sum(min(0.0, value) for value in parts.values()) for parts in sums.values()), default=0.0)
    given = max((sum(max(0.0, value) for value in parts.values()) for parts in sums.values()), default=0.0)
    unit = width / ((taken + given) or 1.0)
    for of, parts in sums.items():
        bars = []
        left = right = taken * unit
        for name, value in sorted(parts.items(), key=lambda part: -abs(part[1])):
            length = abs(value) * unit
            left -= length if value < 0 else 0.0
            bars.append(SumPart(name, value, left if value < 0 else right, length, _colour(colours, name)))
            right += length if value >= 0 else 0.0
        stacks[of] = bars
    return stacks


def _colour(colours: dict[str, int], name: str) -> int:
    return colours.setdefault(name, len(colours) % COLOURS)


def differing(one: str, other: str) -> tuple[Pieces, Pieces]:
    """Return two texts in pieces, each with whether it differs from the other; what is long is cut. Blocks."""
    before, after = (_WORDS.findall(text[:LONGEST_COMPARED])[:MOST_WORDS] for text in (one, other))
    left: list[tuple[bool, str]] = []
    right: list[tuple[bool, str]] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, before, after).get_opcodes():
        left.append((kind != "equal", "".join(before[a:b])))
        right.append((kind != "equal", "".join(after[c:d])))
    return left, right
