"""Other readings of a text, as a model may read it: letters spaced out, reversed, rotated, as digits, or encoded."""

import base64
import binascii
import codecs
import html
import re
from collections.abc import Callable, Iterator
from functools import cache
from urllib.parse import unquote

MOST_RUNS = 20
MOST_CHARS = 8_000
"""The most characters of one encoded run that are decoded."""
_TURNED = ("erongi", "drawersid", "tegrof", "snoitcurtsni", "tpmorp metsys")
_ROTATED = ("vtaber", "qvfertneq", "sbetrg", "vafgehpgvba", "flfgrz cebzcg")
_LEET = str.maketrans("0134578@$", "oieastbas")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def others(text: str, lower: str) -> Iterator[str]:
    """Yield the readings of a text beside the plain one; for nearly every text there are none."""
    if _compiled(_SPACED).search(text):
        yield _compiled(r"(?<![^\W_])([^\W_])[._*\-](?=[^\W_](?![^\W_]))").sub(r"\1", text)
        yield _compiled(r"(?<![^\W_])([^\W_]) (?=[^\W_](?![^\W_]))").sub(r"\1", text)
    if _compiled(r"[a-z]-[a-z]").search(lower):
        yield _compiled(r"(?<=[a-z])-(?=[a-z])").sub("", lower)
    if _compiled(r"[a-z@$][0134578][a-z@$013457]|[0134578][a-z]{2}").search(lower):
        yield lower.translate(_LEET)
    if any(word in lower for word in _TURNED):
        yield text[::-1]
    if any(word in lower for word in _ROTATED):
        yield codecs.encode(text, "rot13")
    if _compiled(r"%[0-9a-f]{2}").search(lower):
        yield unquote(text, errors="replace")
    if "&#" in text or "&lt;" in lower:
        yield html.unescape(text)
    if "\\u" in text or "\\x" in text:
        yield _compiled(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2}))").sub(_unescaped, text)
    yield from _decoded(text)


_SPACED = r"(?<![^\W_])(?:[^\W_][ ._*\-]{1,2}){5}[^\W_](?![^\W_])"
_BASE64 = r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}"
_HEX = r"(?<![0-9A-Za-z])(?:[0-9a-fA-F]{2}){16,}(?![0-9A-Za-z])"


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match[1] or match[2], 16))


def _decoded(text: str) -> Iterator[str]:
    for number, match in enumerate(_compiled(_BASE64).finditer(text)):
        if number >= MOST_RUNS:
            break
        run = match.group()[:MOST_CHARS].rstrip("=").translate({ord("-"): "+", ord("_"): "/"})
        yield from _decoded_words(base64.b64decode, run + "=" * (-len(run) % 4))
    for number, match in enumerate(_compiled(_HEX).finditer(text)):
        if number >= MOST_RUNS:
            break
        run = match.group()[:MOST_CHARS]
        yield from _decoded_words(binascii.unhexlify, run[: len(run) // 2 * 2])


def _decoded_words(decode: Callable[[str], bytes], run: str) -> Iterator[str]:
    """Yield what was encoded, where it is a text of words."""
    try:
        text = decode(run).decode("utf-8")
    except (ValueError, binascii.Error):
        return
    if " " in text and sum(map(str.isprintable, text)) >= 0.95 * len(text):
        yield text
