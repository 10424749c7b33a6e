"""Reuse: whether an answer was built on a memory, by the words that it can have from there alone."""

import re

from ...modules.stop_words import STOP_WORDS

LEAST_SHARE, LEAST_WORDS = 0.5, 2
MAX_CHARS = 20_000
_WORD = re.compile(r"[^\W_](?:[\w.:/@-]{0,80}[\w/])?")
_TELLING = re.compile(r"[\d_@/]|\w[.:]\w")


def is_reused(memory: str, question: str, answer: str) -> bool:
    """Return whether an answer has what a memory tells and the question does not: an exact value or name, or half."""
    asked, answered = _words(question), _words(answer)
    new = {word: seen for word, seen in _words(memory).items() if word not in asked}
    shared = new.keys() & answered.keys()
    if any(_TELLING.search(word) or new[word] for word in shared):
        return True
    return len(shared) >= LEAST_WORDS and len(shared) >= LEAST_SHARE * len(new)


def _words(text: str) -> dict[str, bool]:
    """Return the words that say something, in lower case, and whether each is a name: capital within a sentence."""
    found: dict[str, bool] = {}
    at_start = True
    for match in _WORD.finditer(text[:MAX_CHARS]):
        word = match.group()
        lower = word.lower()
        if len(lower) > 1 and lower not in STOP_WORDS:
            found[lower] = found.get(lower, False) or (word[0].isupper() and not at_start)
        at_start = text[match.end() : match.end() + 1] in (".", "!", "?", "\n", ":")
    return found
