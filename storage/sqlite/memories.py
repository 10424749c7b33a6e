"""Memories on SQLite: words and exact terms are found by FTS5, vectors by exact comparison or by ChromaDB."""

from collections.abc import Sequence
from datetime import datetime

from ...modules.memory.exact_terms import ExactTerm
from ...modules.memory.models import Candidate, MemoryFilter, Vector, WordFrequencies
from ..repositories.memories import MemoriesRepository
from . import identifier_search, text_search
from .database import Sqlite
from .vector_search import VectorSearch


class SqliteMemories(MemoriesRepository):
    """Implements `modules.memory.ports.MemoryRepository`."""

    def __init__(self, sqlite: Sqlite, vectors: VectorSearch) -> None:
        super().__init__(sqlite)
        self._sqlite = sqlite
        self._vectors = vectors

    async def text_candidates(
        self, namespace: str, words: WordFrequencies, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        return await text_search.candidates(self._sqlite, namespace, words, where, now, limit)

    async def frequencies(self, namespace: str, words: Sequence[str], *, with_aside: bool = False) -> WordFrequencies:
        return await text_search.frequencies(self._sqlite, namespace, words, with_aside=with_aside)

    async def longer_words(self, namespace: str, words: Sequence[str], limit: int) -> dict[str, list[str]]:
        return await text_search.longer_words(self._sqlite, namespace, words, limit)

    async def vector_candidates(
        self, namespace: str, vector: Vector, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        return await self._vectors.nearest(namespace, vector, where, now, limit)

    async def identifier_candidates(
        self, namespace: str, identifiers: Sequence[ExactTerm], where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        return await identifier_search.candidates(self._sqlite, namespace, identifiers, where, now, limit)
