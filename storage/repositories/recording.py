"""Carries out decisions about memories, and records each as a change that can be undone."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from ...modules import identifiers
from ...modules.facts.models import (
    BOTH_HOLD,
    CONTRADICTS,
    MAY_SUPERSEDE,
    SUPERSEDES,
    ApprovalRequest,
    FactState,
    Relation,
)
from ...modules.memory.conflict_resolution import Decision
from ...modules.memory.models import HIDDEN, Change, Memory, Status
from ...modules.memory.vouching import HUMAN
from ..engine.ports import Connection
from ..engine.times import to_us
from . import broken_vouches, contests, guards, pages, predicates, vouching
from .change_rows import columns_of, keep, read
from .memory_rows import as_json


async def record(
    connection: Connection, namespace: str, decision: Decision, present: Mapping[str, Memory], by: str, now: datetime
) -> Change | None:
    """Carry out a decision and record what undo needs; return None where it changes nothing."""
    after = {name: decision.standings[name] for name in decision.standings if name in present}
    decided = {decision.memory_id, *after} - set(decision.unless_contradicted)
    for name in decision.unless_contradicted:
        if name in after and await is_contradicted(connection, name, decided | {name}, now):
            after[name] = present[name].standing
    before = {name: present[name].standing for name in after}
    changed = {name for name, standing in after.items() if before[name] != standing}
    if await vouching.forbids(connection, namespace, by, before, after, now):
        return None
    relations = [*decision.relations, *await _inherited(connection, decision.relations)]
    if decision.upholds:
        relations += await _upheld(connection, decision.memory_id)
    added = await add_relations(connection, namespace, relations, now)
    if not added and (decision.once or (not changed and decision.request is None)):
        return None
    after = {name: standing for name, standing in after.items() if name in changed or name == decision.memory_id}
    for name in changed:
        await set_standing(connection, name, after[name])
    approval = decision.approval
    if decision.request is not None:
        approval = await contests.ask(connection, namespace, decision.request, by, now)
    await ask_as_they_stand(connection, namespace, sorted(changed), by, now)
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
    await keep(connection, change)
    if by == HUMAN:
        await broken_vouches.withdraw(connection, namespace, decision.memory_id, "a person decided about it", now)
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


async def is_contradicted(connection: Connection, memory_id: str, but: Collection[str], now: datetime) -> bool:
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


async def ask_as_they_stand(
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
            return new.status not in HIDDEN or not await is_contradicted(connection, old.id, {name}, now)
    return False


async def add_relations(
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


async def set_standing(connection: Connection, memory_id: str, standing: FactState) -> None:
    """Set a memory's standing; if that hides it or shows it again, reset what its conversation derived from it.

    Raises QuotaExceeded where it would be shown again and its namespace is full.
    """
    if standing.status not in HIDDEN:
        await guards.require_place(connection, memory_id)
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
        (*columns_of(standing), memory_id),
    )
