"""The nearest memories by comparing every vector of a namespace that passes a filter."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from ...modules.memory.models import Candidate, MemoryFilter, Vector
from ..engine.ports import Engine, Row
from ..repositories import predicates


class ExactVectors:
    """Implements `Nearest` of `repositories.memories`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def nearest(
        self, namespace: str, vector: Vector, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        chosen = predicates.for_memories(namespace, where, now)
        rows = await self._engine.read(
            "SELECT m.id, e.begins, e.ends, e.vector FROM memories m JOIN embeddings e ON e.memory_seq = m.seq "
            f"WHERE e.generation = ? AND {chosen.sql} ORDER BY m.seq, e.part",
            (vector.generation, *chosen.parameters),
        )
        return await asyncio.to_thread(_best, rows, vector.data, limit) if rows else []


def _best(rows: Sequence[Row], query: bytes, limit: int) -> list[Candidate]:
    """Return the memories of the nearest passages, with the passage where a memory has several."""
    import numpy as np

    matrix = np.frombuffer(b"".join(row["vector"] for row in rows), dtype="<f4")
    cosines = matrix.reshape(len(rows), -1) @ np.frombuffer(query, dtype="<f4")
    parts: dict[str, int] = {}
    for row in rows:
        parts[row["id"]] = parts.get(row["id"], 0) + 1
    found: dict[str, Candidate] = {}
    for place in np.argsort(-cosines, kind="stable"):
        row = rows[int(place)]
        if row["id"] not in found:
            passage = (row["begins"], row["ends"]) if parts[row["id"]] > 1 else None
            found[row["id"]] = Candidate(row["id"], float(cosines[place]), passage)
            if len(found) == limit:
                break
    return list(found.values())
