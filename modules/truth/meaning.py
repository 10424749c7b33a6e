"""What a pair of statements has in common beyond words that the rules read: features of "the newer replaces the older".

Pure and quick: the cosines, which need a model, are added by whoever has one (`modules/memory/replacement.py`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from .aspects import KINDS, Aspect, Value, aspect, common_subject, masked, overlaps
from .judgement import holds
from .lexicon import by_noun
from .marks import is_additional, is_correction, marks_change
from .models import Claim
from .scopes import edition, environments, leading_scope, occasion, owned_for, purpose

MAX_CHARS = 300


"""A longer text says more than one thing."""


FEATURES = (
    "cosine",
    "masked",
    "change",
    "change_masked",
    "strong_change",
    "same_type",
    "both_names",
    "other_type",
    "other_list",
    "untyped",
    "names_older_value",
    "neither_read",
    "older_read",
    "scoped",
    "accumulates",
    "event",
    "same_noun",
    "other_noun",
    "part",
    "leads",
)


@dataclass(frozen=True)
class Likeness:
    """A pair that may be an update: its features but for the cosines, and both texts without subject and values."""

    features: Mapping[str, float]
    older: str
    newer: str
    subject: str


def likeness(older: Claim, newer: Claim) -> Likeness | None:
    """What two statements of one subject have in common; None where the newer one cannot replace the older one."""
    if not _comparable(older, newer):
        return None
    one, other = aspect(older.content), aspect(newer.content)
    if one.is_vague or other.is_vague or environments(one.text) != environments(other.text):
        return None
    if any(narrowed(one.text) != narrowed(other.text) for narrowed in (occasion, leading_scope, owned_for, edition)):
        return None
    read = [claim.slot.subject for claim in (older, newer) if claim.slot is not None]
    subject = common_subject(read, one, other)
    if subject is None:
        return None
    names, where_older, where_newer = subject
    before = [value for value in one.values if not overlaps(value, where_older)]
    after = [value for value in other.values if not overlaps(value, where_newer)]
    if numbered_otherwise(numbered(one.text), numbered(other.text)):
        return None
    if after and {value.text for value in after} <= {value.text for value in before}:
        return None
    if _is_by_the_way(one, where_older, other, where_newer):
        return None
    types = [frozenset().union(*(value.types for value in main_values(values))) for values in (before, after)]
    common = types[0] & types[1]
    named = [
        nouns(text, None if claim.slot is None else claim.slot.attribute)
        for text, claim in ((one.text, older), (other.text, newer))
    ]
    change = marks_change(newer.content)
    features = {
        "change": change,
        "strong_change": CHANGES.search(newer.content) is not None,
        "same_type": bool(common - _LOOSE),
        "both_names": "name" in common,
        "other_type": bool(types[0] and types[1] and not common),
        "other_list": bool(lists(types[0]) and lists(types[1]) and not lists(common)),
        "untyped": not (types[0] and types[1]),
        "names_older_value": change and _names(newer.content, older, before),
        "neither_read": older.slot is None and newer.slot is None,
        "older_read": older.slot is not None,
        "scoped": purpose(one.text) != purpose(other.text),
        "accumulates": bool(ACCUMULATES.search(one.text) or ACCUMULATES.search(other.text)),
        "event": bool(EVENT.search(other.text)) or bool(EVENT.search(one.text)),
        "same_noun": bool(named[0] & named[1]),
        "other_noun": bool(named[0] and named[1] and not named[0] & named[1]),
        "part": has_part(one.text, where_older) != has_part(other.text, where_newer),
        "leads": where_newer[0] < 4 and where_older[0] < 4,
    }
    return Likeness(
        {name: float(value) for name, value in features.items()},
        masked(one.text, where_older, before),
        masked(other.text, where_newer, after),
        names,
    )


def _comparable(older: Claim, newer: Claim) -> bool:
    for claim in (older, newer):
        if len(claim.content) > MAX_CHARS or claim.valid_to is not None:
            return False
        if claim.slot is not None and (not claim.slot.polarity or holds(claim.slot.attribute) in ("many", "fixed")):
            return False
    if all(ACCUMULATES.search(claim.content) for claim in (older, newer)) or _ADDS.search(newer.content):
        return False
    if is_additional(newer.content) or is_correction(newer.content):
        return False
    return older.slot is None or newer.slot is None


CHANGES = re.compile(
    r"\b(?:now|no longer|any ?more|any longer|nowadays|these days|from now on|from here on|lately|instead|switched|"
    r"migrated|relocated|replaced|changed|took over|taken over|moved to|gone over|went over|new|became|has become|"
    r"promoted|appointed|rescheduled|postponed|renamed|ported|rewritten|upgraded|raised|lowered|rescaled|scaled|replacement|replaces)\b",
    re.IGNORECASE,
)


_MOVES = re.compile(
    r"\b(?:moved|left|pushed|took|brought|put|sent|settled|gave|sold|washed|cooked|opened|closed|wrote|drew|started|"
    r"finished|dropped|got) (?:the|an?|his|her|their|its|some|another|\d+) (?P<what>[a-z]+) "
    r"(?:to|for|in|from|at|of|on|about)\b",
    re.IGNORECASE,
)


def _is_by_the_way(older: Aspect, where_older: tuple[int, int], newer: Aspect, where_newer: tuple[int, int]) -> bool:
    """Whether the newer one tells of an event, or of a thing of the subject, that the older one says nothing of."""
    if EVENT.search(newer.text) and not CHANGES.search(newer.text):
        return True
    if (moved := _MOVES.search(newer.text)) and moved["what"].lower() not in older.text.lower():
        return not _REPLACES.search(newer.text)
    part = _PART.match(newer.text[where_newer[1] :])
    if part is None:
        return False
    noun = part["what"].split()[-1].lower()
    return noun not in _attributes() and noun not in older.text.lower()


_REPLACES = re.compile(
    r"\b(?:now|instead|from now on|these days|wedding|marriage|no longer)\b|\breplace", re.IGNORECASE
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


_ADDS = re.compile(
    r"\b(?:been to|speaks|learn\w*|allerg\w+|hobb(?:y|ies)|a second|second|third|extra|spare|backup|fallback|"
    r"additional|one of|as well|joined a|besides)\b",
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


def _names(text: str, older: Claim, before: list[Value]) -> bool:
    """Whether a text names the older one's value: "moved from Vim to Zed"."""
    words = {value.text for value in before}
    if older.slot is not None and older.slot.value:
        words.add(older.slot.value.lower())
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text.lower()) for word in words if len(word) > 1)
