"""The content words of a text, for the text index and for ranking: one definition of what says nothing."""

from ..stop_words import STOP_WORDS
from ..text.scripts import foreign_stem, indexed_words, is_foreign, is_piece, normal_form
from .stems import stem

MAX_TERMS = 48


def tokens(text: str) -> list[str]:
    """Return the words of a text as the text index holds them, in order, with repetitions."""
    return indexed_words(text)


def content_stems(text: str) -> frozenset[str]:
    """Return the stems of a text's words, without those that say nothing."""
    return frozenset(stem(word) for word in tokens(text) if word not in STOP_WORDS)


def token(word: str) -> str:
    """Return a single word as the text index holds it."""
    return foreign_stem(normal_form(word))


def terms(query: str) -> list[str]:
    """Return the content words of a query, each once. Words that say nothing are left out unless there are no others.

    At most MAX_TERMS are used: the longest, which are the rarest as a rule.
    """
    found = list(dict.fromkeys(tokens(query)))
    telling = [word for word in found if _tells(word)] or found
    return telling if len(telling) <= MAX_TERMS else sorted(telling, key=len, reverse=True)[:MAX_TERMS]


def _tells(word: str) -> bool:
    """Return whether a word says by itself what a text is about; of other alphabets one of two letters does not."""
    return word not in STOP_WORDS and (word.isascii() or len(word) > 2 or is_piece(word) or not is_foreign(word))


def first_name(name: str) -> str:
    """Return the first word of a name, in the form in which a query's words are compared with it."""
    return token(name.split()[0])
