"""Surroundings of memories: turns of the same session, memories before and after, speakers."""

import json
from collections.abc import Sequence
from datetime import datetime

from ...modules.facts.models import SUPERSEDES, Relation
from ...modules.memory.models import Memory, MemoryFilter, RankedTurn, Status, Timeline
from ..engine.ports import Engine, Row
from ..engine.times import from_us, maybe_from_us, to_us
from . import predicates
from .memory_rows import COLUMNS, LIKELY_SUCCESSOR, likely_successor, to_memory

MAX_SPEAKERS = 1_000
MOST_NAMED = 10_000
"""More than are ever named. Untold, SQLite expects a million, and reads all sessions of a store for a Bloom filter."""

_STATUS = {status.value: status for status in Status}  # ten times as fast as the enumeration's own look-up

# Each step asks the index for the next name: rows of one speaker are skipped, however many there are.
_SPEAKERS = f"""
WITH RECURSIVE found (name) AS (
    SELECT min(speaker) FROM memories WHERE namespace = ?1 AND speaker IS NOT NULL
    UNION ALL
    SELECT (SELECT min(speaker) FROM memories WHERE namespace = ?1 AND speaker > found.name)
    FROM found WHERE found.name IS NOT NULL /*limit {MAX_SPEAKERS}*/
)
SELECT name FROM found WHERE name IS NOT NULL
"""
# In this order: the ids, then the rows that they name, then the neighbours of each by their index.
# Numbers are sorted, not rows: a sorter would copy every vector. Neighbours that are hidden, or hold no more, are
# left out; for the named memories themselves a filter has decided that.
_SHOWN = f"{predicates.VISIBLE} AND (m.valid_to IS NULL OR m.valid_to > ?4)"
_READ = f"""
SELECT m.seq, m.id, m.content, m.session, m.place,
       coalesce(m.speaker, CASE WHEN m.session IS NULL THEN m.metadata ->> 'speaker' END) AS speaker,
       m.occurred_at, m.created_at, m.importance, m.accessed_at, e.vector, m.status, m.confidence, m.trust, m.subject,
       m.attribute, m.valid_to, m.slot_confidence >= 1 AS slot_given, m.valid_from,
       coalesce((SELECT said.role FROM turns said WHERE said.memory_seq = m.seq),
                CASE WHEN m.session IS NULL THEN m.metadata ->> 'role' END) AS said_by,
       {predicates.PROJECT} AS project, {LIKELY_SUCCESSOR} AS likely_successor
FROM (SELECT seq FROM near ORDER BY seq) near /*each*/ JOIN memories m ON m.seq = near.seq
LEFT JOIN embeddings e ON e.generation = ?3 AND e.memory_seq = m.seq AND e.part = 0
WHERE (m.expires_at IS NULL OR m.expires_at > ?4)
"""
_TURNS = f"""
WITH named (seq, session, place) AS MATERIALIZED (
    SELECT m.seq, m.session, m.place FROM json_texts(?1) given /*then*/ JOIN memories m ON m.id = given.value
    WHERE m.namespace = ?2
), near (seq) AS (
    SELECT seq FROM named UNION
    SELECT m.seq FROM (SELECT * FROM named LIMIT {MOST_NAMED}) named /*then*/ JOIN memories m /*by memories_by_session*/
    ON m.namespace = ?2 AND m.session = named.session AND m.place BETWEEN named.place - ?5 AND named.place + ?5
    AND {_SHOWN}
)
{_READ}"""
# Each look-up asks the index for the next number.
_BEFORE, _AFTER = "before_in(?2, {seq})", "after_in(?2, {seq})"
_STORED_BESIDE = f"""
WITH given (seq) AS MATERIALIZED (SELECT value FROM json_numbers(?1)), beside (seq) AS MATERIALIZED (
    SELECT {_BEFORE.format(seq="given.seq")} FROM given UNION SELECT {_AFTER.format(seq="given.seq")} FROM given
), near (seq) AS (
    SELECT seq FROM given UNION SELECT seq FROM beside UNION
    SELECT {_BEFORE.format(seq="beside.seq")} FROM beside UNION SELECT {_AFTER.format(seq="beside.seq")} FROM beside
)
{_READ} AND m.session IS NULL AND NOT {predicates.ASIDE} AND {_SHOWN}"""
_PREVIOUS = f"""
SELECT given.value AS seq, {_BEFORE.format(seq="given.value")} AS previous FROM json_numbers(?1) given
"""


class SurroundingsRepository:
    """The surroundings of memories: turns of the same session, what came before and after, who spoke."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def speakers(self, namespace: str) -> list[str]:
        """Return who speaks in the conversations of a namespace, each once, in alphabetical order; at most 1,000."""
        rows = await self._engine.read(_SPEAKERS, (namespace,))
        return [row[0] for row in rows]

    async def replacing(self, namespace: str, memory_ids: Sequence[str]) -> frozenset[str]:
        """Those of the memories that have replaced others."""
        rows = await self._engine.read(
            "SELECT DISTINCT r.from_id FROM json_texts(?) given /*then*/ JOIN relations r ON r.from_id = given.value "
            "AND r.type = ? /*then*/ JOIN memories m ON m.id = r.from_id AND /*unindexed*/m.namespace = ?",
            (json.dumps(list(memory_ids)), SUPERSEDES, namespace),
        )
        return frozenset(row["from_id"] for row in rows)

    async def turns(
        self, namespace: str, memory_ids: Sequence[str], now: datetime, generation: int | None, reach: int = 2
    ) -> list[RankedTurn]:
        """Return the memories with these ids, and those up to `reach` places from them in their session, each once.

        In no order, without the expired. Neighbours need not pass the filter. Vectors are of one `generation`, if any.
        """
        rows = await self._engine.read(_TURNS, (json.dumps(list(memory_ids)), namespace, generation, to_us(now), reach))
        return [_turn(row) for row in rows]

    async def stored_beside(
        self, namespace: str, seqs: Sequence[int], now: datetime, generation: int | None
    ) -> list[tuple[RankedTurn, int | None]]:
        """Return the memories with these numbers, and those up to two before and after them in order of arrival.

        Each once, without those of a session and hidden ones, with the number of the memory that came before it.
        """
        given = (json.dumps(list(seqs)), namespace, generation, to_us(now))
        rows = await self._engine.read(_STORED_BESIDE, given)
        turns = [_turn(row) for row in rows]
        read = await self._engine.read(_PREVIOUS, (json.dumps([turn.seq for turn in turns]), namespace))
        previous = {row["seq"]: row["previous"] for row in read}
        return [(turn, previous[turn.seq]) for turn in turns]

    async def relations(self, namespace: str, memory_id: str, limit: int) -> list[Relation]:
        """The edges between a memory and others, the newest first."""
        rows = await self._engine.read(
            "SELECT * FROM (SELECT * FROM relations WHERE from_id = ?1 UNION ALL "  # two look-ups: OR would read all
            "SELECT * FROM relations WHERE to_id = ?1 AND from_id <> ?1) "
            "WHERE EXISTS (SELECT 1 FROM memories WHERE id = ?1 AND namespace = ?3) "
            "ORDER BY created_at DESC, from_id, to_id LIMIT ?2",
            (memory_id, limit, namespace),
        )
        return [Relation(row["from_id"], row["to_id"], row["type"], row["weight"], row["evidence"]) for row in rows]

    async def related(
        self, namespace: str, memory_ids: Sequence[str], kinds: Sequence[str], limit: int
    ) -> list[Relation]:
        """The edges of some kinds between memories and others, those of the greatest weight first."""
        within = (
            "SELECT r.* FROM relations r WHERE r.{end} IN (SELECT value FROM json_texts(?2)) "
            "AND r.type IN (SELECT value FROM json_texts(?3)) "
            "AND EXISTS (SELECT 1 FROM memories m WHERE m.id = r.{end} AND m.namespace = ?1)"
        )
        rows = await self._engine.read(  # UNION leaves out what both look-ups find
            f"SELECT * FROM ({within.format(end='from_id')} UNION {within.format(end='to_id')}) "
            "ORDER BY weight DESC, from_id, to_id LIMIT ?4",
            (namespace, json.dumps(list(memory_ids)), json.dumps(list(kinds)), limit),
        )
        return [Relation(row["from_id"], row["to_id"], row["type"], row["weight"], row["evidence"]) for row in rows]

    async def around(self, memory: Memory, now: datetime, before: int, after: int) -> Timeline:
        """Return the memories nearest to one, before and after it: in its session, else in the namespace by date."""
        earlier = await self._beside(memory, now, before, earlier=True)
        later = await self._beside(memory, now, after, earlier=False)
        return Timeline(tuple(reversed(earlier)), memory, tuple(later))

    async def _beside(self, memory: Memory, now: datetime, limit: int, *, earlier: bool) -> list[Memory]:
        """Return the memories next to one on one side, the nearest first."""
        chosen = predicates.for_memories(
            memory.namespace, MemoryFilter(session=memory.session, include_superseded=True), now
        )
        side, direction = ("<", "DESC") if earlier else (">", "ASC")
        if memory.session is not None:
            chosen.add(f"m.place {side} ?", memory.place)
            order = f"m.place {direction}"
        else:
            chosen.add(
                f"(m.occurred_at, m.seq) {side} (?, (SELECT seq FROM memories WHERE id = ?))",
                to_us(memory.occurred_at),
                memory.id,
            )
            order = f"m.occurred_at {direction}, m.seq {direction}"
        rows = await self._engine.read(
            f"SELECT {COLUMNS} FROM memories m WHERE {chosen.sql} ORDER BY {order} LIMIT ?", (*chosen.parameters, limit)
        )
        return [to_memory(row) for row in rows]


def _turn(row: Row) -> RankedTurn:
    seq, memory_id, content, session, place, speaker, occurred_at, created_at, importance, accessed_at, *rest = row
    vector, status, confidence, trust, subject, attribute, valid_to, slot_given, valid_from, *rest = rest
    role, project, successor = rest
    outdated = likely_successor(successor)
    return RankedTurn(
        seq,
        memory_id,
        content,
        session,
        place,
        speaker,
        from_us(occurred_at),
        from_us(created_at),
        importance,
        from_us(accessed_at),
        vector,
        _STATUS[status],
        confidence,
        trust,
        subject,
        attribute,
        maybe_from_us(valid_to),
        bool(slot_given),
        None if outdated is None else outdated.id,
        maybe_from_us(valid_from),
        role,
        project,
    )
