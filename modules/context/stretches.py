"""The stretch of a long text that answers a query, in as many tokens as an entry may cost."""

from collections.abc import Sequence

from ..memory.excerpts import best_excerpt, marked
from .tokens import cut, estimate

CHARS_A_TOKEN = 2
"""The characters that a token is taken for at first; fewer where a script takes more tokens."""
LEAST_CHARS = 40


def best_stretch(text: str, words: Sequence[str], max_tokens: int) -> str:
    """Return the stretch that holds the most of a query's words, with "…" where the text goes on; short texts whole."""
    if estimate(text) <= max_tokens:
        return text
    chars = max_tokens * CHARS_A_TOKEN
    while True:
        stretch = marked(text, *best_excerpt(text, words, max_chars=chars))
        tokens = estimate(stretch)
        if tokens <= max_tokens or chars <= LEAST_CHARS:
            return cut(stretch, max_tokens)
        chars = max(LEAST_CHARS, chars * max_tokens // (tokens + 1))
