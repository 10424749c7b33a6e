"""The words that a text must hold for an expression to match it: most expressions need not be tried at all."""

from collections.abc import Iterable
from typing import Generic, TypeVar

_Entry = TypeVar("_Entry")

_LONGEST = 8
_COMMON = frozenset("a an the is was has to of in on at for by as with and it his her their my our that from".split())
_QUANTIFIED = "?*+{"


def needed_words(source: str) -> frozenset[str] | None:
    """Beginnings of words, in lower case, of which every match of a regular expression has at least one.

    None where nothing is sure. A word begins after a space, or where the text begins.
    """
    try:
        needed, end = _alternatives(source, 0, at_word=True)
    except (IndexError, ValueError):
        return None
    return needed if end == len(source) else None


def _alternatives(source: str, at: int, *, at_word: bool) -> tuple[frozenset[str] | None, int]:
    """What the alternatives need that begin at `at`, and where they end."""
    found: list[frozenset[str] | None] = []
    while True:
        needed, at = _sequence(source, at, at_word=at_word)
        found.append(needed)
        if at < len(source) and source[at] == "|":
            at += 1
            continue
        break
    sure = [one for one in found if one is not None]
    return (frozenset().union(*sure) if len(sure) == len(found) else None), at


def _sequence(source: str, at: int, *, at_word: bool) -> tuple[frozenset[str] | None, int]:
    best: frozenset[str] | None = None
    word = ""
    starts = at_word  # whether a word begins here, for sure

    def closed() -> None:
        nonlocal best, word
        if word:
            best = _better(best, frozenset({word[:_LONGEST].lower()}))
        word = ""

    while at < len(source) and source[at] not in "|)":
        sign, begin = source[at], at
        needed: frozenset[str] | None = None
        if sign == "(":
            closed()
            needed, at = _group(source, at, at_word=starts)
            literal = ""
        elif sign == "[":
            at = source.index("]", at + 2) + 1
            literal = ""
        elif sign == "\\":
            at += 2
            literal = source[begin + 1] if not source[begin + 1].isalnum() else ""
        else:
            at += 1
            literal = "" if sign in ".^$" else sign
        is_optional = at < len(source) and source[at] in "?*{"
        is_repeated = at < len(source) and source[at] in _QUANTIFIED
        if is_repeated:
            at = source.index("}", at) + 1 if source[at] == "{" else at + 1
            if at < len(source) and source[at] in "?+":
                at += 1
        if literal and literal.isalnum() and not is_optional and (starts or word):
            word += literal
            if is_repeated:
                closed()
            starts = False
            continue
        closed()
        if needed is not None and not is_optional:
            best = _better(best, needed)
        # Words that may be left out leave it to the next one to begin.
        starts = (literal == " " and not is_optional) or (starts and sign == "(" and _ends_words(source[begin:at]))
    closed()
    return best, at


def _group(source: str, at: int, *, at_word: bool) -> tuple[frozenset[str] | None, int]:
    """What a group needs that begins at `at`, and where it ends; looking around needs nothing."""
    looks_around = source.startswith(("(?!", "(?=", "(?<!", "(?<="), at)
    if source.startswith(("(?:", "(?!", "(?="), at):
        at += 3
    elif source.startswith(("(?<!", "(?<="), at):
        at += 4
    elif source.startswith("(?P<", at):
        at = source.index(">", at) + 1
    elif source.startswith("(?-i:", at):
        at += 5
    elif source.startswith("(?", at):
        raise ValueError(source)
    else:
        at += 1
    needed, end = _alternatives(source, at, at_word=at_word)
    if source[end] != ")":
        raise ValueError(source)
    return (None if looks_around else needed), end + 1


def _ends_words(group: str) -> bool:
    """Whether each alternative of a plain group ends with a space."""
    inner = group[3:].rstrip("?*+")
    plain = group.startswith("(?:") and inner.endswith(" )") and not set("()[]\\{") & set(inner[:-1])
    return plain and all(one.endswith(" ") for one in inner[:-1].split("|"))


def _better(one: frozenset[str] | None, other: frozenset[str]) -> frozenset[str]:
    return other if one is None or _worth(other) > _worth(one) else one


def _worth(words: frozenset[str]) -> float:
    return min(len(word) - (5 if word in _COMMON else 0) for word in words) - len(words) / 100


class ByNeededWords(Generic[_Entry]):
    """Entries in their order, of which only those are tried whose expression a text may match."""

    def __init__(self, entries: Iterable[tuple[str, _Entry]]) -> None:
        """`entries`: each with the source of its expression."""
        self._entries: list[_Entry] = []
        self._always: list[int] = []
        self._by_word: dict[str, list[int]] = {}
        for place, (source, entry) in enumerate(entries):
            self._entries.append(entry)
            needed = needed_words(source)
            if needed is None:
                self._always.append(place)
            for word in needed or ():
                self._by_word.setdefault(word, []).append(place)

    def that_may_match(self, text: str) -> list[_Entry]:
        """The entries whose expression may match a text, in their order."""
        places = set(self._always)
        by_word = self._by_word
        for word in set(text.lower().split()):
            for length in range(1, min(len(word), _LONGEST) + 1):
                if (found := by_word.get(word[:length])) is not None:
                    places.update(found)
        return [self._entries[place] for place in sorted(places)]
