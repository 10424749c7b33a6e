"""The tokens of a model's tokenizer: where they are in the text, and which of them mean something."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .known_scripts import KnownScripts
from .windows import windows

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

_CONTINUED = "##"
_CHARACTERS_MAX = 1 << 20
"""The longest text that is read: the longest memory. Bounds the time."""
_QUERY_TOKENS_MAX = 64


class Tokens:
    """The tokenizer of one model, truncating at `tokens_max`. Not for two threads at once."""

    def __init__(self, tokenizer: Tokenizer, tokens_max: int) -> None:
        self._tokenizer = tokenizer
        self._tokens_max = tokens_max
        tokenizer.no_padding()  # the file may ask for a fixed length (128 here), which costs 7 times the time
        tokenizer.enable_truncation(tokens_max)
        self._special = {number for number, token in tokenizer.get_added_tokens_decoder().items() if token.special}
        self._telling: dict[int, bool] = {}
        self._scripts = KnownScripts(tokenizer)

    def encode(self, text: str) -> Encoding:
        """Return the tokens of a text, as many as the model takes."""
        return self._tokenizer.encode(clean(text[:_CHARACTERS_MAX]))

    def knows(self, text: str) -> bool:
        """Return whether the model's vocabulary reads the script of a text."""
        return self._scripts.knows(clean(text[:_CHARACTERS_MAX]))

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Return where to cut a text; see `windows.windows`."""
        encoding = self.encode(text)
        if not encoding.overflowing:
            return [(0, len(text))]
        tokens = [
            place
            for part in (encoding, *encoding.overflowing)
            for place, special in zip(part.offsets, part.special_tokens_mask, strict=True)
            if not special
        ]
        return windows(text, tokens, self._tokens_max - self._tokenizer.num_special_tokens_to_add(False))

    def telling(self, ids: Sequence[int]) -> list[int]:
        """Return the positions of the tokens that late interaction compares.

        Punctuation and the model's special tokens are left out, also the one of unknown words: two of these are not
        alike.
        """
        return [position for position, number in enumerate(ids) if self._tells(number)]

    def of_query(self, encoding: Encoding, text: str) -> tuple[list[int], tuple[str, ...]]:
        """Return the positions of a query's telling tokens, at most 64, and the word that each is part of."""
        positions = self.telling(encoding.ids)[:_QUERY_TOKENS_MAX]
        spans: dict[int | None, tuple[int, int]] = {}
        for word, (begin, end) in zip(encoding.word_ids, encoding.offsets, strict=True):
            first, last = spans.get(word, (begin, end))
            spans[word] = min(first, begin), max(last, end)
        words = encoding.word_ids
        return positions, tuple(text[slice(*spans[words[position]])].lower() for position in positions)

    def _tells(self, number: int) -> bool:
        known = self._telling.get(number)
        if known is None:
            token = (self._tokenizer.id_to_token(number) or "").removeprefix(_CONTINUED)
            known = number not in self._special and not all(unicodedata.category(c)[0] in "PSZC" for c in token)
            self._telling[number] = known
        return known


def clean(text: str) -> str:
    """Return the text without lone surrogates: a str may hold them, the tokenizer's UTF-8 may not."""
    return text.encode("utf-8", "replace").decode()
