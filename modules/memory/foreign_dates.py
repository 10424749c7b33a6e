"""Times that a question names in another language than English, as the English spans that `dates` resolves.

The words of times are those of dateparser's locales; their first use costs a tenth of a second, a question then some
ten microseconds a language. What a word of one language means in a sentence of another ("hier", "Mars") is no time.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

from .. import package_files
from ..records import dataclass
from ..stop_words import STOP_WORDS
from ..text.scripts import composed, snowball_stem
from .date_spans import YEAR, DateSpan

MAX_TEXT = 300
"""The longest question that is read, in characters."""
LONGEST_PHRASE = 6
"""The most words of a phrase like "il y a 3 jours"."""
LONGEST_ABBREVIATION = 3
SHORT_WORD = 4
"""The length up to which a word is a time only beside another word of its language: "ma", "hier"."""
_WORDS = Path(__file__).with_name("question_words.toml")


@dataclass(frozen=True)
class ForeignTimes:
    """The times that a question names, in English words; `covered` characters name them.

    `alone` says that the question asks for nothing else, `past` that it asks for what has been.
    """

    spans: tuple[DateSpan, ...]
    covered: int
    alone: bool
    past: bool


def foreign_times(text: str, *, is_time: bool = False) -> ForeignTimes | None:
    """Return the times that a question names in the language that it is in; None where it names none.

    Of a text that is known to be a time (`is_time`), a bare month, weekday or year is one, as if after "in".

    Of any other text, a word for a time is not all that is asked unless two others stand beside it ("le mars" may be a
    name), and what is "tomorrow" is no time: it is "morning" too in many languages.
    The first call loads the words: make it outside the event loop.
    """
    folded = composed(text[: MAX_TEXT + 1]).casefold()
    if len(text) > MAX_TEXT or not _english_alone().isdisjoint(_split(folded)):
        return None
    readings = [reading for language in _languages() if (reading := language.read(folded, is_time=is_time))]
    best = max(readings, key=_Reading.rank, default=None)
    if best is None or not best.spans or best.covered + best.known < _english(folded):
        return None
    spans = best.spans if is_time else tuple(span for span in best.spans if span.first != "tomorrow")
    alone = best.alone and spans == best.spans
    return ForeignTimes(spans, best.covered, alone, best.past) if spans else None


def says_nothing_else(text: str) -> bool:
    """Return whether a text says, in one of the languages, nothing beside a time, as "was geschah" does."""
    words = _split(_folded(text))
    if not _english_alone().isdisjoint(words):
        return False
    judged = {language.is_neutral(words) for language in _languages()}
    return True in judged and False not in judged


@dataclass(frozen=True)
class _Reading:
    """What a language makes of a text: its spans, and how many characters its other words have."""

    spans: tuple[DateSpan, ...]
    covered: int
    known: int
    alone: bool
    past: bool

    def rank(self) -> tuple[int, int, bool]:
        """Return how well the language fits; where two fit alike, the one in which something else is asked counts."""
        return self.covered + self.known, self.covered, not self.alone


@dataclass(frozen=True)
class _Token:
    text: str
    key: str
    begin: int
    end: int


@dataclass(frozen=True)
class _Spaced:
    """A language whose words stand apart; phrases are tuples of stems with `#` for a number."""

    stemmer: str | None
    months: Mapping[str, str]
    short_months: Mapping[str, str]
    weekdays: Mapping[str, str]
    phrases: Mapping[tuple[str, ...], str]
    first_keys: frozenset[str]
    numbers: Mapping[str, str]
    bare_weekdays: bool
    neutral: frozenset[str]
    before: frozenset[str]
    past: frozenset[str]
    since: frozenset[str]
    bounds: frozenset[str]
    asks: frozenset[str]
    pair: tuple[str, ...]
    bounding_endings: tuple[str, ...]

    def is_neutral(self, words: Sequence[str]) -> bool | None:
        """Return whether words ask for nothing; None where one of them is not known."""
        if all(self._is_neutral(words, at) for at in range(len(words))):
            return True
        return False if all(map(self._is_known, words)) else None

    def _is_neutral(self, words: Sequence[str], at: int) -> bool:
        return words[at] in self.neutral or tuple(words[max(at - 1, 0) : at + 1]) == self.pair

    def _is_known(self, word: str) -> bool:
        return word in self.neutral or word in self.since or word in self.bounds or word in self.asks

    def read(self, text: str, *, is_time: bool) -> _Reading | None:
        tokens = [self._token(match) for match in _TOKEN.finditer(text)]
        found: list[tuple[int, int, DateSpan]] = []
        at = 0
        while at < len(tokens):
            span = self._phrase(tokens, at) or self._date(tokens, at, found[-1][1] if found else 0, cued=is_time)
            if span is not None:
                found.append(span)
            at = at + 1 if span is None else span[1]
        words = [token.text for token in tokens]
        taken = {place for begin, end, _ in found for place in range(begin, end)}
        rest = [place for place in range(len(words)) if place not in taken]
        known = [place for place in rest if self._is_known(words[place])]
        if not is_time and not known and len(found) == 1 and self._is_short(tokens, *found[0][:2]):
            found = []
        if not found and not known:
            return None
        starts = {} if is_time else {begin: self._since(words, begin) for begin, _, _ in found}
        neutral = {place for place in known if self._is_neutral(words, place)} | set(starts.values())
        if is_time:
            neutral |= {place for place in known if words[place] in self.since or words[place] in self.bounds}
        return _Reading(
            tuple(replace(span, since=starts.get(begin) is not None) for begin, _, span in found),
            covered=sum(tokens[end - 1].end - tokens[begin].begin for begin, end, _ in found),
            known=sum(len(words[place]) for place in known),
            alone=bool(found)
            and neutral.issuperset(rest)
            and (is_time or len(words) > 2 or len(taken) > 1 or _DIGIT.search(text) is not None)
            and not any(words[place].endswith(self.bounding_endings) for place in taken),
            past=not self.past.isdisjoint(words),
        )

    def _since(self, words: Sequence[str], begin: int) -> int | None:
        """Return the place of "since" before a time, with at most one word between them."""
        for place in range(begin - 1, max(begin - 3, -1), -1):
            if words[place] in self.since:
                return place
            if not self._is_neutral(words, place):
                break
        return None

    def _is_short(self, tokens: Sequence[_Token], begin: int, end: int) -> bool:
        return end - begin == 1 and len(tokens[begin].text) <= SHORT_WORD

    def _token(self, match: re.Match[str]) -> _Token:
        word = match.group()
        return _Token(word, _key(self.numbers.get(word, word), self.stemmer), *match.span())

    def _phrase(self, tokens: Sequence[_Token], at: int) -> tuple[int, int, DateSpan] | None:
        if tokens[at].key not in self.first_keys:
            return None
        for end in range(min(at + LONGEST_PHRASE, len(tokens)), at, -1):
            english = self.phrases.get(tuple(token.key for token in tokens[at:end]))
            if english is not None:
                number = next((self.numbers.get(one.text, one.text) for one in tokens[at:end] if one.key == "#"), "")
                return at, end, DateSpan(english.replace("#", number), relative=True)
        return None

    def _date(self, tokens: Sequence[_Token], at: int, first: int, *, cued: bool) -> tuple[int, int, DateSpan] | None:
        """Return the date around a month, a weekday or a year at a place; words before `first` are taken."""
        token = tokens[at].text
        cued = cued or (at > first and tokens[at - 1].text in self.before)
        if cued and _YEAR.fullmatch(token):
            return at, at + 1, DateSpan(f"in {token}")
        if (cued or self.bare_weekdays) and (weekday := self.weekdays.get(token)):
            return at, at + 1, DateSpan(f"on {weekday.capitalize()}")
        month = self.months.get(token) or self.months.get(tokens[at].key) or self.short_months.get(token)
        if month is None:
            return None
        begin, day = self._number(tokens, range(at - 1, max(first, at - 3) - 1, -1), _DAY)
        end, year = self._number(tokens, range(at + 1, min(at + 3, len(tokens))), _YEAR)
        if year is None and day is None:  # "2026. március 11."
            begin, year = self._number(tokens, range(at - 1, max(first, at - 3) - 1, -1), _YEAR)
            end, day = self._number(tokens, range(at + 1, min(at + 2, len(tokens))), _DAY)
        if day is None and year is None and (not cued or token in self.short_months):
            return None
        named = " ".join(part for part in (_DIGITS.sub("", day or ""), month, year) if part)
        text = named if day or year else f"in {named}"
        return (at if begin is None else begin), (at if end is None else end) + 1, DateSpan(text)

    def _number(self, tokens: Sequence[_Token], places: range, form: re.Pattern[str]) -> tuple[int | None, str | None]:
        """Return the nearest number of a form, with at most one word like "of" before it."""
        for place in places:
            if form.fullmatch(tokens[place].text):
                return place, tokens[place].text
            if tokens[place].text not in self.neutral:
                break
        return None, None


@dataclass(frozen=True)
class _Unspaced:
    """A language without spaces, or whose endings hang on the words: its phrases are looked for anywhere."""

    phrases: re.Pattern[str]
    english: Mapping[str, str]
    around: re.Pattern[str]
    past: re.Pattern[str]

    def is_neutral(self, words: Sequence[str]) -> bool | None:
        return True if words and all(not self.around.sub("", word) for word in words) else None

    def read(self, text: str, *, is_time: bool) -> _Reading | None:
        if not _UNSPACED.search(text):
            return None
        spans, rest, covered, last = [], [], 0, 0
        for match in self.phrases.finditer(text):
            rest.append(text[last : match.start()])
            last = match.end()
            covered += last - match.start()
            spans.append(self._span(match))
        others = _NO_LETTERS.sub("", " ".join([*rest, text[last:]]))
        left = self.around.sub("", others)
        if not is_time and left == others and len(spans) == 1 and not _DIGIT.search(text):
            spans = []
        if not spans and left == others:
            return None
        past = self.past.search(text) is not None
        return _Reading(tuple(spans), covered, len(others) - len(left), bool(spans) and not left, past)

    def _span(self, match: re.Match[str]) -> DateSpan:
        year, month, day = match["year"], match["month"] or match["month_alone"], match["day"] or match["day_alone"]
        if month is None and year is None:
            text = match.group()
            english = self.english[_normal(text)]
            if english in _MONTHS:
                return DateSpan(f"in {english}")
            if english in _WEEKDAYS:
                return DateSpan(f"on {english.capitalize()}")
            return DateSpan(english.replace("#", _DIGITS.sub("", text)), relative=True)
        if month is None:
            return DateSpan(f"in {year}")
        name = _MONTHS[int(month) - 1]
        named = " ".join(part for part in (day, name, year) if part)
        return DateSpan(named if day or year else f"in {named}")


_Language = _Spaced | _Unspaced


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(package_files.text(_WORDS))


@cache
def _english_alone() -> frozenset[str]:
    """Return the English words that say that a question is English: no other language's questions have them."""
    return STOP_WORDS.difference(*(text.split() for given in _words().values() for text in given.values()))


@cache
def _languages() -> tuple[_Language, ...]:
    return tuple(_language(code, given) for code, given in _words().items())


def _language(code: str, given: Mapping[str, str]) -> _Language:
    locale: Mapping[str, Any] = import_module(f"dateparser.data.date_translation_data.{code}").info
    phrases = dict(_phrases(locale))
    past = _set(given, "past")
    around = _set(given, "around") | past
    if "before" not in given:
        weekdays = {_folded(name): day for day in _WEEKDAYS for name in locale[day] if len(name) > 2}
        months = {name: month for month in _MONTHS for name in locale[month] if not _DIGIT.search(name)}
        named = weekdays | months | {phrase: meaning for phrase, meaning in phrases.items() if len(phrase) > 1}
        english = {_normal(phrase): meaning for phrase, meaning in named.items()}
        return _Unspaced(_pattern(named), english, _any_of(around), _any_of(past))
    before, since, bounds = (_set(given, key) for key in ("before", "since", "bounds"))
    neutral = around | before
    stemmer = given.get("stemmer")
    months = {_folded(name): month for month in _MONTHS for name in locale[month]}
    longest = {month: max(len(name) for name in locale[month]) for month in _MONTHS}
    short = {n: m for n, m in months.items() if len(n) <= LONGEST_ABBREVIATION and len(n) < longest[m]}
    full = {name: month for name, month in months.items() if name not in short}
    stems = {_key(name, stemmer): month for name, month in full.items() if len(name) > LONGEST_ABBREVIATION}
    numbers = dict(_numbers(locale))
    keyed = {}
    for phrase, meaning in phrases.items():
        words = _split(phrase)
        stemmed = [_key(numbers.get(word, word), stemmer) for word in words]
        while len(stemmed) > 2 and words[-len(stemmed)] in neutral and "#" not in stemmed[:2]:
            stemmed = stemmed[1:]
        keyed[tuple(stemmed)] = meaning
    for unit, last in product(("week", "month", "year"), _folded(given.get("last", "")).split()):
        for name in (each for each in locale[unit] if len(each) > LONGEST_ABBREVIATION - 1):
            pair = (_key(last, stemmer), _key(_folded(name), stemmer))
            keyed |= dict.fromkeys((pair, pair[::-1]), f"last {unit}")
    weekdays = {_folded(name): day for day in _WEEKDAYS for name in locale[day] if len(name) > LONGEST_ABBREVIATION}
    firsts = frozenset(key[0] for key in keyed)
    return _Spaced(
        stemmer,
        {**stems, **full},
        short,
        weekdays,
        keyed,
        firsts,
        numbers,
        bare_weekdays="bare" in given,
        neutral=neutral,
        before=before | since | bounds,
        past=past,
        since=since,
        bounds=bounds,
        asks=_set(given, "asks"),
        pair=tuple(given.get("pair", "").split()),
        bounding_endings=tuple(given.get("bounding_endings", "").split()),
    )


def _set(given: Mapping[str, str], key: str) -> frozenset[str]:
    return frozenset(_folded(given.get(key, "")).split())


def _phrases(locale: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the phrases of a locale that count from today, `#` for a number, each with its meaning in English."""
    for meaning, phrases in locale.get("relative-type-regex", {}).items():
        english = _ENGLISH_COUNT.fullmatch(meaning)
        for phrase in phrases if english else ():
            plain = _folded(_COUNT_GROUP.sub("#", phrase))
            if english and plain.count("#") == 1 and not _PATTERN.search(plain):
                yield plain, f"# {english['unit']}s {'from now' if english['ahead'] else 'ago'}"
    for meaning, phrases in locale.get("relative-type", {}).items():
        english = _ENGLISH_RELATIVE.fullmatch(meaning)
        if english is None:
            continue
        for phrase in phrases:
            yield _folded(phrase), _relative(english["count"], english["unit"], ahead=english["ahead"] is not None)


def _relative(count: str, unit: str, *, ahead: bool) -> str:
    if count == "0":
        return "today" if unit == "day" else f"this {unit}"
    if count == "1" and unit == "day":
        return "tomorrow" if ahead else "yesterday"
    if count == "1":
        return f"next {unit}" if ahead else f"last {unit}"
    return f"{count} {unit}s from now" if ahead else f"{count} {unit}s ago"


def _numbers(locale: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the number words of a locale with their digits: what it writes "дв(а|е)" are two words."""
    for simplification in locale.get("simplifications", ()):
        for word, digits in simplification.items():
            if not digits.isdecimal():
                continue
            parts = [part.split("|") for part in re.split(r"[()]", _folded(word))]
            for form in product(*parts):
                if not _PATTERN.search("".join(form)):
                    yield "".join(form), digits


def _pattern(phrases: Iterable[str]) -> re.Pattern[str]:
    """Return the expression for dates in figures and for phrases, whose `#` is a number, with or without spaces."""
    month, day = r"(?:1[0-2]|0?[1-9])", r"(?:[12]\d|3[01]|0?[1-9])"
    dated = rf"(?<!\d)(?P<year>{YEAR})\s?[年년](?:\s?(?P<month>{month})\s?[月월](?:\s?(?P<day>{day})\s?[日号號일])?)?"
    undated = rf"(?<!\d)(?P<month_alone>{month})\s?[月월](?:\s?(?P<day_alone>{day})\s?[日号號일])?"
    pieces = (re.split("(#| )", phrase) for phrase in sorted(phrases, key=len, reverse=True))
    texts = ("".join(_PIECES.get(piece) or re.escape(piece) for piece in phrase) for phrase in pieces)
    return re.compile("|".join([dated, undated, *texts]))


def _any_of(words: frozenset[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))) or "(?!)")


def _normal(text: str) -> str:
    return re.sub(r"\s", "", re.sub(r"\d+", "#", _folded(text)))


def _folded(text: str) -> str:
    return composed(text).casefold()


def _split(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _key(word: str, stemmer: str | None) -> str:
    if word.isdecimal():
        return "#"
    if stemmer is not None:
        return snowball_stem(word, stemmer)
    return word[:-1] if len(word) > LONGEST_ABBREVIATION + 1 else word  # most endings are of one letter


def _english(text: str) -> int:
    return sum(len(word) for word in _split(text) if word in STOP_WORDS)


_MONTHS = "january february march april may june july august september october november december".split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_TOKEN = re.compile(r"\d+(?:[.:,/-]\d+)+|#|[^\s.,;:!?¿¡'’\"“”«»()\[\]…。、，？！؟/|–—-]+")
"""A word, or a number with what belongs to it: "2.0" is no 2."""
_NO_LETTERS = re.compile(r"[\s.,;:!?¿¡'’\"“”«»()\[\]…。、，？！؟~〜「」-]+")
_UNSPACED = re.compile("[\u0e01-\u0e7f\u1100-\u11ff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7ff]")
_YEAR = re.compile(YEAR)
_DAY = re.compile(r"(?:0?[1-9]|[12]\d|3[01])(?:er|[ºª°])?")
_DIGIT = re.compile(r"\d")
_DIGITS = re.compile(r"\D")
_ENGLISH_RELATIVE = re.compile(r"(?P<ahead>in )?(?P<count>\d) (?P<unit>day|week|month|year)(?: ago)?")
_ENGLISH_COUNT = re.compile(r"(?P<ahead>in )?\\1 (?P<unit>day|week|month|year)(?: ago)?")
_PIECES = {"#": r"\d{1,3}", " ": r"\s?"}
"""What stands in an expression for a number and for a space of a phrase."""
_COUNT_GROUP = re.compile(r"\(\\d\+\+\[\.,\]\?\\d\*\+\)")
_PATTERN = re.compile(r"[\\()\[\]{}*+?|^$]")
