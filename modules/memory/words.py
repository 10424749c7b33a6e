"""The content words of a text, for the text index and for ranking: one definition of what says nothing."""

import re
import unicodedata
from itertools import filterfalse

from ..stop_words import STOP_WORDS

MAX_TERMS = 48

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_MAY_COMBINE = re.compile(r"[^\w\x00-\x7f\u2000-\u206f]")  # quotes and dashes do not


def tokens(text: str) -> list[str]:
    """The words of a text as the text index cuts them, lower case, in order, with repetitions."""
    composed = unicodedata.normalize("NFC", text)  # a combining accent would cut a word in two
    return [match.group().lower() for match in _WORD.finditer(composed)]


def terms(query: str) -> list[str]:
    """The content words of a query, each once. Words that say nothing are left out unless there are no others.

    At most MAX_TERMS are used: the longest, which are the rarest as a rule.
    """
    words = list(dict.fromkeys(tokens(query)))
    telling = [word for word in words if word not in STOP_WORDS] or words
    return telling if len(telling) <= MAX_TERMS else sorted(telling, key=len, reverse=True)[:MAX_TERMS]


def without_accents(word: str) -> str:
    """A word as the text index compares it: letters without their diacritics."""
    if word.isascii():
        return word
    letters = unicodedata.normalize("NFKD", word)
    if not any(map(unicodedata.combining, _MAY_COMBINE.findall(letters))):
        return letters
    return "".join(filterfalse(unicodedata.combining, letters))
