"""File names of memories: words that a person recognises, then the beginning of the id."""

import unicodedata
from collections.abc import Container

ENDING = ".md"
MAX_SLUG_CHARS = 48
MAX_SLUG_BYTES = 100
ID_CHARS = 8


def file_name(memory_id: str, content: str, taken: Container[str]) -> str:
    """Return a name that is not `taken` (these in lower case) and that every file system allows.

    Small letters, digits and hyphens: no two names differ by case alone, and behind the words stands part of the id,
    so that none is a reserved one (`con`, `nul`).
    """
    short = memory_id.rpartition("_")[2] or memory_id
    for length in range(ID_CHARS, len(short) + 1):
        name = f"{_slug(content)}-{short[:length]}{ENDING}"
        if name not in taken:
            return name
    return f"{_slug(content)}-{short}-{len(content)}{ENDING}"


def link_name(name: str) -> str:
    """Return how a link names a file: without its folder and ending."""
    return name.rpartition("/")[2].removesuffix(ENDING)


def _slug(content: str) -> str:
    first = content.strip().partition("\n")[0][: 4 * MAX_SLUG_CHARS]
    letters = unicodedata.normalize("NFC", first.lower())
    cleaned = "".join(one if one.isalnum() or unicodedata.category(one)[0] == "M" else " " for one in letters)
    words = "-".join(cleaned.split())[:MAX_SLUG_CHARS]
    while len(words.encode("utf-8")) > MAX_SLUG_BYTES:
        words = words[:-1]
    return words.strip("-") or "memory"
