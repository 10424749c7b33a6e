"""The tokens of a model: where they are in a text, which of them mean something, and how their vectors are kept."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...modules.text.scripts import BEGINNING, foreign_letters, is_emoji, is_foreign
from .windows import windows

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer

_CONTINUED = "##"
_CHARACTERS_MAX = 1 << 20
"""The longest text that is read: the longest memory. Bounds the time."""
_QUERY_TOKENS_MAX = 64
MOSTLY = 0.5


class ModelTokenizer:
    """The tokenizer of one model, truncating at `tokens_max`. Not for two threads at once."""

    def __init__(self, tokenizer: Tokenizer, tokens_max: int) -> None:
        self._tokenizer = tokenizer
        self._tokens_max = tokens_max
        tokenizer.no_padding()  # the file may ask for a fixed length (128 here), which costs 7 times the time
        tokenizer.enable_truncation(tokens_max)
        self._special = {number for number, token in tokenizer.get_added_tokens_decoder().items() if token.special}
        self._compared: dict[int, bool] = {}
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

    def compared_positions(self, ids: Sequence[int]) -> list[int]:
        """Return the positions of the tokens that late interaction compares.

        Punctuation and the model's special tokens are left out, also the one of unknown words: two of these are not
        alike.
        """
        return [position for position, number in enumerate(ids) if self._is_compared(number)]

    def of_query(self, encoding: Encoding, text: str) -> tuple[list[int], tuple[str, ...]]:
        """Return the positions of a query's compared tokens, at most 64, and the word that each is part of."""
        positions = self.compared_positions(encoding.ids)[:_QUERY_TOKENS_MAX]
        spans: dict[int | None, tuple[int, int]] = {}
        for word, (begin, end) in zip(encoding.word_ids, encoding.offsets, strict=True):
            first, last = spans.get(word, (begin, end))
            spans[word] = min(first, begin), max(last, end)
        words = encoding.word_ids
        return positions, tuple(text[slice(*spans[words[position]])].lower() for position in positions)

    def _is_compared(self, number: int) -> bool:
        known = self._compared.get(number)
        if known is None:
            token = (self._tokenizer.id_to_token(number) or "").removeprefix(_CONTINUED)
            known = number not in self._special and not all(unicodedata.category(c)[0] in "PSZC" for c in token)
            self._compared[number] = known
        return known


def clean(text: str) -> str:
    """Return the text without lone surrogates: a str may hold them, the tokenizer's UTF-8 may not."""
    return text.encode("utf-8", "replace").decode()


def signs(states: NDArray[Any], positions: Sequence[int]) -> bytes:
    """Return the sign bits of the chosen rows of (length, dimension), dimension / 8 bytes a row."""
    import numpy as np

    return np.packbits(states[positions] > 0, axis=1).tobytes()


def unit_rows(states: NDArray[Any], positions: Sequence[int]) -> bytes:
    """Return the chosen rows of (length, dimension), each scaled to length 1: float32, little-endian."""
    import numpy as np

    rows = states[positions]
    lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    data: bytes = (rows / lengths).astype("<f4").tobytes()
    return data


class KnownScripts:
    """The scripts that the vocabulary of one tokenizer reads, found out as they come. Not for two threads at once.

    A model that was trained on English has other scripts letter by letter, or not at all: its vectors of them mean
    nothing. A script that it reads is in its vocabulary in pieces of several letters, and Han characters, each of which
    has a meaning by itself, in their thousands.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def knows(self, text: str) -> bool:
        """Return whether at least half of a text's letters are read; Latin letters count as read."""
        text = unicodedata.normalize("NFC", text[:BEGINNING])
        if not is_foreign(text):
            return True
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        text = text[: max((end for _, end in encoding.offsets), default=0)]
        foreign, letters = foreign_letters(text)
        return foreign - sum(self._read(text, encoding)) <= MOSTLY * letters

    def _read(self, text: str, encoding: Encoding) -> Iterator[int]:
        """Yield the number of foreign letters of each piece that means something."""
        pieces = Counter(encoding.offsets)
        unknown = self._unknown
        for number, (begin, end) in zip(encoding.ids, encoding.offsets, strict=True):
            piece = text[begin:end].strip()
            if number not in unknown and pieces[begin, end] == 1 and (len(piece) > 1 or self._stands_alone(piece)):
                yield foreign_letters(piece)[0]

    def _stands_alone(self, character: str) -> bool:
        return is_emoji(character) or (_is_ideograph(character) and self._has_ideographs)

    @cached_property
    def _unknown(self) -> frozenset[int]:
        """The numbers of the special tokens: the one for unknown text, and other marks."""
        added = self._tokenizer.get_added_tokens_decoder().items()
        return frozenset(number for number, token in added if token.special)

    @cached_property
    def _has_ideographs(self) -> bool:
        """Return whether the vocabulary has most of the usual Han characters; about 20 ms, once."""
        encodings = self._tokenizer.encode_batch(list(_usual_ideographs()), add_special_tokens=False)
        known = [len(e.ids) > 0 and self._unknown.isdisjoint(e.ids) for e in encodings]
        return sum(known) >= MOSTLY * len(known)


def _is_ideograph(character: str) -> bool:
    return len(character) == 1 and unicodedata.name(character, "").startswith("CJK UNIFIED")


def _usual_ideographs() -> Iterator[str]:
    """Yield the 3,755 characters of level one of GB 2312, the most frequent ones."""
    for row in range(0xB0, 0xD8):
        for cell in range(0xA1, 0xFF if row < 0xD7 else 0xFA):
            yield bytes((row, cell)).decode("gb2312")
