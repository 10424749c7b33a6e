"""The word lists for names, read at their first use."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from .. import package_files
from ..records import dataclass
from .keys import key


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

    return tomllib.loads(package_files.text(Path(__file__).with_name("names.toml")))


def _words(name: str) -> frozenset[str]:
    return frozenset(_file()[name].lower().split())


@cache
def wordlists() -> WordLists:
    """Return the word lists, read once."""
    return WordLists(
        common=_words("common"),
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
