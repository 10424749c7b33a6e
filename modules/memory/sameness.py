"""Sameness: whether two texts tell one fact, though in other words. Pure.

Vectors know what two texts are about, and hardly know a number, a date, a name or a "not". So two tell the same only
where both agree, and where neither is the other with a word exchanged.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from ..stop_words import STOP_WORDS
from ..text.negation import denials, is_negation
from .date_spans import MONTH, WEEKDAY
from .words import stem, tokens

NEAR = 0.83
"""The least cosine of two texts that tell the same. Of 80 pairs about different things that are written in different
ways none with the same particulars comes nearer; 50 of 56 that tell the same do."""
MAX_CHARS = 400
"""The longest text that is compared: a longer one tells more than one thing."""
ALIKE_BEGINNING = 4
"""The characters at which two forms of one word begin alike."""
MOST_EXCHANGED = 2
"""The most words in a row that stand in the place of others: "test" for "staging", "read-only" for "writable"."""

_WEEKDAYS = """
montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag lundi mardi mercredi jeudi vendredi samedi
dimanche lunes martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica
segunda terça quarta quinta sexta maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
"""
_DAYS = re.compile(rf"\b(?:{WEEKDAY}|{MONTH}|{'|'.join(_WEEKDAYS.split())})", re.IGNORECASE)
_UNPARTED = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""A sign of a script that is read in characters: Han, kana, Hangul."""
_FORMER = re.compile(r"\b(?:used to|formerly|previously)\b", re.IGNORECASE)
_HALF_DAY = re.compile(r"\b(\d{1,2})(?::(\d\d))?\s?([ap])\.?m\b", re.IGNORECASE)
_FULL_HOUR = re.compile(r"\b0?(\d{1,2}):00\b")
_NUMBER = re.compile(r"\d[\d.,:/-]*")
_COUNTED = {
    name: str(number) for number, name in enumerate("one two three four five six seven eight nine ten".split(), 1)
}
_ORDINAL = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b")


@dataclass(frozen=True)
class Wording:
    """A text, and what it has in common with all that tell the same."""

    text: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All of its words in order, each number in one form."""
        return tuple(_COUNTED.get(word, word) for word in tokens(_with_plain_numbers(self.text)))

    @cached_property
    def particulars(self) -> tuple[frozenset[str], frozenset[str], bool]:
        """Its numbers, the days and months that it names, and whether it denies."""
        text = _with_plain_numbers(self.text)
        numbers = {one.strip(".,:/-") for one in _NUMBER.findall(text)}
        numbers |= {word for word in self.words if word.isdigit() and not any(word in one for one in numbers)}
        days = frozenset(match.group().casefold()[:4] for match in _DAYS.finditer(self.text))
        return frozenset(numbers), days, denials(self.text) > 0 or bool(_FORMER.search(self.text))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The words with a capital that the text does not begin with, in order, without days and months."""
        found = re.findall(r"(?<!^)(?<![.!?:] )\b[^\W\d_a-z][^\W\d_A-Z]\w+", self.text)
        return tuple(one.casefold() for one in found if one[:1].isupper() and not _DAYS.match(one))


def equal_form(text: str) -> str:
    """Return what is equal for texts that differ in case, spaces and the sign at the end alone."""
    return " ".join(text.casefold().split()).rstrip(".!")


def tells_the_same(one: Wording, other: Wording, cosine: float) -> bool:
    """Return whether two texts tell one fact; the cosine of their vectors says what they are about."""
    if equal_form(one.text) == equal_form(other.text):
        return True
    if _UNPARTED.search(one.text + other.text):  # one character may be the value
        return False
    if cosine < NEAR or max(len(one.text), len(other.text)) > MAX_CHARS or one.particulars != other.particulars:
        return False
    return not _is_exchanged(one.words, other.words) and not _names_others(one, other)


def is_denial(one: str, other: str) -> bool:
    """Return whether one text denies what the other one says, word for word."""
    wordings = Wording(one), Wording(other)
    (numbers, days, denies), (other_numbers, other_days, other_denies) = (each.particulars for each in wordings)
    if denies == other_denies or (numbers, days) != (other_numbers, other_days):
        return False
    # Articles and the like give way to a denial in some languages ("du gaz", "pas de gaz").
    said, denied = ([w for w in _telling(each.words) if len(w) > 2 or w.isdigit()] for each in wordings)
    return bool(said) and not _left(said, denied) and not _left(denied, said)


def _with_plain_numbers(text: str) -> str:
    text = _HALF_DAY.sub(lambda m: f"{int(m[1]) % 12 + 12 * (m[3] in 'pP')}{':' + m[2] if m[2] else ''}", text)
    text = _FULL_HOUR.sub(r"\1", text)
    return re.sub(r"\b0(?=\d:)", "", _ORDINAL.sub(r"\1", text))


def _is_exchanged(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether one text is the other one with words exchanged in their places, or narrowed."""
    changes = [one for one in SequenceMatcher(None, words, others, autojunk=False).get_opcodes() if one[0] != "equal"]
    pairs = [(words[begin:end], others[start:stop]) for _, begin, end, start, stop in changes]
    if any(_left(_telling(one), _telling(other)) and _left(_telling(other), _telling(one)) for one, other in pairs):
        return all(one and other and max(len(one), len(other)) <= MOST_EXCHANGED for one, other in pairs)
    if all(len(one) == len(other) for one, other in pairs):  # "to" for "from"
        return any(not any(map(_is_form_of, one, other)) for one, other in pairs)
    return _is_narrower(words, others) or _is_narrower(others, words)


def _is_narrower(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether a text is the other one with more said: "my son", "the old server", "guests and members"."""
    telling, known = _telling(words), _telling(others)
    added = _left(telling, known)
    rest = [word for word in telling if word not in added]
    return bool(added) and len(rest) == len(known) and all(map(_is_form_of, rest, known))


def _names_others(one: Wording, other: Wording) -> bool:
    """Return whether a name of one is missing in the other, or two of them change places."""
    in_other, in_one = (" ".join(each.words) for each in (other, one))
    if any(_is_missing(name, in_other) for name in one.names) or any(_is_missing(name, in_one) for name in other.names):
        return True
    shared = [name for name in one.names if name in other.names]
    return len(shared) > 1 and shared != [name for name in other.names if name in one.names]


def _is_missing(name: str, text: str) -> bool:
    return name not in text and name[:ALIKE_BEGINNING] not in text


def _telling(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in STOP_WORDS and not is_negation(word)]


def _left(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the words that the others have in no form."""
    return [word for word in words if not any(_is_form_of(word, one) for one in others)]


def _is_form_of(word: str, other: str) -> bool:
    if word == other or stem(word) == stem(other):
        return True
    return len(word) > ALIKE_BEGINNING and word[:ALIKE_BEGINNING] == other[:ALIKE_BEGINNING]
