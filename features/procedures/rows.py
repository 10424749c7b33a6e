"""Procedures: their evidence, and what is kept of them beside their texts."""

import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ...modules.facts.models import EVIDENCE_OF
from ...modules.identifiers import GLOBAL
from ...storage.engine.ports import Connection, Engine, Row
from ...storage.engine.times import to_us
from ...storage.repositories.audit import record_change
from ...storage.repositories.event_retention import HABIT, MINER
from ...storage.repositories.memory_rows import as_json
from .mining import BACKED_BY, backed
from .models import (
    LESSON,
    Attempt,
    Backing,
    ProcedureEvidence,
    ProcedureMemory,
    Revision,
    SessionMoment,
    ToolUse,
)

_RULES = "rules"
_OBSERVED = (
    "SELECT t.session, first.seq AS first_seq, last.seq AS last_seq, t.memory_id FROM stretches t "
    "JOIN sessions s ON s.id = t.session JOIN events first ON first.id = t.first_event "
    "JOIN events last ON last.id = t.last_event WHERE s.namespace = ? AND t.memory_id IS NOT NULL"
)


class ProcedureRows:
    """The evidence of procedures, and what is kept beside their texts."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._marks: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}

    async def mark(self, namespace: str) -> tuple[int, ...]:
        """Return a mark that changes whenever evidence is added or removed; cheap to read."""
        # Additions, and deletions (by the audit log), show at the ends of four tables. Only if one of them moved is it
        # worth a count.
        [ends] = await self._engine.read(
            "SELECT (SELECT max(memory_seq) FROM turns), (SELECT max(seq) FROM events), "
            "(SELECT max(seq) FROM changes), (SELECT max(seq) FROM audit)"
        )
        seen, mark = self._marks.get(namespace, ((), ()))
        if tuple(ends) != seen:
            mark = await self._counted(namespace)
            self._marks[namespace] = tuple(ends), mark
        return mark

    async def _counted(self, namespace: str) -> tuple[int, ...]:
        [row] = await self._engine.read(
            "SELECT (SELECT coalesce(max(memory_seq), 0) FROM turns WHERE namespace = ?1) AS turn, "
            "(SELECT count(*) FROM turns WHERE namespace = ?1) AS turns, "
            "(SELECT coalesce(max(seq), 0) FROM events WHERE namespace = ?1) AS event, "
            "(SELECT count(*) FROM events WHERE namespace = ?1) AS events, "
            "(SELECT coalesce(max(seq), 0) FROM changes WHERE namespace = ?1) AS change",
            (namespace,),
        )
        return tuple(row)

    async def evidence(self, namespace: str, limit: int) -> ProcedureEvidence:
        """Return the newest `limit` turns, tool calls and actions each, by session and in order; nothing forgotten."""
        turns = await self._engine.read(
            "SELECT s.key, t.role, m.id, m.content, m.place, m.occurred_at FROM turns t "
            "JOIN memories m ON m.seq = t.memory_seq JOIN sessions s ON s.id = t.session "
            "WHERE t.namespace = ? AND m.status <> 'forgotten' ORDER BY t.memory_seq DESC LIMIT ?",
            (namespace, limit),
        )
        events = await self._engine.read(
            "SELECT e.seq, s.key, e.session, e.type, e.role, e.text, e.structured, e.occurred_at FROM events e "
            "JOIN sessions s ON s.id = e.session WHERE e.namespace = ? AND e.type IN ('turn', 'tool_call') "
            "ORDER BY e.seq DESC LIMIT ?",
            (namespace, limit),
        )
        attempts = await self._engine.read(
            "SELECT e.id, e.action, e.success, e.outcome, e.context, t.memory_id FROM events e "
            # The key of an action that was observed begins with the stretch of work that shows it.
            "LEFT JOIN stretches t ON t.first_event = substr(e.idempotency_key, 1, strpos(e.idempotency_key, '/') - 1) "
            "WHERE e.namespace = ? AND e.type = 'reflection' ORDER BY e.seq DESC LIMIT ?",
            (namespace, limit),
        )
        observed = _Observed(await self._engine.read(_OBSERVED, (namespace,)))
        return ProcedureEvidence(
            tuple(_moments(list(reversed(turns)), list(reversed(events)), observed)),
            tuple(
                Attempt(r["id"], r["action"], bool(r["success"]), r["outcome"], r["context"], r["memory_id"])
                for r in reversed(attempts)
            ),
        )

    async def memories(self, namespace: str) -> list[ProcedureMemory]:
        """Return the memories that hold procedures and lessons, in whatever status, in order of arrival."""
        rows = await self._engine.read(
            "SELECT id, content, status, confirmations + rejections AS judged, metadata FROM memories "
            "WHERE seq IN (SELECT memory_seq FROM memory_tags WHERE namespace = ? AND tag IN (?, ?)) "
            "AND namespace = ? AND source = ? ORDER BY seq",
            (namespace, HABIT, LESSON, namespace, MINER),
        )
        return [
            ProcedureMemory(row["id"], row["content"], row["status"], row["judged"] > 0, json.loads(row["metadata"]))
            for row in rows
        ]

    async def revise(self, namespace: str, revisions: Sequence[Revision], now: datetime) -> frozenset[str]:
        """Update metadata and evidence of memories, in one transaction; return the ids of those that changed.

        A changed memory counts as accessed: it was observed again. Evidence that is gone by now is left out.
        """
        stale = await self._stale(namespace, revisions)

        async def work(connection: Connection) -> frozenset[str]:
            return frozenset([one.memory_id for one in stale if await _revise(connection, namespace, one, now)])

        return await self._engine.write(work) if stale else frozenset()

    async def back(self, memory_id: str, namespace: str, backing: Backing | None, now: datetime) -> bool:
        """Store the backing of a global habit by a namespace; None: it no longer backs it.

        The habit's numbers follow in the same transaction. Returns whether anything changed.
        """

        async def work(connection: Connection) -> bool:
            rows = await connection.fetch_all(
                "SELECT metadata FROM memories WHERE id = ? AND namespace = ?", (memory_id, GLOBAL)
            )
            before: dict[str, Any] = next((json.loads(row["metadata"]) for row in rows), {})
            if not isinstance(procedure := before.get(HABIT), dict):
                return False
            after = backed(procedure, namespace, backing)
            if after == procedure:
                return False
            await connection.execute(
                "UPDATE memories SET metadata = ?, updated_at = ? WHERE id = ?",
                (as_json({**before, HABIT: after}), to_us(now), memory_id),
            )
            action = "procedure.demote" if backing is None else "procedure.promote"
            await record_change(connection, now, GLOBAL, action, memory_id, by=namespace, backers=len(after[BACKED_BY]))
            return True

        return await self._engine.write(work)

    async def _stale(self, namespace: str, revisions: Sequence[Revision]) -> list[Revision]:
        """Return the revisions that differ from what is stored: the others need no transaction."""
        ids = as_json([one.memory_id for one in revisions])
        rows = await self._engine.read(
            "SELECT m.id, m.metadata FROM json_texts(?) given /*then*/ JOIN memories m ON m.id = given.value "
            "WHERE m.namespace = ?",
            (ids, namespace),
        )
        metadata = {row["id"]: row["metadata"] for row in rows}
        shown: defaultdict[str, set[str]] = defaultdict(set)
        for row in await self._engine.read(
            "SELECT r.from_id, r.to_id FROM json_texts(?) given /*then*/ JOIN relations r ON r.to_id = given.value "
            "AND r.type = ? AND r.evidence = ?",
            (ids, EVIDENCE_OF, _RULES),
        ):
            shown[row["to_id"]].add(row["from_id"])
        return [
            one
            for one in revisions
            if metadata.get(one.memory_id) != as_json(dict(one.metadata)) or shown[one.memory_id] != set(one.evidence)
        ]


class _Observed:
    """The observations, to find the one whose stretch contains an event."""

    def __init__(self, stretches: Sequence[Row]) -> None:
        self._of: defaultdict[str, list[tuple[int, int, str]]] = defaultdict(list)
        for row in stretches:
            self._of[row["session"]].append((row["first_seq"], row["last_seq"], row["memory_id"]))

    def memory(self, session: str, seq: int) -> str | None:
        return next((name for first, last, name in self._of.get(session, ()) if first <= seq <= last), None)


def _moments(turns: Sequence[Row], events: Sequence[Row], observed: _Observed) -> list[SessionMoment]:
    """Return what happened, grouped by session key. In sessions with added turns, overheard turns are left out."""
    placed: defaultdict[str, list[tuple[tuple[int, int, int], SessionMoment]]] = defaultdict(list)
    with_tools = {row["key"] for row in events if row["type"] == "tool_call"}
    for row in turns:
        at = row["occurred_at"] if row["key"] in with_tools else 0
        moment = SessionMoment(row["key"], row["role"], row["content"], row["id"])
        placed[row["key"]].append(((at, 0, row["place"] or 0), moment))
    with_turns = frozenset(placed)
    for row in events:
        is_call, has_turns = row["type"] == "tool_call", row["key"] in with_turns
        if has_turns and not is_call:
            continue
        at = row["occurred_at"] if has_turns else 0
        shown = observed.memory(row["session"], row["seq"])
        tool = _tool(json.loads(row["structured"])) if is_call else None
        placed[row["key"]].append(
            ((at, 1, row["seq"]), SessionMoment(row["key"], row["role"], row["text"], shown, tool))
        )
    return [moment for session in placed.values() for _, moment in sorted(session, key=lambda entry: entry[0])]


def _tool(call: dict[str, Any]) -> ToolUse:
    return ToolUse(str(call.get("tool", "")), str(call.get("command", "")), tuple(call.get("files_modified", ())))


async def _revise(connection: Connection, namespace: str, revision: Revision, now: datetime) -> bool:
    metadata = as_json(dict(revision.metadata))
    changed = await connection.execute(
        "UPDATE memories SET metadata = ?1, updated_at = ?2, accessed_at = greatest(accessed_at, ?2) "
        "WHERE id = ?3 AND namespace = ?4 AND metadata <> ?1",
        (metadata, to_us(now), revision.memory_id, namespace),
    )
    evidence = as_json(list(revision.evidence))
    removed = await connection.execute(
        "DELETE FROM relations WHERE to_id = ? AND type = ? AND evidence = ? "
        "AND from_id NOT IN (SELECT value FROM json_texts(?))",
        (revision.memory_id, EVIDENCE_OF, _RULES, evidence),
    )
    added = await connection.execute(
        "INSERT INTO relations (from_id, to_id, type, weight, evidence, created_at) "
        "SELECT m.id, ?2, ?3, 1.0, ?4, ?5 FROM json_texts(?1) given /*then*/ JOIN memories m ON m.id = given.value "
        "AND m.namespace = ?6 WHERE EXISTS (SELECT 1 FROM memories WHERE id = ?2 AND namespace = ?6) "
        "ON CONFLICT DO NOTHING",
        (evidence, revision.memory_id, EVIDENCE_OF, _RULES, to_us(now), namespace),
    )
    if changed or removed or added:
        await record_change(connection, now, namespace, "procedure.mine", revision.memory_id)
    return bool(changed or removed or added)
