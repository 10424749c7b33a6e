"""What one sentence shows without being read: whom it mentions, which values it has, whether it states anything."""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from .comparison import canonical_value
from .lexicon import names_in
from .marks import is_unsure, marks_change, regex, straightened
from .subjects import PROJECT, RELATIVES, USER, canonical_subject
from .wording import NEVER_MIND, contractions_undone, sentences


@dataclass(frozen=True)
class Value:
    """A value within a text: its canonical form, its types (of a number, or the lists that a name stands in), place."""

    text: str
    types: frozenset[str]
    begin: int
    end: int


@dataclass(frozen=True)
class Aspect:
    """What one statement shows of itself: whom it mentions, and where; whether anything forbids to compare it."""

    text: str
    subjects: Mapping[str, tuple[int, int]]
    values: tuple[Value, ...]
    is_vague: bool


@cache
def _denial() -> re.Pattern[str]:
    return regex(r"\b(?:not|never|no longer|nobody|none|neither|without)\b|n't\b")


_PAST = re.compile(
    r"\b(?:years? ago|months? ago|weeks? ago|back (?:at|in|when|then)|as a (?:child|kid|student|teenager|boy|girl)|"
    r"originally|formerly|previously|used to|at first|initially|once|in the past|before that|in (?:19|20[01])\d|"
    r"was (?:born|founded|started)|were born|grew up|birthplace|maiden|born|birthday|founder|founded|"
    r"will|going to|about to|next (?:week|month|year)|tomorrow|plans?|planned|hopes?|wants?|wishes|dreams?|"
    r"always wanted|for sale|ideal|if only|should|could|might|until|till|"
    r"during (?:her|his|my|their) (?:studies|internship)|"
    r"before joining|prior to|at university|in those days|interned|earlier in|old days|throughout|shortlist(?:ed)?|"
    r"poach(?:ed|ing)?|job offer|an offer|applied|applying|pilot(?:ing|ed)?|proof of concept|prototype|on trial|"
    r"a trial|benchmark(?:ed|ing)?|spike|draft|fell through|called off|abandoned|rolled back|reverted|turned down|"
    r"declined|fictional|role-?play|nickname[ds]?|temporar(?:y|ily)|on loan|rented?|rental|borrow(?:ed|s|ing)?)\b",
    re.IGNORECASE,
)


_PROMISES = re.compile(
    r"\b(?:will (?:now|ship|gather|meet|take place|be (?:on|at|held))|wants? .{0,20}\b(?:answers|replies)|should be)\b",
    re.IGNORECASE,
)


_PARTS = (
    "sidecar|backup|replica|mirror|clone|fork|mock|stub|competitor|rival|subsidiary|supplier|predecessor|"
    "plugin|sister company|parent company|founder|neighbou?rs?|customer|tenant|standby|demo instance|branch|spin-off|"
    "daughter company|housemate|ex-husband|ex-wife|half-brother|half-sister|godson|nanny|babysitter|teacher|student|"
    "intern|apprentice|trainee|secretary|deputy|best friend|companion|guest|tutor|coach|namesake|vendor|reseller|"
    "distributor|investor|sponsor|in-laws|dog|cat|horse|avatar"
)


_OFFICES = frozenset(
    "manager boss doctor landlord mentor assistant client partner colleague coworker co-worker team-mate".split()
)


"""Relations that are as well attributes of whoever has them: "X's manager is Ana"."""


_ABOUT_USER = re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Tt]he user|[Uu]ser)\b(?!-\w)(?:'s\b)?")


_ABOUT_US = re.compile(r"\b(?:[Ww]e|[Uu]s|[Oo]ur|[Oo]urs)\b")


_CAPITALISED = re.compile(r"(?<![\w@./-])(?:Project |Team )?[A-Z0-9][\w.]*(?:-\w+)*(?: (?:[A-Z][\w]*|\d[\w]*))*")


_COMPOUND = re.compile(r"(?<![\w@./-])[a-z]+\d?(?:-[a-z]+\d?)+(?![\w@./-])")


_PHRASE = re.compile(r"\b(?:[Tt]he|[Oo]ur|[Tt]his) (?=((?:[\w-]+ ){0,2}[\w-]+))")


_VERB = re.compile(r"[a-z]+(?:s|ed)|got|went|took|came|moved|became|can|will|may|must|runs?|now|just|only|also|ran")


_FUNCTION = frozenset(
    """met call ask email send write behind is are was has have listens uses runs
    a an the this that these those there here i we he she they it my our his her their its your you for from since
    until as at in on by with of to and or but if when while after before during about update noted heads-up phone email
    new now lately please keep what who old no not yes monday tuesday wednesday thursday friday saturday sunday january
    february march april may june july august september october november december""".split()
)


_RELATED = "|".join(sorted(map(re.escape, RELATIVES - _OFFICES), key=len, reverse=True))


_IS_NAMED = r"(?! (?:is|are)(?: now)?(?: called| named)? (?-i:[A-Z])|:)"


_RELATION = (
    rf"^(?:'s|s')? ?(?:[a-z]+ )?(?P<what>(?:{_RELATED}|{_PARTS})\b{_IS_NAMED}"
    rf"|(?:{'|'.join(sorted(_OFFICES))})\b(?!(?: for \w+)? (?:is|are)(?: now)? "
    r"(?!an?\b|the\b|in\b|at\b|on\b|\w+ing\b)|:))"
)


_OF = rf"\b(?P<what>{_PARTS}|{_RELATED}) (?:of|to|for) (?:the )?$"


def aspect(text: str) -> Aspect:
    """What one statement shows of itself."""
    text = _main(text)
    return Aspect(text, subjects(text), _values(text), _is_vague(text))


def _main(text: str) -> str:
    """The longest sentence of a text, without what leads it in."""
    parts = sentences(straightened(text)) or [""]
    longest = parts[0] if len(parts) == 1 else _statement(parts)
    longest = regex(
        r"^(?:update|heads-?up|note|noted|noted in passing|fyi|for the record|reminder|news|for info)[:,] "
    ).sub("", longest)
    return contractions_undone(longest)


def _statement(parts: list[str]) -> str:
    """Of several sentences the first, but for one that only says "that" of it."""
    return parts[0]


def _is_vague(text: str) -> bool:
    for expression, plain in NEVER_MIND:
        text = regex(expression).sub(plain, text)
    if is_unsure(text) or (_denial().search(text) and not marks_change(text)):
        return True
    return _PAST.search(_PROMISES.sub(" ", text)) is not None


def subjects(text: str) -> dict[str, tuple[int, int]]:
    """Whom or what a text mentions, in canonical form with its relation ("willa's neighbour"), and where."""
    found: dict[str, tuple[int, int]] = {}

    def add(name: str, begin: int, end: int) -> None:
        related = regex(_RELATION).match(text[end:])
        if related is None and name != USER:
            related = regex(_OF).search(text[:begin])
        if related is not None:
            name = f"{name}'s {related['what'].lower()}"
        found.setdefault(name, (begin, end))

    for match in _ABOUT_USER.finditer(text):
        add(USER, match.start(), match.end())
    for match in _ABOUT_US.finditer(text):
        add(PROJECT, match.start(), match.end())
    for match in _CAPITALISED.finditer(text):
        begin, phrase = match.start(), match.group().rstrip(".")
        first, _, rest = phrase.partition(" ")
        if first.lower() in _FUNCTION:
            begin, phrase = begin + len(first) + 1, rest
        if phrase and phrase.lower() not in _FUNCTION and not phrase.isdigit():
            add(canonical_subject(phrase), begin, begin + len(phrase))
    for match in _COMPOUND.finditer(text):
        add(match.group(), match.start(), match.end())
    for match in _PHRASE.finditer(text):
        words = list(itertools.takewhile(lambda word: word.lower() not in _FUNCTION, match[1].split()))
        words = words[:1] + list(itertools.takewhile(lambda word: not _VERB.fullmatch(word), words[1:]))
        name = canonical_subject(phrase := " ".join(words))
        if words and name not in (USER, PROJECT):
            add(name, match.start(), match.start(1) + len(phrase))
    if first_word := re.match(r"[a-z][a-z]+(?= )", text):
        add(first_word.group(), 0, first_word.end())
    if not found and regex(r"\b(?:please|answers|repl(?:y|ies)|responses)\b").search(text):
        found[USER] = (0, 0)
    return found


def common_subject(
    read: Sequence[str], one: Aspect, other: Aspect
) -> tuple[str, tuple[int, int], tuple[int, int]] | None:
    """The subject of both, and where each names it: what the rules have `read` in either, where they have."""
    common = [name for name in one.subjects if name in other.subjects]
    if read:
        name = re.sub(r"'s? .*| (?:staging|test)$", "", read[0]) if read[0] not in one.subjects else read[0]
        spans = [span_of(name, each) for each in (one, other)]
        if "'s " in read[0] and name != read[0] and not read[0].startswith("user's"):
            return None
        if spans[0] is not None and spans[1] is not None:
            return name, spans[0], spans[1]
        if read[0] not in (USER, PROJECT):
            return None
    for leading, text in ((one, other), (other, one)):
        name = next((each for each, span in leading.subjects.items() if span[0] == 0), "")
        if name and name not in common and leading.text[0].islower() and (span := span_of(name, text)):
            here = leading.subjects[name]
            return (name, here, span) if leading is one else (name, span, here)
    named = [name for name in common if name not in (USER, PROJECT)]
    for name in sorted(named, key=lambda each: (one.subjects[each][0], -len(each))) or common:
        return name, one.subjects[name], other.subjects[name]
    return None


def span_of(name: str, each: Aspect) -> tuple[int, int] | None:
    """Where a text mentions somebody; None where it does not, or means a relative or a part of theirs."""
    if name in each.subjects:
        return each.subjects[name]
    if name in (USER, PROJECT):
        return None
    for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", each.text, re.IGNORECASE):
        near = [span for span in each.subjects.values() if span[0] <= match.start() and span[1] >= match.end()]
        if (
            not near
            and not regex(_RELATION).match(each.text[match.end() :])
            and not regex(_OF).search(each.text[: match.start()])
        ):
            return match.span()
    return None


def mention(name: str, each: Aspect) -> tuple[int, int] | None:
    """Where a text mentions somebody by a name that is known beforehand; None where it does not, or means somebody
    of a longer name, a relative or a part of theirs."""
    if (span := each.subjects.get(name)) is not None:
        return span
    text = each.text.lower()
    begin = text.find(name)
    while begin >= 0:
        end = begin + len(name)
        before, after = each.text[:begin], each.text[end:]
        within = _IN_A_WORD.search(before[-1:]) or _IN_A_WORD.match(after)
        longer = within or _LONGER_AFTER.match(after) or _LONGER_BEFORE.search(before)
        if not longer and not regex(_RELATION).match(after) and not regex(_OF).search(before):
            return begin, end
        begin = text.find(name, end)
    return None


_IN_A_WORD = re.compile(r"[\w-]")
_LONGER_AFTER = re.compile(r" [A-Z][a-z]")
_LONGER_BEFORE = re.compile(
    r"[^.:] (?!Project |Team |January|February|March|April|May|June|July|August|September|October|November|December)"
    r"[A-Z][a-z]+ $"
)


_TYPED = (
    ("email", r"[\w.+-]+@[\w.-]+\.\w+"),
    ("url", r"https?://\S+|\bwww\.\S+"),
    ("ip", r"\b\d{1,3}(?:\.\d{1,3}){3}\b"),
    ("phone", r"\+?\d[\d ]{6,}\d|\b0\d{2,}-\d{3,}\b|\b\d{3}-\d{4,}\b"),
    ("money", r"[$€£] ?\d[\d.,]*(?:k|m)?\b|\b\d[\d.,]*(?:k|m)? ?(?:euros?|dollars?|pounds?|francs?|eur|usd|chf)\b"),
    ("percent", r"\b\d[\d.,]* ?(?:%|percent\b)"),
    ("time", r"\b\d{1,2}:\d\d\b(?: ?[ap]m)?|\b\d{1,2} ?[ap]m\b|\bnoon\b|\bmidnight\b"),
    (
        "duration",
        r"\b(?:\d[\d.,]*|an?|half a|one|two|three|four|five|six|seven|eight|nine|ten|twelve|sixty|ninety|thirty) ?-?"
        r"(?:ms|s|sec|seconds?|minutes?|min|hours?|h|days?|weeks?|months?|years?|quarters?)\b",
    ),
    (
        "date",
        r"\b\d{4}-\d\d(?:-\d\d)?\b|\b(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?"
        r"(?:January|February|March|April|May|June|July|August|"
        r"September|October|November|December)\b(?: \d{1,2}(?:st|nd|rd|th)?\b)?(?:,? \d{4})?",
    ),
    ("weekday", r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b"),
    ("size", r"\b\d[\d.,]* ?(?:kb|mb|gb|tb|gib|mib|kg|km|cm|m|kilos?|pounds|miles)\b"),
    ("version", r"\bv?\d+\.\d+(?:\.\d+)*\b"),
    ("large number", r"(?<![\w.-])[#:]?\d(?:\d{3,}|,\d{3})[\d,]*\b"),
    (
        "number",
        r"(?<![\w.-])[#:]?\d[\d,]*(?:\.\d+)?\b|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b",
    ),
)


KINDS = frozenset(name for name, _ in _TYPED)


@cache
def _typed() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(expression, 0 if name == "date" else re.IGNORECASE)) for name, expression in _TYPED)


_AFTER_A_NAME = re.compile(r" (?:is|was|has|now|took|will|leads|heads|runs|owns|manages|chairs)\b")


def _values(text: str) -> tuple[Value, ...]:
    """What a text has of values that show their type, in order; names of the gazetteer with their lists."""
    found: list[Value] = []

    def free(begin: int, end: int) -> bool:
        return all(end <= value.begin or begin >= value.end for value in found)

    for named in names_in(text):
        if free(named.begin, named.end):
            types = frozenset(named.lists) | (frozenset({"name"}) if named.text[0].isupper() else frozenset())
            found.append(Value(canonical_value(named.text), types, named.begin, named.end))
    for name, expression in _typed():
        for match in expression.finditer(text):
            if free(*match.span()):
                found.append(Value(canonical_value(match.group().lstrip(":#")), frozenset({name}), *match.span()))
    for match in re.finditer(r"(?<![\w@./'-])[A-Z][\w&.'-]*(?: [A-Z0-9][\w&.'-]*)*", text):
        begin, phrase = match.start(), match.group()
        first, _, rest = phrase.partition(" ")
        if (begin == 0 and not _AFTER_A_NAME.match(text[match.end() :])) or first.lower() in _FUNCTION:
            begin, phrase = begin + len(first) + 1, rest
        phrase = regex(r"'s$").sub("", phrase)
        if phrase and not phrase.isupper() and phrase.lower() not in _FUNCTION and free(begin, begin + len(phrase)):
            found.append(Value(phrase.lower(), frozenset({"name"}), begin, begin + len(phrase)))
    return tuple(sorted(found, key=lambda value: value.begin))


def overlaps(value: Value, span: tuple[int, int]) -> bool:
    return value.begin < span[1] and value.end > span[0]
