"""What the sentences of the lexicon state."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from .attributes import belongs, is_of_another, property_of
from .comparison import same_value
from .lexicon import DATED, Attribute, Pattern, attributes, gazetteer, names_in
from .needed_words import ByNeededWords
from .reading import Reading, reading_of
from .subjects import PROJECT, USER, canonical_subject, is_person, is_subject
from .values import take
from .wording import Clause


def by_sentences(clause: Clause) -> Iterator[Reading]:
    undated, dated = _patterns()
    found = undated.that_may_match(clause.bare) + dated.that_may_match(clause.full)
    for _, attribute, pattern in sorted(found, key=lambda one: one[0]):
        match = pattern.expression.fullmatch(clause.full if pattern.type in DATED else clause.bare)
        if match is not None and (reading := _matched(clause, attribute, pattern, match)) is not None:
            yield reading


_Placed = tuple[int, Attribute, Pattern]


@cache
def _patterns() -> tuple[ByNeededWords[_Placed], ByNeededWords[_Placed]]:
    """All sentences with their places in the lexicon: those read without the dates, and those read with them."""
    both = [(attribute, pattern) for attribute in attributes() for pattern in attribute.says]
    placed = [(pattern.source, (place, attribute, pattern)) for place, (attribute, pattern) in enumerate(both)]
    return (
        ByNeededWords(one for one in placed if one[1][2].type not in DATED),
        ByNeededWords(one for one in placed if one[1][2].type in DATED),
    )


def _matched(clause: Clause, attribute: Attribute, pattern: Pattern, match: re.Match[str]) -> Reading | None:
    groups = match.groupdict()
    type_, result, ends, lenient = pattern.type, pattern.result, pattern.ends, pattern.lenient
    first = bool(groups.get("v")) and match.start("v") == 0
    subject_text = groups.get("s") or ""
    if groups.get("x") and (own := re.match(r"^(?:his|her|its|their) (?P<n>.+)$", subject_text)):
        subject_text = f"{groups['x']}'s {own['n']}"
    if attribute.name == "employer" and " is at " in f" {match.group()} " and not clause.marks_change:
        return None
    if subject_text and not is_subject(subject_text):
        return None
    if "s" in groups and not subject_text and attribute.name != "on-call":
        return None
    raw = groups.get("v")
    value: str | None
    if raw is None and "{v}" in result:
        value, sure = None, 0.8
    elif raw is None:
        value, sure = result, 0.85
    else:
        taken = take(type_, raw, lenient=lenient) if type_ else _whole(raw)
        if taken is None or (first and len(taken[0]) < len(raw.strip(" ,")) - 4):
            return None
        value, sure = result.replace("{v}", taken[0]), taken[1]
    if clause.negated and not clause.ended and _CHANGES.search(match.group()):
        return None
    if attribute.name == "employer" and value and _IS_MEMBER.search(match.group()) and not _AS_A.search(clause.full):
        return None
    if attribute.name == "employer" and _WENT_SOMEWHERE.search(match.group()):
        sure = min(sure, 0.6)
    if attribute.type == "title" and value and "newspaper" in gazetteer().get(value.removeprefix("the ").lower(), ()):
        return None
    if attribute.prefix and value:
        value = f"{attribute.prefix} {value}"
    if attribute.name in ("deadline", "release date") and value and _RECURS.match(value):
        return None
    if attribute.name in ("bank", "employer", "car", "laptop") and is_of_another(attribute, match.group()):
        return None
    if (owner := _owner(attribute, subject_text)) is None:
        return None
    inner = (
        _INNER.search(match.string, match.start("v") + len(value) - 1) if owner == PROJECT and value and raw else None
    )
    if inner and is_subject(inner["s"]) and not is_person(inner["s"]):
        owner = canonical_subject(inner["s"])
    if value is not None and same_value(value, owner):
        return None
    if ends and not clause.negated:
        clause = replace(clause, negated=True, ended=True, marks_change=True)
    return reading_of(clause, owner, attribute, attribute.name, value, sure)


def _whole(raw: str) -> tuple[str, float] | None:
    """A value that a sentence of the lexicon describes itself; None where something follows that narrows it."""
    return None if _NARROWED.search(raw) or len(raw.split()) > 5 else (raw.strip(), 0.85)


_WENT_SOMEWHERE = re.compile(r"\b(?:went to|went over to|moved on to|landed at|ended up at)\b")
"""Words of new jobs, and of new banks and books."""
_IS_MEMBER = re.compile(
    r"\bstarted at .*\b(?:School|Primary|Academy|Kindergarten|Nursery)$"
    r"|\bjoined .*\b(?:Club|Society|Association|Choir|Orchestra|Gym|Church)$"
)
"""A pupil starts there, a member joins; neither is employed."""
_AS_A = re.compile(r"\bas an?\b|\b(?:job|role|position)\b")
_RECURS = re.compile(r"(?:every|each|weekdays|weekends|daily|weekly)\b|\w+days\b", re.IGNORECASE)
_NARROWED = re.compile(r" (?:for|as|when|if|because|but|only|until|while|unless|during) ")
_CHANGES = re.compile(
    r"\b(?:moved|switched|migrated|joined|bought|sold|left|quit|changed|became|married|took|"
    r"started|got|hired|promoted|relocated)\b"
)


_THINGS_DUE = frozenset(
    "project report thesis paper essay release launch migration rollout redesign rewrite book article presentation "
    "application delivery homework assignment proposal review website app target goal milestone".split()
)
_INNER = re.compile(r" (?:of|for) (?P<s>(?:(?:the|our) )?[\w-]+(?: (?:service|team|app|server|project))?)(?= |$)")
"""What "we" speak of: "we run six instances of thumbnailer"."""


def _owner(attribute: Attribute, phrase: str) -> str | None:
    """The subject of an attribute that a sentence names; None where such a subject has no such attribute."""
    if not phrase:
        return USER if attribute.owner == USER else PROJECT
    if not belongs(attribute, phrase):
        return None
    if attribute.name == "location" and (is_person(phrase) and not phrase.lower().startswith(("the ", "our ", "my "))):
        return None
    if attribute.name == "name" and (
        ("'s " not in phrase and is_person(phrase)) or ((part := property_of(phrase)) and part.known)
    ):
        return None
    if attribute.name == "pets" and not is_person(phrase):
        return None
    own = re.match(r"^(?P<owner>[^']+)'s (?P<part>[\w -]+)$", phrase)
    if own and own["part"].lower() in attribute.cues and is_subject(own["owner"]) and belongs(attribute, own["owner"]):
        return canonical_subject(own["owner"])
    subject = canonical_subject(phrase)
    if attribute.name == "lead" and re.match(r"(?:an?|some|his|her|their) |.* (?:in|at|with) [A-Z]", phrase):
        return None
    if attribute.name in ("lead", "members") and any(
        one.begin == 0 and set(one.lists) != {"place"} for one in names_in(phrase)
    ):
        return None
    if attribute.name in ("lead", "status", "deadline", "release date", "budget") and subject == USER:
        return None
    if subject == PROJECT and attribute.owner == USER:
        return USER
    named = property_of(phrase)
    if named is not None and named.explicit and (named.known is not None and named.known.name == attribute.name):
        return named.subject
    if named is not None and named.known is not None and named.known.name == attribute.name and not named.explicit:
        return USER if named.subject == PROJECT and attribute.owner == USER else named.subject
    if named is not None and named.known is None and named.explicit and named.attribute in attribute.parts:
        return named.subject
    of_unknown = own is not None and (named is None or named.known is None) and own["part"].lower() not in _THINGS_DUE
    if of_unknown and attribute.name in ("deadline", "release date"):
        return None
    if named is not None and named.event and attribute.name in ("deadline", "release date", "location", "status"):
        return None
    if (
        named is not None
        and named.known is not None
        and named.known.name != attribute.name
        and attribute.name != "name"
    ):
        tool = named.known.type == named.known.name
        relative = named.known.type == "name" and attribute.owner == USER
        alone = named.subject in (USER, PROJECT)
        if (named.owner or (alone and not tool)) and named.attribute not in attribute.parts and not relative:
            return None
    return subject
