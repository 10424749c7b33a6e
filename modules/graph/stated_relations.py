"""Relations that a memory states: by its slot, and by the words between two names."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from . import cues
from .keys import key
from .models import (
    ALIAS_OF,
    LIVES_AT,
    RULE_WEIGHT,
    STUDIES_AT,
    USES,
    WEIGHTS,
    WORKS_AT,
    EntityType,
    Named,
    StatedRelation,
    Text,
)
from .names import SPEAKERS, NameSpan

USER, PROJECT = "user", "project"
MAX_SUBJECT_CHARS = 80
MAX_PAIRS = 60
"""Pairs of names of one sentence that are looked at, at most."""

_BY_ATTRIBUTE = {
    **dict.fromkeys(("employer", "company", "workplace", "works at", "works for"), WORKS_AT),
    **dict.fromkeys(("home", "city", "residence", "lives in", "lives at"), LIVES_AT),
    **dict.fromkeys(("school", "university", "studies at"), STUDIES_AT),
    "uses": USES,
}
_THINGS = {
    WORKS_AT: EntityType.ORGANIZATION,
    LIVES_AT: EntityType.PLACE,
    STUDIES_AT: EntityType.ORGANIZATION,
    USES: EntityType.PRODUCT,
}
"""The entity type of the object of each relation."""
_SPEAKS = re.compile(r"\b(?:I|[Ww]e)\b(?!['’])")
_CALLED = re.compile(
    r"^,? ?\(?(?:(?:is |was )?(?:also|better|formerly|otherwise|commonly)"
    r" (?:called|known as|named|referred to as)|a\.?k\.?a\.?"
    r"|alias|nicknamed|(?:is|are) short for|stands for)[:,]? [\"“'`]?"
    r"(?P<name>[^\W_][\w'’.&-]*(?: [^\W\d_a-z][\w'’.&-]*){0,4})"
)
_SUPPOSES = re.compile(r"\b(?:if|unless|whether|suppose|imagine|in case)\b", re.IGNORECASE)
_ACRONYM = re.compile(r"^ \((?P<name>[A-Z][A-Z0-9&.-]{1,9})\)")


def relations(text: Text, spans: Sequence[tuple[str, Sequence[NameSpan]]]) -> Iterator[StatedRelation]:
    """Yield the relations that a memory states, from its slot and from its sentences with the names in them."""
    by_slot = _slot_relation(text, spans)
    if by_slot is not None:
        yield by_slot
    for sentence, named in spans:
        for stated in _between_names(text, sentence, named):
            if by_slot is None or stated.type != by_slot.type:
                yield stated
        yield from aliases(sentence, named)


def _slot_relation(text: Text, spans: Sequence[tuple[str, Sequence[NameSpan]]]) -> StatedRelation | None:
    """Return the relation of a slot whose attribute names one and whose value names a thing."""
    type_ = _BY_ATTRIBUTE.get(text.attribute or "")
    if type_ is None or text.subject is None or text.value is None:
        return None
    named = [span for _, each in spans for span in each]
    who, value = _who(text, text.subject, named), text.value.strip(" .,;!\"'")
    if who is None or not value:
        return None
    return _stated_relation(who, type_, Named(value, EntityType.NAME), holds=text.polarity)


def _who(text: Text, subject: str, named: Sequence[NameSpan]) -> Named | None:
    """Return a canonical subject as an entity; "I" is the speaker. None if an assistant speaks of itself."""
    if subject == USER:
        if text.role in ("assistant", "system", "tool"):
            return None
        speaker = text.speaker
        if speaker is not None and speaker.lower() in SPEAKERS:
            return Named(USER, EntityType.PERSON) if speaker.lower() in ("user", "human", "me") else None
        return Named(speaker or USER, EntityType.PERSON)
    if subject == PROJECT:
        return Named(PROJECT, EntityType.PRODUCT)
    for span in sorted(named, key=lambda each: -len(each.label)):
        if f" {key(subject)}".endswith(f" {key(span.label)}"):  # "later Maria" is Maria
            return Named(span.label, span.type)
    written = re.search(rf"(?<!\w){re.escape(subject)}(?!\w)", text.content, re.IGNORECASE)
    if written is None or len(subject) > MAX_SUBJECT_CHARS:
        return None
    return Named(written.group(), EntityType.NAME)


def _stated_relation(who: Named, type_: str, what: Named, *, holds: bool = True) -> StatedRelation | None:
    """Build a relation, with the entity types that it implies; None if the names contradict it."""
    thing = _THINGS.get(type_)
    if thing is not None and holds and what.type is EntityType.NAME:  # who left Munich may have worked or lived there
        what = Named(what.label, thing)
    if type_ in (WORKS_AT, LIVES_AT, STUDIES_AT):
        if who.label == PROJECT or what.type is EntityType.PERSON:
            return None
        if who.type is EntityType.NAME:
            who = Named(who.label, EntityType.PERSON)
    return StatedRelation(who, type_, what, WEIGHTS.get(type_, RULE_WEIGHT), holds=holds)


def _between_names(text: Text, sentence: str, named: Sequence[NameSpan]) -> Iterator[StatedRelation]:
    speaking = [
        NameSpan(match.start(), match.end(), match.group(), EntityType.NAME) for match in _SPEAKS.finditer(sentence)
    ]
    spans = sorted((*named, *speaking), key=lambda span: span.begin)[: MAX_PAIRS + 1]
    yield from _changes(text, sentence, spans, speaking)
    for first, second in itertools.pairwise(spans):
        words = sentence[first.end : second.begin]
        if second in speaking or key(first.label) == key(second.label):
            continue
        is_backward, holds = False, True
        if found := cues.of_a_person(words, sentence[second.end :]):
            type_, holds = found
            if _is_unreal(sentence, first):
                continue
        elif found := cues.denied(words):
            (type_, is_backward), holds = found, False
            if _is_unreal(sentence, first):
                continue
        elif found := cues.between(words):
            type_, is_backward = found
        else:
            continue
        one: Named | None = Named(first.label, first.type)
        if first in speaking:
            one = _who(text, USER if first.label == "I" else PROJECT, ())
        other = Named(second.label, second.type)
        if one is not None and (
            stated := _stated_relation(other, type_, one, holds=holds)
            if is_backward
            else _stated_relation(one, type_, other, holds=holds)
        ):
            yield stated


def _changes(
    text: Text, sentence: str, spans: Sequence[NameSpan], speaking: Sequence[NameSpan]
) -> Iterator[StatedRelation]:
    """Yield what "Tom moved from Acme to Globex" ends and begins: where he lives, where he works, or what it uses."""
    for who, old, new in zip(spans, spans[1:], spans[2:], strict=False):
        words, following = sentence[who.end : old.begin], sentence[old.end : new.begin]
        if old in speaking or new in speaking or not cues.of_a_change(words, following) or _is_unreal(sentence, who):
            continue
        one = _who(text, USER if who.label == "I" else PROJECT, ()) if who in speaking else Named(who.label, who.type)
        if one is None:
            continue
        ended, begun = _changed(one, old, new, words, following)
        found = [_stated_relation(one, type_, Named(old.label, old.type), holds=False) for type_ in ended]
        found += [_stated_relation(one, type_, Named(new.label, new.type)) for type_ in begun]
        made = filter(None, found)
        yield from made if begun else (replace(each, subject=one) for each in made)  # it may be no person


def _changed(
    one: Named, old: NameSpan, new: NameSpan, words: str, following: str
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the types that end with the old thing, and those that begin with the new one where that is certain.

    "Tom moved from Acme to Globex" may tell of his employer or his home: that the old one ended is all it says. Of
    names that are not known as a person's or a product's it says no more.
    """
    types = {old.type, new.type}
    if types | {one.type} == {EntityType.NAME} and "from" in words:  # a person's home or employer, or what a thing uses
        return (USES, WORKS_AT, LIVES_AT, STUDIES_AT), ()
    if one.type is not EntityType.PERSON or EntityType.PRODUCT in types:
        return (USES,), (USES,)
    if EntityType.PLACE in types:
        return (LIVES_AT,), (LIVES_AT,)
    if EntityType.ORGANIZATION in types or "join" in following:
        return (WORKS_AT,), (WORKS_AT,)
    return ((WORKS_AT, LIVES_AT, STUDIES_AT) if "from" in words else (WORKS_AT,)), ()


def _is_unreal(sentence: str, who: NameSpan) -> bool:
    """Return whether a sentence asks, or supposes what it tells of somebody."""
    return sentence.rstrip().endswith("?") or _SUPPOSES.search(sentence[: who.begin]) is not None


def aliases(sentence: str, named: Sequence[NameSpan]) -> Iterator[StatedRelation]:
    """Yield aliases of a thing: "X, also called Y", and "Full Name (FN)" where the initials fit."""
    for span in named:
        after = sentence[span.end :]
        called = _CALLED.match(after)
        if called is not None:
            other = called["name"].rstrip(".,'’")
            yield from _alias(other, span, shorter_is_alias="short for" in called[0] or "stands for" in called[0])
        acronym = _ACRONYM.match(after)
        if acronym is not None and _initials_fit(acronym["name"], span.label):
            yield from _alias(acronym["name"], span)


def _alias(other: str, span: NameSpan, *, shorter_is_alias: bool = False) -> Iterator[StatedRelation]:
    if key(other) == key(span.label) or len(key(other)) < 2:
        return
    one, canonical = Named(other, span.type), Named(span.label, span.type)
    if shorter_is_alias and len(span.label) < len(other):  # "K8s is short for Kubernetes"
        one, canonical = canonical, one
    yield StatedRelation(one, ALIAS_OF, canonical, WEIGHTS[ALIAS_OF])


def _initials_fit(acronym: str, name: str) -> bool:
    words = re.findall(r"[^\W\d_]+", name)
    letters = [letter for letter in acronym.upper() if letter.isalpha()]
    initials = "".join(word[0] for word in words).upper()
    capitals = "".join(word[0] for word in words if word[0].isupper())
    return len(letters) > 1 and "".join(letters) in (initials, capitals)
