"""What sealed memory needs of storage."""

from datetime import datetime
from typing import Protocol

from .models import SealedHit, SealedMemory


class SealedRepository(Protocol):
    """Opaque texts with vectors of unit length, float32, little-endian, all of one dimension in a namespace."""

    async def add(self, memory: SealedMemory, vector: bytes, content_hash: str) -> tuple[SealedMemory, bool]:
        """Keep a memory durably, or find the one with the same content hash; True when it is new.

        Raises InvalidInput, and changes nothing, when the namespace's vectors have another dimension.
        """

    async def get(self, namespace: str, memory_id: str) -> SealedMemory | None:
        """One memory by id, or None."""

    async def nearest(self, namespace: str, vector: bytes, limit: int) -> list[SealedHit]:
        """The nearest memories by cosine similarity, best first, of equal ones the newer first; all are compared.

        Raises InvalidInput when the namespace's vectors have another dimension.
        """

    async def erase(self, namespace: str, memory_id: str, now: datetime) -> bool:
        """Delete one memory with its vector; whether it was there."""
