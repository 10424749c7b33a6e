"""What a sentence states by its gist: one subject, one value of a type, and words that speak of one attribute.

`by_cue` demands that every word is accounted for. Here some may be left over, as people tell more than they state
("After the lake incident Ana got the Pixel 9 as a replacement device"), but nothing that makes another thing of it:
somebody else, another part of the subject, a plan, the past, an occasion, or a value that only adds.
"""

import itertools
import re
from collections.abc import Mapping, Sequence
from functools import cache
from math import sqrt

from ..memory.stems import stem
from .apart import is_of_an_occasion, is_of_once, says_otherwise
from .attributes import belongs, is_of_another
from .by_cue import (
    LIGHT,
    OPEN_SHAPES,
    TOKEN,
    VAGUE,
    FoundValue,
    is_apart,
    values_of,
    words_of,
)
from .forms import FORMS
from .lexicon import DATED, Attribute, Named, attributes, by_stem, gazetteer, is_written_as_listed, names_in
from .mentions import DAY_OR_MONTH, Mention, mentions
from .reading import Reading, reading_of
from .subjects import USER
from .wording import Clause

_LEFT_OVER = 6
"""So many words may say more than the rules understand."""
_GOVERNED = re.compile(
    r"\b(?P<np>(?:the|a|an|our|its|his|her|their)(?: [\w-]+){1,4}?) (?:of|for|in|at|on|behind|from|by|with|"
    r"about|around|to|next to|beside|near) (?:the |our )?$",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"\b(?:beside|next to|near|unlike|like|except|than|against|opposite|besides|from) (?:the )?$")


_RELATIVE_CLAUSE = re.compile(
    r"(?:the|our|my|a|an) (?P<noun>[\w-]+) (?:that |which )?(?:the user|user|we|they)\b", re.IGNORECASE
)


def by_gist(clause: Clause) -> Reading | None:
    """What a sentence states of the attribute that it speaks of most; None where two are as likely."""
    if clause.negated or not clause.bare:
        return None
    best: dict[str, tuple[float, Reading]] = {}
    if is_of_once(clause):
        return None
    for text, dated in ((clause.bare, False), (clause.full, True)):
        if len(text) > 180:
            return None
        named = names_in(text)
        mentioned = mentions(text)
        if says_otherwise(text, mentioned):
            return None
        stems = frozenset(map(stem, words_of(text)))
        types = {one for listed in named for one in listed.lists}
        places = {place for one in stems for place in by_stem().get(one, ())}
        places |= {place for one in types for place in _by_shape().get(one, ())}
        for place in sorted(places):
            attribute = attributes()[place]
            if (attribute.type in DATED) != dated or attribute.holds == "many":
                continue
            if attribute.shape not in types and sum(map(_weight_beside, stems & attribute.stems)) < _LEAST - _OF_VALUE:
                continue
            if (scored := _stated(clause, attribute, text, named, mentioned)) is not None:
                score, reading = scored
                if score > best.get(attribute.name, (0.0, reading))[0]:
                    best[attribute.name] = scored
    if not best:
        return None
    ranked = sorted(best.values(), key=lambda one: -one[0])
    if len(ranked) > 1 and ranked[0][0] - ranked[1][0] < 0.15:
        return None
    return ranked[0][1]


@cache
def _by_shape() -> Mapping[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for place, attribute in enumerate(attributes()):
        shape = attribute.shape.removesuffix("?")
        found[shape] = (*found.get(shape, ()), place)
    return found


@cache
def _weight(word: str) -> float:
    """How much a word tells of the attributes that it speaks of, by its stem: less, the more they are."""
    return 1 / sqrt(len(by_stem().get(word, (0,))))


@cache
def _weight_beside(word: str) -> float:
    """At most so much does a word tell beside a value."""
    return _weight(word) * (0.3 if word in LIGHT else 1)


def _dated_alone(attribute: Attribute, value: str, clause: Clause) -> bool:
    """Whether a date only says since when something holds ("Effective January, …")."""
    return attribute.type in DATED and not any(map(str.isdigit, value)) and value.lower() in clause.since.lower()


def _is_known_otherwise(attribute: Attribute, value: str) -> bool:
    """Whether a name is known to be of something else: "Barmer" is no gym."""
    lists = gazetteer().get(value.lower(), ())
    if attribute.shape == "room" and (DAY_OR_MONTH.fullmatch(value) or value.lower() in ("room", "the room", "place")):
        return True
    return attribute.shape in ("gym", "title", "doctor", "room") and bool(lists) and attribute.name not in lists


_OF_OTHERS = re.compile(r"\b(?:he|she|they|his|her|their|it|we|our|us)\b", re.IGNORECASE)
_CLOCK = re.compile(r"\d[:.]\d\d|\d ?(?:[ap]\.?m|h\b|o'clock)|noon|midnight|half past|quarter", re.IGNORECASE)
_PURPOSE = re.compile(
    r" (?:for|with|in) (?:Python|Java|JavaScript|Go|Rust|C\+\+|Markdown|LaTeX|SQL|HTML|[A-Z]\w+Script)\b"
)
_THAT = re.compile(r"\b(?:the|that|this|other|old|last|former|new|previous|first) $", re.IGNORECASE)
_OTHER_RATE = re.compile(r" (?!requests?|calls?|hits?|queries|reqs?|rpm|messages?)[a-z]+s (?:per|an?|every|each)\b")
_OWNING = re.compile(r"\b(?:of|for|at|over|above|in|behind) $")
_GIVEN = re.compile(r"(?:\b(?:to|by|with|under|from|is|was|been|called|named)|:) $")


def _of_two_persons(text: str, values: Sequence[FoundValue]) -> list[FoundValue]:
    """Of two names the one that is told of the other: "Naomi" of "Second name on Caspian's doorbell: Naomi"."""
    owners = [one for one in values if text[one.end : one.end + 2] == "'s" or _OWNING.search(text[: one.begin])]
    if len(owners) == 1:
        return [one for one in values if one is not owners[0]]
    given = [one for one in values if _GIVEN.search(text[: one.begin])]
    return given if len(given) == 1 and not owners else []


def _stated(
    clause: Clause, attribute: Attribute, text: str, named: Sequence[Named], mentioned: Sequence[Mention]
) -> tuple[float, Reading] | None:
    if is_of_another(attribute, text) or is_apart(attribute, text):
        return None
    things = [(one.begin, one.end) for one in mentioned if not one.person]
    values = [
        one
        for one in values_of(attribute, text, named)
        if text[one.end : one.end + 2] != "'s" and not any(begin <= one.begin < end for begin, end in things)
    ]
    if attribute.shape in OPEN_SHAPES and len(values) == 2 and len({one.name for one in mentioned}) == 2:
        values = _of_two_persons(text, values)
    if len({one.text for one in values}) != 1:
        return None
    value = values[0]
    if _is_another_value(attribute, value, text, clause):
        return None
    found = [one for one in mentioned if one.end <= value.begin or one.begin >= value.end]
    if len({one.name for one in found}) > 1:
        found = [one for one in found if one.name != USER]
    subject = _subject(attribute, text, found)
    if subject is None:
        return None
    taken = [(value.begin, value.end), *((one.begin, one.end) for one in found)]
    score, left = _weighed(attribute, text, taken)
    is_listed = attribute.name in gazetteer().get(value.text.lower(), ())
    if attribute.shape in _ANY_NAME and not is_listed and score < _LEAST_OF_NAMES:
        return None
    if left > _LEFT_OVER or score < (_LEAST_OF_FEW if left < 2 and _tells_itself(attribute, value.text) else _LEAST):
        return None
    if is_of_an_occasion(attribute, text, min([value.begin, *(one.begin for one in found)])):
        return None
    if (clause_of := _RELATIVE_CLAUSE.match(text)) is not None and not _speaks(attribute, clause_of["noun"]):
        return None
    for one in found:
        if not _is_head(attribute, text, one):
            return None
    made = f"{attribute.prefix} {value.text}".strip()
    return score - 0.01 * left, reading_of(clause, subject, attribute, attribute.name, made, 0.6)


def _is_another_value(attribute: Attribute, value: FoundValue, text: str, clause: Clause) -> bool:
    """Whether a value of the right form is one of something else."""
    before, after = text[: value.begin], text[value.end :]
    return (
        _dated_alone(attribute, value.text, clause)
        or _is_known_otherwise(attribute, value.text)
        or _PURPOSE.match(after) is not None
        or (value.text.lower() == "one" and _THAT.search(before) is not None)
        or (attribute.shape == "address" and re.match(r"(?:\d+\w?,? )?[A-Z]", value.text) is None)
        or (attribute.shape == "time" and _CLOCK.search(value.text) is None)
        or (attribute.shape == "rate" and _OTHER_RATE.match(after) is not None)
        or (attribute.name == "timeout" and _EVERY.search(before) is not None)
    )


def _subject(attribute: Attribute, text: str, found: Sequence[Mention]) -> str | None:
    """Whose attribute it is; None where that is nobody's or several are named."""
    if len({one.name for one in found}) > 1:
        return None
    if not found:
        alone = attribute.shape not in OPEN_SHAPES and attribute.shape not in FORMS and not _OF_OTHERS.search(text)
        led = re.match(r"(?:the|an?) (?P<noun>[\w-]+)", text, re.IGNORECASE)
        told = led is None or _speaks(attribute, led["noun"])
        return USER if attribute.owner == USER and alone and told else None
    subject = found[0].name
    fits = found[0].person if attribute.owner == USER else not (subject == USER or subject.startswith("user's "))
    written = "the user" if subject == USER else text[found[0].begin : found[0].end]
    return subject if fits and belongs(attribute, written) else None


_LEAST = 0.45
_LEAST_OF_NAMES = 0.55
_ANY_NAME = frozenset({"name", "org", "title", "gym"})
"""Forms that any name has: more words must speak of the attribute."""
_OF_VALUE = 0.35
"""So much does a value of a telling type add to what the words tell."""
_LEAST_OF_FEW = 0.35
"""So much is enough where a name speaks of one attribute and hardly anything else is said."""


def _tells_itself(attribute: Attribute, value: str) -> bool:
    return attribute.shape == attribute.name and attribute.shape not in FORMS and is_written_as_listed(value)


_TELLING_SHAPES = frozenset(
    {"room", "channel", "hair", "subject of study", "auditing firm", "profession", "phone", "email"}
)
_EVERY = re.compile(r"\b(?:every|each) $")


def _weighed(attribute: Attribute, text: str, taken: Sequence[tuple[int, int]]) -> tuple[float, int]:
    """How much the words of a text tell of an attribute, and how many of them tell of nothing known."""
    score, left = 0.0, 0
    seen = set()
    for match in TOKEN.finditer(text):
        if any(begin <= match.start() < end for begin, end in taken):
            continue
        word = match.group().lower().removesuffix("'s")
        if (stemmed := stem(word)) in seen:
            continue
        seen.add(stemmed)
        if stemmed in attribute.stems:
            score += _weight(stemmed) * (0.3 if word in LIGHT else 0.6 if word in VAGUE else 1)
        elif word not in LIGHT and word not in ("user", "mr"):
            left += 1
    if attribute.shape == "place":
        score += 0.2
    elif attribute.shape not in OPEN_SHAPES:
        score += _OF_VALUE if attribute.shape == attribute.name or attribute.shape in _TELLING_SHAPES else 0.15
    return score, left


def _is_head(attribute: Attribute, text: str, one: Mention) -> bool:
    """Whether a mention is of the subject itself: not of a part of it, nor of what is beside it."""
    before, after = text[: one.begin], text[one.end :]
    if _BESIDE.search(before):
        return False
    if (governed := _GOVERNED.search(before)) is not None:
        named = governed["np"].split()
        if not _speaks(attribute, named[-1]) or not all(_speaks(attribute, word) for word in named[1:]):
            return False
    if one.begin == 0 and after.startswith("'s "):
        owned = [word.strip(",.:;") for word in after[3:].split()]
        phrase = (
            list(itertools.takewhile(lambda word: word.isalpha() and word.lower() not in LIGHT, owned)) or owned[:1]
        )
        verb = owned[1] if len(owned) > 1 else "is"
        return all(_speaks(attribute, word) for word in phrase) or (
            verb.endswith(("s", "ed")) and _speaks(attribute, owned[0])
        )
    return True


def _speaks(attribute: Attribute, word: str) -> bool:
    word = word.lower()
    return (
        stem(word) in attribute.stems
        or word in LIGHT
        or word in attribute.parts
        or any(noun.endswith(word) for noun in attribute.nouns)
    )
