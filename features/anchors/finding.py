"""What code a note names: paths and symbols in its text, confirmed by their being there in the folder. Blocks."""

import re
from collections.abc import Sequence
from itertools import pairwise

from .code import Code
from .models import Place

MOST_WORDS = 60
"""How many words of a text that may name code are looked at."""
MOST_PLACES = 6
"""The most anchors that a note is given by its text."""
LEAST_CHARS = 3
_WORD = re.compile(r"`?[\w./@+~$#:-]{2,300}+(?:\(\))?`?")
_SYMBOL = re.compile(r"[^\W\d]\w{0,99}(?:\.[^\W\d]\w{0,99}){0,7}")
_FILE = re.compile(r"[\w.@+~$/-]*\.[A-Za-z]\w{0,9}")


def places_in(text: str, code: Code) -> list[Place]:
    """Return the places that a text names and that are there, symbols rather than the files that they are in.

    A symbol counts where the text shows that it is one (in backticks, with parentheses or a dot, written like_this or
    likeThis), and where it can be only one: in a file that the text names too, or defined once in the project.
    """
    files: list[str] = []
    symbols: list[tuple[str, str]] = []
    for word in list(_WORD.findall(text))[:MOST_WORDS]:
        is_marked = word.startswith("`") or word.rstrip("`").endswith("()")
        bare = word.strip("`").removesuffix("()").rstrip(".:-")
        path, symbol = _parts(bare)
        if (found := _file(path, code)) and found not in files:
            files.append(found)
        if found and symbol:
            symbols.append((symbol, found))
        elif not found and (name := bare.replace("::", ".").replace("#", ".")) and _is_symbol(name, marked=is_marked):
            symbols.append((name, ""))
    places = [place for name, path in dict.fromkeys(symbols) if (place := _one(name, path, files, code)) is not None]
    rest = [Place(path) for path in files if not any(place.path == path for place in places)]
    return list(dict.fromkeys((*places, *rest)))[:MOST_PLACES]


def place_of(given: str, code: Code) -> Place | None:
    """Return the place that somebody gave as PATH or PATH:SYMBOL; None where it is not there."""
    if found := _file(given, code, whole=True):
        return Place(found)
    path, symbol = _parts(given)
    found = _file(path, code, whole=True)
    return _one(symbol, found, (), code) if found and symbol else None


def _parts(word: str) -> tuple[str, str]:
    """Return the path and the symbol in `path:symbol`, `path#symbol` or `path::symbol`; a line number is none."""
    for mark in ("::", "#", ":"):
        path, found, symbol = word.partition(mark)
        if found and "." in path:
            symbol = symbol.replace("::", ".").replace("#", ".")
            return path, symbol if _SYMBOL.fullmatch(symbol) else ""
    return word, ""


def _file(path: str, code: Code, *, whole: bool = False) -> str:
    """Return a file that is there, as anchors know it: by its path, or where the text has its name alone, the only one.

    A path that was given is taken as it is (`whole`).
    """
    if not whole and ("//" in path or not _FILE.fullmatch(path)):
        return ""
    found = code.relative(path)
    if found and (source := code.source(found)) is not None and not source.problem:
        return found
    if whole or "/" in path:
        return ""
    named = code.called(path)
    return named[0] if len(named) == 1 else ""


def _is_symbol(name: str, *, marked: bool) -> bool:
    if not _SYMBOL.fullmatch(name) or len(name) < LEAST_CHARS:
        return False
    return marked or "_" in name.strip("_") or any(a.islower() and b.isupper() for a, b in pairwise(name))


def _one(name: str, path: str, files: Sequence[str], code: Code) -> Place | None:
    """Return the one place of a symbol: in the file given with it, in those that are named, or in the project."""
    for some in ((path,) if path else (), () if path else files):
        found = [place for one in some for place in _in_file(name, one, code)]
        if len(found) == 1:
            return found[0]
    if path or not code.is_whole:
        return None
    everywhere = code.named(name)
    return everywhere[0] if len(everywhere) == 1 else None


def _in_file(name: str, path: str, code: Code) -> list[Place]:
    source = code.source(path)
    symbols = () if source is None else source.symbols
    exact = [symbol for symbol in symbols if symbol == name]
    return [Place(path, symbol) for symbol in exact or [one for one in symbols if one.endswith(f".{name}")]]
