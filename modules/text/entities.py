"""Entities that a text names: people and things, identifiers and files, numbers and dates; found by rules alone.

It is what a summary must not lose. Whoever measures summaries (TES) should count with the same rules.
"""

import re
from collections.abc import Iterable, Iterator

from ..memory.date_spans import MONTH, WEEKDAY
from ..memory.exact_terms import exact_terms
from ..stop_words import STOP_WORDS
from .sentences import sentences

KEY_LINE = "Key entities: "
"""The beginning of the line of a summary that lists what its sentences do not name."""
SEPARATOR = "; "
MAX_QUOTED_WORDS = 5

_DATE = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH}\b|{MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b)(?:,?\s+\d{{4}}\b)?"
    rf"|\b(?!may\b|mar\b|sun\b)(?:{MONTH}|{WEEKDAY})\b(?:\s+\d{{4}}\b)?|\bMay\s+\d{{4}}\b|\b\d{{4}}-\d\d-\d\d(?:T[\d:.]+Z?)?\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.])[-+€$£]?\d[\d.,:/]*[^\W\d_]*%?")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s)?\Z")
_NAME_WORD = r"[A-ZÀ-ÖØ-Þ](?:[\w’'&.-]*\w)?"
_NAME = re.compile(rf"{_NAME_WORD}(?:[ \t]+(?:(?:of|de|van|von|der|the|&)[ \t]+)?{_NAME_WORD})*")
_POSSESSIVE = re.compile(r"['’]s?\Z")
_CONTRACTED = re.compile(r"(?i)\A(?:i|we|you|they|he|she|it|that|there|what|who|let|don|can|isn|won|didn)['’]")
_SPEAKER = re.compile(r"\A\s*([^\W\d_][\w’' .-]{0,38}):\s")
_NOT_NAMES = STOP_WORDS | frozenset(
    """
    also any anyway but cool dear despite either every everyone everything get give go good great haha hello hey hi
    however let maybe meanwhile much nice nope oh ok okay one our perhaps please really right say see since so some
    something sorry still sure thank thanks thats therefore think though time today tomorrow tonight two unless use well
    wow yeah yep yes yesterday yet user assistant system tool absolutely actually awesome amazing congrats definitely
    """.split()
)


def entities(texts: Iterable[str]) -> dict[str, str]:
    """Return what texts name, in order of appearance: from the compared form to the form first written.

    A word that begins a sentence counts as a name only where it is one elsewhere in the texts, or begins a longer
    name: "Great" is none, "Ada" is.
    """
    parts = [sentence for text in texts for sentence in sentences(text)]
    found: dict[str, tuple[int, int, str]] = {}
    doubtful: dict[str, tuple[int, int, str]] = {}
    for number, part in enumerate(parts):
        for place, written, certain in _named(part):
            into = found if certain else doubtful
            into.setdefault(compared(written), (number, place, written))
    parts_of_names = {word for name in found for word in name.split()}
    for key, where in doubtful.items():
        if key in parts_of_names:
            found[key] = min(where, found.get(key, where))
    ordered = sorted((where, key) for key, where in found.items() if key)
    return {key: where[2] for where, key in ordered}


def numbers(text: str) -> set[str]:
    """Return the numbers that a text tells in digits, as they are compared."""
    return {
        found for match in re.finditer(r"\d[\d.,:/]*", text) if (found := match.group().rstrip(".,:/").replace(",", ""))
    }


def missing(wanted: dict[str, str], text: str) -> list[str]:
    """Return the wanted entities that a text does not name, as written, in their order."""
    there = compared(text)
    return [written for key, written in wanted.items() if not _names(there, key)]


def key_line(wanted: Iterable[str]) -> str:
    """Return the line that names entities; "" where there are none."""
    listed = SEPARATOR.join(wanted)
    return f"{KEY_LINE}{listed}" if listed else ""


def compared(text: str) -> str:
    """Return a text as entities are compared: without case, plain quotes, single spaces."""
    return " ".join(text.replace("’", "'").casefold().split())


def _names(there: str, key: str) -> bool:
    return key in there and _word_pattern(key).search(there) is not None


def _word_pattern(key: str) -> re.Pattern[str]:
    """Compile an expression for `key` where it is not a part of a longer word or number."""
    if key[-1].isdigit() and not any(map(str.isalpha, key)):
        return re.compile(rf"(?<!\w)(?<!\d[.,:/]){re.escape(key)}(?!\w)(?![.,:/]\d)")
    return re.compile(rf"(?<!\w){re.escape(key)}(?!\w)")


def _named(sentence: str) -> Iterator[tuple[int, str, bool]]:
    """Yield what a sentence names: where, as written, and whether that is certain."""
    if sentence.startswith(KEY_LINE):
        place = len(KEY_LINE)
        for written in sentence[place:].split(SEPARATOR):
            yield place, written.strip(), True
            place += len(written) + len(SEPARATOR)
        return
    if (speaker := _SPEAKER.match(sentence)) and speaker[1].lower() not in _NOT_NAMES and speaker[1][0].isupper():
        yield 0, speaker[1].strip(), True
        sentence = " " * speaker.end() + sentence[speaker.end() :]
    taken = [False] * len(sentence)

    def take(begin: int, end: int) -> bool:
        """Take a stretch; return whether nothing of it was taken before."""
        free = not any(taken[begin:end])
        taken[begin:end] = [True] * (end - begin)
        return free

    for term in exact_terms(sentence):
        place = sentence.find(term.text)
        if place >= 0 and len(term.text.split()) <= MAX_QUOTED_WORDS:
            take(place, place + len(term.text))
            yield place, term.text, True
    for pattern in (_DATE, _NUMBER):
        for match in pattern.finditer(sentence):
            if take(*match.span()):
                yield match.start(), match.group().rstrip(".,:/"), True
    begins = len(sentence) - len(sentence.lstrip(" \"'“‘*#>-•"))
    for match in _NAME.finditer(sentence):
        yield from _proper(match, at_beginning=match.start() <= begins, taken=taken)


def _proper(match: re.Match[str], *, at_beginning: bool, taken: list[bool]) -> Iterator[tuple[int, str, bool]]:
    """Yield the proper name in a run of capitalised words; at a sentence's beginning the first word may be none."""
    words = match.group().split()
    place = match.start()
    if any(taken[place : match.end()]):
        return
    while words and (_CONTRACTED.match(words[0]) or words[0].lower().strip(".") in _NOT_NAMES):
        place += len(words[0]) + 1
        words, at_beginning = words[1:], False
    while words and (words[-1].lower() in _NOT_NAMES or _CONTRACTED.match(words[-1])):
        words = words[:-1]
    if not words:
        return
    name = _POSSESSIVE.sub("", " ".join(words)).rstrip(".")
    if len(name) > 1 and not _ORDINAL.fullmatch(name):
        yield place, name, not at_beginning or len(words) > 1
