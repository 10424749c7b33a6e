"""Attributes: which property of whom a noun phrase names ("Priya's new manager", "the port of the API")."""

import re
from dataclasses import dataclass
from functools import lru_cache

from .lexicon import Attribute, by_name, by_noun
from .subjects import PROJECT, USER, canonical_subject, is_person, is_subject
from .wording import ENVIRONMENTS

EVENTS = frozenset(
    """meeting standup stand-up call review retro retrospective sync demo exam interview party wedding flight class
    lesson workshop
    conference session appointment catch-up check-up checkup training event kickoff kick-off offsite off-site lunch
    dinner breakfast trip vacation holiday
    presentation lecture seminar course visit inspection delivery pickup ceremony hearing concert match game
    rehearsal webinar one-on-one 1:1
    all-hands town-hall planning grooming refinement check-in checkin handover go/no-go audit maintenance migration
    cutover surgery operation
    backup viva defence defense payday sprint-review yoga practice newsletter report huddle gathering get-together
    reunion""".split()
)
"""Nouns of things that happen at a time and a place: when and where are attributes of theirs."""
_SAME_EVENT = {
    "stand-up": "standup",
    "check-in": "standup",
    "checkin": "standup",
    "retro": "retrospective",
    "kick-off": "kickoff",
    "huddle": "standup",
    "off-site": "offsite",
    "one-on-one": "1:1",
    "daily": "standup",
    "checkup": "check-up",
    "defense": "defence",
    "gathering": "meeting",
    "sync": "meeting",
    "call": "meeting",
    "catch-up": "meeting",
    "get-together": "meeting",
}
_ASPECTS = {
    "time": "time",
    "hour": "time",
    "start": "time",
    "start time": "time",
    "slot": "time",
    "starting time": "time",
    "beginning": "time",
    "departure": "time",
    "departure time": "time",
    "date": "date",
    "day": "date",
    "weekday": "date",
    "room": "place",
    "place": "place",
    "location": "place",
    "venue": "place",
    "length": "length",
    "duration": "length",
}
_OPEN_TIMES = frozenset(
    {"daily", "weekly", "regular", "team", "monthly", "usual", "our", "next", "morning", "recurring", "the", "new"}
)
_QUALIFYING = re.compile(
    r"^(?:(?:the|a|an|new|current|present|latest|own|actual|updated|main|primary|official|real|usual|"
    r"exact|present-day|standard|default|preferred|favorite|hard|firm|final|total|overall|only) )"
)
_PAST = re.compile(
    r"\b(?:old|former|previous|ex|last year's|past|original|first|second(?! brain)|next|other|"
    r"another|possible|future|planned|potential|earlier|initial)\b"
)


@dataclass(frozen=True)
class Property:
    """What a noun phrase names: the attribute of a subject; `known` where the lexicon has it, `event` an event's
    noun.

    `explicit`: the phrase says whose it is.
    """

    subject: str
    attribute: str
    known: Attribute | None = None
    event: bool = False
    explicit: bool = True
    owner: str = ""


def canonical_attribute(text: str) -> str:
    """An attribute in canonical form, in lower case: "boss" and "line manager" are `manager`.

    Qualifiers that make another one stay: "work phone" is `work phone number`.
    """
    noun = _plain_noun(text)
    known = by_noun().get(noun) or by_noun().get(_singular(noun))
    if known:
        return known[1]
    head = None if _is_main(noun) else _known_head(noun)
    if head is None or (_is_general(noun, head) and not _KEEPS_QUALIFIER.match(noun)):
        return noun
    return f"{head[0]} {head[2]}".strip()


def canonical_slot(subject: str, attribute: str) -> tuple[str, str]:
    """Subject and attribute as the rules write them, for what a caller gives.

    What is nobody's in particular belongs to `user` or `project`, as the lexicon says.
    """
    name = canonical_attribute(attribute)
    owner = canonical_subject(subject)
    known = by_name().get(name)
    if owner == PROJECT and known is not None and known.owner == USER:
        owner = USER
    return owner, name


_GERUND = re.compile(
    r"^(?:taking|keeping|doing|making|storing|managing|tracking|writing|sending|handling|organi[sz]ing|reading|running|"
    r"editing|processing|building|hosting) (?=\w)"
)


def _plain_noun(text: str) -> str:
    noun = " ".join(text.replace("’", "'").strip(" \t\"'.,:;").lower().split())
    noun = (
        noun.replace("favorite", "favourite")
        .replace("color", "colour")
        .replace("preferred favourite", "favourite")
        .replace("centre", "center")
        if "data" not in noun
        else noun
    )
    if noun not in by_noun():
        noun = _GERUND.sub("", noun) or noun
    while noun not in by_noun() and (shorter := _QUALIFYING.sub("", noun, count=1)) != noun and shorter:
        if _is_many(shorter) and noun.startswith(_SINGLING):
            return f"main {shorter}"
        noun = shorter
    return noun


_SINGLING = ("main ", "primary ", "only ", "current ", "preferred ", "number one ")


def _is_main(noun: str) -> bool:
    return noun.startswith("main ") and _is_many(noun.removeprefix("main "))


def _is_many(noun: str) -> bool:
    """Whether several values of what a noun names hold at a time: of a main one there is one."""
    known = by_noun().get(noun)
    return known is not None and known[0].holds == "many"


def _singular(noun: str) -> str:
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun


def _known_head(noun: str) -> tuple[str, Attribute, str] | None:
    """The longest end of a noun phrase that names an attribute, with what stands before it."""
    words = noun.split()
    for begin in range(len(words)):
        head = " ".join(words[begin:])
        known = by_noun().get(head) or by_noun().get(_singular(head))
        if known:
            return " ".join(words[:begin]), *known
    return None


_OF = re.compile(
    r"^(?P<what>(?:the |an? )?.+?) (?P<link>of|for|behind|at|in|on|to (?:contact|reach)) (?P<owner>.+)$", re.IGNORECASE
)
_POSSESSIVE = re.compile(r"^(?P<owner>.+)'s? (?P<what>[^']+)$")


_OF_ANOTHERS = re.compile(
    r"(?:[Tt]he |[Aa]n? )?(?P<what>[\w -]+?) (?:of|for) (?P<owner>(?:the user's|[^\W\d_a-z][\w-]+(?: "
    r"[^\W\d_a-z][\w-]+)*'s) "
    r"[\w -]+)"
)
"""The phone of my flatmate; the name of Nadia's cat, which is her cat."""


def property_of(phrase: str) -> Property | None:
    """What a noun phrase names, None where it names no property or a past one ("his old address")."""
    phrase = phrase.strip(' ,"')
    if not phrase or len(phrase.split()) > 9 or re.search(r"[,;!?()=]", phrase) or _PAST.search(phrase.lower()):
        return None
    owner, what, link = _parted(phrase)
    if owner and owner.lower() != "our" and not is_subject(owner):
        return None
    if (
        re.search(
            r"\b(?:is|was|has|and|or|that|which|who|if|to|not|his|her|their|he|she|it|they|with|from|by|as)\b",
            what.lower(),
        )
        and by_noun().get(_plain_noun(what)) is None
    ):
        return None
    noun = _plain_noun(what)
    if not noun or noun.startswith(("up ", "out ", "off ", "over ", "down ", "away ", "back ", "project ")):
        return None
    if not owner and " " in phrase and is_person(phrase) and not _known_head(noun) and noun.split()[-1] not in EVENTS:
        return None
    explicit = bool(owner) and canonical_subject(owner) != PROJECT
    if owner and _is_main(noun):
        return Property(canonical_subject(owner), noun, explicit=explicit, owner=owner)
    if (event := _event(noun, owner, what)) is not None:
        return event
    head = _known_head(noun)
    if head is None:
        if not owner or link in ("at", "in", "on", "behind") or len(noun.split()) > 4:
            return (
                Property(PROJECT, noun, None, explicit=False, owner=owner)
                if not owner and len(noun.split()) <= 4
                else None
            )
        return Property(canonical_subject(owner), noun, explicit=explicit, owner=owner)
    before, attribute, name = head
    if (
        before
        and (name in GENERAL or _is_general(noun, head))
        and not re.search(r"[A-Z]", what.removeprefix("The ").removeprefix("Our ")[1:])
    ):
        return Property(canonical_subject(owner) if owner else PROJECT, noun, explicit=explicit, owner=owner)
    return _with_qualifiers(before, attribute, name, owner, what, explicit)


def _parted(phrase: str) -> tuple[str, str, str]:
    """Owner, noun and link of a noun phrase; the owner is "our" for what is ours and empty where none is named."""
    if match := re.fullmatch(r"(?:the )?user's (?P<what>.+)", phrase, re.IGNORECASE):
        if "'s " not in match["what"] and not re.search(r" (?:of|for) ", match["what"]):
            return "the user", match["what"], "'s"
        if "'s " not in match["what"]:
            what, _, purpose = match["what"].partition(" for ")
            return ("the user", f"{purpose} {what}" if purpose else what, "'s")
    if match := re.fullmatch(r"my (?P<what>[^']+)", phrase, re.IGNORECASE):
        return "the user", match["what"], "'s"
    if match := _OF_ANOTHERS.fullmatch(phrase):
        return _parted(match["owner"]) if match["what"].lower() == "name" else (match["owner"], match["what"], "of")
    possessive = _POSSESSIVE.match(phrase)
    if possessive and (
        not re.search(r" (?:of|for) ", possessive["what"]) or by_noun().get(_plain_noun(possessive["what"]))
    ):
        return possessive["owner"], possessive["what"], "'s"
    if (match := _OF.match(phrase)) and not re.match(
        r"^(?:the )?(?:date|place|point|code|line|way|city|country|year|field|mode|type|number|"
        r"drink|source|means|method|subject|course|language|style|length|tone|cost|status|head|"
        r"person|name|work) of (?:birth|residence|origin|contact|work|entry|conduct|business|"
        r"living|transport|study|choice|truth|communication|contacting|reaching|answers|voice|"
        r"members|people|replicas|instances|pods|employees)\b",
        phrase,
        re.IGNORECASE,
    ):
        return match["owner"], re.sub(r"^our ", "", match["what"], flags=re.IGNORECASE), match["link"].lower()
    if (match := _OF.match(phrase)) and (
        inner := re.match(r"^(?P<what>(?:the |an? )?\w+ of \w+) (?:of|for) (?P<owner>.+)$", phrase)
    ):
        return inner["owner"], inner["what"], "of"
    if match := re.fullmatch(r"our (?P<what>.+)", phrase, re.IGNORECASE):
        return "our", match["what"], "'s"
    return "", phrase, ""


def _event(noun: str, owner: str, what: str) -> Property | None:
    words = noun.split()
    aspect = ""
    for length in (2, 1):
        if len(words) > length and (found := _ASPECTS.get(" ".join(words[-length:]))) and words[-length - 1] in EVENTS:
            aspect, words = found, words[:-length]
            break
    if words[-1] not in EVENTS:
        return None
    if not aspect and by_noun().get(noun):
        return None
    words[-1] = _SAME_EVENT.get(words[-1], words[-1])
    while len(words) > 1 and words[0] in _OPEN_TIMES:
        words = words[1:]
    subject = canonical_subject(owner) if owner else PROJECT
    if not owner and len(words) > 1 and words[-1] in ("standup", "retrospective", "planning", "kickoff", "demo"):
        subject, words = canonical_subject(" ".join(words[:-1])), words[-1:]
    if (
        not owner
        and len(words) == 2
        and re.search(r"\b[A-Z]{2,}\b|(?<=[a-z] )[A-Z]", what)
        and what.lower().split()[-2] == words[0]
    ):
        subject, words = canonical_subject(words[0]), words[1:]
    name = " ".join(words)
    return Property(subject, f"{name} {aspect}".strip(), None, event=not aspect, explicit=bool(owner), owner=owner)


_KEEPS_QUALIFIER = re.compile(
    r"^(?:work|home|office|private|personal|business|emergency|landline|backup|secondary|"
    r"second|holiday|summer|winter|company|school|postal|billing|shipping|delivery|"
    r"favourite|old|guest|mobile|monthly|yearly|annual|weekly|daily|hourly|(?:19|20)\d\d|q\d|"
    r"marketing|travel|training|audit|read-only|internal|external|public|admin|debug|weekend|"
    r"night|first|last|middle|"
    r"ideal|dream|side|part-time|evening|morning|metrics|management|health|https?|grpc|tls|"
    r"ssh|websocket|read|write|idle|connect|connection|primary|replica|source|code|web|cloud|python|node|"
    r"java|go|react|linux|windows|mac|version)\b"
)


GENERAL = frozenset(
    (
        "size|rate limit|name|status|location|phone number|bank|database|programming language|coffee order|"
        "subscription plan|job|team|deadline|version|repository host|chat tool|cloud|model|methodology|"
        "operating system|answer style|seat preference|desk|employer|lead|people working on|limit|home|"
        "issue tracker|likes|data format|storage service|relationship|price|url|field of study|children|"
        "search engine|working hours|laptop"
    ).split("|")
) - frozenset(
    {
        "deadline",
        "version",
        "price",
        "lead",
        "phone number",
        "database",
        "operating system",
        "working hours",
        "issue tracker",
        "programming language",
        "laptop",
        "search engine",
        "url",
        "employer",
    }
)
"""Attributes whose nouns are so general that words before them make something else: "the maximum upload size"."""


_GENERAL_NOUNS = frozenset(
    "number account order title position mail host platform provider code data people text "
    "date time type address plan server group seat unit alarm degree subject book limit "
    "hours cost fee charge lead head owner".split()
) - frozenset(("lead", "head", "owner", "address", "plan", "book", "hours", "fee"))


def _is_general(noun: str, head: tuple[str, Attribute, str]) -> bool:
    """Whether words before so general a noun make something else: a lucky number is no phone number."""
    before, attribute, _ = head
    return bool(before) and noun.removeprefix(f"{before} ") in _GENERAL_NOUNS and attribute.type != attribute.name


def _with_qualifiers(before: str, attribute: Attribute, name: str, owner: str, what: str, explicit: bool) -> Property:
    words = before.split()
    if name == "address" and words == ["office"]:
        return Property("office", name, attribute, owner=owner)
    environment = [word for word in words if word in ENVIRONMENTS]
    words = [
        word
        for word in words
        if word not in ENVIRONMENTS
        and word
        not in (
            "new",
            "current",
            "main",
            "default",
            "daily",
            "usual",
            "preferred",
            "primary",
            "official",
            "the",
            "whole",
            "entire",
            "all",
        )
    ]
    if words and words[0] in ("landline", "mobile", "cell"):
        words = words if words[0] == "landline" else words[1:]
    rest = " ".join(words)
    capital = (
        bool(words)
        and re.search(rf"(?<!^)\b{re.escape(words[0].capitalize())}|[A-Z]{{2,}}|^(?:the |our )[A-Z]", what) is not None
    )
    subject = canonical_subject(owner) if owner else (USER if attribute.owner == USER else PROJECT)
    if subject == PROJECT and attribute.owner == USER:
        subject = USER
    if (
        rest
        and not (explicit and owner)
        and (capital or not _KEEPS_QUALIFIER.match(rest))
        and (attribute.owner != USER or capital)
    ):
        subject, rest, explicit = canonical_subject(rest), "", True
    if environment:
        live = [word for word in environment if word not in ("production", "prod", "live")]
        if live:
            subject = " ".join(live) if subject == PROJECT else f"{subject} {' '.join(live)}"
        explicit = True
        if not live and subject == PROJECT:
            subject = "production"
    return Property(subject, f"{rest} {name}".strip(), attribute if not rest else None, explicit=explicit, owner=owner)


_ANOTHER = re.compile(
    r"\b(?:registered|regional|sales|branch|engineering|research|european|asian|american|satellite|printing|repair|"
    r"second|secondary|third|spare|joint|savings|business|brokerage|investment|student|holiday|vacation|weekend|"
    r"summer|part-time|side|guest|extra|additional|temporary|rental|rented|borrowed|loaner|backup|travel|starter|trial|"
    r"setup|admin|debug|metrics|standby|marketing|pilot|demo|mock|sample|load|private|work|company|landline|first|last|"
    r"eye|health check|(?:read|write|idle|connect|connection)(?= timeout| limit| access)) (?P<noun>[\w-]+)",
    re.IGNORECASE,
)


@lru_cache(maxsize=16)
def _others(text: str) -> tuple[re.Match[str], ...]:
    return tuple(_ANOTHER.finditer(text))


def is_of_another(attribute: Attribute, text: str) -> bool:
    """Whether words make another property of what speaks of an attribute: "a second account", "the debug port"."""
    found = _others(text)
    if not found:
        return False
    names = (attribute.name, *attribute.nouns)
    return any(
        match["noun"].lower() in attribute.cues or any(noun.endswith(match["noun"].lower()) for noun in names)
        for match in found
        if not any(match.group().lower() in noun for noun in names)
    )


def belongs(attribute: Attribute, subject: str) -> bool:
    """Whether an attribute of persons is told of one, and one of things of no user."""
    if attribute.owner == USER and attribute.kind in ("attribute", "preference"):
        return is_person(subject) or attribute.name not in _OF_PERSONS
    return True


_OF_PERSONS = frozenset(
    (
        "home|birthplace|age|employer|job|manager|mentor|relationship|diet|surname|wake-up time|bedtime|"
        "coffee order|citizenship|religion|height|team|languages|hobby|likes|allergy|native language|"
        "field of study"
    ).split("|")
)
