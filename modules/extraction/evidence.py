"""The evidence gate: every number, name and date of a fact must be in the turns that it is based on."""

import re
from collections.abc import Sequence

from ..stop_words import STOP_WORDS
from ..text import scripts
from .models import About, ExtractedFact, SpokenTurn
from .third_person import ADVERBS

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*(?:st|nd|rd|th)?\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
_TENS = {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100}
_DATES = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december spring summer autumn fall winter yesterday today tomorrow tonight last next ago
    week weekend month year decade morning evening noon midnight""".split()
)
_OURS = frozenset("the user user's assistant assistant's team team's and others others' they them their theirs".split())
"""Words that a fact may add: whom it is about."""
_BEGINS = _DATES.union(
    *(_OURS, _NUMBER_WORDS, _TENS, STOP_WORDS - {"will"}),
    "since every everyone everyday someone another nobody although though despite neither either people".split(),
)
"""Words that may begin a sentence and are no names (Will is one). Dates and numbers are checked separately."""
_FREE = frozenset(
    """a an the and or but of to in on at for with from by as is are was were be been has have had does do did not no
    that this it its who which will would can may also""".split()
)
SHARED = 0.6
"""The share of a fact's words that must have been said: a freer paraphrase is not what was said."""


def problem(fact: ExtractedFact, turns: Sequence[SpokenTurn]) -> str | None:
    """Return why these turns do not support a fact, in words; None if they do.

    It needs a turn of the speaker it is about, and in those turns each of its numbers, names and date words, and most
    of its other words. Whether they affirm or deny it is not compared: half of what is denied presupposes a fact.
    """
    cited = [turn for turn in turns if turn.memory_id in fact.evidence]
    own = [turn for turn in cited if turn.about is fact.about]
    if not own:
        return "no turn of the user states it" if fact.about is About.USER else "no turn of the assistant states it"
    transcript = " ".join(turn.text for turn in own)
    names = {part.lower() for turn in own for part in _WORD.findall(turn.name)}
    for number in _numbers(fact.text):
        if number not in _numbers(transcript):
            return f"the number {number} was not said"
    spoken = _stems(transcript) | names
    for word in _names(fact.text, names):
        if _stem(word) not in spoken:
            return f"the name {word} was not said"
    words = [word.lower() for word in _WORD.findall(fact.text)]
    for word in words:
        if (word in _DATES or word.removesuffix("s") in _DATES) and _stem(word) not in spoken:
            return f"the date word {word} was not said"
    content_words = [word for word in words if word not in _OURS | _FREE | names and _plain(word) not in names]
    content_words = [piece for word in content_words for piece in _pieces(word)]
    spoken.update(piece for word in _WORD.findall(transcript) for piece in _pieces(word.lower()))
    shared = sum(_stem(word) in spoken or word in spoken for word in content_words)
    return None if content_words and shared >= SHARED * len(content_words) else "it is not what was said"


def _number_of(word: str) -> str:
    if word in _NUMBER_WORDS:
        return str(_NUMBER_WORDS.index(word))
    return str(_TENS[word]) if word in _TENS else ""


def _numbers(text: str) -> set[str]:
    """Return the numbers of a text as digits, without ordinal endings and thousands separators."""
    digits = {
        re.sub(r"(?<=\d),(?=\d{3}\b)", "", re.sub(r"(?:st|nd|rd|th)$", "", number.lower()))
        for number in _NUMBER.findall(text)
    }
    words = {_number_of(part) for word in _WORD.findall(text) for part in word.lower().split("-")}
    return digits | (words - {""})


def _names(text: str, known: set[str]) -> list[str]:
    """Return capitalised words that do not begin a sentence, and those that do unless they are common words."""
    found = []
    for match in _WORD.finditer(text):
        word = match.group()
        begins = not text[: match.start()].strip() or text[: match.start()].rstrip().endswith((".", "!", "?", ":"))
        if not any(letter.isupper() for letter in word) or _plain(word.lower()) in known | _OURS:
            continue
        if not (begins and _is_common(word)):
            found.append(word)
    return found


def _is_common(word: str) -> bool:
    """Return whether a word begins sentences ("They're", "Doesn't", "Currently") and names nobody."""
    plain = re.split(r"n?['’]", word.lower())[0]
    return plain in _BEGINS or re.fullmatch(ADVERBS, plain) is not None


def _plain(word: str) -> str:
    return re.sub(r"['’]s?$", "", word)


def _pieces(word: str) -> list[str]:
    """Return what is compared of a word: of a run without spaces its characters and pairs."""
    pieces = [word] if word.isascii() else scripts.words(word)
    return pieces if any(map(scripts.is_piece, pieces)) else [word]


def _stem(word: str) -> str:
    word = _plain(word.lower())
    for ending in ("ies", "ied"):
        if word.endswith(ending) and len(word) > 4:
            return f"{word[:-3]}y"
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _stems(text: str) -> set[str]:
    found = {_stem(word) for word in _WORD.findall(text)}
    return found | {_stem(part) for word in _WORD.findall(text) for part in re.split(r"['’-]", word) if part}
