"""Turns to be read for facts, and which of them were read already."""

import json
import re
from collections.abc import Sequence

from ...modules.extraction.models import SpokenTurn
from ..engine.ports import Connection, Engine, Row
from ..engine.times import from_us
from . import predicates
from .memory_rows import as_json

_COLUMNS = "m.seq, m.id, m.namespace, m.speaker, m.content, m.occurred_at, m.trust, m.version, m.metadata, t.role"
_EVIDENCE_OF = "evidence_of"


class TurnReadingsRepository:
    """Storage of turns of conversations, and of which of them were read."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def turns(self, namespace: str, memory_ids: Sequence[str]) -> list[SpokenTurn]:
        """Return the memories that are turns and may be read, in the order in which they were said."""
        rows = await self._engine.read(
            f"SELECT {_COLUMNS} FROM json_texts(?) given /*then*/ JOIN memories m ON m.id = given.value "
            f"JOIN turns t ON t.memory_seq = m.seq WHERE m.namespace = ? AND {predicates.VISIBLE} ORDER BY m.seq",
            (as_json(list(memory_ids)), namespace),
        )
        return [_turn(row) for row in rows]

    async def read_before(self, namespace: str, memory_ids: Sequence[str], reader: str) -> frozenset[str]:
        """Those of the turns that a reader has read as they stand."""
        rows = await self._engine.read(
            "SELECT m.id FROM json_texts(?) given /*then*/ JOIN memories m ON m.id = given.value "
            "JOIN readings r ON r.reader = ? AND r.memory_seq = m.seq AND r.version >= m.version WHERE m.namespace = ?",
            (as_json(list(memory_ids)), reader, namespace),
        )
        return frozenset(row["id"] for row in rows)

    async def unread_everywhere(self, limit: int) -> list[SpokenTurn]:
        """Return user turns of all namespaces that are unread at their current version, the oldest first."""
        rows = await self._engine.read(
            f"SELECT {_COLUMNS} FROM turns t /*by turns_unread*/ /*then*/ JOIN memories m ON m.seq = t.memory_seq "
            f"WHERE t.unread AND t.role = 'user' AND {predicates.VISIBLE} ORDER BY t.memory_seq LIMIT ?",
            (limit,),
        )
        return [_turn(row) for row in rows]

    async def note_read(self, namespace: str, turns: Sequence[SpokenTurn], readers: Sequence[str]) -> None:
        """Note that turns have been read, and by whom."""

        async def work(connection: Connection) -> None:
            await connection.execute_many(
                "INSERT INTO readings (memory_seq, reader, version, namespace) "
                "SELECT seq, ?, ?, namespace FROM memories WHERE id = ? AND namespace = ? "
                "ON CONFLICT (reader, memory_seq) DO UPDATE SET version = excluded.version",
                [(reader, turn.version, turn.memory_id, namespace) for turn in turns for reader in readers],
            )
            await connection.execute_many(
                "UPDATE turns SET unread = FALSE WHERE memory_seq = (SELECT seq FROM memories WHERE id = ? "
                "AND version = ? AND namespace = ?)",
                [(turn.memory_id, turn.version, namespace) for turn in turns],
            )

        await self._engine.write(work, durable=False)

    async def standing_on(self, namespace: str, memory_ids: Sequence[str]) -> list[str]:
        """Return the ids of the facts found in turns, the oldest first."""
        rows = await self._engine.read(
            "SELECT DISTINCT m.id, m.seq FROM json_texts(?) given JOIN relations r ON r.from_id = given.value "
            f"AND r.type = ? JOIN memories m ON m.id = r.to_id AND m.namespace = ? AND {predicates.FOUND} "
            f"AND {predicates.VISIBLE} ORDER BY m.seq",
            (as_json(list(memory_ids)), _EVIDENCE_OF, namespace),
        )
        return [row["id"] for row in rows]

    async def evidence(self, namespace: str, fact_ids: Sequence[str]) -> dict[str, list[str]]:
        """Return the turns that support each fact, by the fact's id, the oldest first."""
        rows = await self._engine.read(
            "SELECT r.to_id, m.id FROM json_texts(?) given JOIN relations r ON r.to_id = given.value AND r.type = ? "
            "JOIN memories m ON m.id = r.from_id AND m.namespace = ? JOIN turns t ON t.memory_seq = m.seq "
            "ORDER BY m.seq",
            (as_json(list(fact_ids)), _EVIDENCE_OF, namespace),
        )
        found: dict[str, list[str]] = {}
        for row in rows:
            found.setdefault(row["to_id"], []).append(row["id"])
        return found


def _turn(row: Row) -> SpokenTurn:
    speaker, text = row["speaker"], row["content"]
    utterance = text if speaker is None else re.sub(rf"^\s*{re.escape(speaker)}:\s+", "", text, count=1)
    role = row["role"]
    named = speaker if speaker is not None and speaker.lower() not in (role, "human", "me", "ai") else None
    return SpokenTurn(
        memory_id=row["id"],
        namespace=row["namespace"],
        role=role,
        speaker=named,
        text=utterance,
        occurred_at=from_us(row["occurred_at"]),
        trust=row["trust"],
        version=row["version"],
        project=str(json.loads(row["metadata"]).get("project") or ""),
    )
