"""Normalised text for the detectors: no invisible characters, full-width and mathematical letters as plain ones."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

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
