"""The sealed memory service: store, search by a vector, get, delete. It sees neither plain text nor a model."""

import hashlib
import math
import struct
from collections.abc import Sequence

from ...modules import identifiers, inputs
from ...modules.clock import Clock
from ...modules.errors import InvalidInput, NotFound
from ...modules.sealed_texts import SealedHit, SealedMemory, StoredSealed
from .rows import SealedRows

MAX_LIMIT = 200
MAX_DIMENSION = 16_384


class SealedService:
    """Implements `modules.sealed_texts.SealedMemories`: the rules of sealed memory over one store.

    The caller encrypts the texts and makes the vectors, of memories and of queries, with one model of its own. What a
    vector reveals about its text, it reveals to anybody who can read the store: that is the price of being found.
    """

    def __init__(self, rows: SealedRows, max_content_bytes: int, clock: Clock) -> None:
        self._rows = rows
        self._max_content_bytes = max_content_bytes
        self._clock = clock

    async def store(self, namespace: str, content: str, embedding: Sequence[float]) -> StoredSealed:
        inputs.text("content", content, self._max_content_bytes)
        vector = unit_vector("embedding", embedding)
        memory = SealedMemory(identifiers.new_id("sealed"), namespace, content, self._clock())
        digest = hashlib.sha256(content.encode("utf-8")).hexdigest()
        stored, is_new = await self._rows.add(memory, vector, digest)
        return StoredSealed(stored, duplicate=not is_new)

    async def search(self, namespace: str, embedding: Sequence[float], limit: int = 5) -> list[SealedHit]:
        inputs.count("limit", limit, 1, MAX_LIMIT)
        return await self._rows.nearest(namespace, unit_vector("embedding", embedding), limit)

    async def get(self, namespace: str, memory_id: str) -> SealedMemory:
        inputs.text("memory_id", memory_id, 200)
        memory = await self._rows.get(namespace, memory_id)
        if memory is None:
            raise _no_memory(memory_id)
        return memory

    async def delete(self, namespace: str, memory_id: str) -> None:
        inputs.text("memory_id", memory_id, 200)
        if not await self._rows.erase(namespace, memory_id, self._clock()):
            raise _no_memory(memory_id)


def unit_vector(field: str, values: Sequence[float]) -> bytes:
    """Return an embedding scaled to length 1, as little-endian float32. Raises InvalidInput."""
    if not 1 <= len(values) <= MAX_DIMENSION:
        raise InvalidInput(field, f"has {len(values)} values; send 1 to {MAX_DIMENSION} numbers")
    if not all(type(value) in (int, float) for value in values):
        raise InvalidInput(field, "must be a list of numbers")
    try:
        length = math.hypot(*values)
        unit = [value / length for value in values]
    except (ZeroDivisionError, OverflowError):
        length = math.inf
    if not math.isfinite(length):
        raise InvalidInput(field, "has no direction; send finite numbers that are not all 0")
    return struct.pack(f"<{len(unit)}f", *unit)


def _no_memory(memory_id: str) -> NotFound:
    return NotFound(
        f"memory_id: there is no sealed memory {memory_id[:60]!r}; searches with query_embedding give valid ids"
    )
