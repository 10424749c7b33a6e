"""What is still to be done with memories: their vectors, and a look at those that have their first."""

from collections.abc import Sequence

from ...modules.clock import Clock
from ...modules.memory.models import EmbeddingGeneration, Passage
from ...modules.memory.ports import BacklogPosition, UnembeddedText
from ..engine.ports import Connection, Engine, Row
from ..engine.times import to_us
from .memory_rows import as_json
from .memory_writing import write_passages

_NO_VECTOR = "NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.generation = ? AND e.memory_seq = m.seq)"
_OWE = (
    "INSERT INTO owed_looks (memory_seq) SELECT value FROM json_numbers(?) WHERE NOT EXISTS "
    "(SELECT 1 FROM embeddings e WHERE e.memory_seq = value AND e.part = 0 AND e.generation <> ?) "
    "ON CONFLICT DO NOTHING"
)
"""Notes new memories by their numbers, not those that another model had embedded: they were looked at then."""


class BacklogRepository:
    """Vectors that are still owed: new and changed texts, and those that another model embedded."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    async def generation(self, fingerprint: str, dimension: int) -> int:
        """Return the number of the generation that a model's fingerprint stands for; registered at first use."""
        rows = await self._engine.read("SELECT id FROM embedding_generations WHERE fingerprint = ?", (fingerprint,))
        if rows:
            return int(rows[0]["id"])

        async def work(connection: Connection) -> int:
            await connection.execute(
                "INSERT INTO embedding_generations (fingerprint, dimension, created_at) VALUES (?, ?, ?) "
                "ON CONFLICT (fingerprint) DO NOTHING",
                (fingerprint, dimension, to_us(self._clock())),
            )
            [row] = await connection.fetch_all(
                "SELECT id FROM embedding_generations WHERE fingerprint = ?", (fingerprint,)
            )
            return int(row["id"])

        return await self._engine.write(work)

    async def is_stopped(self, generation: int) -> bool:
        """Return whether somebody has stopped the embedding of what is owed to a generation."""
        rows = await self._engine.read("SELECT stopped_at FROM embedding_generations WHERE id = ?", (generation,))
        return bool(rows) and rows[0]["stopped_at"] is not None

    async def stop(self, generation: int, *, stopped: bool) -> None:
        """Stop the embedding of what is owed to a generation, for every process, or let it go on."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "UPDATE embedding_generations SET stopped_at = ? WHERE id = ?",
                (to_us(self._clock()) if stopped else None, generation),
            )

        await self._engine.write(work)

    async def mark(self) -> tuple[int, int]:
        """Return a value that changes whenever a memory came that may lack a vector, or a vector changed; cheap."""
        [row] = await self._engine.read("SELECT coalesce(newest('index_outbox'), 0), coalesce(newest('memories'), 0)")
        return row[0], row[1]

    async def beginning(self, generation: int) -> tuple[BacklogPosition, int, int]:
        """Return where a look for memories without a vector begins, behind those that all have one, and `coverage`."""
        newest_change, newest_memory = await self.mark()
        embedded, memories = await self.coverage(generation)
        # To count takes a fraction of the time of a look for those without a vector.
        return BacklogPosition(newest_memory if embedded >= memories else 0, newest_change), embedded, memories

    async def owed(
        self, generation: int, position: BacklogPosition, limit: int
    ) -> tuple[list[UnembeddedText], BacklogPosition]:
        """Return memories after a position without a vector of this generation, oldest first, and where to go on.

        A text that lost its vector counts as coming after every position from before that.
        """
        # Read before the rows: what is written in between comes after this mark, and the next call finds it.
        newest_change, newest_memory = await self.mark()
        rows: list[Row] = []
        if position.memory < newest_memory:
            rows = await self._engine.read(
                f"SELECT m.seq, m.id, m.content FROM memories m WHERE m.seq > ? AND {_NO_VECTOR} "
                "ORDER BY m.seq LIMIT ?",
                (position.memory, generation, limit),
            )
        if rows:
            return _texts(rows), BacklogPosition(rows[-1]["seq"], position.change)
        if position.change < newest_change:
            rows = await self._engine.read(
                "SELECT max(o.seq) AS change, m.id, m.content FROM index_outbox o "
                "JOIN memories m ON m.seq = o.memory_seq "
                f"WHERE o.seq > ? AND o.operation = 'delete' AND {_NO_VECTOR} GROUP BY m.seq ORDER BY change LIMIT ?",
                (position.change, generation, limit),
            )
        memory = max(position.memory, newest_memory)
        change = rows[-1]["change"] if len(rows) == limit else max(position.change, newest_change)
        return _texts(rows), BacklogPosition(memory, change)

    async def coverage(self, generation: int) -> tuple[int, int]:
        """Return how many memories have their vectors of this generation, and how many memories there are."""
        [row] = await self._engine.read(
            "SELECT (SELECT count(*) FROM embeddings WHERE generation = ? AND part = 0), "
            "(SELECT count(*) FROM memories)",
            (generation,),
        )
        return row[0], row[1]

    async def largest_other(self, generation: int) -> EmbeddingGeneration | None:
        """Return of the other generations the one with the most memories; None where none has any."""
        rows = await self._engine.read(
            "SELECT g.id, g.fingerprint, count(*) AS embedded FROM embedding_generations g "
            "/*then*/ JOIN embeddings e ON e.generation = g.id AND e.part = 0 WHERE g.id <> ? "
            "GROUP BY g.id, g.fingerprint ORDER BY embedded DESC, g.id DESC LIMIT 1",
            (generation,),
        )
        return EmbeddingGeneration(rows[0]["id"], rows[0]["fingerprint"], rows[0]["embedded"]) if rows else None

    async def drop_others(self, generation: int, limit: int) -> int:
        """Erase up to `limit` vectors of each other generation; return how many were erased."""
        others = await self._engine.read("SELECT id FROM embedding_generations WHERE id <> ?", (generation,))

        async def work(connection: Connection) -> int:
            dropped = 0
            for other in others:
                dropped += await connection.execute(
                    "DELETE FROM embeddings WHERE id IN (SELECT id FROM embeddings WHERE generation = ? LIMIT ?)",
                    (other["id"], limit),
                )
            return dropped

        return await self._engine.write(work, durable=False) if others else 0

    async def add_passages(
        self, texts: Sequence[UnembeddedText], passages: Sequence[Sequence[Passage]], generation: int
    ) -> int:
        """Store the passages of texts that have not changed since; return the number of these texts.

        Not fsynced: they can be made again. Raises StorageUnavailable when the database is busy for long.
        """

        async def work(connection: Connection) -> int:
            stored: list[int] = []
            ids = as_json([text.memory_id for text in texts])
            for row in await connection.fetch_all(
                "SELECT DISTINCT namespace FROM memories WHERE id IN (SELECT value FROM json_texts(?)) "
                "ORDER BY namespace",
                (ids,),
            ):
                await connection.lock(row["namespace"])  # so that no other process embeds or changes them meanwhile
            for text, found in zip(texts, passages, strict=True):
                rows = await connection.fetch_all(
                    f"SELECT m.seq, m.namespace FROM memories m WHERE m.id = ? AND m.content = ? AND {_NO_VECTOR}",
                    (text.memory_id, text.content, generation),
                )
                for row in rows:
                    await write_passages(connection, row["namespace"], row["seq"], found, generation)
                    stored.append(row["seq"])
            await connection.execute(_OWE, (as_json(stored), generation))
            return len(stored)

        return await self._engine.write(work, durable=False)


class LooksRepository:
    """New memories that nobody has compared with others: from their first vector on, which notes them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def looks(self, generation: int, after: int, limit: int) -> tuple[list[UnembeddedText], int, bool]:
        """Return memories after a position that owe a look and have their vector, the oldest first.

        With them comes the position where to go on, and whether there may be more; 0 is the first position.
        """
        rows = await self._engine.read(
            "SELECT m.seq, m.id, m.content FROM owed_looks o /*then*/ JOIN memories m ON m.seq = o.memory_seq "
            "WHERE o.memory_seq > ? AND EXISTS (SELECT 1 FROM embeddings e WHERE e.generation = ? "
            "AND e.memory_seq = m.seq) ORDER BY o.memory_seq LIMIT ?",
            (after, generation, limit),
        )
        return _texts(rows), rows[-1]["seq"] if rows else after, len(rows) == limit

    async def looked(self, memory_ids: Sequence[str], keep: int) -> None:
        """Note that memories owe no look any more, nor does any but the newest `keep`.

        Not fsynced: a second look changes nothing. Raises StorageUnavailable when the database is busy for long.
        """

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


def _texts(rows: Sequence[Row]) -> list[UnembeddedText]:
    return [UnembeddedText(row["id"], row["content"]) for row in rows]
