"""The port of sealed memory: storage."""

from datetime import datetime
from typing import Protocol

from .models import SealedHit, SealedMemory


class SealedRepository(Protocol):
    """Storage of opaque texts with unit vectors (float32, little-endian), all of one dimension in a namespace."""

    async def add(self, memory: SealedMemory, vector: bytes, content_hash: str) -> tuple[SealedMemory, bool]:
        """Store a memory durably, or find the one with the same content hash; True if it is new.

        Raises InvalidInput, and changes nothing, if the namespace's vectors have another dimension.
        """

    async def get(self, namespace: str, memory_id: str) -> SealedMemory | None:
        """Return a memory by id, or None."""

    async def nearest(self, namespace: str, vector: bytes, limit: int) -> list[SealedHit]:
        """Return the memories nearest by cosine similarity, best first, of equal ones the newer first; compares all.

        Raises InvalidInput if the namespace's vectors have another dimension.
        """

    async def erase(self, namespace: str, memory_id: str, now: datetime) -> bool:
        """Delete a memory with its vector; return whether it existed."""
