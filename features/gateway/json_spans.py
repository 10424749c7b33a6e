"""Locate the values of a JSON text, so that text can be inserted without changing any other character."""

import json
import re

Span = tuple[int, int]
"""The first character of a value, and the one after its last."""

_DECODER = json.JSONDecoder()
_BLANKS = re.compile(r"[ \t\n\r]*+")


def value_at(text: str, at: int) -> Span:
    """Return the span of the value that begins at or after `at`. Raises ValueError."""
    begin = _after_blanks(text, at)
    _, end = _DECODER.raw_decode(text, begin)
    return begin, end


def members(text: str, at: int) -> dict[str, Span]:
    """Return the spans of an object's values by name, of a repeated name the last. Raises ValueError if it is none."""
    found: dict[str, Span] = {}
    at = _expected(text, at, "{")
    while not _is_at(text, at, "}"):
        name, at = _DECODER.raw_decode(text, _after_blanks(text, at))
        if not isinstance(name, str):
            raise ValueError("a name is not a string")
        found[name] = value_at(text, _expected(text, at, ":"))
        at = _next(text, found[name][1], "}")
    return found


def elements(text: str, at: int) -> list[Span]:
    """Return the spans of an array's values. Raises ValueError if it is none."""
    found: list[Span] = []
    at = _expected(text, at, "[")
    while not _is_at(text, at, "]"):
        found.append(value_at(text, at))
        at = _next(text, found[-1][1], "]")
    return found


def _next(text: str, at: int, closing: str) -> int:
    """Return where to go on after a value: behind its comma, or at what closes."""
    return at if _is_at(text, at, closing) else _expected(text, at, ",")


def _after_blanks(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def _is_at(text: str, at: int, sign: str) -> bool:
    return text.startswith(sign, _after_blanks(text, at))


def _expected(text: str, at: int, sign: str) -> int:
    begin = _after_blanks(text, at)
    if not text.startswith(sign, begin):
        raise ValueError(f"expected {sign} at character {begin}")
    return begin + 1
