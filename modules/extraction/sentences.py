"""Sentences that state a fact about who says them: told apart from questions, wishes, small talk and general knowledge.

Precision comes first: what is not clearly a fact, or does not stand by itself, is left in its turn.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from ..truth.lexicon import by_name
from ..truth.marks import straightened
from ..truth.statements import read_statement
from ..truth.subjects import PROJECT, USER
from ..truth.wording import contractions_undone, sentences
from .models import About, ExtractedFact, FactType, SpokenTurn
from .third_person import ADVERBS, told_of
from .vocabulary import words

CONFIDENCE = 0.35
"""Of what the rules found: a candidate, until somebody confirms it."""
MAX_TEXT_CHARS = 4_000
"""Of a longer turn only the beginning is read."""
MAX_SENTENCES = 40
MIN_WORDS, MAX_WORDS = 3, 36
CLEAR = 0.6
"""A reading of `truth` below this is no reason to keep a sentence that has none of the forms below."""

_ASIDE = re.compile(r"```.*?(?:```|\Z)|\[[^\]\n]{0,300}\]|^[ \t]*>[^\n]*$|`[^`\n]{1,200}`", re.DOTALL | re.MULTILINE)
_LEAD = re.compile(
    r"^(?:(?:hey|hi|hello|oh|wow|yeah|yep|yup|yes|no|nope|well|so|and|but|also|actually|honestly|btw|by the way|haha|"
    r"lol|ok|okay|sure|thanks|thank you|anyway|anyways|guess what|you know|plus|oh well|definitely|absolutely|"
    r"totally|exactly|awesome|cool|great|nice|right|woah|whoa|aw|aww|hmm|um|uh|luckily|sadly|unfortunately|"
    r"fortunately|thankfully|to be honest|as for me|speaking of which|in fact|of course|good news|bad news|big news|"
    r"sorry)(?: (?-i:[A-Z])\w+)?(?:[,!:.]| -+)? +|(?-i:[A-Z])\w+[,!] (?=I\b|my\b|we\b|our\b))(?=\S)",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"^(?:please |also |just )*(?:(?:remember|note|keep in mind|bear in mind|do not forget|you should know|"
    r"let me tell you|know|be aware|for future reference|for your information)(?: that|:)|(?:for the record|fyi|"
    r"just so you know|note to self|reminder|heads[- ]up|important|update)[,:](?: that)?) +",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:,? (?:and|but|so|because) (?:it|that|this|those|these|they|he|she|you|we|what|who)\b|,? (?:which|where|"
    r"who) |, (?:it|that|this|he|she|they|we|I|and I|I'm) |,? (?:and )?wow\b| -+ ?(?:it|that|this|so|and|what|they|"
    r"the|such|very|really|I|we|my)?\b|, (?:right|huh|though|too|haha|lol|isn't|aren't|take|check|look|see|let|"
    r"especially when|thanks|just)\b|,? so (?:I|we|that)\b| \(|: ).*$",
    re.IGNORECASE,
)
_TOO = re.compile(r",? (?:too|as well|though|either|by the way|as usual|so far|lately|anyway|haha|lol)$", re.IGNORECASE)
_HYPOTHETICAL = re.compile(
    r"\b(?:if|whether|unless|would|could|might|should|maybe|perhaps|possibly|probably|imagine|suppose|supposedly|"
    r"pretend|hypothetically|in theory|for example|for instance|e\.g|let us|wish|wished|joking|kidding|rumou?r|"
    r"apparently|allegedly|reportedly|as if|what if|almost|nearly|used to|seems?|guess|thinking (?:of|about)|"
    r"thought about|want to|wanted to|hoping|hope|dream of|dreamt|dreamed|said|says|told|tells|according to|heard|"
    r"claims?|whoever|someone|somebody|everyone|everybody|anyone|nobody|people)\b",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(r"\b(?:you|your|yours|yourself|y'all|ya)\b", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"\s]*+\s[^"\s]*+\s[^"]*+"')
_QUESTION = re.compile(
    r"^(?:who|what|where|which|why|how|whose|when (?:is|are|do|did)|is|are|am|do|does|did|can|could|would|should|"
    r"shall|was|were|will|has|have|any)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:them|there|these|those|here|such|ones?|both|either|this(?! (?:year|week|month|morning|afternoon|evening|"
    r"summer|winter|spring|fall|autumn|weekend|quarter))|that(?=$|[.,!;]| (?:is|was|has|makes|made|one|feels|felt|"
    r"sounds|day|time|night|place|stuff|much|far|too))|(?<=love )that|(?<=like )that|(?<=did )that|(?<=for )that|"
    r"(?<=about )that|(?<=with )that|(?<=of )that|(?<=at )that|(?<=to )that|(?<=on )that|(?<=from )that|(?<=do )that|"
    r"(?<=in )that)\b",
    re.IGNORECASE,
)
_THAT = re.compile(r"\b(\w+) that (?!(?:I|we|my|our|the|an?|they|their)\b)\w")
_PRONOUN = re.compile(r"\b(?:he|she|him|his|her|hers|they|their|it|its)\b", re.IGNORECASE)
_THING = re.compile(r"\b(?:an?|my|our|the) \w")
_GOES_ON = re.compile(r" (?:and|but|because|when|after|that) ")
_NAME = re.compile(r"(?<!^)(?<![.!?] )\b(?!I\b)[A-Z][a-z]+")
_VAGUE = frozenset(
    """thing things stuff lot lots good great fun time times day way something anything everything nothing some bit
    really much more very well nice better best awesome amazing cool busy back now today here just also even so
    far away up out around home a an the to of in on at for with and or but my our his her their its so super
    pretty quite too again together new hard much up done""".split()
)
_OPENING = (
    r"(?i:(?:(?:last|this|next|in|on|at|since|after|during|before|over|earlier|two|three|four|five|six|a few|"
    r"a couple|\d+|when I was|as a (?:child|kid|teenager)|back in|for)\b[^,]{1,40}|yesterday|today|tomorrow|tonight|"
    r"recently|lately|currently|right now|nowadays|these days|now|usually|sometimes|normally|every \w+|"
    r"the other day),? )?"
)
_I = re.compile(rf"^(?P<open>{_OPENING})I (?P<adverbs>(?:{ADVERBS} )*)(?P<rest>\w.*)$")
_WE = re.compile(
    rf"^(?P<open>{_OPENING})(?:We|we) (?P<adverbs>(?:{ADVERBS} )*)(?P<rest>\w.*)$",
)
_MINE = re.compile(
    rf"^(?P<open>{_OPENING})(?P<whose>[Mm]y|"
    rf"[Oo]ur) (?P<np>[\w'-]+(?: [\w'-]+){{0,4}}?) (?P<adverbs>(?:{ADVERBS} )*)(?P<verb>is|are|was|were|has|have|had|"
    rf"lives?|works?|loves?|likes?|moved|got|went|started|runs?|uses?|plays?|died|passed|graduated|joined|bought|"
    rf"became|studies|turned|turns|teaches)\b(?P<rest>.*)$"
)
_FAVOURITE = re.compile(r"\b(?:favou?rite|preferred|go-to)\b", re.IGNORECASE)
_IDENTITY = re.compile(
    r"^(?:an? (?!bit\b|little\b|lot\b|big (?:fan|believer)\b|huge (?:fan|believer)\b|fan\b|long time\b|mess\b|"
    r"wreck\b)|from |born |originally from |\d+ years old|\d+$|married|single|divorced|widowed|engaged|vegan|"
    r"vegetarian|allergic|left-handed|right-handed|retired|pregnant|self-employed|unemployed|bilingual|dyslexic|"
    r"diabetic|colou?r-?blind|based in|the (?:lead|head|founder|owner|ceo|cto|manager|director|author) )"
)
_FOND = re.compile(
    r"^(?:really |very |so |super |totally |all |a )*(?:into|(?:huge |big |massive )?fan of|passionate about|keen on|"
    r"fond of|obsessed with|crazy about|addicted to|scared of|afraid of|interested in)\b"
)
_PLANNED = re.compile(
    r"^(?:going to|gonna|planning to|planning on|planning a|about to|signed up|due to|scheduled to)\b"
)
_LATER = re.compile(
    r"\b(?:tomorrow|tonight|next|soon|this (?:weekend|week|month|summer|fall|autumn|winter|spring|friday|saturday|"
    r"sunday)|in (?:a|two|three|\d+) (?:days?|weeks?|months?|years?)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"later|upcoming)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Found:
    """A sentence that states a fact, and how."""

    sentence: str
    type: FactType
    planned: bool = False
    of_project: bool = False


def facts_in(turn: SpokenTurn) -> list[ExtractedFact]:
    """The facts that a turn states, each in a text that stands by itself. Loads dateparser: call it in a thread."""
    about = turn.about
    if about is None:
        return []
    found = (_found(sentence, turn) for sentence in _sentences(turn.text))
    group = f"{turn.name} and others"
    facts: dict[str, ExtractedFact] = {}
    for one in found:
        if one is None:
            continue
        text = told_of(one.sentence, turn.name, "The team" if one.of_project else group)
        facts.setdefault(
            text,
            ExtractedFact(
                type=one.type,
                about=about,
                text=f"{text}.",
                occurred_at=_happened(one, turn.occurred_at),
                mentioned_at=turn.occurred_at,
                evidence=(turn.memory_id,),
                confidence=CONFIDENCE,
                planned=one.planned,
            ),
        )
    return list(facts.values())


def _sentences(text: str) -> Iterator[str]:
    yield from sentences(_ASIDE.sub(" ", text[:MAX_TEXT_CHARS]))[:MAX_SENTENCES]


def _found(sentence: str, turn: SpokenTurn) -> Found | None:
    if sentence.endswith("?") or _QUOTED.search(sentence):
        return None
    plain, framed = _unframed(contractions_undone(straightened(sentence)))
    if _QUESTION.match(plain) or _HYPOTHETICAL.search(plain):
        return None
    plain = _TOO.sub("", _TAIL.sub("", plain).rstrip(" ,.!;:-"))
    if not MIN_WORDS <= len(plain.split()) <= MAX_WORDS or _ADDRESSED.search(plain) or not _stands_alone(plain):
        return None
    if turn.about is About.ASSISTANT:
        return _done(plain)
    if plain.lower().startswith(words().skipped) and not framed:
        return None
    return _of_person(plain) or _of_mine(plain) or _of_group(plain) or _read(plain, turn.occurred_at, framed=framed)


def _unframed(text: str) -> tuple[str, bool]:
    framed = False
    while True:
        if match := _FRAME.match(text):
            framed, text = True, text[match.end() :]
        elif match := _LEAD.match(text):
            text = text[match.end() :]
        else:
            return text[:1].upper() + text[1:], framed


def _stands_alone(text: str) -> bool:
    """Whether nothing in a sentence points to another one."""
    if _ELSEWHERE.search(text):
        return False
    if any(_is_verb(match[1].lower()) for match in _THAT.finditer(text)):
        return False
    pronoun = _PRONOUN.search(text)
    if pronoun is None:
        return True
    before = text[: pronoun.start()]
    if pronoun.group().lower() in ("it", "its"):
        thing = _THING.search(before)
        return thing is not None and _GOES_ON.search(before, thing.end()) is not None
    people = words().people
    return _NAME.search(before) is not None or any(word.strip(",'s").lower() in people for word in before.split())


def _is_verb(word: str) -> bool:
    known = words()
    return word.endswith(("ing", "ed")) or word in known.past | known.participles | known.bases


def _says_something(rest: str) -> bool:
    return any(len(word) > 2 and word.lower().strip(",.'") not in _VAGUE for word in rest.split())


def _of_person(text: str) -> Found | None:
    """What somebody says of themselves: "I …"."""
    match = _I.match(text)
    if match is None:
        return None
    verb, _, rest = match["rest"].partition(" ")
    known, negated = words(), False
    if verb == "do" and rest.startswith("not "):
        negated, (verb, _, rest) = True, rest.removeprefix("not ").partition(" ")
    if not _says_something(rest):
        return None
    if verb in known.preferences:
        return Found(text, FactType.PREFERENCE)
    if verb == "am":
        return _being(text, rest)
    if verb == "have":
        return _having(text, rest)
    if verb in known.states:
        return Found(text, FactType.STATE) if verb != "need" or _of_diet(rest) else None
    if negated:
        return None
    if verb in known.decisions and rest.startswith(("to ", "on ", "the ", "a ")):
        return Found(text, FactType.EVENT)
    if verb in ("was", "grew") and (
        verb == "grew"
        or re.match(r"(?:born|raised|diagnosed|hired|promoted|laid off|accepted|invited|selected|elected)\b", rest)
    ):
        return Found(text, FactType.IDENTITY if rest.startswith(("born", "raised", "up")) else FactType.EVENT)
    return Found(text, FactType.EVENT) if _is_event(verb) else None


def _of_diet(rest: str) -> bool:
    return re.search(r"\b(?:wheelchair|glasses|medication|insulin|gluten|hearing aid)\b", rest) is not None


def _is_event(verb: str) -> bool:
    known = words()
    regular = len(verb) > 4 and verb.endswith("ed") and not verb.endswith("eed")
    return (verb in known.past or regular) and verb not in known.not_events


def _being(text: str, rest: str) -> Found | None:
    """What follows "I am"."""
    bare = re.sub(rf"^(?:(?:{ADVERBS}|not) )+", "", rest)
    verb = bare.split(" ", 1)[0]
    if _FOND.match(bare):
        return Found(text, FactType.PREFERENCE)
    if _IDENTITY.match(bare) or re.fullmatch(r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)?", bare):
        return Found(text, FactType.IDENTITY)
    if _PLANNED.match(bare) or (verb in words().planned and _LATER.search(bare)):
        return Found(text, FactType.EVENT, planned=True) if _says_something(bare.partition(" ")[2]) else None
    if verb in words().progressive and _says_something(bare.partition(" ")[2]):
        return Found(text, FactType.STATE)
    return None


def _having(text: str, rest: str) -> Found | None:
    """What follows "I have": a possession, or what was done."""
    if _OWNED.match(rest):
        return Found(text, FactType.STATE)
    bare = re.sub(rf"^(?:(?:{ADVERBS}|not) )+", "", rest)
    verb, _, after = bare.partition(" ")
    if not _says_something(after):
        return None
    if verb == "been":
        doing, _, what = re.sub(rf"^(?:{ADVERBS} )+", "", after).partition(" ")
        lasting = (doing in words().progressive and _says_something(what)) or doing in (
            "married",
            "to",
            "vegan",
            "vegetarian",
        )
        return Found(text, FactType.STATE) if lasting else None
    if verb in words().preferences or verb in ("loved", "liked", "enjoyed", "hated"):
        return Found(text, FactType.PREFERENCE)
    if (verb in words().participles or _is_event(verb)) and verb not in words().not_events:
        return Found(text, FactType.EVENT)
    return None


_OWNED = re.compile(
    r"(?:an?|two|three|four|five|six|seven|eight|\d+|no|my own|several) (?!(?:bit|lot|little|great|good|blast|"
    r"wonderful|fantastic|lovely|nice|feeling|hunch|question|idea|plan|point|couple|few|ton|bunch|hard|tough|fun|"
    r"rough|busy|long|huge|big|clue|problem|issue|favou?r|request|minute|second|moment|chance|choice|doubt|worries|"
    r"new|amazing|cool|awesome|really|very|so|super|pretty|lots)\b)\w+"
)


def _of_mine(text: str) -> Found | None:
    """What somebody says of their people and things: "My sister …", "Our office …", "My favourite colour is …"."""
    match = _MINE.match(text)
    if match is None or not _says_something(match["rest"]):
        return None
    if _FAVOURITE.search(match["np"]):
        told = match["verb"] in ("is", "are") and not _FAVOURITE.search(match["np"].rsplit(" ", 1)[-1])
        return Found(text, FactType.PREFERENCE) if told else None  # "my favourite is" does not say of what
    head = [word.lower().removesuffix("'s") for word in match["np"].split()]
    known = words().people | words().things
    if not any(word in known or word.rstrip("s") in known for word in head):
        return None
    rest = match["rest"].strip()
    if match["verb"] in ("is", "are", "was", "were", "has", "have") and _FELT.match(rest.removeprefix("been ")):
        return None
    identity = head[-1] in ("name", "birthday", "age", "job", "nickname", "hometown")
    past = match["verb"] in (
        "moved",
        "got",
        "went",
        "died",
        "passed",
        "graduated",
        "joined",
        "bought",
        "became",
        "turned",
    )
    of_project = match["whose"].lower() == "our" and head[-1] not in words().people
    kind = FactType.IDENTITY if identity else FactType.EVENT if past else FactType.STATE
    return Found(text, kind, of_project=of_project)


_FELT = re.compile(
    r"^(?:(?:so|really|very|super|such|always|quite|pretty|too|doing|being|just|all|definitely) )*(?:great|good|"
    r"amazing|awesome|excited|happy|proud|supportive|so much|important|fun|nice|wonderful|lovely|sweet|cute|"
    r"beautiful|incredible|inspiring|hard|tough|crazy|busy|fine|okay|ok|well|thrilled|glad|everything|the best|there|"
    r"here|my|a (?:huge|big|great|blast|joy|blessing|lot)|what|how|that|to)\b"
)


def _of_group(text: str) -> Found | None:
    """What somebody says of themselves and others: "We decided …", "We went to …"."""
    match = _WE.match(text)
    if match is None:
        return None
    rest = match["rest"].removeprefix("have ").removeprefix("are ")
    verb, _, after = rest.partition(" ")
    if not _says_something(after):
        return None
    known = words()
    if verb in known.decisions:
        return Found(text, FactType.EVENT, of_project=re.match(r"(?:to|on|from|over|that|the)\b", after) is not None)
    if verb in known.used:
        return Found(text, FactType.STATE, of_project=True)
    if match["rest"].startswith("are ") and (_PLANNED.match(rest) or (verb in known.planned and _LATER.search(rest))):
        return Found(text, FactType.EVENT, planned=True)
    return Found(text, FactType.EVENT) if _is_event(verb) and not match["rest"].startswith("are ") else None


def _done(text: str) -> Found | None:
    """What the assistant says that it did."""
    match = _I.match(text)
    if match is None:
        return None
    rest = match["rest"].removeprefix("have ")
    verb, _, after = rest.partition(" ")
    return Found(text, FactType.EVENT) if verb in words().done and _says_something(after) else None


def _read(text: str, occurred_at: datetime, *, framed: bool) -> Found | None:
    """What the rules of `truth` read: a statement about the user, their project, or their people."""
    mentions_self = re.search(r"\b(?:I|my|we|our|us|me)\b", text, re.IGNORECASE) is not None
    stated = read_statement(text, occurred_at)
    if stated is None or stated.confidence < CLEAR:
        return None
    known = by_name().get(stated.attribute)
    of_project = known is not None and known.owner == PROJECT
    own = of_project and (stated.subject == PROJECT or re.match(r"The (?!.* of )", text) is not None)
    if known is None and not (framed or re.match(r"(?:My|Our) ", text)):
        return None
    of_user = stated.subject in (USER, PROJECT) or stated.subject.startswith(f"{USER}'s ")
    if not (framed or (mentions_self and of_user) or own):
        return None  # general knowledge, or a world of which nobody says that it is theirs
    kind = FactType.STATE
    if stated.kind == "preference":
        kind = FactType.PREFERENCE
    elif stated.kind == "attribute" and stated.subject == USER:
        kind = FactType.IDENTITY
    return Found(text, kind, of_project=of_project or stated.subject == PROJECT)


def _happened(found: Found, mentioned_at: datetime) -> datetime:
    """When an event was, where its sentence names a day; else when it was told."""
    from ..truth.moments import first_day

    if found.type is not FactType.EVENT:
        return mentioned_at
    return first_day(found.sentence, mentioned_at) or mentioned_at
