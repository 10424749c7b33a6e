"""Memories on PostgreSQL: words and exact terms are found by an index of words, vectors by `vector_search`."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from ...modules.memory.exact_terms import ExactTerm
from ...modules.memory.models import Candidate, MemoryFilter, Vector, WordFrequencies
from ..repositories.memories import MemoriesRepository
from . import identifier_search, text_search
from .database import Postgres


class Nearest(Protocol):
    """Finds memories by their vectors."""

    async def nearest(
        self, namespace: str, vector: Vector, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        """Return the nearest living memories that pass a filter, best first."""


class PostgresMemories(MemoriesRepository):
    """Implements `modules.memory.ports.MemoryRepository`."""

    def __init__(self, postgres: Postgres, vectors: Nearest) -> None:
        super().__init__(postgres)
        self._postgres = postgres
        self._vectors = vectors

    async def text_candidates(
        self, namespace: str, words: WordFrequencies, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        return await text_search.candidates(self._postgres, namespace, words, where, now, limit)

    async def frequencies(self, namespace: str, words: Sequence[str], *, with_aside: bool = False) -> WordFrequencies:
        return await text_search.frequencies(self._postgres, namespace, words, with_aside=with_aside)

    async def longer_words(self, namespace: str, words: Sequence[str], limit: int) -> dict[str, list[str]]:
        return await text_search.longer_words(self._postgres, namespace, words, limit)

    async def vector_candidates(
        self, namespace: str, vector: Vector, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        return await self._vectors.nearest(namespace, vector, where, now, limit)

    async def identifier_candidates(
        self, namespace: str, identifiers: Sequence[ExactTerm], where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        return await identifier_search.candidates(self._postgres, namespace, identifiers, where, now, limit)
