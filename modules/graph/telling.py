"""Relations that a memory tells of: by its slot, by sentences that `truth` reads, by the words between two names."""

import itertools
import re
from collections.abc import Iterator, Sequence

from ..truth.lexicon import by_name, gazetteer
from ..truth.statements import read_statement
from . import cues
from .keys import key
from .models import ALIAS_OF, LIVES_AT, RULE_WEIGHT, STUDIES_AT, USES, WEIGHTS, WORKS_AT, EntityType, Named, Text, Told
from .names import SPEAKERS, Span
from .wordlists import known_name

MAX_SENTENCES_READ = 8
MAX_SENTENCE = 300
USER, PROJECT = "user", "project"

_OF_A_PERSON = {
    "employer": (WORKS_AT, EntityType.ORGANIZATION),
    "home": (LIVES_AT, EntityType.PLACE),
    "school": (STUDIES_AT, EntityType.ORGANIZATION),
}
_CUE = re.compile(
    r"\b(?:work\w*|job|employ\w*|hired|join\w*|quit|left|liv\w+|moved?|reloc\w+|resid\w+|based in|home"
    r"|stud(?:y|ies|ied|ying)|universit\w+|college|school|enrol\w+|attend\w*)\b",
    re.IGNORECASE,
)
_LONGER = r"[^\W\d_][\w'’.&-]*(?: [\w'’.&-]+){0,5}"
_CALLED = re.compile(
    r"^,? ?\(?(?:(?:is |was )?(?:also|better|formerly|otherwise|commonly)"
    r" (?:called|known as|named|referred to as)|a\.?k\.?a\.?"
    r"|alias|nicknamed|(?:is|are) short for|stands for)[:,]? [\"“'`]?"
    r"(?P<name>[^\W_][\w'’.&-]*(?: [^\W\d_a-z][\w'’.&-]*){0,4})"
)
_ACRONYM = re.compile(r"^ \((?P<name>[A-Z][A-Z0-9&.-]{1,9})\)")


def relations(text: Text, spans: Sequence[tuple[str, Sequence[Span]]]) -> Iterator[Told]:
    """What a memory tells, from its sentences with the names that they have in them."""
    by_slot = _of_slot(text, spans)
    if by_slot is not None:
        yield by_slot
    read = 0
    for sentence, named in spans:
        yield from _between_names(sentence, named)
        yield from aliases(sentence, named)
        if by_slot is None and read < MAX_SENTENCES_READ and len(sentence) <= MAX_SENTENCE and _CUE.search(sentence):
            read += 1
            told = _of_sentence(text, sentence, named)
            if told is not None:
                yield told


def _of_slot(text: Text, spans: Sequence[tuple[str, Sequence[Span]]]) -> Told | None:
    if text.subject is None or text.attribute is None or text.value is None:
        return None
    named = [span for _, each in spans for span in each]
    return _told(text, text.subject, text.attribute, text.value, named, holds=text.polarity)


def _of_sentence(text: Text, sentence: str, named: Sequence[Span]) -> Told | None:
    stated = read_statement(sentence, text.occurred_at)
    if stated is None or stated.value is None:
        return None
    told = _told(text, stated.subject, stated.attribute, stated.value, named, holds=stated.polarity)
    if told is None:
        return None
    return Told(told.subject, told.type, told.object, told.weight, stated.since, stated.until, stated.polarity)


def _told(text: Text, subject: str, attribute: str, value: str, named: Sequence[Span], *, holds: bool) -> Told | None:
    who = _who(text, subject, named)
    if who is None:
        return None
    if attribute in _OF_A_PERSON:
        type_, kind = _OF_A_PERSON[attribute]
        what = _name(value, named, kind)
        if what is None or who.label == PROJECT:
            return None
        if who.type is EntityType.NAME:
            who = Named(who.label, EntityType.PERSON)
        return Told(who, type_, Named(what, kind), WEIGHTS[type_], holds=holds)
    lists = gazetteer().get(value.strip().lower(), ())
    if not holds or known_name(value) is not EntityType.PRODUCT or not set(lists) & by_name().keys():
        return None
    return Told(who, USES, Named(value.strip(), EntityType.PRODUCT), RULE_WEIGHT)


def _who(text: Text, subject: str, named: Sequence[Span]) -> Named | None:
    """A canonical subject as an entity. "I" is whoever speaks; what an assistant says of itself tells nothing."""
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
    if written is None or len(subject) > 80:
        return None
    return Named(written.group(), EntityType.NAME)


def _name(value: str, named: Sequence[Span], kind: EntityType) -> str | None:
    """The name in a value; None where it has none ("a small flat"), or one of something else."""
    whole = key(re.sub(r"^(?:the|a|an|our|my|his|her) ", "", value.strip(" .,;!\"'")))
    fitting = [span for span in named if span.type in (kind, EntityType.NAME, EntityType.PRODUCT)]
    inside = [span for span in fitting if f" {key(span.label)} " in f" {whole} "]
    exact = [span for span in inside if key(span.label) == whole]
    return next((span.label for span in (*exact, *inside)), None)


def _between_names(sentence: str, named: Sequence[Span]) -> Iterator[Told]:
    for first, second in itertools.pairwise(named):
        found = cues.between(sentence[first.end : second.begin])
        if found is None or key(first.label) == key(second.label):
            continue
        type_, backward = found
        one, other = Named(first.label, first.type), Named(second.label, second.type)
        if backward:
            one, other = other, one
        yield Told(one, type_, other, WEIGHTS.get(type_, RULE_WEIGHT))


def aliases(sentence: str, named: Sequence[Span]) -> Iterator[Told]:
    """Other names of a thing: "X, also called Y", and "Full Name (FN)" where the initials fit."""
    for span in named:
        after = sentence[span.end :]
        called = _CALLED.match(after)
        if called is not None:
            other = called["name"].rstrip(".,'’")
            yield from _alias(other, span, shorter_is_alias="short for" in called[0] or "stands for" in called[0])
        acronym = _ACRONYM.match(after)
        if acronym is not None and _initials_fit(acronym["name"], span.label):
            yield from _alias(acronym["name"], span)


def _alias(other: str, span: Span, *, shorter_is_alias: bool = False) -> Iterator[Told]:
    if key(other) == key(span.label) or len(key(other)) < 2:
        return
    one, canonical = Named(other, span.type), Named(span.label, span.type)
    if shorter_is_alias and len(span.label) < len(other):  # "K8s is short for Kubernetes"
        one, canonical = canonical, one
    yield Told(one, ALIAS_OF, canonical, WEIGHTS[ALIAS_OF])


def _initials_fit(acronym: str, name: str) -> bool:
    words = re.findall(r"[^\W\d_]+", name)
    letters = [letter for letter in acronym.upper() if letter.isalpha()]
    every = "".join(word[0] for word in words).upper()
    capitals = "".join(word[0] for word in words if word[0].isupper())
    return len(letters) > 1 and "".join(letters) in (every, capitals)
