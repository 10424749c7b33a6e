"""Whether a new statement may take an older one's place: evidence from both texts, without a question.

Pure. It is for asking whoever stores the new one, so it may be less sure than what ends a memory (`meaning.py`) and
than what marks one in an answer (`competing.py`). What vectors know is added in `memory/predecessors.py`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from .aspects import Aspect, aspect, common_subject, mention, overlaps
from .competing import MAX_CHARS, Told, stand_beside
from .judgement import holds
from .marks import is_additional, is_unsure, marks_change
from .modifiers import modified_otherwise, word_pairs
from .scopes import edition, environments, occasion, owned_for
from .signs import (
    ACCUMULATES,
    CHANGES,
    EVENT,
    Numbered,
    has_part,
    lists,
    main_values,
    nouns,
    numbered,
    numbered_otherwise,
    with_attribute,
)
from .subjects import PROJECT, RELATIVES, USER

FEATURES = (
    *("subject", "mentioned", "shares_name", "longer_name", "relative", "other_relative", "both_user", "user_missing"),
    *("nobody", "names_of_newer", "names_of_older", "leads", "newer_leads", "subjects_differ", "read", "older_read"),
    *("change", "strong_change", "names_former", "additional", "event", "accumulates", "unsure", "planned"),
    *("temporary", "past", "vague", "older_vague", "same_type", "same_list", "both_names", "other_type", "other_list"),
    *("no_value", "older_without_value", "same_values", "some_values", "part", "other_modifier", "other_noun"),
    *("numbered_otherwise", "environment", "narrowed"),
)


@dataclass(frozen=True)
class _Reading:
    """One text by itself; `names` are its words that may name somebody, with what may be the rest of a name."""

    aspect: Aspect
    names: Mapping[str, str]
    relatives: frozenset[str]
    changes: bool
    changes_strongly: bool
    names_former: bool
    additional: bool
    event: bool
    accumulates: bool
    unsure: bool
    planned: bool
    temporary: bool
    past: bool
    environments: frozenset[str]
    narrowed: tuple[frozenset[str], ...]
    nouns: frozenset[str]
    numbered: Numbered
    pairs: Mapping[str, frozenset[str]]


def may_replace(content: str) -> bool:
    """Whether a text is one statement, which may replace another one."""
    return len(content) <= MAX_CHARS and "?" not in content


def evidence(older: Told, newer: Told) -> dict[str, float] | None:
    """What says that the newer one is about the same property of the same subject, by FEATURES.

    None where it is of no use to ask: the older one is of an attribute with several values, or of one that never
    changes, or says more than one thing.
    """
    if len(older.content) > MAX_CHARS or (older.attribute is not None and holds(older.attribute) in _NEVER_REPLACED):
        return None
    if stand_beside(older, newer):
        return None
    before, after = _read(older.content), _read(newer.content)
    one, other = before.aspect, after.aspect
    found = common_subject([told.subject for told in (older, newer) if told.subject is not None], one, other)
    where = ((0, 0), (0, 0)) if found is None else found[1:]
    known = {
        **_of_names(before, after),
        **_of_text(after),
        **_of_values(before, after, where),
        "subject": found is not None and found[0] not in (USER, PROJECT),
        "relative": found is not None and "'s " in found[0],
        "leads": found is not None and max(where[0][0], where[1][0]) < _AT_THE_BEGINNING,
        "newer_leads": found is not None and where[1][0] < _AT_THE_BEGINNING,
        "subjects_differ": None not in (older.subject, newer.subject) and older.subject != newer.subject,
        "read": newer.attribute is not None,
        "older_read": older.attribute is not None,
        "older_vague": one.is_vague,
        "accumulates": before.accumulates and after.accumulates,
        "part": has_part(one.text, where[0]) != has_part(other.text, where[1]),
        "other_modifier": modified_otherwise(before.pairs, after.pairs, one.text[slice(*where[0])].lower()),
        "other_noun": _disjoint(
            with_attribute(before.nouns, older.attribute), with_attribute(after.nouns, newer.attribute)
        ),
        "numbered_otherwise": numbered_otherwise(before.numbered, after.numbered),
        "environment": before.environments != after.environments,
        "narrowed": before.narrowed != after.narrowed,
    }  # fmt: skip
    return {feature: float(known[feature]) for feature in FEATURES}


_NEVER_REPLACED = ("many", "fixed")
_AT_THE_BEGINNING = 4


@lru_cache(maxsize=2_048)
def _read(text: str) -> _Reading:
    """Half a millisecond, so what was read is kept."""
    shown = aspect(text)
    plain = shown.text
    without_former = _FORMER.sub(" ", plain)  # "the former channel" is no doubt
    return _Reading(
        aspect=shown,
        names=_names(plain),
        relatives=frozenset(match[0].lower() for match in _relative().finditer(plain)),
        changes=marks_change(text),
        changes_strongly=CHANGES.search(text) is not None,
        names_former=without_former != plain,
        additional=is_additional(text),
        event=EVENT.search(plain) is not None,
        accumulates=ACCUMULATES.search(plain) is not None,
        unsure=is_unsure(without_former),
        planned=_PLAN.search(plain) is not None,
        temporary=_TEMPORARY.search(plain) is not None,
        past=_PAST.search(plain) is not None,
        environments=environments(plain),
        narrowed=(occasion(plain), owned_for(plain), edition(plain)),
        nouns=nouns(plain, None),
        numbered=numbered(plain),
        pairs=word_pairs(plain),
    )


def _of_names(before: _Reading, after: _Reading) -> dict[str, float]:
    one, other = before.aspect, after.aspect
    mentioned = [
        name
        for name in {*one.subjects, *other.subjects} - {USER, PROJECT}
        if mention(name, one) is not None and mention(name, other) is not None
    ]
    shared = before.names.keys() & after.names.keys()
    return {
        "mentioned": bool(mentioned),
        "shares_name": bool(shared),
        "longer_name": any(_disjoint_names(before.names[name], after.names[name]) for name in shared),
        "other_relative": before.relatives != after.relatives,
        "both_user": USER in one.subjects and USER in other.subjects,
        "user_missing": (USER in one.subjects) != (USER in other.subjects),
        "nobody": set(other.subjects) <= set(mentioned),
        "names_of_newer": min(2, len(after.names.keys() - before.names.keys())) / 2,
        "names_of_older": min(2, len(before.names.keys() - after.names.keys())) / 2,
    }


def _of_text(after: _Reading) -> dict[str, bool]:
    return {
        "change": after.changes,
        "strong_change": after.changes_strongly,
        "names_former": after.names_former,
        "additional": after.additional,
        "event": after.event,
        "unsure": after.unsure,
        "planned": after.planned,
        "temporary": after.temporary,
        "past": after.past,
        "vague": after.aspect.is_vague,
    }


def _of_values(before: _Reading, after: _Reading, where: tuple[tuple[int, int], tuple[int, int]]) -> dict[str, bool]:
    sides = [
        [value for value in each.aspect.values if not overlaps(value, span)]
        for each, span in zip((before, after), where, strict=True)
    ]
    older, newer = (frozenset().union(*(value.types for value in main_values(side))) for side in sides)
    texts = [{value.text for value in side} for side in sides]
    shared = older & newer
    return {
        "same_type": bool(shared - {"name"}),
        "same_list": bool(lists(shared)),
        "both_names": "name" in shared,
        "other_type": bool(older and newer and not shared),
        "other_list": bool(lists(older) and lists(newer) and not lists(shared)),
        "no_value": not newer,
        "older_without_value": not older,
        "same_values": bool(texts[1]) and texts[1] <= texts[0],
        "some_values": bool(texts[0] & texts[1]),
    }


def _disjoint(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one and other and not one & other)


def _disjoint_names(one: str, other: str) -> bool:
    return bool(one and other and one != other)


_FORMER = re.compile(
    r"\b(?:(?:the|my|his|her|its|our|their|that) (?:former|previous|old|last|prior|other|earlier) "
    r"(?!week|month|year|time|night)\w+|what was said before|as before|instead of \w+|in favou?r of|rather than|"
    r"replac\w+|no more of)\b",
    re.IGNORECASE,
)
_PLAN = re.compile(
    r"\b(?:might|may (?!take|\d)|could|would|consider(?:s|ing)?|thinking (?:of|about)|toying|mulling|plans?|planning|"
    r"hopes?|dreams? of|tempted|look(?:s|ing) (?:at|into|for)|wants? to (?:move|switch|try|buy|change|leave|join)|"
    r"means to|intends?|maybe|perhaps|possibly|proposal|proposed|rfc|voted?|decision|spike|pilot|trial|try(?:ing)?|"
    r"tries|tried|shortlist\w*|draft|if|whether|once|until|options?|candidates?|applied|interview\w*|eyeing|someday|"
    r"one day)\b",
    re.IGNORECASE,
)
_TEMPORARY = re.compile(
    r"\b(?:for (?:a|one|two|three|the) (?:days?|weeks?|weekend|nights?|few|couple|holidays?)|just (?:this|today|for)|"
    r"this (?:\w+day|week|weekend) only|temporarily|for the time being|on loan|because of the)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:used to|formerly|back (?:then|when|in)|decades|years ago|started out|got its start|originally|at first|"
    r"the (?:very )?first|long (?:ago|deleted|gone)|was born|grew up|until the|when I was|once|in (?:19|20[01])\d|"
    r"as a (?:child|student|kid|boy|girl))\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![\w-])(?P<name>[A-Z]\w*(?:-\w+)*|[a-z]\w*(?:-\w+)+)(?:'s)?(?: (?P<rest>[A-Z][a-z]+))?")
_THING = re.compile(
    r"\b(?:the|our) (?P<name>(?:[a-z]+ )?[a-z]+) (?:service|team|app|site|environment|cluster)\b", re.IGNORECASE
)
_NO_NAME = frozenset(
    """a an the this that these those there here i we he she they it my our his her their its you your for from since
    until as at in on by with of to and or but if when while after before during about update noted note fyi news just
    only also now no not yes please keep what who which where how monday tuesday wednesday thursday friday saturday
    sunday january february march april may june july august september october november december use call ask run put
    send give project team correction reminder effective starting base out up every everything all heads-up""".split()
)


def _names(text: str) -> dict[str, str]:
    """Words that may name somebody or something, each with the name that follows it: Greta, of Greta Baumann."""
    found = {match["name"].lower(): "" for match in _THING.finditer(text)}
    place = 0
    while (match := _NAME.search(text, place)) is not None:
        place = match.end("name")
        if (name := match["name"].lower()) not in _NO_NAME:
            found[name] = (match["rest"] or "").lower()
    return found


@cache
def _relative() -> re.Pattern[str]:
    words = sorted(map(re.escape, RELATIVES | {"intern", "landlady", "accountant", "editor", "housemate"}))
    return re.compile(rf"\b(?:{'|'.join(reversed(words))})s?\b", re.IGNORECASE)
