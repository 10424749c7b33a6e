"""What a sentence states by its words, whatever their order: a value of a type, and words that speak of one attribute.

Every word of the sentence must be accounted for: by the value, by the words that speak of the attribute (its cues), by
function words and verbs of change, or as the one subject. What is left over means that the sentence says more than the
rules understand, and nothing is read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import sqrt

from ..memory.date_spans import WEEKDAY
from .attributes import belongs, is_of_another
from .forms import FORMS
from .lexicon import DATED, Attribute, Named, attributes, gazetteer, names_in
from .marks import regex
from .reading import Reading, reading_of
from .subjects import PROJECT, RELATIVES, USER, canonical_subject, is_person, is_subject
from .values import extended, take
from .wording import Clause

LIGHT = frozenset(
    """a an the this that these those its his her their our my one ones it he she they we us them
    is was be been being am are were has have had having does do did done gets get got getting will shall can may
    to into onto in on at by with via from of for over off out up down through under behind around about per as
    against between within upon inside after since and or but so also too then there here
    now again instead currently just newly all any every each whole entire only more than longer not no
    who whom whose which what where when how whenever possible
    goes go going went gone comes come coming came put puts set sets setting uses use used using run runs running ran
    makes make made takes take taken took keeps keep kept holds hold lies sits stands stays stay remains happens happen
    works work working lives live located based found find finds means stayed
    new current usual regular main default standard own present latest official single sole actual
    please you your me myself yourself them themselves people everybody everyone everything something things anything
    thing stuff else next always usually normally mostly mainly nowadays
    changed changes change changing switched switches switch switching moved moves move moving migrated migrates
    transferred converted gone shifted relocated replaced replaces replacing swapped traded exchanged dropped left
    became become becomes turned started starts start starting began begins begin beginning
    raised raises lowered increased reduced decreased bumped lifted cut extended shortened upgraded
    downgraded updated adjusted altered modified amended revised corrected rescheduled postponed pushed brought
    picked picks pick chose chosen chooses choose selected selects select adopted adopts settled settles opted
    decided decides joined cancelled took got given gave gives give assigned reassigned appointed named promoted elected
    prefers prefer preferred likes like liked wants want wanted favours favors expects needs need requires require
    set reset fixed planned arranged has'll 's s user user's ours mine rather would
    entirely completely fully permanently altogether finally officially else's
    takes-place place day days time times kind sort way name called known considered counts served serves serve
    provided provides provide offered handled handles handle available reached reachable contacted
    around along across above below together already yet even ever very really quite much many most least exactly
    roughly only away back forward ahead aside onto toward towards throughout via plus including full good right
    relies rely depends depend trusts trust sticks stick stuck swears loves love loved enjoys enjoy asks ask agree
    agreed agrees assume assumes treat names lists listed registered counts put fill filled happy happier
    form officially issued granted landed ended brought converted redone rewritten ported round begun finished
    ages nothing well done little own such both type lot while far close near bit
    thanks thank sure course fact rule matter end beginning reason case part rest side
    signed sign registered enrolled subscribed entered stepped steps step redone rebuilt reworked remade bumped
    whoever whatever anyone anybody nobody someone somebody ours theirs hers himself herself itself""".split()
)
"""Words that speak of no attribute in particular: they may stand beside any value."""
_OLD_BEFORE = re.compile(
    r"\b(?:from|instead of|rather than|than|replaced|replaces|dropped|left|sold|gave up|given up|swapped|traded|"
    r"exchanged|ditched|abandoned|not|no longer|off|away from|and not)(?: (?:the|his|her|their|my|our|its|old|a|an|"
    r"port|version|user's))*$"
)
_IN_ROOM = re.compile(r"(?:\b(?:in|into|to|at|on|inside|is|:)(?: the| our)?|^the|^our) $", re.IGNORECASE)
_ENDED_BEFORE = re.compile(
    r"\b(?:instead of|rather than|dropped|sold|gave up|given up|ditched|abandoned|finished|completed|cancelled|quit|"
    r"returned|lost|stopped|closed|without|away from|moved from|no longer|uninstalled|deleted|retired|scrapped)"
    r"(?: (?:the|his|her|their|my|our|its|old|a|an|using|user's))*$"
)
TOKEN = re.compile(r"[^\W_][\w'&/-]*|#[\w-]+", re.UNICODE)
CAPITALISED = re.compile(
    r"(?<![\w'-])(?:(?:Dr|Mr|Mrs|Ms|Prof|St)\.? )?[^\W\d_a-z][\w'’&-]*(?:(?: (?:of|the|de|da|do|dos|van|von|der|den|di|"
    r"la|le|el|al|am|zum|du|des))*(?: [^\W\d_a-z][\w'’&-]*| \d+))*"
)
_BEFORE_SUBJECT = frozenset(
    "of for from in at to with by behind against on under inside into call ring phone email mail write reach contact "
    "text message send ask calls answers the our and when since while hosts runs serves powers makes makes".split()
)
OPEN_SHAPES = {
    "name": "name", "org": "org", "gym": "org", "title": "title", "place": "place", "doctor": "doctor", "school": "org",
}  # fmt: skip
NOT_OF_RECORD = re.compile(
    r"\b(?:used to|would|could|should|might|supports|support for|export|import|integrat\w+|compat\w+|backups?|"
    r"mirror\w*|copy|"
    r"copies|beta|plugin|until|till|except|unless|sometimes|often|both|another|second|hate[sd]?|dislikes?|"
    r"learn(?:s|ed|t|ing)? to|(?<!you )(?<!we )(?<!one )(?<!user )can (?!be\b|not\b))\b",
    re.IGNORECASE,
)
TOLD_OF_THE_PAST = re.compile(
    r"\bwas\b(?! (?:\w+ )?(?:\w+ed|sold|put|set|cut|made|given|taken|brought|bought|built|rebuilt|sent|rewritten|moved|"
    r"written|found|split|kept|held|born|bound|rebound|redone|done|told|chosen|led|run|met|paid|become)\b)"
)
REPORT = re.compile(
    r"(?:(?:i|we|just|then|also|finally|again|today|yesterday) )*"
    r"(?:met|saw|had|ate|heard|found|lost|fixed|ran|wrote|read|spoke|talked|chatted|called|rang|visited|tried|tested|"
    r"ordered|cleaned|deleted|installed|discussed|watched|helped|asked|told|sent|debugged|reviewed|attended|cooked|"
    r"played|spent|walked|drove|flew|noticed|broke|burnt|burned|forgot|celebrated|interviewed|demoed|presented|drank|"
    r"install|pip|brew|apt|npm|npx|uvx)\b(?! (?:it|them|him|her|us|me) )",
    re.IGNORECASE,
)
"""How a note on an event begins: what was done once says nothing that lasts."""
_IMPERATIVE = re.compile(
    r"(?:please )?(?:move|put|set|change|switch|push|bring|make|take|keep|pick|choose|show|give|answer|"
    r"reply|respond|format|indent|start|stop|let|add|remove|update|check|run)\b",
    re.IGNORECASE,
)


SCOPED = re.compile(
    r"\b(?:for|on|in|at|during|when|over|while) (?:the user's |the |his |her |their |our |its |a )?"
    rf"(?:work|business|pleasure|leisure|fun|holidays?|vacations?|weekends?|{WEEKDAY}s "
    r"(?=.*\d:\d\d)|summer|winter|spring|autumn|christmas|easter|breakfast|parties|invoices|emergencies|urgent "
    r"\w+|the road|"
    r"the go|side projects|scripts|prose|notebooks|documentation|private|meetings|conferences|weddings|birthdays|"
    r"training|interviews|reports|newsletters|refunds|guests|visitors|contractors|trips abroad|notes|drafts|"
    r"large \w+|small \w+|long \w+|short \w+)(?![\w-])",
    re.IGNORECASE,
)
"""For what alone something holds: "for holidays I fly from X" says nothing of work trips."""
_EACH = re.compile(r"\b(?:each|every|\w+days)\b", re.IGNORECASE)
_THE_OLD = re.compile(
    r"\b(replaced|cancelled|dropped|sold|gave up|left|swapped|traded|ditched|retired) (?:the user's|his|her|their|"
    r"the|our|"
    r"its) (?:old|previous|former|earlier)\b"
)


@dataclass(frozen=True)
class FoundValue:
    text: str
    begin: int
    end: int


_LEAVES = re.compile(r"\b(?:step(?:s|ped|ping) (?:down|back|aside)|resign(?:s|ed|ing))\b")
"""Who leaves something has it no longer, whatever the cues say."""


def by_cues(clause: Clause) -> Iterator[Reading]:
    """Readings of the attribute of which a sentence has the most cues; none where two attributes have as many."""
    if clause.since and not clause.marks_change and not clause.since.startswith("from "):
        return
    if not clause.ended and _LEAVES.search(clause.full):
        return
    best: list[tuple[float, Reading]] = []
    full = clause.full
    if clause.since:
        date = re.escape(clause.since.removeprefix("from "))
        full = re.sub(
            rf",? ?\b(?:since|as of|from|starting|effective|in|on) {date}(?: on(?:wards)?| onwards?)?\b,?", " ", full
        )
        full = " ".join(full.split())
    texts = {clause.bare: False, full: True} if full != clause.bare else {clause.bare: False}
    for text in texts:
        text = _THE_OLD.sub(r"\1", text)
        if NOT_OF_RECORD.search(text) or len(text) > 160 or TOLD_OF_THE_PAST.search(text) or SCOPED.search(text):
            continue
        if REPORT.match(text) and not clause.marks_change:
            continue
        is_instruction = _IMPERATIVE.match(text) is not None
        words = words_of(text)
        named = names_in(text)
        for attribute in spoken_of(words):
            if len(texts) > 1 and (attribute.type in DATED) != (text == full):
                continue
            if is_instruction and not clause.lasting and attribute.kind != "preference":
                continue
            best.extend(_scored(clause, attribute, text, named))
    if not best:
        return
    top = max(score for score, _ in best)
    found = [reading for score, reading in best if score == top]
    if clause.negated and not clause.ended and found[0].subject == USER and "user" not in clause.bare:
        return  # "uv is not installed" denies nothing of anybody
    if len({(one.attribute, one.subject, one.value) for one in found}) == 1:
        yield found[0]


@cache
def _by_cue() -> Mapping[str, tuple[int, ...]]:
    """The places of the attributes by their cues."""
    found: dict[str, tuple[int, ...]] = {}
    for place, attribute in enumerate(attributes()):
        for cue in attribute.cues:
            found[cue] = (*found.get(cue, ()), place)
    return found


def spoken_of(words: Iterable[str]) -> list[Attribute]:
    """The attributes that have one of these words among their cues, in the order of the lexicon."""
    places = {place for word in words for place in _by_cue().get(word, ())}
    return [attributes()[place] for place in sorted(places)]


VAGUE = frozenset(
    """seat operates operate operation operations central corporate domicile holidays leave leaves vacation "
    "review reviews direct performance chart orders job tell breaks project board call
    calls carries night trouble problems top person point talk reach partner relationship support supports money family
    evenings evening contract company sign signs signed name answer table story nose deep
    best better number plane book order pays paid deliver delivers invoice built builds building part-time full-time
    report reports fails charge handed hands owned home house office main term three class classes lessons
    school contact someone should see seen looks general practice health studio club week earn salary
    desk career staff local native town city place spot choice food meal meals eats eat trip trips travels travel start
    starts phone alarm fire incident friends""".split()
)
"""Cues that many sentences have which speak of something else: beside a value that any name may be, two are needed."""
_TELLS_ALONE = frozenset({"hashtag", "medicine", "diet", "level", "email", "seat number"})
"""Forms that speak of one attribute alone: any word that suits it is enough beside them."""


def _scored(clause: Clause, attribute: Attribute, text: str, named: Sequence[Named]) -> Iterator[tuple[float, Reading]]:
    """What a text states of an attribute, with how much its words tell of that."""
    if is_of_another(attribute, text) or is_apart(attribute, text):
        return
    for value in values_of(attribute, text, named):
        says_itself = attribute.shape in ("port", "terms")  # "port 8080", "net 30"
        known = words_of(text if says_itself else text[: value.begin] + " " + text[value.end :]) & attribute.cues
        score = sum(weight_of(cue) for cue in known)
        score += 0.5 if attribute.shape not in OPEN_SHAPES else 0
        score += attribute.type == "weekday" and _EACH.search(text) is not None
        if score < _LEAST or not _is_enough(attribute, known):
            continue
        if (subject := _subject(attribute, text, value)) is not None:
            made = f"{attribute.prefix} {value.text}".strip()
            yield score, reading_of(clause, subject, attribute, attribute.name, made, 0.72)


_KNOWN_PLACE = 0.6
_LEAST = 0.4
"""Less than this, and the words of a sentence speak of too much to speak of one attribute."""


_OF_TASTE = re.compile(r"\b(?:likes?|liked|loves?|loved|enjoys?|enjoyed|adores?|adored)\b", re.IGNORECASE)
_AMONG = re.compile(
    r"\b(?:at|in|on|by|to|among|for|with) (?:(?:the|his|her|their|user's) )*(?:home|school|university|college|"
    r"office|stage|family|friends|colleagues|parents|mother|father|kids|team|band)\b",
    re.IGNORECASE,
)


def speaks_of_else(attribute: Attribute, text: str) -> bool:
    """Whether words make something else of what tells an attribute otherwise: a loan is not from the house bank."""
    return bool(attribute.not_with) and regex(attribute.not_with).search(text) is not None


def is_apart(attribute: Attribute, text: str) -> bool:
    """Whether a text tells of a taste or of a circle where more than one value holds, or of something else."""
    if speaks_of_else(attribute, text):
        return True
    if attribute.shape == "title":
        return _OF_TASTE.search(text) is not None
    if attribute.name == "version" and re.match(r"(?:the )?(?:release|version|v)\b", text, re.IGNORECASE):
        return True
    return attribute.name == "nickname" and _AMONG.search(text) is not None


def _is_enough(attribute: Attribute, known: frozenset[str]) -> bool:
    """Whether these cues of an attribute make sure that it is spoken of."""
    if attribute.shape in _TELLS_ALONE:
        return bool(known)
    telling = known - LIGHT
    if attribute.shape not in OPEN_SHAPES:
        return bool(telling)
    return bool(telling - VAGUE) or (len(telling) > 1 and attribute.shape != "place")


@cache
def weight_of(cue: str) -> float:
    """How much a word tells of the attributes that it speaks of: less, the more they are."""
    return 1 / sqrt(len(_by_cue().get(cue, (0,))))


def words_of(text: str) -> frozenset[str]:
    return frozenset(match.group().lower().removesuffix("'s") for match in TOKEN.finditer(text))


def values_of(attribute: Attribute, text: str, named: Sequence[Named]) -> list[FoundValue]:
    """The one value of an attribute's type in a text, several only where the text leaves open which is meant."""
    type_ = attribute.shape.removesuffix("?")
    found: list[FoundValue] = []
    if type_ in FORMS:
        found.extend(_formed(type_, text))
    elif type_ in OPEN_SHAPES:
        for match in CAPITALISED.finditer(text):
            name = match.group().removesuffix("'s")
            begin = match.start()
            if begin == 0 and (told := TELLING.match(name)):
                begin, name = told.end(), name[told.end() :]
            if match.group().lower() in gazetteer():
                name = match.group()  # Gold's
            elif match.group().endswith("'s"):
                if text[match.end() :].strip(" ."):
                    continue
                name = match.group()  # St Brendan's, at the end
            if name.startswith("Project ") or name.lower() in attribute.cues | LIGHT or _NO_NAMES.fullmatch(name):
                continue
            taken = take(OPEN_SHAPES[type_], name)
            if (
                not taken
                or (type_ == "place" and taken[1] < _KNOWN_PLACE)
                or (type_ == "title" and "place" in gazetteer().get(name.lower(), ()))
                or taken[0].removeprefix("The ") != name.removeprefix("The ")
                or (type_ == "name" and name.lower() in gazetteer())
            ):
                continue
            if (
                (type_ == "name" or (type_ == "doctor" and not name.startswith("Dr")))
                and attribute.name not in _NO_PERSONS
                and _OF.search(text[:begin])
            ):
                continue
            found.append(FoundValue(name, begin, begin + len(name)))
        found = _of_two(found, attribute, text)
    elif type_ == "profession":
        for match in _AS_A.finditer(text):
            rest = text[match.end() :].split()
            taken = next((one for count in (4, 3, 2, 1) if (one := take(type_, " ".join(rest[:count])))), None)
            if taken and text.startswith(taken[0], match.end()):
                found.append(FoundValue(taken[0], match.end(), match.end() + len(taken[0])))
    elif type_ in ("manner", "channel", "room", "status"):
        for match in TOKEN.finditer(text):
            taken = next(
                (one for count in (3, 2, 1) if (one := take(type_, " ".join(text[match.start() :].split()[:count])))),
                None,
            )
            if type_ == "room" and not _IN_ROOM.search(text[: match.start()]):
                continue
            if taken and text.startswith(taken[0], match.start()) and match.group().lower() not in LIGHT:
                found.append(FoundValue(taken[0], match.start(), match.start() + len(taken[0])))
                if type_ != "room":
                    break
        found = found[-1:]
    else:
        for listed in named:
            if type_ in listed.lists:
                end = extended(text, listed.end)
                if found and text[found[-1].end : listed.begin].strip() == "" and listed.begin - found[-1].begin < 40:
                    begin = found.pop().begin
                    found.append(FoundValue(text[begin:end].strip(), begin, max(end, listed.end)))
                    continue
                if found and listed.begin < found[-1].end:
                    continue
                found.append(FoundValue(text[listed.begin : end].strip(), listed.begin, end))
    found = [one for one in found if not _ENDED_BEFORE.search(text[: one.begin].rstrip())]
    if len(found) > 1:
        later = [one for one in found if not _OLD_BEFORE.search(text[: one.begin].rstrip())]
        found = later or found
    return found


_NO_NAMES = re.compile(rf"{WEEKDAY}s?|phd|mba|[bm]sc|[bm]a", re.IGNORECASE)
_AS_A = re.compile(
    r"(?:\b(?:as|of|is|turned|became|become|to|be|says|said|reads|think|,|:) (?:an? |the |our )?|\ban? )(?=[a-zA-Z])"
)


def _of_two(found: list[FoundValue], attribute: Attribute, text: str) -> list[FoundValue]:
    """Of a person and a thing the thing, which comes last; of two persons the one that the wording marks."""
    if len(found) < 2:
        return found
    if marked := [one for one in found if _BY.search(text[: one.begin])]:
        return marked[-1:]
    return [] if attribute.type in ("name", "doctor") and attribute.name not in _NO_PERSONS else found[-1:]


TELLING = re.compile(
    r"(?:Ask|Call|Ring|Dial|Page|Tell|Use|Bring|Get|Give|Send|Post|Push|Clone|Look|Find|Contact|Ping|Message|Email|Mail|"
    r"Write|Book|Install|Run|Join|Open|Set|Talk|Reach|Phone|Text|Notify|Inform|Alert|Try|Order|Buy|Fetch|Pick|See|Visit|"
    r"Address|Report|File|Direct|Forward|Route|Point|Assume|Consider|Remember|Expect|Since|When|If|For|In|On|At|From|To|"
    r"By|With|After|As|Only|Now|Today|Best|All|Every|Most|Both|Where) "
)
"""A first word with a capital that begins no name."""
_NO_PERSONS = frozenset({"surname", "nickname", "maiden name", "favourite restaurant", "client", "employer"})
_OF = re.compile(r"\b(?:of|for|behind|with|at|in|from|about|reins of)(?: the| our)? $")
_BY = re.compile(
    r"\b(?:by|called|named|namely|is now|appointed|assigned|made|hired|chose|elected|promoted|picked|put|handed to) $"
)


@lru_cache(maxsize=128)
def _formed(type_: str, text: str) -> tuple[FoundValue, ...]:
    """The values of a form in a text; several attributes have the same one."""
    found = []
    for match in _form(type_).finditer(text):
        taken = take(type_, match.group(), lenient=True)
        if taken and match.group().strip():
            found.append(FoundValue(taken[0], match.start(), match.end()))
    return tuple(found)


@cache
def _form(type_: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.#:/@-])(?:{FORMS[type_]})(?![\w@]|\.\d)", re.IGNORECASE)


_RELATIVE = re.compile(rf"user's (?P<who>{'|'.join(sorted(RELATIVES, key=len, reverse=True))})(?:'s)?(?![\w-])")


def _subject(attribute: Attribute, text: str, value: FoundValue) -> str | None:
    """Whose attribute it is: what is left of the sentence; None where too much is left."""
    masked = text[: value.begin] + " " * (value.end - value.begin) + text[value.end :]
    rest: list[re.Match[str]] = []
    of_user: list[str] = []
    skip_to = 0
    speaks_of_user = False
    for match in TOKEN.finditer(masked):
        word = match.group()
        plain = word.lower().removesuffix("'s")
        if plain == "user":
            relative = _RELATIVE.match(masked, match.start())
            if relative is not None:
                of_user.append(relative["who"])
                skip_to = relative.end("who")
                continue
            speaks_of_user = True
            continue
        if match.start() < skip_to or (match.start() == 0 and TELLING.match(f"{word} ")):
            continue
        if plain in attribute.cues or plain in LIGHT or plain.rstrip("s") in attribute.cues:
            if not (word[0].isupper() and match.start() > 0 and plain not in attribute.cues):
                continue
            if plain in LIGHT:
                continue
        rest.append(match)
    if of_user:
        if rest or speaks_of_user or len(set(of_user)) > 1 or not belongs(attribute, "the user's mother"):
            return None
        return canonical_subject(f"the user's {of_user[0]}")
    if not rest:
        if attribute.owner == USER:
            return USER if speaks_of_user or not re.search(r"\b(?:he|she|they|his|her|their)\b", masked) else None
        return USER if speaks_of_user else PROJECT
    begin, end = rest[0].start(), rest[-1].end()
    phrase = masked[begin:end]
    if len(phrase.split()) > len(rest) or len(rest) > 4 or value.begin in range(begin, end):
        return None  # words between them are accounted for: they are two things
    if speaks_of_user:
        return None
    before = masked[:begin].rstrip(" ,;:").rsplit(" ", 1)[-1].lower()
    if attribute.owner == USER and before in ("pay", "pays", "paying"):
        return None
    owned = phrase.endswith("'s") or masked[end : end + 2] == "'s"
    phrase = phrase.removesuffix("'s")
    following = re.match(r" (?:service|team|project|app|printer|server|system|squad|department)\b", masked[end:])
    if following:
        phrase += following.group()
    if "@" in phrase or (attribute.name == "headquarters" and re.search(r"\b(?:works?|lives?|sits)\b", masked)):
        return None
    if phrase[0].islower() or not phrase[0].isalpha():
        article = before in ("the", "our")
        if len(phrase.split()) > 1 and not article:
            return None
        if not (article or begin == 0 or before in _BEFORE_SUBJECT or owned or "-" in phrase):
            return None
    elif (any(word[0].islower() for word in phrase.split()) and not following) or (
        begin > 0 and not owned and before not in _BEFORE_SUBJECT and before not in LIGHT | attribute.cues
    ):
        return None
    if not is_subject(phrase) or not belongs(attribute, phrase):
        return None
    if attribute.owner == USER and attribute.kind == "attribute" and not is_person(phrase):
        return None
    return canonical_subject(phrase)
