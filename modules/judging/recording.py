"""Carries out decisions about memories, and records each as a change that can be undone."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from .. import identifiers
from ..facts.models import (
    BOTH_HOLD,
    CONTRADICTS,
    MAY_SUPERSEDE,
    SUPERSEDES,
    ContestQuestion,
    FactState,
    Relation,
)
from ..memory.conflict_resolution import Decision
from ..memory.models import HIDDEN, Change, Memory, Status
from ..memory.vouching import HUMAN
from . import guards, questions, vouched

if TYPE_CHECKING:
    from ...storage.repositories.rows import TransactionRows


async def record(
    rows: "TransactionRows", namespace: str, decision: Decision, present: Mapping[str, Memory], by: str, now: datetime
) -> Change | None:
    """Carry out a decision and record what undo needs; return None where it changes nothing."""
    after = {name: decision.standings[name] for name in decision.standings if name in present}
    decided = {decision.memory_id, *after} - set(decision.unless_contradicted)
    for name in decision.unless_contradicted:
        if name in after and await is_contradicted(rows, namespace, name, decided | {name}, now):
            after[name] = present[name].standing
    before = {name: present[name].standing for name in after}
    changed = {name for name, standing in after.items() if before[name] != standing}
    if await vouched.forbids(rows, namespace, by, before, after, now):
        return None
    relations = [*decision.relations, *await _inherited(rows, decision.relations)]
    if decision.upholds:
        relations += await _upheld(rows, decision.memory_id)
    added = await add_relations(rows, namespace, relations, now)
    if not added and (decision.once or (not changed and decision.request is None)):
        return None
    after = {name: standing for name, standing in after.items() if name in changed or name == decision.memory_id}
    for name in changed:
        await stand(rows, present[name], after[name])
    approval = decision.approval
    if decision.request is not None:
        approval = await questions.ask_which_holds(rows, namespace, decision.request, by, now)
    await ask_as_they_stand(rows, namespace, sorted(changed), by, now)
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
    await rows.changes.add(change)
    if by == HUMAN:
        await questions.withdraw_again(rows, namespace, decision.memory_id, "a person decided about it", now)
    return change


async def stand(rows: "TransactionRows", memory: Memory, standing: FactState) -> None:
    """Set a memory's standing. Raises QuotaExceeded where it would be shown again and its namespace is full."""
    await guards.require_place(rows, memory, standing)
    await rows.memories.stand(memory, standing)


async def add_relations(
    rows: "TransactionRows", namespace: str, relations: Iterable[Relation], now: datetime
) -> list[Relation]:
    """Add the relations that are new and whose memories are in the namespace; return these."""
    return [relation for relation in relations if await rows.relations.add(namespace, relation, now)]


async def _inherited(rows: "TransactionRows", relations: Sequence[Relation]) -> list[Relation]:
    """Return relations to what a superseded memory may have replaced, for its successor."""
    heirs = [relation for relation in relations if relation.type == SUPERSEDES]
    return [
        Relation(heir.from_id, left.to_id, MAY_SUPERSEDE, left.weight, left.evidence)
        for heir in heirs
        for left in await rows.relations.begun([heir.to_id], MAY_SUPERSEDE)
        if left.to_id != heir.from_id
    ]


async def _upheld(rows: "TransactionRows", memory_id: str) -> list[Relation]:
    """Return relations that say that a memory holds beside each newer one that may have replaced it."""
    newer = await rows.relations.against([memory_id], MAY_SUPERSEDE)
    return [Relation(one.from_id, memory_id, BOTH_HOLD, 1.0, "said so") for one in newer]


async def is_contradicted(
    rows: "TransactionRows", namespace: str, memory_id: str, but: Collection[str], now: datetime
) -> bool:
    """Return whether another memory than `but` contradicts this one.

    That is one that holds, if this one contests it, or a contested newcomer, if it contests this one.
    """
    known = {one.to_id for one in await rows.relations.begun([memory_id], CONTRADICTS)}
    newcomers = {one.from_id for one in await rows.relations.against([memory_id], CONTRADICTS)}
    others = (known | newcomers) - set(but)
    found = await rows.memories.get(namespace, others) if others else {}
    return any(
        (other.id in known and other.status not in HIDDEN)
        or (other.id in newcomers and other.status is Status.CONTESTED)
        for other in found.values()
        if other.valid_to is None or other.valid_to > now
    )


async def ask_as_they_stand(
    rows: "TransactionRows", namespace: str, memory_ids: Sequence[str], by: str, now: datetime
) -> str | None:
    """Ask a human about the unsettled contests of these memories, and withdraw the questions about settled ones.

    Returns the last new approval's id. A contest is settled where neither side is contested, where the older one is
    hidden or no longer holds, or where the newcomer is hidden while others contradict the older one.
    """
    beside = await rows.relations.against(memory_ids, CONTRADICTS) if memory_ids else []
    asked = None
    for name in dict.fromkeys((*memory_ids, *(one.from_id for one in beside))):
        old = sorted(one.to_id for one in await rows.relations.begun([name], CONTRADICTS))
        present = await rows.memories.get(namespace, [name, *old])
        if not await _is_unsettled(rows, namespace, present, name, now):
            await questions.withdraw_contest(rows, namespace, name, "it is settled", now)
        elif not await questions.is_contest_asked(rows, namespace, name):
            again = ContestQuestion(name, tuple(one for one in old if one in present), "it is contested again")
            asked = await questions.ask_which_holds(rows, namespace, again, by, now)
    return asked


async def _is_unsettled(
    rows: "TransactionRows", namespace: str, present: Mapping[str, Memory], name: str, now: datetime
) -> bool:
    new = present.get(name)
    if new is None:
        return False
    for old in present.values():
        if old is new or old.status in HIDDEN or (old.valid_to is not None and old.valid_to <= now):
            continue
        if new.status is Status.CONTESTED:
            return True
        if old.status is Status.CONTESTED:
            return new.status not in HIDDEN or not await is_contradicted(rows, namespace, old.id, {name}, now)
    return False
