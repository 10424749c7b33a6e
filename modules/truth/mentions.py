"""Mentions: whom or what a sentence speaks of, by the names in it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..memory.stems import stem
from .attributes import EVENTS
from .by_cue import CAPITALISED, LIGHT, TELLING
from .lexicon import by_stem, gazetteer
from .subjects import RELATIVES, USER, canonical_subject, is_person


@dataclass(frozen=True)
class Mention:
    """A subject that a text names, in canonical form, and where; `person`: it may be one, or a company."""

    name: str
    begin: int
    end: int
    person: bool


_THING = re.compile(
    r"\b(?:[Tt]he|[Oo]ur) (?P<n>(?:[\w-]+ ){1,2}?(?:team|service|project|app|printer|server|system|squad|department|"
    r"router|machine|scanner|switch|NAS|camera|oscilloscope|box|display|screen|sensor|drone|robot|kiosk|van|bus))\b"
)
_COMPOUND = re.compile(r"(?<![\w@./'#-])[a-z]+\d?(?:-[a-z]+\d?)+(?![\w@./-])")
_LONE = re.compile(
    r"(?:^|, |\b(?:of|for|in|to|with|from|on|behind|about|around|by|at|made|gave|took|moved|let|put) )"
    r"(?P<n>[a-z]{4,})(?=$|[,:;.]| (?:is|has|was|gets?|got|went|now|runs|uses|will|[a-z]+s|[a-z]+ed)\b|'s )"
)
_USER_SAID = re.compile(r"\b(?:[Tt]he user|[Uu]ser)\b(?P<end>)(?:'s)?(?: (?P<who>[a-z-]+))?")
_SAID_AFTER = re.compile(r"'s\b|[,;:]? (?!(?:of|in|on|for|at|with|to|from|by|and|or)\b)[a-z]|$")
DAY_OR_MONTH = re.compile(
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|January|February|March|April|May|June|July|August|"
    r"September|October|November|December"
)
_MAIL = re.compile(r"\S+@\S+")


_VERB_FIRST = re.compile(
    r"(?:[A-Z][a-z]+ed|Cut|Put|Set|Had|Got|Made|Gave|Let|Cc|Refund|Save|Wire|Charge|Bill|Invite|Seat|Fly|Move|Feed|Serve|"
    r"Pour|Kindly|Please|Wish|Copy|Flash|Swap|Migrate|Switch|Change|Update|Drop|Forget|Pay|Transfer|Ship|Mail|Address|"
    r"Helped|Met|Saw|Heard|Took|Brought|Sent|Told|Ran|Begin|Start|Stop|Stopped|Never|Always|Just|Even|Since|Because|"
    r"Thanks|Bye|Goodbye|Hello|Greet|Expect|Meet|Pick|Grab|Fetch|Buy|Count|Reach|Treat|Schedule|Register|Enrol|Assign|"
    r"Everything|Everyone|Anything|Nothing|Nobody|Only|Once|Down|Up|Over|Under|Out|Back|Off|Today|Tonight|Lately) "
)
"""A first word that is none of the name which follows it: a verb, or a small word."""


def _without_verb(name: str) -> tuple[int, str]:
    """Where a name at the beginning of a sentence begins, and the name."""
    if (told := TELLING.match(f"{name} ") or _VERB_FIRST.match(f"{name} ")) is not None:
        return told.end(), name[told.end() :]
    first, _, rest = name.partition(" ")
    if rest and rest[0].islower():
        lower = re.match(r"(?:[a-z]+ )+", rest)
        begin = len(first) + 1 + (lower.end() if lower else 0)
        return begin, name[begin:]
    if rest and first != "Project" and (first.lower() in LIGHT or stem(first.lower()) in by_stem()):
        return len(first) + 1, rest
    return 0, name


def mentions(text: str) -> list[Mention]:
    """Whom or what a text speaks of; a lone word in lower case only where it names nobody else."""
    found = [*_users(text), *(things := list(_things(text)))]
    found += _names(text, things)
    found += _compounds(text, things)
    return found or list(_lone(text))


def masked(text: str, mentioned: Sequence[Mention]) -> str:
    """A text without the names in it: "my daughter" as a subject is nobody's relative."""
    for one in sorted(mentioned, key=lambda each: -each.begin):
        text = f"{text[: one.begin]}it{text[one.end :]}"
    return _MAIL.sub("it", text)


def _users(text: str) -> Iterator[Mention]:
    for match in _USER_SAID.finditer(text):
        who = (match["who"] or "").removesuffix("'s")
        if who in RELATIVES:
            yield Mention(f"user's {who}", match.start(), match.end(), True)
        else:
            yield Mention(USER, match.start(), match.start("end"), True)


def _things(text: str) -> Iterator[Mention]:
    for match in _THING.finditer(text):
        yield Mention(canonical_subject(match["n"]), match.start("n"), match.end(), False)


def _names(text: str, things: Sequence[Mention]) -> Iterator[Mention]:
    for match in CAPITALISED.finditer(text):
        begin, name = match.start(), match.group().removesuffix("'s")
        if begin == 0:
            begin, name = _without_verb(name)
        if name.startswith("Project "):
            name = " ".join(name.split()[:3] if name.endswith(" Two") else name.split()[:2])
        end = begin + len(name)
        if not _is_name(name) or text[:begin].lower().endswith("the "):
            continue
        if any(begin < thing.end and end > thing.begin for thing in things):
            continue
        if begin == 0 and " " not in name and (stem(name.lower()) in by_stem() or not _SAID_AFTER.match(text[end:])):
            continue
        yield Mention(canonical_subject(name), begin, end, not name.startswith("Project ") and is_person(name))


def _is_name(name: str) -> bool:
    """Whether a word with a capital may name a subject: no weekday, product or acronym."""
    return (
        name[:1].isalpha()
        and not DAY_OR_MONTH.fullmatch(name)
        and name.lower() not in gazetteer()
        and name.lower() not in LIGHT
        and not (name.isupper() and len(name) < 5)
        and not name.startswith("Dr")
    )


def _compounds(text: str, things: Sequence[Mention]) -> Iterator[Mention]:
    for match in _COMPOUND.finditer(text):
        word = match.group()
        if any(thing.begin <= match.start() < thing.end for thing in things) or word.endswith(("-wise", "ed", "ing")):
            continue
        if word in LIGHT or word in EVENTS or stem(word) in by_stem() or word in gazetteer():
            continue
        yield Mention(word, match.start(), match.end(), False)


def _lone(text: str) -> Iterator[Mention]:
    for match in _LONE.finditer(text):
        word = match["n"]
        if word not in LIGHT and stem(word) not in by_stem() and word not in gazetteer():
            yield Mention(word, match.start("n"), match.end("n"), False)
