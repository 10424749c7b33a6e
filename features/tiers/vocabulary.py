"""The words of a store: which of them say something, by what stem they are compared, and how rare they are."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...modules.memory.words import stem
from ...modules.stop_words import STOP_WORDS
from ...modules.text.scripts import foreign_stem, is_piece, words

if TYPE_CHECKING:
    from ...storage.repositories.memories import MemoriesRepository

SHORTEST_WORD = 3


class Vocabulary:
    """Content words, stems and rarity of words, for rules about texts; the text index counts them."""

    def __init__(self, repository: "MemoriesRepository[Any]") -> None:
        self._repository = repository

    def words(self, text: str) -> list[str]:
        """Return the content words of a text in order, lower case, with repetitions; no numbers, nothing very short."""
        return [word for word in words(text) if _is_long_enough(word) and word not in STOP_WORDS and not word.isdigit()]

    def stem(self, word: str) -> str:
        """Return what forms of a word have in common."""
        return stem(word) if word.isascii() else foreign_stem(word)

    async def rarity(self, namespace: str, words: Sequence[str]) -> Mapping[str, float]:
        """Return log((1 + N) / (1 + n)) + 1 for each word, of which n of the namespace's N memories have any form."""
        counted = await self._repository.frequencies(namespace, list(dict.fromkeys(map(foreign_stem, words))))
        counts = {word: counted.counts[foreign_stem(word)] for word in words}
        return {word: math.log((1 + counted.memories) / (1 + n)) + 1 for word, n in counts.items()}


def _is_long_enough(word: str) -> bool:
    """Return whether a word is long enough to say something: of a script without spaces, a pair of characters is."""
    return len(word) >= (2 if is_piece(word) else SHORTEST_WORD)
