"""Memories with the searches of an engine: each finds words, exact terms and vectors its own way."""

from collections.abc import Sequence
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from ...modules.memory.exact_terms import ExactTerm
from ...modules.memory.models import Candidate, MemoryFilter, Vector, WordFrequencies
from ..engine.exact_match import LOOKED_THROUGH, WEAK_WEIGHT
from ..engine.ports import Engine, Row
from .memories import MemoriesRepository

E = TypeVar("E", bound=Engine)
On = TypeVar("On", contravariant=True)


class TextSearch(Protocol[On]):
    """Finds memories by their words; each function as the method of `MemoryRepository` of its name."""

    async def candidates(
        self, on: On, /, namespace: str, words: WordFrequencies, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]: ...
    async def frequencies(
        self, on: On, /, namespace: str, words: Sequence[str], *, with_aside: bool
    ) -> WordFrequencies: ...
    async def longer_words(self, on: On, /, namespace: str, words: Sequence[str]) -> list[Row]:
        """Return each `word` with each `longer` one of memories that contains it or is in it, shorter ones first."""


Matches = dict[str, tuple[int, float]]
"""The memories that contain a term, each with its number and how well the term fits."""


class IdentifierSearch(Protocol[On]):
    """Finds memories that contain exact terms."""

    async def containing(
        self, on: On, /, namespace: str, term: str, where: MemoryFilter, now: datetime, limit: int
    ) -> Matches:
        """Return the newest memories that contain a term in any case.

        Where no memory has the term's words in a row, the last word may be a prefix (`TokenBucketLimiter`).
        """


class Nearest(Protocol):
    """Finds memories by their vectors."""

    async def nearest(
        self, namespace: str, vector: Vector, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        """Return the nearest living memories that pass a filter, best first."""


class SearchedMemories(MemoriesRepository, Generic[E]):
    """Implements `modules.memory.ports.MemoryRepository`."""

    def __init__(self, engine: E, text: TextSearch[E], identifiers: IdentifierSearch[E], vectors: Nearest) -> None:
        super().__init__(engine)
        self._on = engine
        self._text = text
        self._identifiers = identifiers
        self._vectors = vectors

    async def text_candidates(
        self, namespace: str, words: WordFrequencies, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        return await self._text.candidates(self._on, namespace, words, where, now, limit)

    async def frequencies(self, namespace: str, words: Sequence[str], *, with_aside: bool = False) -> WordFrequencies:
        return await self._text.frequencies(self._on, namespace, words, with_aside=with_aside)

    async def longer_words(self, namespace: str, words: Sequence[str], limit: int) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for row in await self._text.longer_words(self._on, namespace, words):
            found.setdefault(row["word"], []).append(row["longer"])
        return {word: longer[:limit] for word, longer in found.items()}

    async def vector_candidates(
        self, namespace: str, vector: Vector, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        return await self._vectors.nearest(namespace, vector, where, now, limit)

    async def identifier_candidates(
        self, namespace: str, identifiers: Sequence[ExactTerm], where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        scores: dict[str, float] = {}
        places: dict[str, int] = {}
        weights = 0.0
        for identifier in identifiers:
            look_through = max(limit, LOOKED_THROUGH)
            found = await self._identifiers.containing(self._on, namespace, identifier.text, where, now, look_through)
            weight = 1.0 if identifier.strong else WEAK_WEIGHT
            weights += weight if found else 0.0
            for memory_id, (seq, score) in found.items():
                scores[memory_id] = scores.get(memory_id, 0.0) + weight * score
                places[memory_id] = seq
        best = sorted(scores, key=lambda memory_id: (-scores[memory_id], -places[memory_id]))[:limit]
        return [Candidate(memory_id, scores[memory_id] / weights) for memory_id in best]
