"""Memories with the searches of an engine: each finds words, exact terms and vectors its own way."""

from collections.abc import Sequence
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from ...modules.memory.exact_terms import ExactTerm
from ...modules.memory.models import Candidate, MemoryFilter, Vector, WordFrequencies
from ..engine.ports import Engine
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
    async def longer_words(
        self, on: On, /, namespace: str, words: Sequence[str], limit: int
    ) -> dict[str, list[str]]: ...


class IdentifierSearch(Protocol[On]):
    """Finds memories that contain exact terms."""

    async def candidates(
        self,
        on: On,
        /,
        namespace: str,
        identifiers: Sequence[ExactTerm],
        where: MemoryFilter,
        now: datetime,
        limit: int,
    ) -> list[Candidate]: ...


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
        return await self._text.longer_words(self._on, namespace, words, limit)

    async def vector_candidates(
        self, namespace: str, vector: Vector, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        return await self._vectors.nearest(namespace, vector, where, now, limit)

    async def identifier_candidates(
        self, namespace: str, identifiers: Sequence[ExactTerm], where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        return await self._identifiers.candidates(self._on, namespace, identifiers, where, now, limit)
