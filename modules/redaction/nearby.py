"""Secrets beside a word for one in any language, where no pattern tells: a small model weighs a value and its place.

Each run of characters in a line that has such a word, and none for what is public, is judged by its form (how mixed,
how random) and by its place (how near the word, behind which sign). `training/train_redaction.py` fits the weights.
"""

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import attrgetter

from ..records import dataclass
from . import vocabulary
from .placeholders import consists_of_words, entropy, is_call, is_digest, is_placeholder, is_technical
from .spans import SecretSpan, compiled

_RUN = r"[!#$%&*+./0-9=?@A-Z^_a-z~\\-]{8,200}"
_ANNOUNCED = r"[A-Za-z_]{1,20}=(?=[^=])"
_REACH = 90
"""Characters between a word and a value that may belong together."""
_MOST_LINE = 600
"""Characters of a line that are judged; longer ones are data."""
_SIGN = r"(?:[:=→]|->|=>)[ \t]{0,3}[\"'`“„«»「‘]?$"
_QUOTE = r"[\"'`“„«»「‘(]$"
_ORDINARY = (
    r"(?i)[a-z]{0,3}\d[\d.,:/-]*(?:st|nd|rd|th|[a-z%]{1,3})?$|[\w.+-]+@[\w-]+\.\w|\w{0,20}//|[~.]{0,2}/[\w./-]+$"
    r"|[\w./-]{1,200}\.(?:py|js|ts|md|json|ya?ml|txt|sh|env|com|org|io|net|example|local|gz|pub|pem|key)$"
    r"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$|v?\d{1,9}\.\d[\w.-]{0,200}$|[A-Z]{2,10}-\d{1,8}$"
    r"|(?-i:[A-Z]?[a-z]{2,}|[A-Z]{2,})(?-i:[A-Z][a-z]+){0,3}(?:\d{1,3}|20\d\d)[a-z]{0,2}$|\d(?-i:[A-Z][a-z]{3,20})$|(?-i:(?:[a-z]{2,20}[./_+-]){0,6}[a-z]{2,20}[_-]?\d{0,3})$"
    r"|[A-Z]{2,20}\d{1,3}\.\d[\w.]{0,20}$|(?-i:[a-z_]{2,30}(?:\.[a-z_]{1,30}\d?[a-z_]{0,30}){1,5})$"
    r"|(?:[a-z]{1,30}\d{0,2}_{1,2}){1,8}[a-z]{0,30}\d{0,2}$|[\w.]{1,80}\.[a-z_]{3,30}$|pk_|-|0x|\w{1,40}=|(?:[\w-]{1,40}[/.]){2,20}[\w-]{0,60}$"
)
"""Numbers with their unit, addresses, paths, files, ids, versions, tickets, products, names of code, options."""
_IN_ADDRESS = r"[\w+.-]:/|arn:|data:|[?&]|sha\d{1,3}:"
"""What the word holds of which a value is a part in an address, an ARN, data or a digest; `links` reads addresses."""
_LONGEST_ADDRESS = 320


def _pattern(word: str) -> str:
    """Return the pattern of a word, which is no part of another except where it has a `*`."""
    before, after = ("" if word[at] == "*" else boundary for at, boundary in ((0, r"(?<![a-z])"), (-1, r"(?![a-z])")))
    return before + word.strip("*") + after


_NEARBY = {
    kind: "|".join(map(_pattern, sorted(words, key=len, reverse=True))) for kind, words in vocabulary.NEARBY.items()
}
"""The pattern of the words of each kind."""


@dataclass(frozen=True, slots=True)
class _Word:
    begin: int
    end: int
    kind: str


_BEGIN = attrgetter("begin")


def find(text: str, lower: str) -> Iterator[SecretSpan]:
    """Yield the values that the model holds for secrets."""
    for begin, end, words in _lines(text, lower):
        for span, features in _candidates(text, begin, end, words):
            if sum(weight * value for weight, value in zip(WEIGHTS, features, strict=True)) + BIAS > 0:
                yield span


def _lines(text: str, lower: str) -> Iterator[tuple[int, int, list[_Word]]]:
    """Yield the lines that have a word for a secret and none for what is public, with their words."""
    words = sorted(
        (
            _Word(match.start(), match.end(), kind)
            for kind, pattern in _NEARBY.items()
            for match in compiled(pattern).finditer(lower)
        ),
        key=_BEGIN,
    )
    at = 0
    while at < len(words):
        begin = text.rfind("\n", 0, words[at].begin) + 1
        end = text.find("\n", words[at].begin)
        end = len(text) if end < 0 else end
        here = words[at : bisect_left(words, end, at, key=_BEGIN)]
        at += len(here)
        kinds = {word.kind for word in here}
        if end - begin <= _MOST_LINE and "public" not in kinds and not kinds.isdisjoint(vocabulary.SECRET):
            yield begin, end, here


def _candidates(text: str, begin: int, end: int, words: Sequence[_Word]) -> Iterator[tuple[SecretSpan, list[float]]]:
    for run in compiled(_RUN).finditer(text, begin, end):
        value, start = run[0], run.start()
        if (name := compiled(_ANNOUNCED).match(value)) is not None and any(
            start <= word.begin < start + name.end() for word in words
        ):
            value, start = value[name.end() :], start + name.end()
        value = value.rstrip(".:\\" if any(map(str.isdigit, value)) else ".:!?\\")
        if len(value) < 8 or not _may_be(value):
            continue
        stop = start + len(value)
        if text[stop : stop + 1] == "(" or compiled(_IN_ADDRESS).search(_word_before(text, begin, start)):
            continue
        if any(start < word.end and word.begin < stop and word.end - word.begin > 4 for word in words):
            continue
        yield SecretSpan(start, stop, _kind_of(start, stop, words)), [*_form(value), *_place(text, start, stop, words)]


def _word_before(text: str, begin: int, at: int) -> str:
    """Return the characters since the last space before a place, which belong to the same word."""
    before = text[max(begin, at - _LONGEST_ADDRESS) : at]
    return before.split()[-1] if before and not before[-1].isspace() else ""


def _may_be(value: str) -> bool:
    mixed = compiled(r"[A-Za-z]").search(value) and compiled(r"[0-9!#$%^&*+=?@~]").search(value)
    is_identifier = consists_of_words(value) and compiled(r"\w+$").match(value) and sum(map(str.isdigit, value)) <= 3
    return mixed is not None and not (
        is_identifier
        or "\\" in value
        or is_placeholder(value)
        or is_technical(value)
        or is_digest(value)
        or is_call(value)
        or compiled(_ORDINARY).match(value)
    )


def _form(value: str) -> list[float]:
    """Return how mixed and random a value is."""
    runs = compiled(r"[0-9]+|[a-z]+|[A-Z]+|[^0-9A-Za-z]+").findall(value)
    kinds = sum(compiled(kind).search(value) is not None for kind in ("[a-z]", "[A-Z]", "[0-9]", r"[^A-Za-z0-9_./-]"))
    longest = max((len(run) for run in runs if run.isalpha()), default=0)
    is_hex = compiled(r"[0-9a-f]{32,}$").match(value) is not None
    return [
        min(len(value), 48) / 16,
        len(runs) / len(value),
        entropy(value) / math.log2(len(value)),
        float(kinds >= 3),
        float(kinds >= 4),
        longest / len(value),
        float(compiled(r"[!#$%^&*+?=~@]").search(value) is not None),
        float(compiled(r"[A-Za-z]+[_./-][A-Za-z0-9_./-]*$").match(value) is not None),
        float(compiled(r"[A-Za-z]+\d{1,3}$").match(value) is not None),
        float(value.isupper()),
        float(is_hex),
    ]


def _place(text: str, start: int, stop: int, words: Sequence[_Word]) -> list[float]:
    """Return how near a value is to each kind of words, before and behind it, and what stands between."""
    features: list[float] = []
    for kind in KINDS:
        before = min((start - word.end for word in words if word.kind == kind and word.end <= start), default=_REACH)
        behind = min((word.begin - stop for word in words if word.kind == kind and word.begin >= stop), default=_REACH)
        features += [math.exp(-before / 20), math.exp(-behind / 10)]
    head = text[max(0, start - 6) : start]
    tail = text[stop : stop + 1]
    return [
        *features,
        float(compiled(_SIGN).search(head) is not None),
        float(compiled(_QUOTE).search(head) is not None),
        float(tail in ("[", ".")),
        float(not text[stop : stop + 2].strip(" .\"'`»”,;)")),
        float("(" in text[max(0, start - _REACH) : start]),
    ]


def _kind_of(start: int, stop: int, words: Sequence[_Word]) -> str:
    nearest = min(words, key=lambda word: max(start - word.end, word.begin - stop))
    return "password" if nearest.kind in ("password", "login") else "token"


KINDS = ("password", "token", "key", "login")
WEIGHTS: tuple[float, ...] = (
    0.50,
    0.35,
    0.02,
    0.93,
    0.90,
    -0.31,
    -2.75,
    1.08,
    0.05,
    -0.67,
    0.84,
    2.15,
    0.47,
    -0.72,
    -0.27,
    0.59,
    0.00,
    1.29,
    -0.18,
    0.56,
    0.89,
    0.33,
    -0.61,
    0.37,
)
BIAS = -1.14
