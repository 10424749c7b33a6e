"""What a sentence states by its gist: one subject, one value of a type, and words that speak of one attribute.

`by_cue` demands that every word is accounted for. Here some may be left over, as people tell more than they state
("After the lake incident Ana got the Pixel 9 as a replacement device"), but nothing that makes another thing of it:
somebody else, another part of the subject, a plan, the past, an occasion, or a value that only adds.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt

from ..memory.stems import stem
from .attributes import EVENTS, belongs, is_of_another
from .by_cue import (
    CAPITALISED,
    LIGHT,
    OPEN_SHAPES,
    REPORT,
    TELLING,
    TOKEN,
    TOLD_OF_THE_PAST,
    VAGUE,
    FoundValue,
    is_apart,
    values_of,
    words_of,
)
from .forms import FORMS
from .lexicon import DATED, Attribute, Named, attributes, by_stem, gazetteer, is_written_as_listed, names_in
from .marks import regex
from .reading import Reading, reading_of
from .subjects import PROJECT, RELATIVES, USER, canonical_subject, is_person
from .wording import ENVIRONMENTS, Clause

_FORBIDS = (
    r"(?<![\w-])(?:was (?:a|an|the) (?!\w+ed\b)|very first|until|before(?! (?:the body|it |the functions?))|back then|"
    r"decades|nineties|eighties|originally|started out|"
    r"once|ago|in those days|as a (?:child|kid|student|boy|girl)|had to|used to|never|without|nothing to do|"
    r"means to|meant to|tempted|metrics|may well|hoping|hopes?|hope for|rfc|quote|offer|offered|vote[ds]?|decision|proposal|idea|"
    r"test-?drove|test-?drives?|talks? about|thinking|planned to|plans|eyeing|keen|curious|fancies|"
    r"also|too|as well|another|further|additional|additionally|on top|besides|second|third|both|(?:some|any)(?:body|one|thing|where) else|extra|"
    r"sometimes|often|now and then|occasionally|"
    r"tomorrow only|today only|just this|only this|this once|for once|one-off|when it|"
    r"interview|talk at|gave a talk|conference at|shares in|"
    r"cannot|can not|nobody|none|nothing of|if|unless|except|"
    r"phase|milestone|edition|quarter|keynote|retreat|"
    r"sample|example|tutorial|manual|blog|article|post opens|slide|novel says|joke|"
    r"complaint|exam|holiday in|visit|trip to|flies to|flew|"
    r"neighbou?rs?|ex|intern|deputy|rival|competitor|predecessor|successor|supplier|partners?|friend|colleagues?|"
    r"assistant|accountant|daughter|son|kids?|child|children|husband|wife|brother|sister|mother|father|parents?|"
    r"cousin|uncle|aunt|nephew|niece|twins?|baby|lodger's|tenant|client's|customer's|"
    r"sidecar|backup of the|spare|shipper|plugin|module|endpoint|mirror|subsidiary|branch in|wish|wished|dream)(?![\w-])|"
    r"[\"?]"
)
_LEFT_OVER = 6
"""So many words may say more than the rules understand."""
_THING = re.compile(
    r"\b(?:[Tt]he|[Oo]ur) (?P<n>(?:[\w-]+ ){1,2}?(?:team|service|project|app|printer|server|system|squad|department|"
    r"router|machine|scanner|switch|NAS|camera|oscilloscope|box|display|screen|sensor|drone|robot|kiosk|van|bus))\b"
)
_COMPOUND = re.compile(r"(?<![\w@./'#-])[a-z]+\d?(?:-[a-z]+\d?)+(?![\w@./-])")
_LONE = re.compile(
    r"(?:^|\b(?:of|for|in|to|with|from|on|behind|about|around|by|at|made|gave|took|moved|let|put) )"
    r"(?P<n>[a-z]{4,})(?=$|[,:;.]| (?:is|has|was|gets?|got|went|now|runs|uses|will|[a-z]+s|[a-z]+ed)\b|'s )"
)
_USER_SAID = re.compile(r"\b(?:[Tt]he user|[Uu]ser)\b(?P<end>)(?:'s)?(?: (?P<who>[a-z-]+))?")
_SAID_AFTER = re.compile(r"'s\b|[,;:]? (?!(?:of|in|on|for|at|with|to|from|by|and|or)\b)[a-z]|$")
_BY_NAME = re.compile(
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|January|February|March|April|May|June|July|August|"
    r"September|October|November|December"
)
_GOVERNED = re.compile(
    r"\b(?P<np>(?:the|a|an|our|its|his|her|their)(?: [\w-]+){1,4}?) (?:of|for|in|at|on|behind|from|by|with|about|around|to|next to|beside|near) (?:the |our )?$",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"\b(?:beside|next to|near|unlike|like|except|than|against|opposite|besides|from) (?:the )?$")


@dataclass(frozen=True)
class _Mention:
    name: str
    begin: int
    end: int
    person: bool


_ENVIRONMENT = re.compile(
    rf"\b(?:{'|'.join(sorted(ENVIRONMENTS - {'live', 'test', 'testing', 'local', 'integration'}))})\b",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"(?:the user|[A-Z][\w'-]*(?: [A-Z][\w'-]*)*|the [\w-]+(?: [\w-]+)?|[a-z]+-[a-z-]+) (?:\w+ly )?(?:\w+ed|sent|met|saw|ate|"
    r"wrote|drank|said|told|found|ran|spent|flew|drove|slept|spoke|sang|swam|rode|won|lost|broke|fell|felt|heard|held|knew|"
    r"thought|taught|caught|fought|sold|stood|understood|woke|wore|had|did|came|built)\b(?! (?:by|to|in|as|with|on|at) )"
)
"""What was done once: "Erik sent a postcard from Bergen" says nothing that lasts."""
_DONE = re.compile(r"[A-Za-z][a-z]+ed\b")
_STATE_OF_OLD = re.compile(
    r"(?:the user|[A-Z][\w'-]*(?: [A-Z][\w'-]*)*|the [\w-]+(?: [\w-]+)?|[a-z]+-[a-z-]+) (?:lived|worked|used|drove|owned|"
    r"studied|played|banked|resided|reported|liked|preferred|ran|stayed|sat|belonged|listened|served|spoke|trained|cost|"
    r"charged|weighed|stored|kept|earned|listed)\b"
)
_RELATIVE_CLAUSE = re.compile(
    r"(?:the|our|my|a|an) (?P<noun>[\w-]+) (?:that |which )?(?:the user|user|we|they)\b", re.IGNORECASE
)


_NOT_OF_RECORD = re.compile(
    r"(?<![\w-])(?:would|could|should|might|supports|support for|export\w*|import from|integrat\w+|compat\w+|mirror\w*|beta|"
    r"can(?! be\b)|plugin|till|hate[sd]?|dislikes?|learn(?:s|ed|t|ing)? to)(?![\w-])",
    re.IGNORECASE,
)


def _masked(text: str, mentions: Sequence[_Mention]) -> str:
    """A text without the names in it: "my daughter" as a subject is nobody's relative."""
    for one in sorted(mentions, key=lambda each: -each.begin):
        text = f"{text[: one.begin]}it{text[one.end :]}"
    return _MAIL.sub("it", text)


_MAIL = re.compile(r"\S+@\S+")


def by_gist(clause: Clause) -> Reading | None:
    """What a sentence states of the attribute that it speaks of most; None where two are as likely."""
    if clause.negated or not clause.bare:
        return None
    best: dict[str, tuple[float, Reading]] = {}
    if not clause.marks_change and (REPORT.match(clause.full) or _DONE.match(clause.full)):
        return None
    if _ENVIRONMENT.search(clause.full) or (
        not clause.marks_change and (_EVENT.match(clause.full) or _STATE_OF_OLD.match(clause.full))
    ):
        return None
    for text, dated in ((clause.bare, False), (clause.full, True)):
        if len(text) > 180:
            return None
        named = names_in(text)
        mentions = list(_mentions(text, named))
        apart = _masked(text, mentions)
        if regex(_FORBIDS).search(apart) or _NOT_OF_RECORD.search(apart) or TOLD_OF_THE_PAST.search(apart):
            return None
        stems = frozenset(map(stem, words_of(text)))
        types = {one for listed in named for one in listed.lists}
        places = {place for one in stems for place in by_stem().get(one, ())}
        places |= {place for one in types for place in _by_shape().get(one, ())}
        for place in sorted(places):
            attribute = attributes()[place]
            if (attribute.type in DATED) != dated:
                continue
            if (scored := _stated(clause, attribute, text, named, mentions)) is not None:
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


def dated_alone(attribute: Attribute, value: str, clause: Clause) -> bool:
    """Whether a date only says since when something holds ("Effective January, …")."""
    return attribute.type in DATED and not any(map(str.isdigit, value)) and value.lower() in clause.since.lower()


def _is_known_otherwise(attribute: Attribute, value: str) -> bool:
    """Whether a name is known to be of something else: "Barmer" is no gym."""
    lists = gazetteer().get(value.lower(), ())
    if attribute.shape == "room" and (_BY_NAME.fullmatch(value) or value.lower() in ("room", "the room", "place")):
        return True
    return attribute.shape in ("gym", "title", "doctor", "room") and bool(lists) and attribute.name not in lists


_OF_OTHERS = re.compile(r"\b(?:he|she|they|his|her|their|it|we|our|us)\b", re.IGNORECASE)
_CLOCK = re.compile(r"\d[:.]\d\d|\d ?(?:[ap]\.?m|h\b|o'clock)|noon|midnight|half past|quarter", re.IGNORECASE)
_PURPOSE = re.compile(r" (?:for|with|in) (?:Python|Java|JavaScript|Go|Rust|C\+\+|Markdown|LaTeX|SQL|HTML|[A-Z]\w+Script)\b")
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
    clause: Clause, attribute: Attribute, text: str, named: Sequence[Named], mentions: Sequence[_Mention]
) -> tuple[float, Reading] | None:
    if is_of_another(attribute, text) or is_apart(attribute, text) or attribute.holds == "many":
        return None
    things = [(one.begin, one.end) for one in mentions if not one.person]
    values = [
        one
        for one in values_of(attribute, text, named)
        if text[one.end : one.end + 2] != "'s" and not any(begin <= one.begin < end for begin, end in things)
    ]
    if attribute.shape in OPEN_SHAPES and len(values) == 2 and len({one.name for one in mentions}) == 2:
        values = _of_two_persons(text, values)
    if len({one.text for one in values}) != 1:
        return None
    value = values[0]
    if dated_alone(attribute, value.text, clause) or _is_known_otherwise(attribute, value.text):
        return None
    if attribute.shape == "time" and _CLOCK.search(value.text) is None:
        return None
    if _PURPOSE.match(text[value.end :]) is not None:
        return None
    if attribute.shape == "rate" and _OTHER_RATE.match(text[value.end :]):
        return None
    if attribute.shape == "duration" and _EVERY.search(text[: value.begin]) and attribute.name == "timeout":
        return None
    found = [one for one in mentions if one.end <= value.begin or one.begin >= value.end]
    if len(names := {one.name for one in found}) > 1:
        names -= {USER}
        found = [one for one in found if one.name != USER]
    if len(names) > 1:
        return None
    if not found:
        if (
            attribute.owner != USER
            or attribute.shape in OPEN_SHAPES
            or attribute.shape in FORMS
            or _OF_OTHERS.search(text)
        ):
            return None
        subject = USER
    else:
        subject = found[0].name
        if subject == USER and attribute.owner != USER:
            return None
        if attribute.owner == USER and not found[0].person:
            return None
        if attribute.owner != USER and subject.startswith("user's "):
            return None
        if not belongs(attribute, text[found[0].begin : found[0].end] if subject != USER else "the user"):
            return None
    taken = [(value.begin, value.end), *((one.begin, one.end) for one in found)]
    score, left = _weighed(attribute, text, taken, named)
    if left > _LEFT_OVER or score < (_LEAST_OF_FEW if left < 2 and _tells_itself(attribute, value.text) else _LEAST):
        return None
    if _is_of_an_occasion(attribute, text, min([value.begin, *(one.begin for one in found)])):
        return None
    if (clause_of := _RELATIVE_CLAUSE.match(text)) is not None and not _speaks(attribute, clause_of["noun"]):
        return None
    for one in found:
        if not _is_head(attribute, text, one):
            return None
    made = f"{attribute.prefix} {value.text}".strip()
    return score - 0.01 * left, reading_of(clause, subject, attribute, attribute.name, made, 0.6)


_LEAST = 0.45
_LEAST_OF_FEW = 0.35
"""So much is enough where a name speaks of one attribute and hardly anything else is said."""


def _tells_itself(attribute: Attribute, value: str) -> bool:
    return attribute.shape == attribute.name and attribute.shape not in FORMS and is_written_as_listed(value)


_TELLING_SHAPES = frozenset(
    {"room", "channel", "hair", "subject of study", "auditing firm", "profession", "phone", "email"}
)
_EVERY = re.compile(r"\b(?:every|each) $")


def _weighed(
    attribute: Attribute, text: str, taken: Sequence[tuple[int, int]], named: Sequence[Named]
) -> tuple[float, int]:
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
        score += 0.35 if attribute.shape == attribute.name or attribute.shape in _TELLING_SHAPES else 0.15
    return score, left


def _is_head(attribute: Attribute, text: str, one: _Mention) -> bool:
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


_OCCASION = re.compile(
    r"(?:in|on|for|at|during|within|inside|when|while|whenever|locally|after|with)\b(?P<np>[^,]*?)(?:,| $)",
    re.IGNORECASE,
)
_TIMES = re.compile(
    r"\b(?:morning|evening|afternoon|night|noon|summer|winter|spring|autumn|\w+days|weekends?|weekdays?|christmas|easter|"
    r"holidays?|vacations?|work|laptop|desktop|server|phone|tablet|cluster|rain\w*|dry|dinner|breakfast|lunch)\b",
    re.IGNORECASE,
)


_DETERMINERS = frozenset("the a an our my his her their its that this all any".split())


def _is_of_an_occasion(attribute: Attribute, text: str, begin: int) -> bool:
    """Whether what stands before the subject says for what alone the statement holds ("On the server my …")."""
    if (led := _OCCASION.match(text[:begin] if begin else text)) is None:
        return False
    words = led["np"].split()
    if _TIMES.search(led["np"]):
        return True
    return not all(stem(word.lower()) in attribute.stems or word.lower() in _DETERMINERS for word in words)


def _speaks(attribute: Attribute, word: str) -> bool:
    word = word.lower()
    return (
        stem(word) in attribute.stems
        or word in LIGHT
        or word in attribute.parts
        or any(noun.endswith(word) for noun in attribute.nouns)
    )


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


def _mentions(text: str, named: Sequence[Named]) -> Iterator[_Mention]:
    """Whom or what a text speaks of."""
    spans: list[tuple[int, int]] = []
    some = False
    for match in _USER_SAID.finditer(text):
        who = match["who"]
        if who and who.removesuffix("'s") in RELATIVES:
            yield _Mention(f"user's {who.removesuffix(chr(39) + 's')}", match.start(), match.end(), True)
        else:
            yield _Mention(USER, match.start(), match.start("end"), True)
        some = True
    for match in _THING.finditer(text):
        spans.append(match.span("n"))
        yield _Mention(canonical_subject(match["n"]), match.start("n"), match.end(), False)
        some = True
    for match in CAPITALISED.finditer(text):
        begin, name = match.start(), match.group().removesuffix("'s")
        if begin == 0:
            begin, name = _without_verb(name)
        if (
            not name
            or not name[0].isalpha()
            or _BY_NAME.fullmatch(name)
            or name.lower() in gazetteer()
            or (name.isupper() and len(name) < 5)
        ):
            continue
        if any(begin < end and begin + len(name) > start for start, end in spans):
            continue
        if name.startswith("Project "):
            name = " ".join(name.split()[:3] if name.endswith(" Two") else name.split()[:2])
        after_it = text[begin + len(name) :]
        if text[:begin].lower().endswith("the ") or name.startswith("Dr"):
            continue
        if begin == 0 and (name.lower() in LIGHT or not (" " in name or _SAID_AFTER.match(after_it))):
            continue
        if begin == 0 and " " not in name and stem(name.lower()) in by_stem():
            continue
        project = name.startswith("Project ")
        yield _Mention(canonical_subject(name), begin, begin + len(name), not project and is_person(name))
        some = True
    for match in _COMPOUND.finditer(text):
        word = match.group()
        if any(start <= match.start() < end for start, end in spans) or word.endswith("-wise"):
            continue
        if (
            word in LIGHT
            or word in EVENTS
            or stem(word) in by_stem()
            or word in gazetteer()
            or word.endswith(("ed", "ing"))
        ):
            continue
        yield _Mention(word, match.start(), match.end(), False)
        some = True
    if not some:
        for match in _LONE.finditer(text):
            word = match["n"]
            if word not in LIGHT and stem(word) not in by_stem() and word not in gazetteer():
                yield _Mention(word, match.start("n"), match.end("n"), False)
