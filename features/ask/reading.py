"""What a question asks for, and the words that a memory must bear to answer it."""

import re

from ...modules.records import dataclass
from ...modules.stop_words import STOP_WORDS
from ...modules.text.scripts import snowball_stem
from .models import QuestionKind

_KINDS = (
    (QuestionKind.COUNT, re.compile(r"\bhow\s+(?:often|many\s+times|many)\b", re.I)),
    (QuestionKind.SINCE, re.compile(r"\bsince\s+when\b", re.I)),
    (QuestionKind.CHANGE, re.compile(r"\bhow\b(?=.{1,200}\bchanged?\b)|\bchanged?\b(?:\s+over\s+time)?", re.I)),
    (QuestionKind.LAST, re.compile(r"\bwhen\b(?=.{1,200}\blast\b)|\blast\b(?:\s+time\b)?", re.I)),
    (QuestionKind.FIRST, re.compile(r"\bwhen\b(?=.{1,200}\bfirst\b)|\bfirst\b(?:\s+time\b)?", re.I)),
    (
        QuestionKind.BEFORE,
        re.compile(r"\bbefore\b(?:\s+(?:that|this|then|now)\b)?(?:\s+(?P<than>[A-Z][\w-]*)|(?=\W*$))"),
    ),
    (
        QuestionKind.LIST,
        re.compile(
            r"\A(?:list|name)(?:\s+all)?\b|\A(?:in\s+)?(?:which|what)(?=\s+(?!is\b|was\b|does\b|has\b)\w{2,40}s\b)"
            r"|\Awhere(?=\s+(?:has|have)\b)",
            re.I,
        ),
    ),
)
"""By kind, what it is known by; that stands for nothing that a memory must bear."""
_BEGINS = {QuestionKind.CHANGE: "how", QuestionKind.LAST: "when", QuestionKind.FIRST: "when", QuestionKind.BEFORE: ""}
_WORD = re.compile(r"[^\W_]+(?:[.:-][^\W_]+)*")
_UNSPACED = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{2,}")
"""Letters of Chinese and Japanese, which put no spaces between words: pairs of letters stand for them."""
_POSSESSED = re.compile(r"[’']s?\s+(?P<one>[a-z]{2,40})|\bthe\s+(?P<other>[a-z]{2,40})\s+of\b")
_ASKING = {"tell", "know", "name", "called", "list", "much", "many", "us", "you", "project"}
SHORTEST, LONGEST_ENDING = 4, 3
"""Of two forms of one word, the letters that both begin with, and those that the longer one may have besides."""
_WHO_DOES = ("er", "or")


@dataclass(frozen=True)
class ReadQuestion:
    """A question as read: its `names` and `owned`, the thing asked for, must be borne, of its `words` most.

    `before` is who or what came after what is asked for.
    """

    text: str
    kind: QuestionKind
    names: frozenset[str]
    words: frozenset[str]
    owned: frozenset[str] = frozenset()
    before: str = ""


def read(text: str) -> ReadQuestion:
    """Return what a question asks for."""
    kind, before, rest = QuestionKind.STRETCH, "", text
    for one, pattern in _KINDS:
        found = pattern.search(text)
        if found and text.lower().lstrip().startswith(_BEGINS.get(one, found[0].lower()[:3])):
            before = (found.groupdict().get("than") or "").strip()
            kind, rest = one, pattern.sub(" ", text)
            break
    written = _words(rest)
    english = sum(word.lower() in STOP_WORDS for word in _WORD.findall(text))
    is_english = kind is not QuestionKind.STRETCH or english > 1  # other languages may write every noun with a capital
    first = _WORD.match(text.lstrip())
    told = [word for word in written if word.lower() not in STOP_WORDS and word.lower() not in _ASKING]
    names = {word for word in told if is_english and _is_name(word) and not (first and word == first[0])}
    if not is_english and any(map(is_pair, written)):  # between such letters, Latin ones and figures name something
        names = {word for word in told if word.isascii()}
    return ReadQuestion(
        text,
        kind,
        frozenset(map(str.lower, names)),
        frozenset(stem(word) for word in told if word not in names),
        frozenset(
            stem(found["one"] or found["other"])
            for found in _POSSESSED.finditer(rest)
            if (found["one"] or found["other"]) not in _ASKING | STOP_WORDS
        ),
        before.lower(),
    )


def is_pair(word: str) -> bool:
    """Return whether a word is a pair of letters of a text without spaces."""
    return len(word) == 2 and _UNSPACED.fullmatch(word) is not None


def _words(text: str) -> list[str]:
    """Return the words of a text, without the mark of possession; of a text without spaces its pairs of letters."""
    spaced = _UNSPACED.sub(lambda run: f" {' '.join(map(''.join, zip(run[0], run[0][1:], strict=False)))} ", text)
    return _WORD.findall(spaced.replace("’s", " ").replace("'s", " "))


def _is_name(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit()


def stem(word: str) -> str:
    """Return what the forms of a word have in common."""
    return snowball_stem(word.lower(), "english")


def borne_by(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a text, as written in lower case, and by their stems."""
    written = {word.lower() for word in _words(text)}
    return frozenset(written), frozenset(map(stem, written))


def has(stems: frozenset[str], wanted: str) -> bool:
    """Return whether a word is among others, in any form."""
    return any(one == wanted or _are_forms(one, wanted) for one in stems)


def _are_forms(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    ending = long[len(short) :]
    return long.startswith(short) and (
        (len(short) >= SHORTEST and len(ending) <= LONGEST_ENDING) or (len(short) > 2 and ending in _WHO_DOES)
    )
