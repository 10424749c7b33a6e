"""Sealed memories as other parts of AgentOS see them: texts that their owner encrypted, found by its own vectors."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from .errors import NotFound
from .installing import switched_off
from .records import dataclass


@dataclass(frozen=True)
class SealedMemory:
    """A text stored as it came, usually encrypted.

    It is never embedded, never in the text index, and never shown by search, snapshot or reflection.
    """

    id: str
    namespace: str
    content: str
    created_at: datetime


@dataclass(frozen=True)
class SealedHit:
    """A sealed memory that is near a vector, with the cosine similarity of the two."""

    memory: SealedMemory
    similarity: float


@dataclass(frozen=True)
class StoredSealed:
    """The result of storing: the memory, and whether the same text existed already (the first one stands)."""

    memory: SealedMemory
    duplicate: bool


class SealedMemories(Protocol):
    """The sealed memories of one store."""

    async def store(self, namespace: str, content: str, embedding: Sequence[float]) -> StoredSealed:
        """Store a text durably as it is, under a vector; the same text twice returns the first one, unchanged.

        Raises InvalidInput and changes nothing if an argument is not acceptable, also if the embedding has another
        number of values than the others of the namespace.
        """

    async def search(self, namespace: str, embedding: Sequence[float], limit: int = 5) -> list[SealedHit]:
        """Return the memories whose vectors are nearest, best first. Raises InvalidInput, as `store` does."""

    async def get(self, namespace: str, memory_id: str) -> SealedMemory:
        """Return a memory by id. Raises InvalidInput, NotFound."""

    async def delete(self, namespace: str, memory_id: str) -> None:
        """Erase a memory with its vector. Raises InvalidInput, NotFound."""


class NoSealedMemories:
    """Implements SealedMemories where the feature is off: everything raises NotFound."""

    async def store(self, namespace: str, content: str, embedding: Sequence[float]) -> StoredSealed:
        raise _off()

    async def search(self, namespace: str, embedding: Sequence[float], limit: int = 5) -> list[SealedHit]:
        raise _off()

    async def get(self, namespace: str, memory_id: str) -> SealedMemory:
        raise _off()

    async def delete(self, namespace: str, memory_id: str) -> None:
        raise _off()


def _off() -> NotFound:
    return NotFound(switched_off("sealed"))
