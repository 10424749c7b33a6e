"""The nearest memories by comparing every vector of a namespace that passes a filter."""

import asyncio
from datetime import datetime

from ...modules.memory.models import Candidate, MemoryFilter, Vector
from ..engine.ports import Engine
from ..engine.vector_table import PassageVector, nearest_of
from ..repositories import predicates


class PostgresExactVectors:
    """Implements `Nearest` of `repositories.searched_memories`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def nearest(
        self, namespace: str, vector: Vector, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        chosen = predicates.for_memories(namespace, where, now)
        rows = await self._engine.read(
            "SELECT m.seq, e.part, e.vector, m.id, e.begins, e.ends FROM memories m "
            f"JOIN embeddings e ON e.memory_seq = m.seq WHERE e.generation = ? AND {chosen.sql} ORDER BY m.seq, e.part",
            (vector.generation, *chosen.parameters),
        )
        passages = {(row["seq"], row["part"]): row for row in rows}
        several = {seq for seq, part in passages if part}
        near = await asyncio.to_thread(nearest_of, [PassageVector(*row[:3]) for row in rows], vector.data, limit)
        found = []
        for seq, part, cosine in near:
            row = passages[seq, part]
            found.append(Candidate(row["id"], cosine, (row["begins"], row["ends"]) if seq in several else None))
        return found
