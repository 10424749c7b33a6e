"""Vectors that are still owed, in SQLite."""

from collections.abc import Sequence

import aiosqlite

from ...modules.clock import Clock
from ...modules.memory.models import Vector
from ...modules.memory.ports import UnembeddedText
from .memories import write_vector
from .sqlite import Sqlite
from .times import to_us
from .vectors import outbox_bounds


class SqliteBacklog:
    """Implements `modules.memory.ports.EmbeddingBacklog`."""

    def __init__(self, sqlite: Sqlite, clock: Clock) -> None:
        self._sqlite = sqlite
        self._clock = clock

    async def generation(self, fingerprint: str, dimension: int) -> int:
        rows = await self._sqlite.read("SELECT id FROM embedding_generations WHERE fingerprint = ?", (fingerprint,))
        if rows:
            return int(rows[0]["id"])

        async def work(connection: aiosqlite.Connection) -> int:
            await connection.execute(
                "INSERT INTO embedding_generations (fingerprint, dimension, created_at) VALUES (?, ?, ?) "
                "ON CONFLICT (fingerprint) DO NOTHING",
                (fingerprint, dimension, to_us(self._clock())),
            )
            [row] = await connection.execute_fetchall(
                "SELECT id FROM embedding_generations WHERE fingerprint = ?", (fingerprint,)
            )
            return int(row["id"])

        return await self._sqlite.write(work)

    async def mark(self) -> tuple[int, int]:
        newest, _ = await outbox_bounds(self._sqlite)
        [row] = await self._sqlite.read("SELECT coalesce(max(seq), 0) FROM memories")
        return newest, row[0]

    async def unembedded(self, generation: int, limit: int) -> list[UnembeddedText]:
        rows = await self._sqlite.read(
            "SELECT m.id, m.version, m.content FROM memories m WHERE NOT EXISTS "
            "(SELECT 1 FROM embeddings e WHERE e.generation = ? AND e.memory_seq = m.seq) "
            "ORDER BY m.seq LIMIT ?",
            (generation, limit),
        )
        return [UnembeddedText(row["id"], row["version"], row["content"]) for row in rows]

    async def add_vectors(self, texts: Sequence[UnembeddedText], vectors: Sequence[Vector]) -> int:
        async def work(connection: aiosqlite.Connection) -> int:
            stored = 0
            for text, vector in zip(texts, vectors, strict=True):
                rows = list(
                    await connection.execute_fetchall(
                        "SELECT m.seq, m.namespace FROM memories m WHERE m.id = ? AND m.version = ? AND NOT EXISTS "
                        "(SELECT 1 FROM embeddings e WHERE e.generation = ? AND e.memory_seq = m.seq)",
                        (text.memory_id, text.version, vector.generation),
                    )
                )
                for row in rows:
                    await write_vector(connection, row["namespace"], row["seq"], vector)
                    stored += 1
            return stored

        return await self._sqlite.write(work)
