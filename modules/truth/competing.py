"""Whether two statements compete for one question: evidence that the newer one has taken the older one's place.

Pure, and undestructive in what it is for: a search may put the newer one first and mark the older one, where the rules
that end a memory could not read both. What vectors and the search itself know is added in `memory/outdated.py`.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

from .aspects import Aspect, Value, aspect, common_subject, mention, overlaps, subjects
from .judgement import holds
from .main_statement import main_reading
from .marks import is_additional, is_for_once, is_unsure, marks_change, straightened
from .models import AskedSlot
from .modifiers import modified_otherwise, word_pairs
from .question_cues import asking_word, fits
from .reading import Reading
from .scopes import DATE_SCOPE, LEADING_SCOPE, environments, occasion, owned_for
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
from .wording import contractions_undone

MAX_CHARS = 300
"""A longer text says more than one thing."""
FEATURES = (
    *("change", "strong_change", "older_changes", "past_tense", "older_past_tense", "vague", "older_vague"),
    *("additional", "began", "event", "older_event", "accumulates"),
    *("same_type", "other_type", "other_list", "fits_both", "unfit", "older_without_value"),
    *("leads", "another_leads", "part", "part_of", "other_modifier", "numbered_otherwise"),
    *("asked_by_older", "asked_by_newer", "older_of_another", "newer_of_another", "attributes_differ"),
    *("subjects_differ", "read", "same_noun", "asks_another_noun", "older_narrower", "newer_of_many"),
)


@dataclass(frozen=True)
class Question:
    """What a question shows of itself: whom it is about, by what `names` of their own or as what `things`, which
    attributes it names, how it begins."""

    text: str
    slot: AskedSlot | None
    subjects: frozenset[str]
    names: tuple[str, ...]
    things: tuple[str, ...]
    nouns: frozenset[str]
    asking: str
    wants_several: bool
    is_of_the_past: bool


@dataclass(frozen=True)
class Told:
    """What one memory states: its text, and the subject and attribute that the rules have read."""

    content: str
    subject: str | None = None
    attribute: str | None = None


@dataclass(frozen=True)
class _Reading:
    """One text by itself."""

    aspect: Aspect
    text: str
    changes: bool
    changes_strongly: bool
    unsure: bool
    additional: bool
    began: bool
    event: bool
    accumulates: bool
    environments: frozenset[str]
    occasion: frozenset[str]
    owned_for: frozenset[str]
    nouns: frozenset[str]
    numbered: Numbered
    pairs: Mapping[str, frozenset[str]]


def question(text: str, slot: AskedSlot | None) -> Question:
    """Read a question; `slot` is what the rules made of it. A tenth of a millisecond."""
    plain = contractions_undone(straightened(text))
    found = subjects(plain)
    return Question(
        text=plain.lower(),
        slot=slot,
        subjects=frozenset(found),
        names=tuple(sorted((name for name, span in found.items() if span[0] > 0 and _is_name(plain, span)), key=len)),
        things=tuple(name for name, span in found.items() if _THING.match(plain, *span)),
        nouns=nouns(plain.lower().rstrip("?"), None if slot is None else slot.attribute),
        asking=asking_word(plain),
        wants_several=_wants_several(plain.lower()),
        is_of_the_past=_PAST_ASKED.search(plain) is not None,
    )


def evidence(asked: Question, older: Told, newer: Told) -> dict[str, float] | None:
    """What says that a newer statement has taken the older one's place as the answer, by FEATURES.

    None where they do not compete: of different subjects, or of another one than the question's, in other
    circumstances, of an attribute with several values, several values are asked for, or the newer one says less than
    that something is so.
    """
    if _never_compete(asked, older, newer) or stand_beside(older, newer) or asked.wants_several:
        return None  # before anything is read
    before, after = _read(older.content), _read(newer.content)
    if after.unsure:
        return None  # a plan, a rumour, somebody's words: "might", "according to …"
    found = _subject(asked, older, newer, before.aspect, after.aspect)
    if found is None or before.environments != after.environments:
        return None
    where_older, where_newer = found
    scopes = _scope(before, where_older), _scope(after, where_newer)
    if _is_narrower(*scopes) or _is_narrower(before.owned_for, after.owned_for):
        return None
    values = [value for value in before.aspect.values if not overlaps(value, where_older)]
    values_after = [value for value in after.aspect.values if not overlaps(value, where_newer)]
    if values_after and {value.text for value in values_after} <= {value.text for value in values}:
        return None  # it says the same
    known = {
        **_of_texts(before, where_older, after, where_newer),
        **_of_values(asked, values, values_after),
        **_of_attributes(asked, older, newer, before, after),
        "part_of": _is_part_of(after, where_newer, before.text, asked),
        "other_modifier": modified_otherwise(before.pairs, after.pairs, before.text[slice(*where_older)]),
        "older_narrower": scopes[0] != scopes[1] or before.owned_for != after.owned_for,
        "newer_of_many": newer.attribute is not None and holds(newer.attribute) in _SEVERAL,
    }
    return {feature: float(known[feature]) for feature in FEATURES}


def never_outdates(asked: Question, older: Told, newer: Told) -> bool:
    """Whether the newer one of two outdates the older one for sure not, even where rules cannot read both.

    One says more than one thing; or the newer one speaks of one day alone, asks, is hearsay, or is of an
    environment or an owner that the older one does not have; or several values are asked for, and it tells of no
    change; or rules have read in both values that stand beside one another ("soft", "fixed": sports, birthplaces).
    """
    if max(len(older.content), len(newer.content)) > MAX_CHARS or _is_for_once_alone(older, newer):
        return True
    if _IN_DOUBT.search(newer.content):
        return True
    before, after = _read(older.content), _read(newer.content)
    added = {*(after.environments - before.environments), *(after.owned_for - before.owned_for)}
    if any(scope not in before.text for scope in added):
        return True
    if asked.wants_several and not after.changes:
        return True
    return holds(older.attribute or "") != "many" and stand_beside(older, newer)


def _never_compete(asked: Question, older: Told, newer: Told) -> bool:
    """Whether one says more than one thing, speaks of one day alone, or of another name than the other."""
    if max(len(older.content), len(newer.content)) > MAX_CHARS or _is_for_once_alone(older, newer):
        return True
    found = _named(asked, older, newer)
    return (True, True) not in found and any(one != other for one, other in found)


_IN_DOUBT = re.compile(
    r"\?|\baccording to (?!(?:the|my|our|his|her)\b)"
    r"|\b(?:rumou?rs?|they say|claim(?:s|ed)|thinks|thought|heard|believes)\b"
    r"|^if\b(?!.*\b(?:from now on|from here on|please)\b)",
    re.IGNORECASE,
)
"""A question, hearsay, or a condition: of these the model knows too little."""


def agree_by_gist(older: str, newer: str) -> bool:
    """Whether two statements give one attribute of one subject, by their gist, two values."""
    one, other = _gist(older), _gist(newer)
    if one is None or other is None or (one.subject, one.attribute) != (other.subject, other.attribute):
        return False
    if one.value is None or other.value is None:
        return False
    differ = one.value.lower() != other.value.lower()
    return differ and one.polarity and other.polarity and holds(one.attribute) not in _SEVERAL


@lru_cache(maxsize=2_048)
def _gist(text: str) -> Reading | None:
    """A millisecond, so what was read is kept."""
    return main_reading(text, with_gist=True)


def _named(asked: Question, older: Told, newer: Told) -> list[tuple[bool, bool]]:
    """Of each name of the question that is in a text, whether each of both has it."""
    texts = older.content.lower(), newer.content.lower()
    found = [(_mentions(texts[0], name), _mentions(texts[1], name)) for name in asked.names]
    return [both for both in found if any(both)]


def _mentions(text: str, name: str) -> bool:
    """Whether a text has a name; of "leo's teacher", but of no relative, that of whose it is."""
    owner, _, of = name.partition("'s ")
    wanted = name if of.split(" ")[0] in RELATIVES else owner
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text) is not None


def stand_beside(older: Told, newer: Told) -> bool:
    """Whether the rules have read what has several values, or may have: such values stand beside one another.

    So does what is said of one day beside what is not. Two of an attribute that has one value may both hold where a
    rule was held back, and may compete.
    """
    if _is_for_once_alone(older, newer):
        return True
    if older.attribute is None:
        return False
    held = holds(older.attribute)
    return held in _SEVERAL or (held == "soft" and (older.subject, older.attribute) == (newer.subject, newer.attribute))


def _is_for_once_alone(older: Told, newer: Told) -> bool:
    return is_for_once(newer.content) and not is_for_once(older.content)


_SEVERAL = ("many", "fixed")


@lru_cache(maxsize=2_048)
def _read(text: str) -> _Reading:
    """Half a millisecond, so what was read is kept."""
    shown = aspect(text)
    return _Reading(
        aspect=shown,
        text=shown.text.lower(),
        changes=marks_change(text) or _ONSET.search(text) is not None,
        changes_strongly=CHANGES.search(text) is not None,
        unsure=is_unsure(_OF_THE_FORMER.sub("", shown.text)),
        additional=is_additional(text) or _MORE.search(text) is not None,
        began=_BEGAN.search(shown.text) is not None,
        event=EVENT.search(shown.text) is not None,
        accumulates=ACCUMULATES.search(shown.text) is not None,
        environments=environments(shown.text),
        occasion=occasion(shown.text),
        owned_for=owned_for(shown.text),
        nouns=nouns(shown.text, None),
        numbered=numbered(shown.text),
        pairs=word_pairs(shown.text),
    )


def _subject(
    asked: Question, older: Told, newer: Told, before: Aspect, after: Aspect
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Where both mention whom the question is about; None where one does not."""
    is_apart = False
    for name in asked.names:
        spans = mention(name, before), mention(name, after)
        if spans[0] is not None and spans[1] is not None:
            return spans[0], spans[1]
        is_apart = is_apart or spans != (None, None)
    if is_apart:
        return None
    if asked.subjects & {USER, PROJECT} and not asked.names:
        own = [
            next((each.subjects[one] for one in (USER, PROJECT) if one in each.subjects), None)
            for each in (before, after)
        ]
        if own[0] is not None and own[1] is not None:
            return own[0], own[1]
    for name in asked.things:
        spans = mention(name, before), mention(name, after)
        if spans[0] is not None and spans[1] is not None:
            return spans[0], spans[1]
    found = common_subject([told.subject for told in (older, newer) if told.subject is not None], before, after)
    if found is None or (found[0] not in asked.subjects and found[0].split("'")[0] not in asked.text):
        return None
    return found[1], found[2]


def _is_name(text: str, span: tuple[int, int]) -> bool:
    return _NAME.match(text, *span) is not None and _COMPOUND.match(text, *span) is None


def _is_narrower(older: Collection[str], newer: Collection[str]) -> bool:
    """Whether the newer one holds for less than everything, or for something else: "For holidays …"."""
    return bool(newer) and older != newer


def _of_texts(
    before: _Reading, where_older: tuple[int, int], after: _Reading, where_newer: tuple[int, int]
) -> dict[str, bool]:
    leads = _leads(after, where_newer)
    return {
        "change": after.changes,
        "strong_change": after.changes_strongly,
        "older_changes": before.changes_strongly,
        "past_tense": _PAST_TENSE.search(after.text, where_newer[1] if leads else 0) is not None,
        "older_past_tense": _PAST_TENSE.search(before.text, where_older[1] if where_older[0] < 4 else 0) is not None,
        "vague": after.aspect.is_vague,
        "older_vague": before.aspect.is_vague,
        "additional": after.additional,
        "began": after.began,
        "event": after.event,
        "older_event": before.event,
        "accumulates": before.accumulates and after.accumulates,
        "leads": leads,
        "another_leads": not leads and after.aspect.text[:1].isupper(),
        "part": has_part(before.aspect.text, where_older) != has_part(after.aspect.text, where_newer),
        "numbered_otherwise": numbered_otherwise(before.numbered, after.numbered),
    }


_LEAD_IN = re.compile(r"[A-Z][\w' ]{2,28}: ")


def _leads(reading: _Reading, subject: tuple[int, int]) -> bool:
    """Whether a text begins with its subject, after a word or two that introduce it ("News: …")."""
    introduced = _LEAD_IN.match(reading.aspect.text)
    begin = introduced.end() if introduced is not None and introduced.end() <= subject[0] else 0
    return subject[0] - begin < 4


def _of_values(asked: Question, before: list[Value], after: list[Value]) -> dict[str, bool]:
    older, newer = (frozenset().union(*(value.types for value in main_values(each))) for each in (before, after))
    shared = older & newer
    fit = [fits(asked.asking, types) for types in (older, newer)]
    return {
        "same_type": bool(shared - {"name"}),
        "other_type": bool(older and newer and not shared),
        "other_list": bool(lists(older) and lists(newer) and not lists(shared)),
        "fits_both": fit == [True, True],
        "unfit": fit[1] is False,
        "older_without_value": not older,
    }


def _of_attributes(asked: Question, older: Told, newer: Told, before: _Reading, after: _Reading) -> dict[str, bool]:
    slot = None if asked.slot is None else (asked.slot.subject, asked.slot.attribute)
    first, second = ((each.subject, each.attribute) if each.attribute else None for each in (older, newer))
    named = [with_attribute(each.nouns, told.attribute) for each, told in ((before, older), (after, newer))]
    return {
        "asked_by_older": slot is not None and first == slot,
        "asked_by_newer": slot is not None and second == slot,
        "older_of_another": slot is not None and first is not None and first != slot,
        "newer_of_another": slot is not None and second is not None and second != slot,
        "attributes_differ": first is not None and second is not None and first[1] != second[1],
        "subjects_differ": first is not None and second is not None and first[0] != second[0],
        "read": second is not None,
        "same_noun": bool(named[0] & named[1]),
        "asks_another_noun": bool(asked.nouns and named[1] and not asked.nouns & named[1]),
    }


_NAME = re.compile(r"(?:Project |Team )?(?:[A-Z][a-z]{2}|[a-z]+\d?-[a-z])")
_COMPOUND = re.compile(
    r"(?:to-do|note-taking|\w+-days?|(?:part|full|real|first|second)-time|(?:long|short)-term|half-\w+)(?![\w-])"
)
"""Words that are joined, and no name: a to-do list, a four-day week, note-taking."""
_THING = re.compile(r"(?:the|our|this) ", re.IGNORECASE)
_PAST_ASKED = re.compile(
    r"\b(?:used to|formerly|previous(?:ly)?|before|earlier|originally|at first|initially|in the past|back (?:then|when)"
    r"|ago|last (?:year|month|week|time)|history|ever|did|was|were|had|ex-\w+|former)\b",
    re.IGNORECASE,
)
_PAST_TENSE = re.compile(
    r"\b(?:[a-z]{2,}(?:[^e]ed|eed)|took|went|came|got|gave|left|began|became|chose|found|made|put|sent|set|sold|cut|won|"
    r"met|split|gone|taken|given|grown|grew|wrote|written|rose|fell|fallen|led|kept|lost|bought|brought|threw|thrown|"
    r"become|been|swung|swapped)\b"
)
_OF_THE_FORMER = re.compile(
    r"\b(?:former|previous)(?:ly)?\b|\bused to\b|^(?:i )?(?:just )?heard(?=:|,| that\b)", re.IGNORECASE
)
"""What a text says of the one before, and how it begins to tell news: no doubt of what it states."""
_MORE = re.compile(r"\b(?:(?:as )?a further|one more|alongside|makes time for)\b", re.IGNORECASE)
_BEGAN = re.compile(
    r"\b(?:very first|first ever|beg[au]n as|got (?:its|his|her|their) start|started (?:out|life)|at school|"
    r"as an? (?:child|kid|teen\w*|student)|in the (?:[a-z]+ties|beginning)|before (?:that|all that|then|joining)|"
    r"(?:way )?back (?:then|in|when)|long (?:gone|deleted|ago)|once|originally|at first|initially|growing up|"
    r"earlier in|years ago|decades)\b",
    re.IGNORECASE,
)
"""How it all began: told later, but older than what is told of now."""
_ONSET = re.compile(
    r"\b(?:(?:since|as of|from|in|on|starting)(?: the)?(?: (?:start|end|beginning|middle) of)?"
    r"(?: (?:early|late|mid|next|last|this))? (?:January|February|March|April|May|June|July|August|September|October|"
    r"November|December|week|month|year|spring|summer|autumn|winter|today|yesterday|now)|by now|already)\b"
)
_AUXILIARIES = frozenset("do does did is are was were has have had can could will would should must may".split())
_NO_PLURALS = ("ss", "us", "is", "'s", "os")


def _wants_several(text: str) -> bool:
    """Whether a question asks for several values: "Which languages does Rosa speak?", "Who are …", "What are …"."""
    words = re.findall(r"[a-z'-]+", text)
    if len(words) < 2 or words[0] not in ("which", "what", "who"):
        return False
    if words[1] in ("are", "all", "else"):
        return words[0] != "what" or not re.match(r"what are (?:you|we|they|the hours|the payment)\b", text)
    noun = ""
    for word in words[1:]:
        if word in _AUXILIARIES:
            break
        noun = word
    else:
        return False
    return len(noun) > 3 and noun.endswith("s") and not noun.endswith(_NO_PLURALS)


def _scope(reading: _Reading, subject: tuple[int, int]) -> str:
    """What a sentence begins by restricting itself to ("For holidays, …"), where that is not its subject."""
    match = LEADING_SCOPE.match(reading.aspect.text)
    if match is None or DATE_SCOPE.match(reading.aspect.text):
        return ""
    is_subject = match.end("what") >= subject[0] and match.start("what") <= subject[1]
    return "" if is_subject else match["what"].lower()


_OF = re.compile(r"(?:^|[,:] )(?:[\w-]+ ){0,4}?(?P<what>[\w-]+) (?:of|for|in|from|at|on|behind) (?:the |my |our )?$")


def _is_part_of(after: _Reading, subject: tuple[int, int], older: str, asked: Question) -> bool:
    """Whether it speaks of a thing of the subject that nothing else does: "The client library for mailroom is …"."""
    match = _OF.search(after.text[: subject[0]])
    if match is None:
        return False
    what = match["what"]
    return len(what) > 3 and what not in older and what not in asked.text and not nouns(what, None)
