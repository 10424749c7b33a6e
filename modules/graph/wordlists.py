"""The word lists of names, and what the gazetteer's lists hold, read at their first use."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..truth.lexicon import by_noun, gazetteer, names_in
from .keys import key
from .models import EntityType


@dataclass(frozen=True)
class WordLists:
    """See `names.toml`; words are in lower case."""

    common: frozenset[str]
    acronyms: frozenset[str]
    honorifics: frozenset[str]
    organization_endings: frozenset[str]
    organization_beginnings: frozenset[str]
    place_endings: frozenset[str]
    place_beginnings: frozenset[str]
    given: frozenset[str]
    after_a_name: frozenset[str]
    small: frozenset[str]


@cache
def _file() -> Mapping[str, Any]:
    import tomllib

    return tomllib.loads(Path(__file__).with_name("names.toml").read_text(encoding="utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_file()[name].lower().split())


@cache
def wordlists() -> WordLists:
    """The lists; nouns that name a property ("Deadline", "Backup") are common words too."""
    nouns = {noun for noun in by_noun() if noun.isalpha()}
    return WordLists(
        common=_words("common") | nouns - _words("given"),
        acronyms=_words("acronyms"),
        honorifics=_words("honorifics"),
        organization_endings=_words("organization_endings"),
        organization_beginnings=_words("organization_beginnings"),
        place_endings=_words("place_endings"),
        place_beginnings=_words("place_beginnings"),
        given=frozenset(map(key, _file()["given"].split())),
        after_a_name=_words("after_a_name"),
        small=_words("small"),
    )


@cache
def _type_of_list(name: str) -> EntityType | None:
    for lists, type_ in (("organizations", EntityType.ORGANIZATION), ("places", EntityType.PLACE), ("ignored", None)):
        if name in _file()[lists]:
            return type_
    return EntityType.PRODUCT


def known_type(lists: tuple[str, ...]) -> EntityType | None:
    """What the first of a name's lists makes of it; None where it is no entity."""
    return _type_of_list(lists[0])


def known_name(name: str) -> EntityType | None:
    """The type of a name that stands in the gazetteer; None where it does not, or is no entity."""
    lists = gazetteer().get(name.strip().lower())
    return None if lists is None else known_type(lists)


@cache
def _first_words() -> frozenset[str]:
    return frozenset(_FIRST.match(name)[0] for name in gazetteer() if _FIRST.match(name))  # type: ignore[index]


_FIRST = re.compile(r"[^\W_]+|\W")


def known_names(sentence: str) -> list[tuple[int, int, str, EntityType | None]]:
    """The gazetteer's names in a sentence: begin, end, the name, its type (None: no entity)."""
    if _first_words().isdisjoint(_FIRST.findall(sentence.lower())):
        return []
    names = []
    for found in names_in(sentence):
        if found.text.islower() and found.text.isalpha() and found.text not in wordlists().small:
            continue  # "a vivid sketch" names neither a bank nor a program
        article = len(found.text) - len(_ARTICLE.sub("", found.text))  # "the UK" is the UK
        names.append((found.begin + article, found.end, found.text[article:], known_type(found.lists)))
    return names


_ARTICLE = re.compile(r"^the (?=\S)", re.IGNORECASE)
