"""Tests on a model's tokenizer whether its vocabulary reads a text, script by script as they come.

A model that was trained on English has other scripts letter by letter, or not at all: its vectors of them mean nothing.
A script that it reads is in its vocabulary in pieces of several letters, and Han characters, each of which has a
meaning by itself, in their thousands.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from ...modules.text.scripts import BEGINNING, foreign_letters, is_emoji, is_foreign

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

MOSTLY = 0.5


class KnownScripts:
    """The scripts that one tokenizer knows. Not for two threads at once."""

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
            if number not in unknown and pieces[begin, end] == 1 and (len(piece) > 1 or self._says_alone(piece)):
                yield foreign_letters(piece)[0]

    def _says_alone(self, character: str) -> bool:
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
