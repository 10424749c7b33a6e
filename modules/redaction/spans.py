"""A text as the detectors read it, its spans that hold a secret, and the text with markers in their place."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from ..records import dataclass

OPENING, CLOSING = "[redacted:", "]"
_LONGEST_KIND = 40


@dataclass(frozen=True, slots=True)
class SecretSpan:
    """A part of a text, by characters, and the kind of secret that it is."""

    begin: int
    end: int
    kind: str


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a detector's pattern, compiled where a text first asks for it."""
    return re.compile(pattern)


def occurrences(text: str, word: str) -> Iterator[int]:
    """Yield where a word stands in a text."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


def marker(kind: str) -> str:
    """Return the marker that replaces a secret."""
    return f"{OPENING}{kind}{CLOSING}"


def markers(text: str) -> list[tuple[int, int]]:
    """Return the begin and end of the markers in a text, in order."""
    found = []
    at = text.find(OPENING)
    while at >= 0:
        kind = at + len(OPENING)
        end = text.find(CLOSING, kind, kind + _LONGEST_KIND + 1)
        if end > kind and text[kind:end].replace("-", "").isalnum():
            found.append((at, end + 1))
            at = text.find(OPENING, end)
        else:
            at = text.find(OPENING, kind)
    return found


def settled(spans: Iterable[SecretSpan], occupied: Sequence[tuple[int, int]]) -> list[SecretSpan]:
    """Return the spans in order without overlaps; none touches an `occupied` range.

    Of spans with one begin the longest is taken; those that overlap become one.
    """
    begins = [begin for begin, _ in occupied]
    chosen: list[SecretSpan] = []
    for span in sorted(spans, key=lambda span: (span.begin, -span.end)):
        near = bisect_left(begins, span.end)
        if span.begin >= span.end or (near and occupied[near - 1][1] > span.begin):
            continue
        if chosen and span.begin < chosen[-1].end:
            if span.end > chosen[-1].end:  # nothing of either may stay in the text
                chosen[-1] = SecretSpan(chosen[-1].begin, span.end, chosen[-1].kind)
            continue
        chosen.append(span)
    return chosen


def without(text: str, spans: Sequence[SecretSpan], name: Callable[[str], str] = marker) -> str:
    """Return the text with each span replaced by a marker."""
    return "".join(_pieces(text, spans, name))


def _pieces(text: str, spans: Sequence[SecretSpan], name: Callable[[str], str]) -> Iterator[str]:
    at = 0
    for span in spans:
        yield text[at : span.begin]
        yield name(span.kind)
        at = span.end
    yield text[at:]


_INVISIBLE = (
    *(0x00AD, 0x034F, 0x061C, 0x180E, 0xFEFF),
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xFE00, 0xFE10),
    *range(0xE0000, 0xE0080),
)
_FOLDED = (range(0xFF01, 0xFF5F), range(0x1D400, 0x1D800))
_LAST_OF_BMP = 0xFFFF
_NARROW = {0x3000: " ", 0x00A0: " ", 0x202F: " ", 0x2007: " ", 0x2010: "-", 0x2011: "-"}
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


@cache
def _table() -> dict[int, str | None]:
    folded = {
        code: plain
        for codes in _FOLDED
        for code in codes
        if len(plain := unicodedata.normalize("NFKC", chr(code))) == 1
    }
    return {**folded, **_NARROW, **dict.fromkeys(_INVISIBLE)}


@cache
def _special() -> re.Pattern[str]:
    return re.compile(f"[{re.escape(''.join(chr(code) for code in _table() if code <= _LAST_OF_BMP))}]")


def plain(text: str) -> tuple[str, Sequence[int]]:
    """Return the normalised text, and the offset of each of its characters (and its end) in the given one."""
    if text.isascii():
        return text, range(len(text) + 1)
    table = _table()
    if _special().search(text) is None and _ASTRAL.search(text) is None:
        return text, range(len(text) + 1)
    read = text.translate(table)
    if len(read) == len(text):
        return read, range(len(text) + 1)
    places = [at for at, character in enumerate(text) if table.get(ord(character), "") is not None]
    return read, [*places, len(text)]


def lowered(text: str) -> str:
    """Return the text in lower case, with every character at its offset."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(one if len(one := character.lower()) == 1 else character for character in text)
