"""Orders to the agent in other languages: words of three kinds that stand together in one clause.

No grammar: whoever says all three near each other speaks about somebody's instructions. They stand in
`suspicion_words.toml`.
"""

import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from . import package_files

NEAR_CHARS = 90
"""The characters before and behind the first of them in which the others are looked for."""
MOST_PLACES = 40
ROLE = "a new role"
_ENDS = ".!?。！？;；\n"

Row = Sequence[Sequence[str]]


@cache
def _tables(*, ascii_alone: bool = False) -> tuple[Mapping[str, Sequence[Row]], Sequence[str]]:
    """Return the rows by the rule that they are of, and what begins a new role; in the form in which texts are read.

    With `ascii_alone` those that a text in ASCII may meet, which are less than half.
    """
    if ascii_alone:
        tables, every_role = _tables()
        rows = {name: [[_in_ascii(words) for words in row] for row in table] for name, table in tables.items()}
        return {name: [row for row in table if all(row)] for name, table in rows.items()}, _in_ascii(every_role)
    text = package_files.text(Path(__file__).with_suffix(".toml"))
    found = tomllib.loads(unicodedata.normalize("NFKC", text))
    roles: Sequence[str] = found.pop(ROLE)
    return found, roles


def _in_ascii(words: Sequence[str]) -> Sequence[str]:
    return [word for word in words if word.isascii()]


def signs(lower: str) -> Iterator[str]:
    """Yield the rules that a text in lower case breaks."""
    tables, roles = _tables(ascii_alone=lower.isascii())
    for name, rows in tables.items():
        if any(_stands_together(lower, row) for row in rows):
            yield name
    if any(role in lower for role in roles):
        yield ROLE


def _stands_together(lower: str, row: Row) -> bool:
    done, others = row[0], row[1:]
    for words in row:
        for word in words:  # no `any`: nearly every text ends here, and a generator costs three times as much
            if word in lower:
                break
        else:
            return False
    for word in done:
        for at in _places(lower, word):
            clause = _clause(lower, at, at + len(word))
            if all(any(_begins_in(clause, other) for other in words) for words in others):
                return True
    return False


def _places(lower: str, word: str) -> Sequence[int]:
    found: list[int] = []
    at = lower.find(word)
    while at >= 0 and len(found) < MOST_PLACES:
        if _begins(lower, at, word):
            found.append(at)
        at = lower.find(word, at + 1)
    return found


def _begins_in(clause: str, word: str) -> bool:
    at = clause.find(word)
    while at >= 0 and not _begins(clause, at, word):
        at = clause.find(word, at + 1)
    return at >= 0


def _begins(text: str, at: int, word: str) -> bool:
    """Return whether a word begins there, of scripts that set spaces; others may join what comes before."""
    return not at or not word[0].isalpha() or ord(word[0]) >= _JOINED or not text[at - 1].isalpha()


_JOINED = 0x0590
"""The first letter, of Hebrew, from which on scripts join prefixes to words, or set no spaces."""


def _clause(lower: str, begin: int, end: int) -> str:
    """Return what stands around a place in the same sentence, up to NEAR_CHARS on each side."""
    before = lower[max(0, begin - NEAR_CHARS) : begin]
    after = lower[end : end + NEAR_CHARS]
    cut = max(before.rfind(sign) for sign in _ENDS)
    ends = [place for sign in _ENDS if (place := after.find(sign)) >= 0]
    return before[cut + 1 :] + lower[begin:end] + after[: min(ends, default=len(after))]
