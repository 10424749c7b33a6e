"""Whether a run followed a lesson, as far as rules can tell: what it asks for is given, or quoted in its text. Pure.

Metadata say it exactly: `{"follow": {"with": ["--ff-only"], "without": ["--force"], "first": ["make check"]}}`: what
the command must hold, must not hold, and what must have run in the session before. Without them a text that quotes
commands in backticks says it, clause by clause, where only one reading is possible. Everything else is unknown.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...modules.records import dataclass
from ...modules.text.negation import denials

MOST, MAX_CHARS, READ_CHARS = 10, 200, 2_000
_CLAUSE = re.compile(r"(?<=[.;!?])\s|[,;:]\s|\n")
_QUOTED = re.compile(r"`([^`\n]{1,200})`")
_WHAT = r"(?:(?:the|a|an|flag|option|switch|command)\s){0,3}`[^`]{1,200}`"
_FOR = re.compile(rf"\W{{0,3}}(?:always\s)?(?:use|pass)\s{_WHAT}", re.I)
_AGAINST = re.compile(
    rf"\W{{0,3}}(?:never|don't|do not|avoid)\s(?:(?:use|using|pass|passing|run|running)\s)?{_WHAT}", re.I
)
_FIRST = re.compile(rf"\W{{0,3}}(?:always\s)?(?:run|call)\s{_WHAT}\s{{1,3}}(?:first|before)\b", re.I)


@dataclass(frozen=True)
class Wanted:
    """What a lesson asks of a run; empty where nobody can tell."""

    held: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    first: tuple[str, ...] = ()


def wanted(metadata: Mapping[str, Any], text: str) -> Wanted:
    """Return what a lesson asks of a run, by its metadata, else by its text."""
    given = metadata.get("follow")
    if isinstance(given, dict):
        return Wanted(*(_texts(given.get(name)) for name in ("with", "without", "first")))
    held: list[str] = []
    missing: list[str] = []
    first: list[str] = []
    for clause in _CLAUSE.split(text[:READ_CHARS])[: 4 * MOST]:
        quoted = _QUOTED.findall(clause)
        if not quoted:
            continue
        readings = ((_AGAINST, missing), (_FIRST, first), (_FOR, held))
        into = next((into for pattern, into in readings if pattern.match(clause)), None)
        denied = denials(_QUOTED.sub("", clause))
        if into is None and not denied:  # it tells of something, and asks for nothing
            continue
        if into is None or len(quoted) > 1 or denied > (into is missing):
            return Wanted()
        into.append(quoted[0].lower())
    return Wanted(tuple(held), tuple(missing), tuple(first))


def followed(asked: Wanted, given: str, before: Sequence[str]) -> bool | None:
    """Return whether a run did what is asked, by what its tool was given and the commands before; None: unknown."""
    if asked == Wanted():
        return None
    command = given.lower()
    held = all(part in command for part in asked.held)
    missing = not any(part in command for part in asked.missing)
    return held and missing and all(any(part in one.lower() for one in before) for part in asked.first)


def failure_of(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Return how the failures that a lesson is to prevent say themselves; empty where it does not say."""
    given = metadata.get("prevents")
    if given is None and isinstance(mined := metadata.get("lesson"), dict):
        given = mined.get("failure")
    return tuple(filter(None, (_plain(one)[:MAX_CHARS] for one in _texts(given))))


def is_failure_of(parts: Sequence[str], error: str) -> bool:
    """Return whether an error is one of those that a lesson is to prevent: numbers in it do not matter."""
    told = _plain(error)
    return any(part in told for part in parts)


def _plain(text: str) -> str:
    line = " ".join(text.casefold().split()).rstrip("…. ")
    return "".join("0" if char.isdigit() else char for char in line)


def _texts(value: object) -> tuple[str, ...]:
    several = value if isinstance(value, list) else [value]
    return tuple(text[:MAX_CHARS].lower() for text in several[:MOST] if isinstance(text, str) and text.strip())
