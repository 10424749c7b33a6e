"""Ends contests: of what says something else now, what was erased, and what it alone had contested."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ..facts.models import CONTRADICTS, FactState
from ..memory.conflict_resolution import Decision
from ..memory.models import Memory, Status
from . import questions
from .recording import is_contradicted, record

if TYPE_CHECKING:
    from ...storage.repositories.rows import TransactionRows


async def retract(rows: "TransactionRows", namespace: str, memory_id: str, now: datetime) -> None:
    """End the contests that a memory began, before it states something else.

    Those that newcomers began with it stay: else whoever corrects the known side would decide for the newcomer.
    """
    if not await rows.relations.begun([memory_id], CONTRADICTS):
        return  # it may be contested for a rejection alone, which a correction does not answer
    memory = (await rows.memories.get(namespace, [memory_id]))[memory_id]
    standing = await as_uncontested(rows, memory)
    reason = "what it contradicted says something else now"
    await leave_contests(rows, namespace, memory_id, reason, now, only_begun=True)
    if memory.status is not Status.CONTESTED or await is_contradicted(rows, namespace, memory_id, {memory_id}, now):
        return
    decision = Decision("resolve", memory_id, "it says something else now", {memory_id: standing})
    await record(rows, namespace, decision, {memory_id: memory}, "job", now)


async def contesting(rows: "TransactionRows", memory_id: str) -> list[str]:
    """Return the ids of the memories that contest a memory."""
    return [one.from_id for one in await rows.relations.against([memory_id], CONTRADICTS)]


async def clear_traces(rows: "TransactionRows", namespace: str, memory_id: str, now: datetime) -> None:
    """Remove what was recorded about a memory, before it is erased; what it alone had contested stands again."""
    if not await rows.changes.have_touched(memory_id):
        return
    await leave_contests(rows, namespace, memory_id, "what it contradicted was erased", now)
    await questions.withdraw_again(rows, namespace, memory_id, "it was erased", now)
    await rows.relations.clear(memory_id)
    await rows.changes.clear(memory_id)


async def leave_contests(
    rows: "TransactionRows", namespace: str, memory_id: str, reason: str, now: datetime, *, only_begun: bool = False
) -> None:
    """Take a memory out of its contests: withdraw the question about it, and resolve what it alone had contested.

    With `only_begun`, out of those that it began.
    """
    await questions.withdraw_contest(rows, namespace, memory_id, reason, now)
    contests = await rows.relations.begun([memory_id], CONTRADICTS)
    if not only_begun:
        contests += await rows.relations.against([memory_id], CONTRADICTS)
    others = {name: None for one in contests for name in (one.from_id, one.to_id) if name != memory_id}
    present = await rows.memories.get(namespace, others) if others else {}
    await rows.relations.remove(contests)
    for name, memory in present.items():
        if memory.status is Status.CONTESTED and not await is_contradicted(rows, namespace, name, {name}, now):
            standing = await as_uncontested(rows, memory)
            await record(rows, namespace, Decision("resolve", name, reason, {name: standing}), present, "job", now)


async def as_uncontested(rows: "TransactionRows", memory: Memory) -> FactState:
    """Return the standing of a memory had nothing contradicted it; one that was rejected since stays contested."""
    contests = await rows.changes.touching(memory.namespace, memory.id, ["contest"])
    found = [change.before[memory.id] for change in contests if memory.id in change.before]
    if not found:  # no contest touched it
        return memory.standing
    before = next((one for one in found if one.status != Status.CONTESTED), found[-1])
    if memory.rejections > before.rejections:
        return memory.standing
    status = Status.ACTIVE if memory.confirmations > before.confirmations else before.status
    return replace(memory.standing, status=status, confidence=max(memory.confidence, before.confidence))
