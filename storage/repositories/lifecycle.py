"""Judgements of memories, with the standings before and after each, so that it can be undone exactly."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from ...modules.facts.models import EVIDENCE_OF, SUPERSEDES, Relation
from ...modules.judging import undoing
from ...modules.judging.recording import add_relations, record
from ...modules.memory.conflict_resolution import REVERT
from ...modules.memory.models import Change, Kind
from ...modules.memory.ports import Decide
from ..engine.ports import Connection, Engine
from . import predicates
from .change_rows import OF_A_MEMORY, read, to_change
from .memory_rows import as_json
from .rows import TransactionRows


class LifecycleRepository:
    """Judgements of memories, kept with all that undo needs. Each call is one durable transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def judge(
        self, namespace: str, memory_ids: Sequence[str], decide: Decide, by: str, now: datetime
    ) -> list[Change]:
        """Read memories as they stand, decide, and change what was decided; what changes nothing leaves no trace.

        `decide` is given the memories that exist, in the order of the ids. Nothing is changed if it raises.
        """

        async def work(connection: Connection) -> list[Change]:
            await connection.lock(namespace)
            present = await read(connection, namespace, memory_ids)
            changes = []
            for decision in decide(list(present.values())):
                change = await record(TransactionRows(connection), namespace, decision, present, by, now)
                if change is not None:
                    changes.append(change)
                    present |= await read(connection, namespace, list(change.after))
            return changes

        return await self._engine.write(work)

    async def revert(self, namespace: str, subject: str, by: str, now: datetime, *, keep_both: bool = False) -> Change:
        """Undo a change by its id, or the newest one that touched a memory, by that memory's id.

        What was there before is restored exactly, and a memory that had superseded or contested others is archived,
        or with `keep_both` stays without its slot. Raises NotFound where there is nothing to undo, Conflict where a
        later change stands in the way, PermissionDenied where a human had decided and `by` is none.
        """

        async def work(connection: Connection) -> Change:
            await connection.lock(namespace)
            return await undoing.revert(TransactionRows(connection), namespace, subject, by, now, keep_both=keep_both)

        return await self._engine.write(work)

    async def change(self, namespace: str, change_id: str) -> Change | None:
        """Return one change by its id, or None."""
        rows = await self._engine.read(
            "SELECT c.* FROM changes c WHERE c.id = ? AND c.namespace = ?", (change_id, namespace)
        )
        return to_change(rows[0]) if rows else None

    async def changes(self, namespace: str, memory_id: str | None, limit: int) -> list[Change]:
        """Return what was judged about a memory, newest first; without one, all but undoings and acts on many."""
        if memory_id is None:
            statement = "FROM changes c WHERE c.action <> ? AND c.namespace = ? AND strpos(c.reason, 'act_') <> 1"
        else:
            statement = OF_A_MEMORY
        rows = await self._engine.read(
            f"SELECT c.* {statement} ORDER BY c.seq DESC LIMIT ?", (memory_id or REVERT, namespace, limit)
        )
        return [to_change(row) for row in rows]

    async def with_reason(self, namespace: str, memory_ids: Sequence[str], reason: str) -> list[Change]:
        """Return the judgements about some memories that have a reason, the oldest first."""
        rows = await self._engine.read(
            "SELECT c.* FROM json_texts(?) given /*then*/ JOIN changes c ON c.memory_id = given.value "
            "WHERE c.namespace = ? AND c.reason = ? ORDER BY c.seq",
            (as_json(list(memory_ids)), namespace, reason),
        )
        return [to_change(row) for row in rows]

    async def carried_out(self, namespace: str, approval_id: str) -> Change | None:
        """Return the change that an approval has led to, or None."""
        rows = await self._engine.read(
            "SELECT c.* FROM changes c WHERE c.namespace = ? AND c.approval = ? AND c.by = 'human' "
            f"AND c.action <> '{REVERT}'",
            (namespace, approval_id),
        )
        return to_change(rows[0]) if rows else None

    async def successors(self, namespace: str, memory_ids: Sequence[str]) -> dict[str, str]:
        """Return the newest memory that superseded each of these, where one did."""
        if not memory_ids:
            return {}
        rows = await self._engine.read(
            "SELECT r.to_id, r.from_id FROM json_texts(?) given /*then*/ JOIN relations r ON r.to_id = given.value "
            "AND r.type = ? JOIN memories m ON m.id = r.from_id AND m.namespace = ? ORDER BY r.created_at, m.seq",
            (as_json(list(memory_ids)), SUPERSEDES, namespace),
        )
        return {row["to_id"]: row["from_id"] for row in rows}

    async def relate(
        self, namespace: str, relations: Sequence[Relation], now: datetime, contents: Mapping[str, str] | None = None
    ) -> None:
        """Add relations; existing ones are left out."""

        async def work(connection: Connection) -> None:
            await connection.lock(namespace)
            present = await read(connection, namespace, list(contents or ()))
            other = {
                one for one, text in (contents or {}).items() if one not in present or present[one].content != text
            }
            holding = [each for each in relations if not other & {each.from_id, each.to_id}]
            await add_relations(TransactionRows(connection), namespace, holding, now)

        if relations:
            await self._engine.write(work, durable=False)

    async def derived(self, namespace: str, memory_ids: Sequence[str]) -> list[str]:
        """Return the ids of summaries made of memories, of summaries made of those, and of facts found in nothing else.

        "Nothing else" is no other memory that answers may contain. Facts that somebody confirmed are left out.
        """
        rows = await self._engine.read(
            "WITH RECURSIVE made (id) AS (SELECT r.from_id FROM json_texts(?1) given JOIN relations r "
            "ON r.to_id = given.value AND r.type = ?2 UNION SELECT r.from_id FROM made JOIN relations r "
            "ON r.to_id = made.id AND r.type = ?2) "
            "SELECT m.id FROM made JOIN memories m ON m.id = made.id WHERE m.namespace = ?3 AND m.kind = ?4 "
            "UNION SELECT m.id FROM json_texts(?1) given /*then*/ JOIN relations r ON r.from_id = given.value "
            "AND r.type = ?5 /*then*/ JOIN memories m ON m.id = r.to_id "
            f"WHERE m.namespace = ?3 AND {predicates.UNCONFIRMED} AND NOT EXISTS (SELECT 1 FROM relations o "
            "JOIN memories m ON m.id = o.from_id WHERE o.to_id = r.to_id AND o.type = ?5 "
            f"AND o.from_id NOT IN (SELECT value FROM json_texts(?1)) AND {predicates.VISIBLE})",
            (as_json(list(memory_ids)), predicates.DERIVED_FROM, namespace, Kind.SUMMARY.value, EVIDENCE_OF),
        )
        return [row["id"] for row in rows]

    async def links(
        self, namespace: str, kind: str, limit: int, offset: int = 0, *, newest: bool = False
    ) -> list[Relation]:
        """Return relations of a kind from newer to older memories that answers may contain; the oldest first.

        With `newest` the newest first.
        """
        order = " DESC" if newest else ""
        standing = f"m.namespace = ? AND m.valid_to IS NULL AND {predicates.VISIBLE}"
        rows = await self._engine.read(
            "SELECT r.* FROM relations r "
            # A turn is the evidence of a fact, and no duplicate of it.
            f"JOIN memories m ON m.id = r.from_id AND m.kind <> 'episode' AND {standing} "
            "WHERE r.type = ? AND EXISTS "
            f"(SELECT 1 FROM memories m WHERE m.id = r.to_id AND m.kind <> 'episode' AND {standing}) "
            f"ORDER BY r.created_at{order}, r.from_id{order}, r.to_id LIMIT ? OFFSET ?",
            (namespace, kind, namespace, limit, offset),
        )
        return [Relation(row["from_id"], row["to_id"], row["type"], row["weight"], row["evidence"]) for row in rows]
