"""Sentences that state a fact of the speaker's own world, recognised by a few forms.

    I live in …, I prefer …, I am a …, I moved to …        My sister …, My birthday is on …, My favourite X is …
    We use …, We decided to …, Our API listens on …        Remember that …, X's A is now V, The host runs MySQL 8

Precision comes first: a sentence that has none of the forms, or is not self-contained, gives no fact.
"""

import re
from datetime import datetime

from ..facts import templates
from ..records import dataclass
from ..stop_words import STOP_WORDS
from ..text.sentences import sentences
from ..text.wording import contractions_undone, straightened
from .models import About, ExtractedFact, FactType, SpokenTurn
from .third_person import ADVERBS, in_third_person
from .words import DECISIONS, DONE, EVENTS, PEOPLE, PREFERENCES, STATES

CONFIDENCE = 0.35
"""Confidence of a fact that the rules found: a candidate, until somebody confirms it."""
MAX_TEXT_CHARS = 4_000
"""Characters of a turn that are read, from the beginning."""
MAX_SENTENCES = 40
MIN_WORDS, MAX_WORDS = 3, 36

ASIDE = re.compile(r"```.*?(?:```|\Z)|\[[^\]\n]{0,300}\]|^[ \t]*>[^\n]*$|`[^`\n]{1,200}`", re.DOTALL | re.MULTILINE)
_FRAME = re.compile(
    r"^(?:please |also |just )*(?:(?:remember|note|keep in mind|do not forget|you should know|for future reference)"
    r"(?: that|:)|(?:for the record|fyi|reminder|important|update)[,:](?: that)?) +",
    re.IGNORECASE,
)
_WHEN = (
    r"(?:(?:last|this|next|in|on|at|since|after|during|before|over|for|back in|when I was|as a)\b[^,]{1,40}|yesterday|"
    r"today|tomorrow|recently|lately|currently|nowadays|these days|now|usually|sometimes|normally|every \w+)"
)
_LEAD = re.compile(
    rf"^(?!{_WHEN}\b)(?:[\w' ]{{1,25}}[,!:.-]+ +|(?:oh|well|so|and|but|also|yes|no|ok|okay|btw|hey|hi|actually|"
    r"honestly) +)(?=(?:I|my|we|our)\b)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:,? (?:and|but|so|because|which|where|who|since) (?:it|that|this|they|he|she|you|please|is|was|I (?:am|was))\b|"
    r",? so (?:I|we|please|that)\b| - | \(|, (?:right|huh|though|too|haha|lol|thanks|by the way)\b).*$"
    r"|,? (?:too|as well|though|by the way|as usual|lately|anyway)$",
    re.IGNORECASE,
)
HYPOTHETICAL = re.compile(
    r"\?$|\"[^\"\s]*+\s[^\"\s]*+\s[^\"]*+\"|\b(?:if|whether|unless|would|could|might|should|maybe|perhaps|possibly|probably|"
    r"imagine|suppose|pretend|hypothetically|for example|e\.g|wish|joking|kidding|rumou?r|apparently|allegedly)\b",
    re.IGNORECASE,
)
"""Questions, quotations and hypotheticals."""
_NOT_STATED = re.compile(
    rf"{HYPOTHETICAL.pattern}|\b(?:let us|"
    r"almost|nearly|used to|seems?|guess|thinking|thought|wants?(?= to)|wanted to|hop(?:e|ing)|dream|said|"
    r"says|told|tells|according to|heard|claims?|someone|somebody|everyone|anyone|nobody|people|you|your|yours)\b|"
    r"^(?:who|what|where|which|why|how|whose|is|are|am|do|does|did|can|was|were|will|has|have|any)\b",
    re.IGNORECASE,
)
"""Questions, quotations, hypotheticals, others' words, and sentences addressed to the listener."""
_ELSEWHERE = re.compile(
    r"\b(?:there|here|these(?! days)|those|such|ones?|them|below|above|"
    r"this(?! (?:year|week|month|morning|summer|winter|spring|fall|autumn|weekend))|(?<!agreed )(?<!decided )that)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:he|she|him|his|her|they|their|it|its)\b", re.IGNORECASE)
_NAMED = re.compile(r"(?<=\w )(?!I\b)[A-Z][a-z]+")
_VAGUE = STOP_WORDS | frozenset("thing things stuff lot lots good great fun nice time way bit day".split())

_OWN = re.compile(rf"^(?:(?i:{_WHEN}),? )?(?P<who>I|[Ww]e) (?:do (?!not ))?(?:{ADVERBS} )*(?P<rest>\S.*)$")
_OF_OWN = re.compile(
    rf"^(?:(?i:{_WHEN}),? )?(?:All )?(?P<whose>[Mm]y|[Oo]ur) (?P<what>[\w'-]+(?: [\w'-]+){{0,4}}?) (?:{ADVERBS} )*"
    r"(?P<verb>is|are|was|has|have|lives?|works?|loves?|likes?|moved|runs?|uses?|plays?|died|graduated|joined|studies|"
    r"starts?|ends?|logs?|listens?|deploys?|speaks?|teaches|goe?s?) (?P<rest>(?!(?:is|are|was|has|have)\b)\S.*)$"
)
_OF_THINGS = re.compile(
    r"^The [\w -]{2,60} (?:now )?(?:runs|uses|listens|is (?:hosted|deployed|written|stored|served|built))"
    r"(?: (?:in|on|at|with|by|port))* (?:[A-Z\d]|\S*\d)"
)
_VALUE = re.compile(r"(?:now )?(?:[A-Z\d\"$€£]|\S*[\d@/_]|(?:in|on|at|called|named|written in|hosted|based) \S)")
_OPINION = re.compile(r"\b(?:guess|question|point|problem|issue|idea|suggestion|bad|code|error|worry)\b", re.IGNORECASE)
_FAVOURITE = re.compile(r"\b(?:favou?rite|preferred|go-to) \w")
_FELT = re.compile(
    r"(?:(?:been|so|super|really|very|such|always|quite|too|being|just|not|all) )*(?:great|good|amazing|awesome|"
    r"excited|happy|proud|fun|nice|lovely|sweet|cute|hard|crazy|busy|fine|ok|okay|well|tired|sick|the best|slow|broken|"
    r"down|a (?:huge|big|great))\b"
)
_IDENTITY = re.compile(
    r"(?:not )?(?:an? (?!bit\b|little\b|lot\b|mess\b)|from |born |\d+ years old|married|single|divorced|engaged|vegan|"
    r"vegetarian|allergic|left-handed|retired|pregnant|self-employed|based in|the (?:lead|head|founder|owner|author) )"
)
_FOND = re.compile(r"(?:really |very |a )*(?:into|(?:huge |big )?fan of|passionate about|keen on|afraid of) ")
_PLANNED = re.compile(
    r"(?:going|planning|moving|about|due|flying|travelling|starting) .*\b(?:tomorrow|tonight|next|soon|this|in \d+|"
    r"in (?:a|two|three) \w+|on \w+day|(?:in|on \d+) [A-Z]\w+)\b"
)
_LASTING = re.compile(r"(?:living|working|studying|learning|training|teaching|renting|dating|building|writing) ")
_OWNED = re.compile(
    r"(?:an?|two|three|four|five|six|\d+|no|several) (?!.*\b(?:bit|lot|great|good|nice|feeling|hunch|questions?|idea|"
    r"plan|point|couple|few|problems?|issues?|favou?r|minute|moment|chance|choice|doubt|bugs?|errors?|clue)\b)\w"
)
_TURNED = re.compile(r"grew up |got (?:married|engaged|divorced|promoted)\b")


@dataclass(frozen=True)
class _FoundFact:
    type: FactType
    planned: bool = False
    of_project: bool = False


def facts_in(turn: SpokenTurn) -> list[ExtractedFact]:
    """Return the facts that a turn states, each in a self-contained text. Loads dateparser: call it in a thread."""
    about = turn.about
    if about is None:
        return []
    facts: dict[str, ExtractedFact] = {}
    for sentence in sentences(ASIDE.sub(" ", turn.text[:MAX_TEXT_CHARS]))[:MAX_SENTENCES]:
        plain, is_framed = _plain(sentence)
        found = _found(plain, about, is_framed=is_framed)
        if found is None:
            continue
        text = in_third_person(plain, turn.name, "The team" if found.of_project else f"{turn.name} and others")
        fact = ExtractedFact(
            type=found.type,
            about=about,
            text=f"{text}.",
            occurred_at=_happened(plain, found, turn.occurred_at),
            mentioned_at=turn.occurred_at,
            evidence=(turn.memory_id,),
            confidence=CONFIDENCE,
            planned=found.planned,
        )
        facts.setdefault(text, fact)
    return list(facts.values())


def _plain(sentence: str) -> tuple[str, bool]:
    """Return a sentence stripped to its statement, and whether it asks to be remembered."""
    text, is_framed = contractions_undone(straightened(sentence)).rstrip(" .!;"), False
    while match := _FRAME.match(text) or _LEAD.match(text):
        is_framed |= match.re is _FRAME
        text = text[match.end() :]
    text = _TAIL.sub("", text).rstrip(" ,.!;:-")
    return text[:1].upper() + text[1:], is_framed


def _found(text: str, about: About, *, is_framed: bool) -> _FoundFact | None:
    if not MIN_WORDS <= len(text.split()) <= MAX_WORDS or _NOT_STATED.search(text) or not _stands_alone(text):
        return None
    own, of_own = _OWN.match(text), _OF_OWN.match(text)
    if about is About.ASSISTANT:
        verb = own["rest"].removeprefix("have ").split()[0] if own and own["who"] == "I" else ""
        return _FoundFact(FactType.EVENT) if verb in DONE else None
    found = None
    if own:
        found = _person_fact(own["rest"]) if own["who"] == "I" else _group_fact(own["rest"])
    elif of_own:
        found = _own_fact(of_own["whose"].lower(), of_own["what"], of_own["verb"], of_own["rest"])
    is_news = templates.read(text) is not None and re.search(r" (?:now|no longer|changed) ", text) is not None
    return found or (_FoundFact(FactType.STATE) if is_framed or is_news or _OF_THINGS.match(text) else None)


def _stands_alone(text: str) -> bool:
    """Return whether nothing in a sentence refers to another one."""
    if _ELSEWHERE.search(text):
        return False
    pronoun = _PRONOUN.search(text)
    before = "" if pronoun is None else text[: pronoun.start()]
    return pronoun is None or _NAMED.search(before) is not None or not PEOPLE.isdisjoint(before.lower().split())


def _says_something(words: str) -> bool:
    return any(len(word) > 2 and word.lower().strip(",.'") not in _VAGUE for word in words.split())


def _person_fact(rest: str) -> _FoundFact | None:
    """Classify what follows "I"."""
    verb, _, what = rest.removeprefix("do not ").partition(" ")
    is_denied = rest.startswith("do not ")
    if _TURNED.match(rest):
        return _FoundFact(FactType.EVENT)
    if not _says_something(what):
        return None
    if verb in ("am", "was") or (verb == "have" and what.startswith("been ")):
        return _being(what.removeprefix("been "))
    if verb == "have":
        if _OWNED.match(what):
            return _FoundFact(FactType.STATE)
        verb, _, what = re.sub(rf"^(?:{ADVERBS} )+", "", what).partition(" ")
    if verb in PREFERENCES:
        return _FoundFact(FactType.PREFERENCE)
    if verb in STATES - {"have"}:
        return _FoundFact(FactType.STATE)
    return _FoundFact(FactType.EVENT) if verb in EVENTS and not is_denied else None


def _being(what: str) -> _FoundFact | None:
    """Classify what follows "I am"."""
    what = re.sub(rf"^(?:{ADVERBS} )+", "", what)
    if _FOND.match(what):
        return _FoundFact(FactType.PREFERENCE)
    if _PLANNED.match(what):
        return _FoundFact(FactType.EVENT, planned=True)
    if _IDENTITY.match(what):
        return _FoundFact(FactType.IDENTITY)
    return _FoundFact(FactType.STATE) if _LASTING.match(what) else None


def _group_fact(rest: str) -> _FoundFact | None:
    """Classify what follows "we"."""
    if rest.startswith("have ") and _OWNED.match(rest.removeprefix("have ")):
        return _FoundFact(FactType.STATE, of_project=True)
    verb, _, what = rest.removeprefix("do not ").removeprefix("have ").partition(" ")
    if not _says_something(what):
        return None
    if verb == "are":
        return _FoundFact(FactType.EVENT, planned=True) if _PLANNED.match(what) else _team(what)
    if verb in STATES or verb in DECISIONS:
        kind = FactType.EVENT if verb in DECISIONS else FactType.STATE
        return _FoundFact(kind, of_project=True)
    return _FoundFact(FactType.EVENT) if verb in EVENTS else None


def _team(what: str) -> _FoundFact | None:
    return _FoundFact(FactType.STATE, of_project=True) if re.match(r"an? |based in ", what) else None


def _own_fact(whose: str, what: str, verb: str, rest: str) -> _FoundFact | None:
    """Classify what follows "my" or "our": a person and whatever they do, or a thing and its value."""
    if _FAVOURITE.search(what):
        return _FoundFact(FactType.PREFERENCE)
    if not PEOPLE.isdisjoint(what.lower().replace("'s", "").split()):
        return None if _FELT.match(rest) else _FoundFact(FactType.STATE)
    is_value = verb not in ("is", "are", "was") or _VALUE.match(rest) is not None
    if not is_value or _OPINION.search(what) or not _says_something(f"{what} {rest}"):
        return None
    return _FoundFact(FactType.IDENTITY) if whose == "my" else _FoundFact(FactType.STATE, of_project=True)


def _happened(text: str, found: _FoundFact, mentioned_at: datetime) -> datetime:
    """Return when an event was, if its sentence names a day; else when it was mentioned."""
    from ..text.moments import first_day

    if found.type is not FactType.EVENT:
        return mentioned_at
    return first_day(text, mentioned_at) or mentioned_at
