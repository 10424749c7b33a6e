"""Judgements of memories, with the standings before and after each, so that it can be undone exactly."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

from ...modules import identifiers
from ...modules.errors import Conflict, NotFound, PermissionDenied
from ...modules.facts.models import (
    BOTH_HOLD,
    CONTRADICTS,
    EVIDENCE_OF,
    MAY_SUPERSEDE,
    SUPERSEDES,
    ApprovalRequest,
    FactState,
    Relation,
)
from ...modules.facts.slots import CERTAIN
from ...modules.memory.conflict_resolution import ARRIVALS, SAID, Decision
from ...modules.memory.models import HIDDEN, Change, Kind, Memory, Status
from ...modules.memory.ports import Decide
from ..engine.ports import Connection, Engine, Row
from ..engine.times import from_us, maybe_from_us, maybe_to_us, to_us
from . import contests, pages, predicates, quotas, vouching
from .audit import record_change
from .memory_rows import COLUMNS, as_json, to_memory

REVERT = "revert"
MOST_RIVALS = 100
"""The most rivals read in a write transaction: reading and judging so many takes a few milliseconds."""

_OF_A_MEMORY = "FROM change_memories x JOIN changes c ON c.seq = x.change WHERE x.memory_id = ? AND c.namespace = ? "


class LifecycleRepository:
    """Implements `modules.memory.ports.MemoryChanges`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def judge(
        self, namespace: str, memory_ids: Sequence[str], decide: Decide, by: str, now: datetime
    ) -> list[Change]:
        async def work(connection: Connection) -> list[Change]:
            await connection.lock(namespace)
            present = await read(connection, namespace, memory_ids)
            changes = []
            for decision in decide(list(present.values())):
                change = await record(connection, namespace, decision, present, by, now)
                if change is not None:
                    changes.append(change)
                    present |= await read(connection, namespace, list(change.after))
            return changes

        return await self._engine.write(work)

    async def revert(self, namespace: str, subject: str, by: str, now: datetime, *, keep_both: bool = False) -> Change:
        async def work(connection: Connection) -> Change:
            await connection.lock(namespace)
            change = await _to_undo(connection, namespace, subject)
            if change.by == "human" and by != "human":
                raise PermissionDenied(f"memory_id: {change.id} was decided by a human, who alone can undo it")
            waits = change.action in ARRIVALS and await contests.waits(connection, namespace, change.memory_id)
            if waits and by != "human":
                raise PermissionDenied(f"memory_id: a human decides about {change.memory_id}: agentos approvals")
            return await _undo(connection, change, by, now, keep_both=keep_both)

        return await self._engine.write(work)

    async def change(self, namespace: str, change_id: str) -> Change | None:
        rows = await self._engine.read(
            "SELECT c.* FROM changes c WHERE c.id = ? AND c.namespace = ?", (change_id, namespace)
        )
        return to_change(rows[0]) if rows else None

    async def changes(self, namespace: str, memory_id: str, limit: int) -> list[Change]:
        rows = await self._engine.read(
            f"SELECT c.* {_OF_A_MEMORY} ORDER BY c.seq DESC LIMIT ?", (memory_id, namespace, limit)
        )
        return [to_change(row) for row in rows]

    async def with_reason(self, namespace: str, memory_ids: Sequence[str], reason: str) -> list[Change]:
        rows = await self._engine.read(
            "SELECT c.* FROM json_texts(?) given /*then*/ JOIN changes c ON c.memory_id = given.value "
            "WHERE c.namespace = ? AND c.reason = ? ORDER BY c.seq",
            (as_json(list(memory_ids)), namespace, reason),
        )
        return [to_change(row) for row in rows]

    async def carried_out(self, namespace: str, approval_id: str) -> Change | None:
        rows = await self._engine.read(
            "SELECT c.* FROM changes c WHERE c.namespace = ? AND c.approval = ? AND c.by = 'human' "
            f"AND c.action <> '{REVERT}'",
            (namespace, approval_id),
        )
        return to_change(rows[0]) if rows else None

    async def successors(self, namespace: str, memory_ids: Sequence[str]) -> dict[str, str]:
        if not memory_ids:
            return {}
        rows = await self._engine.read(
            "SELECT r.to_id, r.from_id FROM json_texts(?) given /*then*/ JOIN relations r ON r.to_id = given.value "
            "AND r.type = ? JOIN memories m ON m.id = r.from_id AND m.namespace = ? ORDER BY r.created_at, m.seq",
            (as_json(list(memory_ids)), SUPERSEDES, namespace),
        )
        return {row["to_id"]: row["from_id"] for row in rows}

    async def relate(self, namespace: str, relations: Sequence[Relation], now: datetime) -> None:
        async def work(connection: Connection) -> None:
            await _add_relations(connection, namespace, relations, now)

        if relations:
            await self._engine.write(work, durable=False)

    async def derived(self, namespace: str, memory_ids: Sequence[str]) -> list[str]:
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

    async def links(self, namespace: str, kind: str, limit: int, offset: int = 0) -> list[Relation]:
        standing = f"m.namespace = ? AND m.valid_to IS NULL AND {predicates.VISIBLE}"
        rows = await self._engine.read(
            "SELECT r.* FROM relations r "
            # A turn is the evidence of a fact, and no duplicate of it.
            f"JOIN memories m ON m.id = r.from_id AND m.kind <> 'episode' AND {standing} "
            "WHERE r.type = ? AND EXISTS "
            f"(SELECT 1 FROM memories m WHERE m.id = r.to_id AND m.kind <> 'episode' AND {standing}) "
            "ORDER BY r.created_at, r.from_id, r.to_id LIMIT ? OFFSET ?",
            (namespace, kind, namespace, limit, offset),
        )
        return [Relation(row["from_id"], row["to_id"], row["type"], row["weight"], row["evidence"]) for row in rows]


async def read(connection: Connection, namespace: str, memory_ids: Sequence[str]) -> dict[str, Memory]:
    """Return the memories that exist, as they stand within a transaction: by id, in the order of the ids."""
    rows = await connection.fetch_all(
        f"SELECT {COLUMNS} FROM json_texts(?) given /*then*/ JOIN memories m ON m.id = given.value WHERE m.namespace = "
        "?",
        (as_json(list(dict.fromkeys(memory_ids))), namespace),
    )
    return {row["id"]: to_memory(row) for row in rows}


async def rivals(connection: Connection, memory: Memory, now: datetime) -> list[Memory]:
    """Return what `rivals_query` finds within a transaction; nothing for a memory without a slot."""
    if memory.slot is None:
        return []
    return [to_memory(row) for row in await connection.fetch_all(*rivals_query(memory, now))]


def rivals_query(memory: Memory, now: datetime) -> tuple[str, tuple[str | int | None, ...]]:
    """Return the query, with parameters, for other memories that are certain of the memory's slot.

    Hidden and expired ones are left out. Those that still hold come first, then the newest; at most MOST_RIVALS. It
    finds nothing if the memory has no slot.
    """
    sql = (
        f"SELECT {COLUMNS} FROM memories m WHERE m.namespace = ? AND m.subject = ? AND m.attribute = ? AND m.id <> ? "
        f"AND m.slot_confidence >= {CERTAIN} AND {predicates.VISIBLE} AND (m.expires_at IS NULL OR m.expires_at > ?) "
        "ORDER BY m.valid_to IS NULL DESC, m.seq DESC LIMIT ?"
    )
    subject, attribute = (None, None) if memory.slot is None else (memory.slot.subject, memory.slot.attribute)
    return sql, (memory.namespace, subject, attribute, memory.id, to_us(now), MOST_RIVALS)


async def record(
    connection: Connection, namespace: str, decision: Decision, present: Mapping[str, Memory], by: str, now: datetime
) -> Change | None:
    """Carry out a decision and record what undo needs; return None where it changes nothing."""
    after = {name: decision.standings[name] for name in decision.standings if name in present}
    decided = {decision.memory_id, *after} - set(decision.unless_contradicted)
    for name in decision.unless_contradicted:
        if name in after and await _is_contradicted(connection, name, decided | {name}, now):
            after[name] = present[name].standing
    before = {name: present[name].standing for name in after}
    changed = {name for name, standing in after.items() if before[name] != standing}
    if await vouching.forbids(connection, namespace, by, before, after):
        return None
    relations = [*decision.relations, *await _inherited(connection, decision.relations)]
    if decision.upholds:
        relations += await _upheld(connection, decision.memory_id)
    added = await _add_relations(connection, namespace, relations, now)
    if not added and (decision.once or (not changed and decision.request is None)):
        return None
    after = {name: standing for name, standing in after.items() if name in changed or name == decision.memory_id}
    for name in changed:
        await _set_standing(connection, name, after[name])
    approval = decision.approval
    if decision.request is not None:
        approval = await contests.ask(connection, namespace, decision.request, by, now)
    await _ask_as_they_stand(connection, namespace, sorted(changed), by, now)
    change = Change(
        id=identifiers.new_id("chg"),
        namespace=namespace,
        at=now,
        action=decision.action,
        memory_id=decision.memory_id,
        by=by,
        reason=decision.reason,
        before={name: before[name] for name in after},
        after=after,
        relations=tuple(added),
        approval=approval,
    )
    await _keep(connection, change)
    return change


async def _inherited(connection: Connection, relations: Sequence[Relation]) -> list[Relation]:
    """Return relations to what a superseded memory may have replaced, for its successor."""
    found = []
    for relation in relations:
        if relation.type == SUPERSEDES:
            rows = await connection.fetch_all(
                "SELECT to_id, weight, evidence FROM relations WHERE from_id = ? AND type = ? AND to_id <> ?",
                (relation.to_id, MAY_SUPERSEDE, relation.from_id),
            )
            found += [Relation(relation.from_id, row["to_id"], MAY_SUPERSEDE, *row[1:]) for row in rows]
    return found


async def _upheld(connection: Connection, memory_id: str) -> list[Relation]:
    """Return relations that say that a memory holds beside each newer one that may have replaced it."""
    rows = await connection.fetch_all(
        "SELECT from_id FROM relations WHERE to_id = ? AND type = ?", (memory_id, MAY_SUPERSEDE)
    )
    return [Relation(row["from_id"], memory_id, BOTH_HOLD, 1.0, "said so") for row in rows]


async def forget_opinions(connection: Connection, memory_id: str) -> None:
    """Delete the relations that compare a memory's old text with others."""
    await connection.execute(
        "DELETE FROM relations WHERE (from_id = ?1 OR to_id = ?1) AND type IN (?2, ?3)",
        (memory_id, MAY_SUPERSEDE, BOTH_HOLD),
    )


async def unsay(connection: Connection, memory: Memory, now: datetime) -> None:
    """Undo, before a memory states something else, what it replaced or contested by the rules.

    What was judged since, decided by a human, or said outright stays as it is.
    """
    rows = await connection.fetch_all(
        f"SELECT c.* {_OF_A_MEMORY} AND c.memory_id = x.memory_id AND c.reverted_by IS NULL AND c.by = 'agent' "
        f"AND c.action IN ({', '.join(repr(action) for action in sorted(ARRIVALS))}) ORDER BY c.seq DESC",
        (memory.id, memory.namespace),
    )
    for change in map(to_change, rows):
        if not any(relation.evidence == SAID for relation in change.relations):
            with suppress(Conflict, PermissionDenied):
                await _undo(connection, change, "agent", now, keep_both=True)


async def retract(connection: Connection, namespace: str, memory_id: str, now: datetime) -> None:
    """End the contests that a memory began, before it states something else.

    Those that newcomers began with it stay: else whoever corrects the known side would decide for the newcomer.
    """
    memory = (await read(connection, namespace, [memory_id]))[memory_id]
    if not await connection.fetch_all(_BEGUN, (memory_id,)):
        return  # it may be contested for a rejection alone, which a correction does not answer
    standing = await as_uncontested(connection, memory)
    reason = "what it contradicted says something else now"
    await leave_contests(connection, namespace, memory_id, reason, now, only_begun=True)
    if memory.status is not Status.CONTESTED or await _is_contradicted(connection, memory_id, {memory_id}, now):
        return
    decision = Decision("resolve", memory_id, "it says something else now", {memory_id: standing})
    await record(connection, namespace, decision, {memory_id: memory}, "job", now)


async def contesting(connection: Connection, memory_id: str) -> list[str]:
    """Return the ids of the memories that contest a memory."""
    rows = await connection.fetch_all(
        "SELECT from_id FROM relations WHERE to_id = ? AND type = ?", (memory_id, CONTRADICTS)
    )
    return [row["from_id"] for row in rows]


async def clear_traces(connection: Connection, row: Row, now: datetime) -> None:
    """Remove what was recorded about a memory, before it is erased; what it alone had contested stands again."""
    memory_id, namespace = row["id"], row["namespace"]
    touched = [
        found["change"]
        for found in await connection.fetch_all("SELECT change FROM change_memories WHERE memory_id = ?", (memory_id,))
    ]
    if not touched:
        return
    await leave_contests(connection, namespace, memory_id, "what it contradicted was erased", now)
    await connection.execute("DELETE FROM relations WHERE from_id = ?1 OR to_id = ?1", (memory_id,))
    changes = await connection.fetch_all(
        "SELECT seq, relations FROM changes WHERE seq IN (SELECT value FROM json_numbers(?))", (as_json(touched),)
    )
    kept = [
        (as_json([one for one in json.loads(change["relations"]) if memory_id not in one[:2]]), change["seq"])
        for change in changes
    ]
    await connection.execute_many("UPDATE changes SET reason = '', relations = ? WHERE seq = ?", kept)
    await connection.execute("DELETE FROM change_memories WHERE memory_id = ?", (memory_id,))


async def leave_contests(
    connection: Connection, namespace: str, memory_id: str, reason: str, now: datetime, *, only_begun: bool = False
) -> None:
    """Take a memory out of its contests: withdraw the question about it, and resolve what it alone had contested.

    With `only_begun`, out of those that it began.
    """
    await contests.withdraw(connection, namespace, memory_id, reason, now)
    found = await connection.fetch_all(_BEGUN if only_begun else _CONTRADICTED, (memory_id,))
    present = await read(connection, namespace, [row["id"] for row in found])
    ends = "from_id = ?1" if only_begun else "(from_id = ?1 OR to_id = ?1)"
    await connection.execute(f"DELETE FROM relations WHERE {ends} AND type = ?2", (memory_id, CONTRADICTS))
    for name, memory in present.items():
        if memory.status is Status.CONTESTED and not await _is_contradicted(connection, name, {name}, now):
            standing = await as_uncontested(connection, memory)
            decision = Decision("resolve", name, reason, {name: standing})
            await record(connection, namespace, decision, present, "job", now)


_BEGUN = f"SELECT to_id AS id FROM relations WHERE from_id = ?1 AND type = '{CONTRADICTS}'"
_CONTRADICTED = (  # two look-ups: with OR or IN every relation there is would be read
    f"{_BEGUN} UNION SELECT from_id FROM relations WHERE to_id = ?1 AND type = '{CONTRADICTS}'"
)


async def as_uncontested(connection: Connection, memory: Memory) -> FactState:
    """Return the standing of a memory had nothing contradicted it; one that was rejected since stays contested."""
    contests_of = await connection.fetch_all(
        f"SELECT c.* {_OF_A_MEMORY} AND c.reverted_by IS NULL AND c.action = 'contest' ORDER BY c.seq DESC",
        (memory.id, memory.namespace),
    )
    found = [change.before[memory.id] for change in map(to_change, contests_of) if memory.id in change.before]
    if not found:  # no contest touched it
        return memory.standing
    before = next((one for one in found if one.status != Status.CONTESTED), found[-1])
    if memory.rejections > before.rejections:
        return memory.standing
    status = Status.ACTIVE if memory.confirmations > before.confirmations else before.status
    return replace(memory.standing, status=status, confidence=max(memory.confidence, before.confidence))


async def _is_contradicted(connection: Connection, memory_id: str, but: Collection[str], now: datetime) -> bool:
    """Return whether another memory than `but` contradicts this one.

    That is one that holds, if this one contests it, or a contested newcomer, if it contests this one.
    """
    rows = await connection.fetch_all(
        f"SELECT m.id FROM relations r JOIN memories m ON m.id = r.to_id WHERE r.from_id = ?1 AND r.type = ?3 "
        f"AND {predicates.VISIBLE} AND (m.valid_to IS NULL OR m.valid_to > ?2) "
        "UNION SELECT m.id FROM relations r JOIN memories m ON m.id = r.from_id WHERE r.to_id = ?1 AND r.type = ?3 "
        "AND m.status = 'contested' AND (m.valid_to IS NULL OR m.valid_to > ?2)",
        (memory_id, to_us(now), CONTRADICTS),
    )
    return any(row["id"] not in but for row in rows)


async def _ask_as_they_stand(
    connection: Connection, namespace: str, memory_ids: Sequence[str], by: str, now: datetime
) -> str | None:
    """Ask a human about the unsettled contests of these memories, and withdraw the questions about settled ones.

    Returns the last new approval's id. A contest is settled where neither side is contested, where the older one is
    hidden or no longer holds, or where the newcomer is hidden while others contradict the older one.
    """
    beside = await connection.fetch_all(
        "SELECT r.from_id AS id FROM json_texts(?1) given /*then*/ JOIN relations r "
        "ON r.to_id = given.value AND r.type = ?2",
        (as_json(list(memory_ids)), CONTRADICTS),
    )
    asked = None
    for name in dict.fromkeys((*memory_ids, *(row["id"] for row in beside))):
        rows = await connection.fetch_all(
            "SELECT to_id FROM relations WHERE from_id = ? AND type = ? ORDER BY to_id", (name, CONTRADICTS)
        )
        old = [row["to_id"] for row in rows]
        present = await read(connection, namespace, [name, *old])
        if not await _is_unsettled(connection, present, name, now):
            await contests.withdraw(connection, namespace, name, "it is settled", now)
        elif not await contests.waits(connection, namespace, name):
            again = ApprovalRequest(name, tuple(one for one in old if one in present), "it is contested again")
            asked = await contests.ask(connection, namespace, again, by, now)
    return asked


async def _is_unsettled(connection: Connection, present: Mapping[str, Memory], name: str, now: datetime) -> bool:
    new = present.get(name)
    if new is None:
        return False
    for old in present.values():
        if old is new or old.status in HIDDEN or (old.valid_to is not None and old.valid_to <= now):
            continue
        if new.status is Status.CONTESTED:
            return True
        if old.status is Status.CONTESTED:
            return new.status not in HIDDEN or not await _is_contradicted(connection, old.id, {name}, now)
    return False


async def _to_undo(connection: Connection, namespace: str, subject: str) -> Change:
    rows = await connection.fetch_all(
        "SELECT c.* FROM changes c WHERE c.id = ? AND c.namespace = ?", (subject, namespace)
    ) or await connection.fetch_all(
        f"SELECT c.* {_OF_A_MEMORY} AND c.reverted_by IS NULL AND c.action <> ? ORDER BY c.seq DESC LIMIT 1",
        (subject, namespace, REVERT),
    )
    if not rows:
        known = await connection.fetch_all(
            "SELECT 1 FROM memories WHERE id = ? AND namespace = ?", (subject, namespace)
        )
        if not known:
            what = "change" if subject.startswith("chg_") else "memory"
            raise NotFound(f"memory_id: there is no {what} {subject[:60]!r}; memory_list gives valid ids")
        raise NotFound(f"memory_id: nothing that was judged about {subject[:60]!r} is left to undo")
    change = to_change(rows[0])
    if change.reverted_by is not None or change.action == REVERT:
        raise Conflict(f"memory_id: {change.id} was undone already, or is itself an undoing")
    return change


async def _undo(connection: Connection, change: Change, by: str, now: datetime, *, keep_both: bool) -> Change:
    present = await read(connection, change.namespace, list(change.after))
    for name, memory in present.items():
        if memory.standing != change.after[name]:
            raise Conflict(await _what_stands_in_the_way(connection, change, name))
    restored = {name: change.before[name] for name in present}
    arrived = change.memory_id if change.action in ARRIVALS and change.memory_id in present else None
    if arrived is not None and keep_both:
        await connection.execute(
            "UPDATE memories SET subject = NULL, attribute = NULL, value = NULL, slot_confidence = NULL, "
            "polarity = NULL WHERE id = ?",
            (arrived,),
        )
    elif arrived is not None:
        restored[arrived] = replace(restored[arrived], status=Status.ARCHIVED)
    await vouching.forbids(connection, change.namespace, by, change.after, restored)
    for name, standing in restored.items():
        await _set_standing(connection, name, standing)
    for relation in change.relations:
        await connection.execute(
            "DELETE FROM relations WHERE from_id = ? AND type = ? AND to_id = ?",
            (relation.from_id, relation.type, relation.to_id),
        )
    approval = await _ask_as_they_stand(connection, change.namespace, list(present), "human", now)
    undoing = Change(
        id=identifiers.new_id("chg"),
        namespace=change.namespace,
        at=now,
        action=REVERT,
        memory_id=change.memory_id,
        by=by,
        reason=f"undoes {change.id} ({change.action})",
        before={name: present[name].standing for name in restored},
        after=restored,
        approval=approval,
    )
    await _keep(connection, undoing)
    await connection.execute("UPDATE changes SET reverted_by = ? WHERE id = ?", (undoing.id, change.id))
    return undoing


async def _what_stands_in_the_way(connection: Connection, change: Change, memory_id: str) -> str:
    rows = await connection.fetch_all(
        f"SELECT c.* {_OF_A_MEMORY} AND c.reverted_by IS NULL AND c.action <> ? "
        "AND c.seq > (SELECT seq FROM changes WHERE id = ?) ORDER BY c.seq DESC LIMIT 1",
        (memory_id, change.namespace, REVERT, change.id),
    )
    if not rows:
        return f"memory_id: memory {memory_id} does not stand as {change.id} left it; nothing was undone"
    later = to_change(rows[0])
    return (
        f"memory_id: memory {memory_id} was changed later by {later.id} ({later.action}); undo that first with "
        f"memory_revert(memory_id={later.memory_id!r})"
    )


async def _add_relations(
    connection: Connection, namespace: str, relations: Iterable[Relation], now: datetime
) -> list[Relation]:
    """Add the relations that are new and whose memories are in the namespace; return these."""
    added = []
    for relation in relations:
        changed = await connection.execute(
            "INSERT INTO relations (from_id, to_id, type, weight, evidence, created_at) SELECT ?1, ?2, ?3, ?4, ?5, ?6 "
            "WHERE (SELECT count(*) FROM memories WHERE id IN (?1, ?2) AND /*unindexed*/namespace = ?7) = 2 "
            "ON CONFLICT DO NOTHING",
            (
                relation.from_id,
                relation.to_id,
                str(relation.type),
                relation.weight,
                relation.evidence,
                to_us(now),
                namespace,
            ),
        )
        if changed > 0:
            added.append(relation)
    return added


async def _set_standing(connection: Connection, memory_id: str, standing: FactState) -> None:
    """Set a memory's standing; if that hides it or shows it again, reset what its conversation derived from it.

    Raises QuotaExceeded where it would be shown again and its namespace is full.
    """
    if standing.status not in HIDDEN:
        await quotas.require_place(connection, memory_id)
    await pages.look_again(
        connection,
        "SELECT seq FROM memories WHERE id = ? AND (status IN (SELECT value FROM json_texts(?))) <> ?",
        memory_id,
        as_json([status.value for status in HIDDEN]),
        standing.status in HIDDEN,
    )
    if standing.status in HIDDEN:
        for row in await connection.fetch_all("SELECT seq, content FROM memories WHERE id = ?", (memory_id,)):
            await pages.untitle(connection, row["seq"], row["content"])
    await connection.execute(
        "UPDATE memories SET status = ?, confidence = ?, valid_from = ?, valid_to = ?, confirmations = ?, "
        "rejections = ? WHERE id = ?",
        (*_columns(standing), memory_id),
    )


async def _keep(connection: Connection, change: Change) -> None:
    [row] = await connection.fetch_all(
        "INSERT INTO changes (id, namespace, at, action, memory_id, by, reason, before, after, relations, approval) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq",
        (
            change.id,
            change.namespace,
            to_us(change.at),
            change.action,
            change.memory_id,
            change.by,
            change.reason,
            as_json({name: _columns(standing) for name, standing in change.before.items()}),
            as_json({name: _columns(standing) for name, standing in change.after.items()}),
            as_json([(r.from_id, r.to_id, str(r.type), r.weight, r.evidence) for r in change.relations]),
            change.approval,
        ),
    )
    await connection.execute_many(
        "INSERT INTO change_memories (memory_id, change) VALUES (?, ?)", [(name, row["seq"]) for name in change.after]
    )
    detail = {"change": change.id, "by": change.by}
    await record_change(connection, change.at, change.namespace, f"memory.{change.action}", change.memory_id, **detail)


def _columns(standing: FactState) -> tuple[Any, ...]:
    return (
        str(standing.status),
        standing.confidence,
        maybe_to_us(standing.valid_from),
        maybe_to_us(standing.valid_to),
        standing.confirmations,
        standing.rejections,
    )


def _standing(columns: Sequence[Any]) -> FactState:
    status, confidence, valid_from, valid_to, confirmations, rejections = columns
    return FactState(status, confidence, maybe_from_us(valid_from), maybe_from_us(valid_to), confirmations, rejections)


def to_change(row: Row) -> Change:
    """Return the change that a row of `changes` is."""
    return Change(
        id=row["id"],
        namespace=row["namespace"],
        at=from_us(row["at"]),
        action=row["action"],
        memory_id=row["memory_id"],
        by=row["by"],
        reason=row["reason"],
        before={name: _standing(columns) for name, columns in json.loads(row["before"]).items()},
        after={name: _standing(columns) for name, columns in json.loads(row["after"]).items()},
        relations=tuple(Relation(*parts) for parts in json.loads(row["relations"])),
        approval=row["approval"],
        reverted_by=row["reverted_by"],
    )
