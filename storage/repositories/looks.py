"""The memories that owe a look: they have their first vector, and nobody has compared them with others yet."""

from collections.abc import Sequence

from ...modules.memory.ports import UnembeddedText
from ..engine.ports import Connection, Engine
from .memory_rows import as_json

OWE = (
    "INSERT INTO owed_looks (memory_seq) SELECT value FROM json_numbers(?) WHERE NOT EXISTS "
    "(SELECT 1 FROM embeddings e WHERE e.memory_seq = value AND e.part = 0 AND e.generation <> ?) "
    "ON CONFLICT DO NOTHING"
)
"""Notes new memories by their numbers, not those that another model had embedded: they were looked at then."""


class LooksRepository:
    """Implements `modules.memory.ports.OwedLooks`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def looks(self, generation: int, after: int, limit: int) -> tuple[list[UnembeddedText], int, bool]:
        rows = await self._engine.read(
            "SELECT m.seq, m.id, m.content FROM owed_looks o JOIN memories m ON m.seq = o.memory_seq "
            "WHERE o.memory_seq > ? AND EXISTS (SELECT 1 FROM embeddings e WHERE e.generation = ? "
            "AND e.memory_seq = m.seq) ORDER BY o.memory_seq LIMIT ?",
            (after, generation, limit),
        )
        texts = [UnembeddedText(row["id"], row["content"]) for row in rows]
        return texts, rows[-1]["seq"] if rows else after, len(rows) == limit

    async def looked(self, memory_ids: Sequence[str], keep: int) -> None:
        async def work(connection: Connection) -> None:
            await connection.execute(
                "DELETE FROM owed_looks WHERE memory_seq IN "
                "(SELECT seq FROM memories WHERE id IN (SELECT value FROM json_texts(?)))",
                (as_json(list(memory_ids)),),
            )
            await connection.execute(
                "DELETE FROM owed_looks WHERE memory_seq <= "
                "(SELECT memory_seq FROM owed_looks ORDER BY memory_seq DESC LIMIT 1 OFFSET ?)",
                (keep,),
            )

        await self._engine.write(work, durable=False)
