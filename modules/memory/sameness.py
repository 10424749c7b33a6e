"""Sameness: whether two texts tell one fact, though in other words. Pure.

Vectors know what two texts are about, and hardly know a number, a date, a name or a "not". So two tell the same only
where both agree, and where neither has another word in the other's place: an office and a warehouse of one city.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise

from ..records import dataclass
from ..stop_words import STOP_WORDS
from ..text.negation import denials, is_negation
from .date_spans import MONTH, WEEKDAY
from .exact_terms import exact_terms
from .words import stem, token, tokens

NEAR = 0.87
"""The least cosine of two that tell the same though each has a word that the other one has not. Where one verb stands
for another that tells something else, up to 0.86 was measured."""
FAR = 0.6
"""The least cosine of two that tell the same with the same words."""
MAX_CHARS = 400
"""The longest text that is compared: a longer one tells more than one thing."""
MOST_EXCHANGED = 2
"""The most words in a row that stand in the place of others: "test" for "staging", "read-only" for "writable"."""
MOST_LEADING = 2
"""The most words before that of which a sentence says something: "In the", "The"."""
SHORT, SHORT_FOREIGN = 2, 3
"""The letters of a small word that says little by itself, in English and in a language whose small words are not known.
Capitals say something: "DB"."""
SEPARATOR = ":"
_BOUNDS = frozenset(
    """
    above after again against all below before both can could did down each few from had might more most must off only
    other out over own same should some through under until up was were will would may
    """.split()
)
"""The small words that bound what is said, or say when it holds, however the rest is put."""
_OPPOSITES = frozenset(
    frozenset(pair.split("/"))
    for pair in "on/off before/after up/down in/out above/below over/under with/without".split()
)
"""Prepositions and particles of which one excludes the other."""

_WEEKDAYS = """
montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag lundi mardi mercredi jeudi vendredi samedi
dimanche lunes martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica
segunda terça quarta quinta sexta maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
"""
_DAYS = re.compile(rf"\b(?:{WEEKDAY}|{MONTH}|{'|'.join(_WEEKDAYS.split())})", re.IGNORECASE)
_UNPARTED = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""A sign of a script that is read in characters: Han, kana, Hangul."""
_DENYING = re.compile("[不没沒無无]")
_ENDING_IN_KANA = re.compile("[\u3041-\u309f]{1,12}")
_FORMER = re.compile(r"\b(?:used to|formerly|previously)\b", re.IGNORECASE)
_HALF_DAY = re.compile(r"\b(\d{1,2})(?::(\d\d))?\s?([ap])\.?m\b", re.IGNORECASE)
_FULL_HOUR = re.compile(r"\b0?(\d{1,2}):00\b")
_NUMBER = re.compile(r"\d[\d.,:/-]*")
_COUNTED = {
    name: str(number) for number, name in enumerate("one two three four five six seven eight nine ten".split(), 1)
}
_ORDINAL = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b")
_SEPARATORS = re.compile(r"\s{0,4}(?:→|[-=]>|=|:(?=\s))\s{0,4}")
_ARROW = re.compile("[-=]>")
_SIGN = re.compile(
    r"""
    (?:(?<!\w)(\d{1,20}\s|\w{1,40}))?  # of "C++" and "5%"
    (?:[<>=!]=|[^\w\s.,:;?!()\[\]{}"'`‘’“”„«»…–—=→/-])+(?(1)|\s?\w*)  # of "< 3" and "$5" all
    | (?<![\w.!/−-])[-−/.!]+\w+  # "-5", "/etc"
    """,
    re.VERBOSE,
)
"""A sign that changes what it touches or stands before; quotation marks, dashes and the like change nothing."""
_CONTRACTED = re.compile(r"n['’]t\b", re.IGNORECASE)
_ENDING = re.compile(r"e|y|(?:e|ie|)[sd]?|[a-z]?(?:ing|ed)")
"""What two forms of an English word differ in: "plan", "planning"."""
_INTRODUCES = frozenset(("of", "that"))
_PASSIVE = frozenset("is are be been being".split())
"""The words after which a participle is no past."""
_CAPITALS = re.compile(r"\b[A-Z]{2,3}\b")


@dataclass(frozen=True)
class Wording:
    """A text, and what it has in common with all that tell the same."""

    text: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All of its words in order, each number in one form."""
        return tuple(_COUNTED.get(word, word) for word in tokens(_plain(self.text)))

    @cached_property
    def particulars(self) -> tuple[frozenset[str], frozenset[str], bool]:
        """Its numbers, the days and months that it names, and whether it denies."""
        text = _plain(self.text)
        numbers = {one.strip(".,:/-") for one in _NUMBER.findall(text)}
        numbers |= {word for word in self.words if word.isdigit() and not any(word in one for one in numbers)}
        days = frozenset(match.group().casefold()[:4] for match in _DAYS.finditer(self.text))
        denies = denials(self.text) > 0 or bool(_FORMER.search(self.text))
        return frozenset(numbers), days, denies

    @cached_property
    def bounds(self) -> tuple[frozenset[str], frozenset[str]]:
        """The signs at its words and numbers, and the small words that bound what it says."""
        text = _ARROW.sub(" ", self.text)
        signs = frozenset("".join(match.group().casefold().split()) for match in _SIGN.finditer(text))
        return signs, _BOUNDS.intersection(self.words)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The words with a capital that the text does not begin with, in order, without days and months."""
        found = re.findall(r"(?<!^)(?<![.!?:] )\b[^\W\d_a-z][^\W\d_A-Z]\w+", self.text)
        return tuple(one.casefold() for one in found if one[:1].isupper() and not _DAYS.match(one))

    @cached_property
    def is_english(self) -> bool:
        """Whether it can be English: it has one of the commonest words, or hardly any."""
        return len(self.words) < MOST_EXCHANGED * 2 or any(len(one) > 1 and one in STOP_WORDS for one in self.words)

    @cached_property
    def line(self) -> tuple[str, ...]:
        """Its telling words in order, with the signs that stand for a verb: "port: 5433", "port → 5433"."""
        short = SHORT if self.is_english else SHORT_FOREIGN
        capitals = {one.casefold() for one in _CAPITALS.findall(self.text)}
        line: list[str] = []
        for part in _SEPARATORS.split(self.text):
            line += [SEPARATOR] if line else []
            words = _telling(Wording(part).words)
            line += [w for w in words if len(w) > short or not (w.isascii() and w.isalpha()) or w in capitals]
        return tuple(line)

    @cached_property
    def telling(self) -> tuple[str, ...]:
        """Its telling words in order."""
        return tuple(word for word in self.line if word != SEPARATOR)

    @cached_property
    def anchors(self) -> frozenset[str]:
        """What hardly stands in two texts by chance: numbers, paths, names of code."""
        exact = (term.text.casefold() for term in exact_terms(self.text))
        return self.particulars[0] | {term for term in exact if len(term) > SHORT_FOREIGN and not term.isalpha()}


@dataclass(frozen=True)
class Difference:
    """The telling words that each of two texts has and the other one has in no form."""

    one: Wording
    other: Wording

    @cached_property
    def left(self) -> tuple[Sequence[str], Sequence[str]]:
        """The words of each; without those by which only one introduces what both tell."""
        one, other = self.one, self.other
        of_one, of_other = _left(one.telling, other.telling), _left(other.telling, one.telling)
        for begin, end, start, stop in self._changes:
            verb, words = one.line[begin:end], other.line[start:stop]
            if verb == (SEPARATOR,) and len(words) == 1:
                of_other = [word for word in of_other if word not in words]
            elif words == (SEPARATOR,) and len(verb) == 1:
                of_one = [word for word in of_one if word not in verb]
        if of_one and not of_other:
            of_one = _without_lead(one, other, of_one)
        elif of_other and not of_one:
            of_other = _without_lead(other, one, of_other)
        return of_one, of_other

    @cached_property
    def exchanged(self) -> Sequence[tuple[str, str]]:
        """Words of the one that the other has another in the place of."""
        of_one, of_other = self.left
        found = [
            (self.one.line[begin], self.other.line[start])
            for begin, end, start, stop in self._changes
            if begin and start and end > begin and stop > start
        ]
        found = [(word, other) for word, other in found if word in of_one and other in of_other]
        return found + [
            (word, other) for word in of_one for other in of_other if _is_placed_as(word, self.one, other, self.other)
        ]

    @cached_property
    def is_of_a_word(self) -> bool:
        """Whether both are the same but for words in the same places."""
        return _is_exchanged(self.one.words, self.other.words)

    @cached_property
    def is_of_more(self) -> bool:
        """Whether one at most says more than the other: neither denies it, or has a word in the place of another."""
        denies, other_denies = self.one.particulars[2], self.other.particulars[2]
        return denies == other_denies and not (self.is_of_a_word or self.exchanged or all(self.left))

    @cached_property
    def is_of_opposites(self) -> bool:
        """Whether both are the same but for one small word, whose opposite the other one has: "on", "off"."""
        words, others = self.one.words, self.other.words
        differing = [pair for pair in zip(words, others, strict=False) if pair[0] != pair[1]]
        return len(words) == len(others) and len(differing) == 1 and frozenset(differing[0]) in _OPPOSITES

    @cached_property
    def is_of_tense(self) -> bool:
        """Whether one says of the past what the other one says of now: "worked at", "works at"; not "is fired"."""
        words, others = self.one.words, self.other.words
        return _is_past_of(words, others) or _is_past_of(others, words)

    @cached_property
    def is_of_thing_and_value(self) -> bool:
        """Whether one sentence says another thing of something else: "The left bed is for peas", "The right … kale"."""
        words, others = self.one.words, self.other.words
        opcodes = SequenceMatcher(None, words, others, autojunk=False).get_opcodes()
        changes = [change for change in opcodes if change[0] != "equal"]
        exchanged = [(words[begin:end], others[start:stop]) for _, begin, end, start, stop in changes]
        if len(changes) < 2 or not all(one and other for one, other in exchanged):
            return False
        if max(len(each) for pair in exchanged for each in pair) > MOST_EXCHANGED or changes[0][1] > MOST_LEADING:
            return False
        thing, other_thing = map(_telling, exchanged[0])
        between = _telling(words[changes[0][2] : changes[1][1]])
        is_another = bool(_left(thing, other_thing) and _left(other_thing, thing))
        return is_another and any(len(one) > SHORT for one in between)

    @cached_property
    def _changes(self) -> list[tuple[int, int, int, int]]:
        forms: dict[str, str] = {}

        def form(word: str) -> str:
            if word not in forms:
                alike = (known for known in forms if SEPARATOR not in (known, word) and _is_form_of(known, word))
                forms[word] = next((forms[known] for known in alike), word)
            return forms[word]

        one, other = ([form(word) for word in each.line] for each in (self.one, self.other))
        changes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
        return [change[1:] for change in changes if change[0] != "equal"]


def equal_form(text: str) -> str:
    """Return what is equal for texts that differ in case, spaces and the sign at the end alone."""
    return " ".join(text.casefold().split()).rstrip(".!")


def tells_the_same(one: Wording, other: Wording, cosine: float) -> bool:
    """Return whether two texts tell one fact; the cosine of their vectors says what they are about."""
    if equal_form(one.text) == equal_form(other.text):
        return True
    if _UNPARTED.search(one.text + other.text):  # one character may be the value
        return False
    if cosine < FAR or max(len(one.text), len(other.text)) > MAX_CHARS or one.particulars != other.particulars:
        return False
    if one.bounds != other.bounds or any(missing_names(one, other)) or are_swapped(one, other):
        return False
    difference = Difference(one, other)
    of_one, of_other = difference.left
    if difference.is_of_a_word or difference.is_of_tense or difference.exchanged:
        return False
    return bool(of_one) == bool(of_other) and (not of_one or cosine >= NEAR)  # where one says more, it may say less


def is_opposite(one: str, other: str) -> bool:
    """Return whether one text denies what the other one says, or bounds it otherwise, and is the same word for word."""
    wordings = Wording(one), Wording(other)
    (numbers, days, denies), (other_numbers, other_days, other_denies) = (one.particulars for one in wordings)
    if (numbers, days) != (other_numbers, other_days):
        return False
    if denies == other_denies:
        return Difference(*wordings).is_of_opposites
    if _UNPARTED.search(one + other):
        return _is_denied_in_characters(one, other)
    # Articles and the like give way to a denial in some languages ("du gaz", "pas de gaz").
    said, denied = ([w for w in _telling(each.words) if len(w) > 2 or w.isdigit()] for each in wordings)
    return bool(said) and not _left(said, denied) and not _left(denied, said)


def _is_denied_in_characters(one: str, other: str) -> bool:
    """Return whether one text has a sign more that denies, or both end in other grammar, which kana write."""
    plain = ["".join(filter(str.isalnum, text)) for text in (one, other)]
    said, denied = (_DENYING.sub("", text) for text in plain)
    end = _common_length(*plain)
    return said == denied or (end > 0 and all(_ENDING_IN_KANA.fullmatch(text, end) for text in plain))


def _plain(text: str) -> str:
    text = _CONTRACTED.sub(" not", text)
    text = _HALF_DAY.sub(lambda m: f"{int(m[1]) % 12 + 12 * (m[3] in 'pP')}{':' + m[2] if m[2] else ''}", text)
    text = _FULL_HOUR.sub(r"\1", text)
    return re.sub(r"\b0(?=\d:)", "", _ORDINAL.sub(r"\1", text))


def _is_exchanged(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether one text is the other one with words exchanged in their places."""
    differing = [at for at, pair in enumerate(zip(words, others, strict=False)) if pair[0] != pair[1]]
    if len(differing) == 2 and sorted(words) == sorted(others):  # each in the other's place: who scares whom
        return True
    changes = [one for one in SequenceMatcher(None, words, others, autojunk=False).get_opcodes() if one[0] != "equal"]
    pairs = [(words[begin:end], others[start:stop]) for _, begin, end, start, stop in changes]
    if len(pairs) == 2 and all(pairs[0]) and pairs[0] == pairs[1][::-1]:
        between = words[changes[0][2] : changes[1][1]]
        return any(not one.isdigit() for one in _telling(between))  # "each night at 2 …", "… at 2 each night"
    if any(_left(_telling(one), _telling(other)) and _left(_telling(other), _telling(one)) for one, other in pairs):
        return all(one and other and max(len(one), len(other)) <= MOST_EXCHANGED for one, other in pairs)
    if all(len(one) == len(other) for one, other in pairs):  # "to" for "from"
        return any(not any(map(_is_form_of, one, other)) for one, other in pairs)
    return False


def _without_lead(wording: Wording, other: Wording, words: Sequence[str]) -> list[str]:
    """Return the words that a text has more than the other one, but for the one by which it introduces what both tell.

    "The address of" and "Remember that" introduce; "Stop the" and "Cancelled:" change what is told.
    """
    place = next((at for at, word in enumerate(wording.words) if _is_in(word, other) and _is_in(word, wording)), 0)
    lead = wording.words[:place]
    telling = [word for word in lead if word in wording.telling]
    if not wording.anchors & other.anchors and lead[-1:] != ("that",):
        return list(words)
    introduces = len(telling) == 1 and bool(_INTRODUCES.intersection(lead))
    return [word for word in words if not (introduces and word in telling)]


def _is_past_of(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether words have the past of a verb that the others have in another form."""
    past = {word for before, word in pairwise(("", *words)) if word.endswith("ed") and before not in _PASSIVE}
    stems = {stem(word) for word in past.difference(others)} - past  # "need" is its own stem
    return any(stem(word) in stems for word in others if not word.endswith("ed"))


def _is_in(word: str, wording: Wording) -> bool:
    return any(_is_form_of(word, one) for one in wording.telling)


def _is_placed_as(word: str, one: Wording, other_word: str, other: Wording) -> bool:
    """Return whether two words follow the same word, or come before the same one that is no number."""
    (before, after), (other_before, other_after) = _beside(word, one), _beside(other_word, other)
    comes_before = _is_same(after, other_after) and not after[:1].isdigit()
    return _is_same(before, other_before) or comes_before


def _beside(word: str, wording: Wording) -> tuple[str, str]:
    line = ("", *wording.line, "")
    place = line.index(word, 1)
    return line[place - 1], line[place + 1]


def _is_same(word: str, other: str) -> bool:
    return bool(word and other) and SEPARATOR not in (word, other) and _is_form_of(word, other)


def missing_names(one: Wording, other: Wording) -> tuple[list[str], list[str]]:
    """Return the names of each that are missing in the other one."""
    in_other, in_one = ({stem(word) for word in each.words} for each in (other, one))
    missing = [name for name in one.names if stem(token(name)) not in in_other]
    return missing, [name for name in other.names if stem(token(name)) not in in_one]


def are_swapped(one: Wording, other: Wording) -> bool:
    """Return whether names change places; one that stands beside the same word as before has kept its own.

    Where every noun has a capital, a number tells instead.
    """
    named = [name for name in dict.fromkeys(one.names + other.names) if name in one.words and name in other.words]
    named = [name for name in named if not _is_bound(name, one, other)]
    swapped = sorted(named, key=one.words.index) != sorted(named, key=other.words.index)
    return swapped and not (one.particulars[0] and not (one.is_english and other.is_english))


def _is_bound(name: str, one: Wording, other: Wording) -> bool:
    beside = []
    for wording in (one, other):
        words = ("", *wording.words, "")
        place = words.index(name)
        beside.append((words[place - 1], words[place + 1]))
    return any(word and word == then and word not in STOP_WORDS for word, then in zip(*beside, strict=True))


def _telling(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in STOP_WORDS and not is_negation(word)]


def _left(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the words that the others have in no form."""
    return [word for word in words if not any(_is_form_of(word, one) for one in others)]


def has_form_of(word: str, other: str) -> bool:
    """Return whether two are forms of one word. Equal stems are not enough: "product", "production"."""
    if word == other or stem(word) != stem(other):
        return word == other
    common = _common_length(word, other)
    return all(_ENDING.fullmatch(one, common) for one in (word, other))


def _common_length(one: str, other: str) -> int:
    """Return how many signs two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (sign, then) in pairs if sign != then), min(len(one), len(other)))


def _is_form_of(word: str, other: str) -> bool:
    """Return whether two are forms of one word, or one is short for the other: "DB" for "database"."""
    return has_form_of(word, other) or _is_short_for(word, other) or _is_short_for(other, word)


def _is_short_for(short: str, word: str) -> bool:
    if not (SHORT <= len(short) <= SHORT_FOREIGN and len(word) > SHORT_FOREIGN + 1 and short.isalpha()):
        return False
    letters = iter(word)
    return short[0] == word[0] and all(letter in letters for letter in short)
