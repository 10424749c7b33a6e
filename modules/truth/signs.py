"""Signs that two statements are told apart by: words of change, events, parts, numbers, names of attributes."""

import re
from collections.abc import Mapping
from functools import cache

from .aspects import KINDS, Value
from .lexicon import by_noun

CHANGES = re.compile(
    r"\b(?:now|no longer|any ?more|any longer|nowadays|these days|from now on|from here on|lately|instead|switched|"
    r"migrated|relocated|replaced|changed|took over|taken over|moved to|gone over|went over|new|became|has become|"
    r"promoted|appointed|rescheduled|postponed|renamed|ported|rewritten|upgraded|raised|lowered|rescaled|scaled|replacement|replaces)\b",
    re.IGNORECASE,
)

_PART = re.compile(
    r"^(?:'s|s') (?P<what>[a-z]+(?: [a-z]+)?) (?:now |just |recently |has |have )*"
    r"(?!is\b|are\b|was\b|were\b|now\b|be\w*\b|changed\b|has\b|have\b)[a-z]+(?:s|ed|ent|ove|ought|ook|ot|e)\b",
    re.IGNORECASE,
)


def has_part(text: str, subject: tuple[int, int]) -> bool:
    """Whether what does something is no more than a thing of the subject: "Erik's office moved"."""
    return _PART.match(text[subject[1] :]) is not None


@cache
def _attributes() -> Mapping[str, str]:
    return {noun: attribute.name for noun, (attribute, _) in by_noun().items() if len(noun) > 3}


def nouns(text: str, attribute: str | None) -> frozenset[str]:
    """The attributes whose names a sentence uses, and the one that the rules have read."""
    words = re.findall(r"[\w-]+", text)
    found, place = set(), 0
    while place < len(words):
        pair = " ".join(words[place : place + 2])
        phrase = pair if pair in _attributes() else words[place]
        if phrase in _attributes():
            found.add(_attributes()[phrase])
        place += len(phrase.split()) or 1
    return with_attribute(frozenset(found), attribute)


def with_attribute(named: frozenset[str], attribute: str | None) -> frozenset[str]:
    """The attributes that a sentence names, and one that was read, where one was."""
    return named if attribute is None else named | {_attributes().get(attribute, attribute)}


def lists(types: frozenset[str]) -> frozenset[str]:
    """The types of a value that a list of names makes."""
    return types - _LOOSE - KINDS


def main_values(values: list[Value]) -> list[Value]:
    """Without the dates that only say since when."""
    rest = [value for value in values if "date" not in value.types]
    return rest or values


ACCUMULATES = re.compile(
    r"\b(?:speaks?|knows?|allerg\w+|intoleran\w+|hobb(?:y|ies)|enjoys?|loves?|hates?|dislikes?|child|children|kids?|"
    r"has been to|have been to|been to|visited|met|member of|friends? with|collaborat\w+|is working on|works on|"
    r"contribut\w+|volunteers?|plays|collects?|learned|learnt|won|awards?|certified|published|wrote|gave|attended|"
    r"took part|a second|second|another|backup|fallback|secondary|primary|one of|including|among|pets?|cat|dog|"
    r"supports|integrates|exports?|depends on|read-only|skills?|subscribes|follows the|listens to)\b",
    re.IGNORECASE,
)

EVENT = re.compile(
    r"\b(?:bought|rented|tested|tried|visited|flew|went to|went on|met|asked|found|lost|brought|beat|cooked|sent|saw|"
    r"watched|heard|read about|talked|spoke|argued|introduced|cancelled|broke|fell|complained|thanked|suggested|"
    r"recommends?|reported|had (?:lunch|dinner|an? )|interview|crashed|failed|forgot|borrowed|owes|spent|helped|"
    r"gave|got stuck|won|joined .* for)\b",
    re.IGNORECASE,
)

_NUMBERED = re.compile(
    r"\b(?P<what>version|release|chapter|sprint|phase|ticket|room|floor|issue|pr|part|step|round|edition|v|the|our|"
    r"q)[ -]?#?(?P<n>20\d\d|(?<!the )(?<!our )\d[\d.]*)(?= [a-z]| of)",
    re.IGNORECASE,
)

Numbered = frozenset[tuple[str, str]]


def numbered(text: str) -> Numbered:
    """The things that a sentence tells apart by a number: the 2023 conference, sprint 4."""
    return frozenset((match["what"].lower(), match["n"]) for match in _NUMBERED.finditer(text))


def numbered_otherwise(first: Numbered, second: Numbered) -> bool:
    """Whether two sentences are about two numbered things: the 2023 and the 2024 conference."""
    return (first != second and bool(first) != bool(second)) or bool(first and second and not first & second)


_LOOSE = frozenset({"name"})
