"""The progress of a derived index: which changes of the outbox in SQLite it holds, and which it must still apply."""

import json
from collections.abc import Collection, Sequence

from ...modules.records import dataclass
from ..engine.ports import Connection
from ..engine.vector_table import PassageVector
from .database import Sqlite
from .vector_search import outbox_bounds

KEEP_CHANGES = 10_000
"""Applied changes that are kept for the exact tables of other processes; a process that missed older ones reloads."""


@dataclass(frozen=True)
class IndexChange:
    """A change to apply: the memory's namespace and number, and how many passages the change removed."""

    seq: int
    namespace: str
    memory_seq: int
    passages: int


class IndexProgress:
    """Reads the outbox for one index and remembers the last change that it holds."""

    def __init__(self, sqlite: Sqlite, name: str) -> None:
        self._sqlite = sqlite
        self._name = name
        self._generation = 0

    async def can_continue(self, generation: int) -> bool:
        """Return whether the index holds this generation, and every later change is still in the outbox."""
        self._generation = generation
        rows = await self._sqlite.read("SELECT * FROM index_state WHERE name = ?", (self._name,))
        newest, oldest = await outbox_bounds(self._sqlite)
        if not rows or rows[0]["generation"] != generation:
            return False
        applied: int = rows[0]["applied"]
        return oldest <= applied + 1 <= newest + 1

    async def applied(self) -> int:
        """Return the last change that the index holds; 0 before the first."""
        rows = await self._sqlite.read("SELECT applied FROM index_state WHERE name = ?", (self._name,))
        return int(rows[0]["applied"]) if rows else 0

    async def newest(self) -> int:
        """Return the newest change in the outbox."""
        return (await outbox_bounds(self._sqlite))[0]

    async def changes(self, after: int, limit: int, namespace: str | None = None) -> list[IndexChange]:
        """Return the changes after one, in order; of one namespace or of all."""
        rows = await self._sqlite.read(
            "SELECT seq, namespace, memory_seq, passages FROM index_outbox "
            "WHERE seq > ? AND (? IS NULL OR namespace = ?) ORDER BY seq LIMIT ?",
            (after, namespace, namespace, limit),
        )
        return [IndexChange(*row) for row in rows]

    async def vectors_of(self, memory_seqs: Collection[int]) -> list[PassageVector]:
        """Return the current vectors of memories, passages in order; none of a memory without vectors."""
        rows = await self._sqlite.read(
            "SELECT memory_seq, part, vector FROM embeddings "
            "WHERE generation = ? AND memory_seq IN (SELECT value FROM json_each(?)) ORDER BY memory_seq, part",
            (self._generation, json.dumps(list(memory_seqs))),
        )
        return [PassageVector(*row) for row in rows]

    async def advance(self, generation: int, applied: int) -> None:
        """Note that the index holds every change up to one; drop changes that nobody needs any more."""
        self._generation = generation

        async def work(connection: Connection) -> None:
            await connection.execute(
                "INSERT INTO index_state (name, generation, applied) VALUES (?, ?, ?) "
                "ON CONFLICT (name) DO UPDATE SET generation = excluded.generation, applied = excluded.applied",
                (self._name, generation, applied),
            )
            await connection.execute("DELETE FROM index_outbox WHERE seq <= ?", (applied - KEEP_CHANGES,))

        # Not durable: after a power loss the note may be older than the index; applying a change again is harmless.
        await self._sqlite.write(work, durable=False)

    async def expected_count(self, generation: int) -> int:
        """Return how many vectors an index that holds every change must have."""
        [row] = await self._sqlite.read("SELECT count(*) FROM embeddings WHERE generation = ?", (generation,))
        return int(row[0])

    async def vectors_after(
        self, generation: int, after: tuple[int, int], limit: int
    ) -> list[tuple[str, PassageVector]]:
        """Return the next passages in order, as (namespace, vector), after a (memory number, part)."""
        rows = await self._sqlite.read(
            "SELECT m.namespace, e.memory_seq, e.part, e.vector FROM embeddings e "
            "JOIN memories m ON m.seq = e.memory_seq WHERE e.generation = ? AND (e.memory_seq, e.part) > (?, ?) "
            "ORDER BY e.memory_seq, e.part LIMIT ?",
            (generation, *after, limit),
        )
        return [(row[0], PassageVector(row[1], row[2], row[3])) for row in rows]

    async def ids(self, seqs: Sequence[int]) -> dict[int, str]:
        """Return the ids of memories that still exist, by sequence number."""
        rows = await self._sqlite.read(
            "SELECT seq, id FROM memories WHERE seq IN (SELECT value FROM json_each(?))",
            (json.dumps(list(seqs)),),
        )
        return {row["seq"]: row["id"] for row in rows}
