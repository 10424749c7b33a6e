"""Undoes changes: each memory gets the standing back that it had before."""

from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from .. import identifiers
from ..errors import Conflict, NotFound, PermissionDenied
from ..memory.conflict_resolution import ARRIVALS, REVERT, STATED_BY_CALLER
from ..memory.models import Change, Memory, Status
from ..memory.vouching import HUMAN
from . import questions, vouched
from .recording import ask_as_they_stand, stand

if TYPE_CHECKING:
    from ...storage.repositories.rows import TransactionRows


async def revert(
    rows: "TransactionRows", namespace: str, subject: str, by: str, now: datetime, *, keep_both: bool
) -> Change:
    """Undo the change of an id, or the last one about a memory; see `undo`.

    Raises PermissionDenied where a human decided, or is to decide, and somebody else asks.
    """
    change = await _to_undo(rows, namespace, subject)
    if change.by == HUMAN and by != HUMAN:
        raise PermissionDenied(f"memory_id: {change.id} was decided by a human; only a human can undo it")
    waits = change.action in ARRIVALS and await questions.is_contest_asked(rows, namespace, change.memory_id)
    if waits and by != HUMAN:
        raise PermissionDenied(f"memory_id: a human must decide about {change.memory_id}: agentos approvals")
    return await undo(rows, change, by, now, keep_both=keep_both)


async def _to_undo(rows: "TransactionRows", namespace: str, subject: str) -> Change:
    change = await rows.changes.get(namespace, subject)
    if change is not None:
        if change.reverted_by is not None or change.action == REVERT:
            raise Conflict(f"memory_id: {change.id} was already undone, or is itself an undo")
        return change
    for change in await rows.changes.touching(namespace, subject, limit=1):
        return change
    if not await rows.memories.get(namespace, [subject]):
        what = "change" if subject.startswith("chg_") else "memory"
        raise NotFound(f"memory_id: there is no {what} {subject[:60]!r}; memory_list gives valid ids")
    raise NotFound(f"memory_id: no change of {subject[:60]!r} is left to undo; memory_get has its earlier texts")


async def undo(rows: "TransactionRows", change: Change, by: str, now: datetime, *, keep_both: bool) -> Change:
    """Undo a change, and return the change that this is; what arrived with it is archived, unless `keep_both`.

    Raises Conflict where something was judged since.
    """
    present = await rows.memories.get(change.namespace, list(change.after))
    for name, memory in present.items():
        if memory.standing != change.after[name]:
            raise Conflict(await _what_stands_in_the_way(rows, change, name))
    restored = {name: change.before[name] for name in present}
    arrived = change.memory_id if change.action in ARRIVALS and change.memory_id in present else None
    if arrived is not None and keep_both:
        await rows.memories.unslot(present[arrived])
    elif arrived is not None:
        restored[arrived] = replace(restored[arrived], status=Status.ARCHIVED)
    await vouched.forbids(rows, change.namespace, by, change.after, restored, now)
    for name, standing in restored.items():
        await stand(rows, present[name], standing)
    await rows.relations.remove(change.relations)
    approval = await ask_as_they_stand(rows, change.namespace, list(present), HUMAN, now)
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
    await rows.changes.add(undoing)
    await rows.changes.undone(change, undoing.id)
    return undoing


async def _what_stands_in_the_way(rows: "TransactionRows", change: Change, memory_id: str) -> str:
    for later in await rows.changes.touching(change.namespace, memory_id, since=change.id, limit=1):
        return (
            f"memory_id: memory {memory_id} was changed later by {later.id} ({later.action}); undo that first with "
            f"memory_revert(memory_id={later.memory_id!r})"
        )
    return f"memory_id: memory {memory_id} does not stand as {change.id} left it; nothing was undone"


async def unsay(rows: "TransactionRows", memory: Memory, now: datetime, by: str = "agent") -> None:
    """Undo, before a memory states something else, what it replaced or contested by the rules.

    What was judged since, decided by a human, or said outright stays as it is.
    """
    for change in await rows.changes.touching(memory.namespace, memory.id, ARRIVALS):
        by_rules = not any(relation.evidence == STATED_BY_CALLER for relation in change.relations)
        if by_rules and change.by == "agent" and change.memory_id == memory.id:
            with suppress(Conflict, PermissionDenied):
                await undo(rows, change, by, now, keep_both=True)
