"""JSON that others wrote: a document, a list, values one a line; what is torn costs only the record that it hits."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ...modules.portability.models import Refused

MAX_TRIES_A_LINE = 20
MAX_TRIES = 1_000
_BETWEEN = " \t\r\n,[]"

Known = Callable[[Any], bool]
"""Return whether a value is a record of the format."""

_DECODER = json.JSONDecoder()
MOST_PARTS = 20_000_000
"""Most brackets and commas in a document: a small archive of empty lists would fill the memory of any machine."""


class TooManyParts(ValueError):
    """A document has more parts than any export."""


def document(data: bytes) -> Any:
    """Return a whole document, in UTF-8, -16 or -32. Raises ValueError, RecursionError, TooManyParts."""
    if sum(data.count(sign) for sign in (b"[", b"{", b",")) > MOST_PARTS:
        raise TooManyParts(f"has more than {MOST_PARTS} parts")
    return json.loads(data.decode(json.detect_encoding(data)))


def values(data: bytes, is_known: Known) -> Iterator[tuple[str, Any] | Refused]:
    """Each value with where it is, the entries of a list one by one; what cannot be read is refused by its line."""
    try:
        whole = document(data)
    except TooManyParts as error:
        yield Refused("the document", str(error))
        return
    except (ValueError, RecursionError):
        yield from _salvaged(data, is_known)
        return
    if isinstance(whole, list):
        yield from ((f"entry {number}", value) for number, value in enumerate(whole, start=1))
    else:
        yield "line 1", whole


def _salvaged(data: bytes, is_known: Known) -> Iterator[tuple[str, Any] | Refused]:
    """Line by line; a document over several lines that is torn, from one opening brace to the next."""
    lines = list(_of_lines(data, is_known))
    if any(isinstance(one, tuple) and is_known(one[1]) for one in lines):
        yield from lines
    else:
        text = data.decode("utf-8-sig", errors="replace")
        salvaged = list(_of_text(text, is_known, _Lines(text).place, MAX_TRIES))
        yield from salvaged if any(isinstance(one, tuple) for one in salvaged) else lines


def one_of(where: str, line: bytes) -> tuple[str, dict[str, Any]] | Refused:
    """Return the object that a line is, with its place, or what is wrong with it."""
    try:
        value = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return Refused(where, "is truncated or not JSON")
    return (where, value) if isinstance(value, dict) else Refused(where, "is not an object")


class _Lines:
    """The lines of a text, counted as its places are asked for from first to last."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at, self._line = 0, 1

    def place(self, at: int) -> str:
        """Return the line of a place that is no earlier than the last one."""
        self._line += self._text.count("\n", self._at, at)
        self._at = at
        return f"line {self._line}"


def _of_lines(data: bytes, is_known: Known) -> Iterator[tuple[str, Any] | Refused]:
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        where = f"line {number}"
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError:
            yield Refused(where, "is not valid UTF-8")
            continue
        yield from _of_text(line, is_known, partial(_of_line, where), MAX_TRIES_A_LINE)


def _of_line(where: str, _: int) -> str:
    return where


def _of_text(
    text: str, is_known: Known, place: Callable[[int], str], tries: int
) -> Iterator[tuple[str, Any] | Refused]:
    """The values that follow each other in a text. After one that is torn, from the next brace that opens a record."""
    at, torn = 0, False
    while True:
        while at < len(text) and text[at] in _BETWEEN:
            at += 1
        if at == len(text):
            return
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            value, end = None, at
        if end > at and (not torn or is_known(value)):
            yield place(at), value
            at, torn = end, False
            continue
        if not torn:
            yield Refused(place(at), "is truncated or not JSON")
            torn = True
        tries -= 1
        at = text.find("{", at + 1)
        if at < 0 or not tries:
            return
