"""What a pair of statements has in common beyond words that the rules read: features of "the newer replaces the older".

Pure and quick: the cosines, which need a model, are added by whoever has one (`modules/memory/replacement.py`).
"""

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from .comparison import canonical_value
from .judgement import holds
from .lexicon import by_noun, names_in
from .marks import is_additional, is_correction, is_unsure, marks_change, regex, straightened
from .models import Claim
from .subjects import PROJECT, RELATIVES, USER, canonical_subject
from .wording import ENVIRONMENTS, NEVER_MIND, contractions_undone, sentences

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
class Value:
    """A value within a text: its canonical form, its types (a number's kind, the lists that a name stands in), place."""

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
    if one.is_vague or other.is_vague or _environments(one.text) != _environments(other.text):
        return None
    if any(narrowed(one.text) != narrowed(other.text) for narrowed in (_occasion, _leading_scope, _owned_for, _edition)):
        return None
    subject = _common_subject(older, newer, one, other)
    if subject is None:
        return None
    names, where_older, where_newer = subject
    before = [value for value in one.values if not _overlaps(value, where_older)]
    after = [value for value in other.values if not _overlaps(value, where_newer)]
    if _numbered_otherwise(one.text, other.text) or (after and {v.text for v in after} <= {v.text for v in before}):
        return None
    if _is_by_the_way(one, where_older, other, where_newer):
        return None
    types = [frozenset().union(*(value.types for value in _main_values(values))) for values in (before, after)]
    common = types[0] & types[1]
    nouns = [_nouns(one.text, older), _nouns(other.text, newer)]
    change = marks_change(newer.content)
    features = {
        "change": change,
        "strong_change": _STRONG.search(newer.content) is not None,
        "same_type": bool(common - _LOOSE),
        "both_names": "name" in common,
        "other_type": bool(types[0] and types[1] and not common),
        "other_list": bool(_lists(types[0]) and _lists(types[1]) and not _lists(common)),
        "untyped": not (types[0] and types[1]),
        "names_older_value": change and _names(newer.content, older, before),
        "neither_read": older.slot is None and newer.slot is None,
        "older_read": older.slot is not None,
        "scoped": _scope(one.text) != _scope(other.text),
        "accumulates": bool(_ACCUMULATES.search(one.text) or _ACCUMULATES.search(other.text)),
        "event": bool(_EVENT.search(other.text)) or bool(_EVENT.search(one.text)),
        "same_noun": bool(nouns[0] & nouns[1]),
        "other_noun": bool(nouns[0] and nouns[1] and not nouns[0] & nouns[1]),
        "part": _has_part(one.text, where_older) != _has_part(other.text, where_newer),
        "leads": where_newer[0] < 4 and where_older[0] < 4,
    }
    return Likeness(
        {name: float(value) for name, value in features.items()},
        _masked(one.text, where_older, before),
        _masked(other.text, where_newer, after),
        names,
    )


def _comparable(older: Claim, newer: Claim) -> bool:
    for claim in (older, newer):
        if len(claim.content) > MAX_CHARS or claim.valid_to is not None:
            return False
        if claim.slot is not None and (not claim.slot.polarity or holds(claim.slot.attribute) in ("many", "fixed")):
            return False
    if all(_ACCUMULATES.search(claim.content) for claim in (older, newer)) or _ADDS.search(newer.content):
        return False
    if is_additional(newer.content) or is_correction(newer.content):
        return False
    return older.slot is None or newer.slot is None


_STRONG = re.compile(
    r"\b(?:now|no longer|any ?more|any longer|nowadays|these days|from now on|from here on|lately|instead|switched|"
    r"migrated|relocated|replaced|changed|took over|taken over|moved to|gone over|went over|new|became|has become|"
    r"promoted|appointed|rescheduled|postponed|renamed|ported|rewritten|upgraded|raised|lowered|rescaled|scaled|replacement|replaces)\b",
    re.IGNORECASE,
)
_MOVES = re.compile(
    r"\b(?:moved|left|pushed|took|brought|put|sent|settled|gave|sold|washed|cooked|opened|closed|wrote|drew|started|"
    r"finished|dropped|got) (?:the|an?|his|her|their|its|some|another|\d+) (?P<what>[a-z]+) (?:to|for|in|from|at|of|on|about)\b",
    re.IGNORECASE,
)


def _is_by_the_way(older: Aspect, where_older: tuple[int, int], newer: Aspect, where_newer: tuple[int, int]) -> bool:
    """Whether the newer one tells of an event, or of another thing of the subject, that the older one says nothing of."""
    if _EVENT.search(newer.text) and not _STRONG.search(newer.text):
        return True
    if (moved := _MOVES.search(newer.text)) and moved["what"].lower() not in older.text.lower():
        return not _REPLACES.search(newer.text)
    part = _PART.match(newer.text[where_newer[1] :])
    if part is None:
        return False
    noun = part["what"].split()[-1].lower()
    return noun not in _attributes() and noun not in older.text.lower()


_REPLACES = re.compile(r"\b(?:now|instead|from now on|these days|wedding|marriage|no longer)\b|\breplace", re.IGNORECASE)
_PART = re.compile(r"^(?:'s|s') (?P<what>[a-z]+(?: [a-z]+)?) (?:now |just |recently |has |have )*(?!is\b|are\b|was\b|were\b|now\b|be\w*\b|changed\b|has\b|have\b)[a-z]+(?:s|ed|ent|ove|ought|ook|ot|e)\b", re.IGNORECASE)


def _has_part(text: str, subject: tuple[int, int]) -> bool:
    """Whether what does something is no more than a thing of the subject: "Erik's office moved"."""
    return _PART.match(text[subject[1] :]) is not None


@cache
def _attributes() -> Mapping[str, str]:
    return {noun: attribute.name for noun, (attribute, _) in by_noun().items() if len(noun) > 3}


def _nouns(text: str, claim: Claim) -> frozenset[str]:
    """The attributes whose names a sentence uses, and the one that the rules have read."""
    words = re.findall(r"[\w-]+", text)
    found, place = set(), 0
    while place < len(words):
        pair = " ".join(words[place : place + 2])
        phrase = pair if pair in _attributes() else words[place]
        if phrase in _attributes():
            found.add(_attributes()[phrase])
        place += len(phrase.split()) or 1
    if claim.slot is not None:
        found.add(_attributes().get(claim.slot.attribute, claim.slot.attribute))
    return frozenset(found)


def _lists(types: frozenset[str]) -> frozenset[str]:
    return types - _LOOSE - _KINDS


def _main_values(values: list[Value]) -> list[Value]:
    """Without the dates that only say since when."""
    rest = [value for value in values if "date" not in value.types]
    return rest or values


@cache
def _denial() -> re.Pattern[str]:
    return regex(r"\b(?:not|never|no longer|nobody|none|neither|without)\b|n't\b")


_PAST = re.compile(
    r"\b(?:years? ago|months? ago|weeks? ago|back (?:at|in|when|then)|as a (?:child|kid|student|teenager|boy|girl)|"
    r"originally|formerly|previously|used to|at first|initially|once|in the past|before that|in (?:19|20[01])\d|"
    r"was (?:born|founded|started)|were born|grew up|birthplace|maiden|born|birthday|founder|founded|"
    r"will|going to|about to|next (?:week|month|year)|tomorrow|plans?|planned|hopes?|wants?|wishes|dreams?|"
    r"always wanted|for sale|ideal|if only|should|could|might|until|till|during (?:her|his|my|their) (?:studies|internship)|"
    r"before joining|prior to|at university|in those days|interned|earlier in|old days|throughout|shortlist(?:ed)?|"
    r"poach(?:ed|ing)?|job offer|an offer|applied|applying|pilot(?:ing|ed)?|proof of concept|prototype|on trial|"
    r"a trial|benchmark(?:ed|ing)?|spike|draft|fell through|called off|abandoned|rolled back|reverted|turned down|"
    r"declined|fictional|role-?play|nickname[ds]?|temporar(?:y|ily)|on loan|rented?|rental|borrow(?:ed|s|ing)?)\b",
    re.IGNORECASE,
)
_PROMISES = re.compile(r"\b(?:will (?:now|ship|gather|meet|take place|be (?:on|at|held))|wants? .{0,20}\b(?:answers|replies)|should be)\b", re.IGNORECASE)
_ACCUMULATES = re.compile(
    r"\b(?:speaks?|knows?|allerg\w+|intoleran\w+|hobb(?:y|ies)|enjoys?|loves?|hates?|dislikes?|child|children|kids?|"
    r"has been to|have been to|been to|visited|met|member of|friends? with|collaborat\w+|is working on|works on|"
    r"contribut\w+|volunteers?|plays|collects?|learned|learnt|won|awards?|certified|published|wrote|gave|attended|"
    r"took part|a second|second|another|backup|fallback|secondary|primary|one of|including|among|pets?|cat|dog|"
    r"supports|integrates|exports?|depends on|read-only|skills?|subscribes|follows the|listens to)\b",
    re.IGNORECASE,
)
_ADDS = re.compile(
    r"\b(?:been to|speaks|learn\w*|allerg\w+|hobb(?:y|ies)|a second|second|third|extra|spare|backup|fallback|additional|"
    r"one of|as well|joined a|besides)\b",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?:bought|rented|tested|tried|visited|flew|went to|went on|met|asked|found|lost|brought|beat|cooked|sent|saw|"
    r"watched|heard|read about|talked|spoke|argued|introduced|cancelled|broke|fell|complained|thanked|suggested|"
    r"recommends?|reported|had (?:lunch|dinner|an? )|interview|crashed|failed|forgot|borrowed|owes|spent|helped|"
    r"gave|got stuck|won|joined .* for)\b",
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
_DATE_SCOPE = re.compile(
    r"^(?:in|on|since|from|as of|by|at) (?:(?:early|late|mid|last|this|the|start of|end of|beginning of) )*(?:january|"
    r"february|march|april|may|june|july|august|september|october|november|december|spring|autumn|\d|now|then|here|"
    r"today|yesterday|week|month|year|moment|present)",
    re.IGNORECASE,
)
_SCOPE = re.compile(
    r"^(?:for|on|in|at|during|under|with|while|outside|inside|besides?) "
    r"(?P<what>[\w' -]{2,40}?)(?:,| (?=(?:i|we|the|he|she|they|it|my|our|[A-Z]\w+|[a-z]+-[a-z]+) ))",
    re.IGNORECASE,
)
_OCCASION = re.compile(
    r"\b(?:at (?:work|home|school|night)|on (?:the )?(?:weekends?|weekdays|holidays?|\w+days)|on (?:my|his|her|the) (?:phone|mobile|laptop|tablet|desktop|work \w+|private \w+)|"
    r"in (?:the )?(?:mornings?|afternoons?|evenings?|summer|winter|autumn)|(?:beta|alpha|nightly|eu|us|apac|android|ios|"
    r"weekends?|mobile app|desktop app))\b",
    re.IGNORECASE,
)
_OWNED_FOR = re.compile(
    r"\b(?P<what>private|personal|business|corporate|work|office|old|home|second)(?= (?:phone|laptop|computer|e-?mail|"
    r"mail|number|account|machine|address|card|mobile)\b)",
    re.IGNORECASE,
)
_FOR = re.compile(r"\bfor (?P<what>[a-z]+ing|java|python|work|fun)\b", re.IGNORECASE)


def _leading_scope(text: str) -> str:
    match = _SCOPE.match(text)
    return match["what"].lower() if match and not _DATE_SCOPE.match(text) else ""


def _occasion(text: str) -> frozenset[str]:
    """At what times, and where, a sentence holds: on weekends, at work, on the phone."""
    found = {match.group().lower() for match in _OCCASION.finditer(text)}
    return frozenset(each for each in found if not _DATE_SCOPE.match(each))


_EDITION = re.compile(
    r"\b(?:first|second|third|fourth|1st|2nd|3rd|(?:last|this|next) (?:year|month|week|quarter|season)'s|"
    r"(?:the|our) (?:spring|summer|autumn|winter|upcoming|previous|main|primary|secondary|old|older|other|alternate|"
    r"regional|eastern|western|northern|southern|european|american|asian))\b",
    re.IGNORECASE,
)


def _edition(text: str) -> frozenset[str]:
    """Which of several of its kind a sentence is about: the first one, this year's, the old one."""
    return frozenset(match.group().lower() for match in _EDITION.finditer(text))


def _owned_for(text: str) -> frozenset[str]:
    return frozenset(match["what"].lower() for match in _OWNED_FOR.finditer(text)) - {"old"}


def _scope(text: str) -> str:
    """What for a sentence holds: "for coding"."""
    match = _FOR.search(text)
    return match["what"].lower() if match else ""


def _environments(text: str) -> frozenset[str]:
    named = {word for word in re.findall(r"[a-z-]+", text.lower()) if word in ENVIRONMENTS}
    named -= {"live", "local", "test", "testing", "stage", "demo", "integration", "production", "prod"}
    if regex(r"\b(?:in|on|the) (?:test|testing|demo|integration|local|live)\b|test environment").search(text):
        named.add("test")
    return frozenset(named)


_NUMBERED = re.compile(
    r"\b(?P<what>version|release|chapter|sprint|phase|ticket|room|floor|issue|pr|part|step|round|edition|v|the|our|"
    r"q)[ -]?#?(?P<n>20\d\d|(?<!the )(?<!our )\d[\d.]*)(?= [a-z]| of)",
    re.IGNORECASE,
)


def _numbered_otherwise(one: str, other: str) -> bool:
    """Whether two sentences are about two numbered things: the 2023 and the 2024 conference."""
    first, second = ({(m["what"].lower(), m["n"]) for m in _NUMBERED.finditer(text)} for text in (one, other))
    return first != second and bool(first) != bool(second) or bool(first and second and not first & second)


_ABOUT_USER = re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Tt]he user|[Uu]ser)\b(?:'s\b)?")
_ABOUT_US = re.compile(r"\b(?:[Ww]e|[Uu]s|[Oo]ur|[Oo]urs)\b")
_CAPITALISED = re.compile(r"(?<![\w@./-])(?:Project |Team )?[A-Z0-9][\w.]*(?:-\w+)*(?: (?:[A-Z][\w]*|\d[\w]*))*")
_COMPOUND = re.compile(r"(?<![\w@./-])[a-z]+\d?(?:-[a-z]+\d?)+(?![\w@./-])")
_PHRASE = re.compile(r"\b(?:[Tt]he|[Oo]ur|[Tt]his) (?=((?:[\w-]+ ){0,2}[\w-]+))")
_VERB = re.compile(r"[a-z]+(?:s|ed)|got|went|took|came|moved|became|can|will|may|must|runs?|now|just|only|also|ran")
_FUNCTION = frozenset(
    """met call ask email send write behind is are was has have listens uses runs a an the this that these those there here i we he she they it my our his her their its your you for from since
    until as at in on by with of to and or but if when while after before during about update noted heads-up phone email
    new now lately please keep what who old no not yes monday tuesday wednesday thursday friday saturday sunday january
    february march april may june july august september october november december""".split()
)
_LOOSE = frozenset({"name"})


_RELATED = "|".join(sorted(map(re.escape, RELATIVES - _OFFICES), key=len, reverse=True))
_IS_NAMED = r"(?! (?:is|are)(?: now)?(?: called| named)? (?-i:[A-Z])|:)"
_RELATION = (
    rf"^(?:'s|s')? ?(?:[a-z]+ )?(?P<what>(?:{_RELATED}|{_PARTS})\b{_IS_NAMED}"
    rf"|(?:{'|'.join(sorted(_OFFICES))})\b(?!(?: for \w+)? (?:is|are)(?: now)? (?!an?\b|the\b|in\b|at\b|on\b|\w+ing\b)|:))"
)
_OF = rf"\b(?P<what>{_PARTS}|{_RELATED}) (?:of|to|for) (?:the )?$"


def aspect(text: str) -> Aspect:
    """What one statement shows of itself."""
    text = _main(text)
    return Aspect(text, _subjects(text), _values(text), _is_vague(text))


def _main(text: str) -> str:
    """The longest sentence of a text, without what leads it in."""
    parts = sentences(straightened(text)) or [""]
    longest = parts[0] if len(parts) == 1 else _statement(parts)
    longest = regex(r"^(?:update|heads-?up|note|noted|noted in passing|fyi|for the record|reminder|news|for info)[:,] ").sub(
        "", longest
    )
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


def _subjects(text: str) -> dict[str, tuple[int, int]]:
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
    if match := re.match(r"[a-z][a-z]+(?= )", text):
        add(match.group(), 0, match.end())
    if not found and regex(r"\b(?:please|answers|repl(?:y|ies)|responses)\b").search(text):
        found[USER] = (0, 0)
    return found


def _common_subject(
    older: Claim, newer: Claim, one: Aspect, other: Aspect
) -> tuple[str, tuple[int, int], tuple[int, int]] | None:
    """The subject of both, and where each names it: by the rules' reading where there is one."""
    read = [claim.slot.subject for claim in (older, newer) if claim.slot is not None]
    common = [name for name in one.subjects if name in other.subjects]
    if read:
        name = re.sub(r"'s? .*| (?:staging|test)$", "", read[0]) if read[0] not in one.subjects else read[0]
        spans = [_span(name, each) for each in (one, other)]
        if "'s " in read[0] and name != read[0] and not read[0].startswith("user's"):
            return None
        if spans[0] is not None and spans[1] is not None:
            return name, spans[0], spans[1]
        if read[0] not in (USER, PROJECT):
            return None
    for leading, text in ((one, other), (other, one)):
        name = next((each for each, span in leading.subjects.items() if span[0] == 0), "")
        if name and name not in common and leading.text[0].islower() and (span := _span(name, text)):
            here = leading.subjects[name]
            return (name, here, span) if leading is one else (name, span, here)
    named = [name for name in common if name not in (USER, PROJECT)]
    for name in sorted(named, key=lambda each: (one.subjects[each][0], -len(each))) or common:
        return name, one.subjects[name], other.subjects[name]
    return None


def _span(name: str, each: Aspect) -> tuple[int, int] | None:
    if name in each.subjects:
        return each.subjects[name]
    if name in (USER, PROJECT):
        return None
    for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", each.text, re.IGNORECASE):
        near = [span for span in each.subjects.values() if span[0] <= match.start() and span[1] >= match.end()]
        if not near and not regex(_RELATION).match(each.text[match.end() :]) and not regex(_OF).search(each.text[: match.start()]):
            return match.span()
    return None


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
        r"\b\d{4}-\d\d(?:-\d\d)?\b|\b(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?(?:January|February|March|April|May|June|July|August|"
        r"September|October|November|December)\b(?: \d{1,2}(?:st|nd|rd|th)?\b)?(?:,? \d{4})?",
    ),
    ("weekday", r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b"),
    ("size", r"\b\d[\d.,]* ?(?:kb|mb|gb|tb|gib|mib|kg|km|cm|m|kilos?|pounds|miles)\b"),
    ("version", r"\bv?\d+\.\d+(?:\.\d+)*\b"),
    ("large number", r"(?<![\w.-])[#:]?\d(?:\d{3,}|,\d{3})[\d,]*\b"),
    ("number", r"(?<![\w.-])[#:]?\d[\d,]*(?:\.\d+)?\b|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"),
)


_KINDS = frozenset(name for name, _ in _TYPED)


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


def _overlaps(value: Value, span: tuple[int, int]) -> bool:
    return value.begin < span[1] and value.end > span[0]


def _names(text: str, older: Claim, before: list[Value]) -> bool:
    """Whether a text names the older one's value: "moved from Vim to Zed"."""
    words = {value.text for value in before}
    if older.slot is not None and older.slot.value:
        words.add(older.slot.value.lower())
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text.lower()) for word in words if len(word) > 1)


_PLACEHOLDER = {
    "name": "something",
    "number": "a number",
    "date": "a date",
    "time": "a time",
    "money": "an amount",
    "duration": "a while",
    "email": "an address",
}


def _masked(text: str, subject: tuple[int, int], values: list[Value]) -> str:
    """A sentence with its subject and its values taken out: what it says of whom, whoever it is."""
    parts = [(subject[0], subject[1], "it" if text[slice(*subject)].lower() in ("i", "my", "me") else "someone")]
    parts += [
        (value.begin, value.end, _PLACEHOLDER.get(min(value.types), "something"))
        for value in values
        if not _overlaps(value, subject)
    ]
    for begin, end, placeholder in sorted(parts, reverse=True):
        text = text[:begin] + placeholder + text[end:]
    return text
