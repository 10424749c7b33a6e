"""Undoes changes: each memory gets the standing back that it had before."""

from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from ...modules import identifiers
from ...modules.errors import Conflict, NotFound, PermissionDenied
from ...modules.memory.conflict_resolution import ARRIVALS, STATED_BY_CALLER
from ...modules.memory.models import Change, Memory, Status
from ..engine.ports import Connection
from . import contests, vouching
from .change_rows import OF_A_MEMORY, keep, read, to_change
from .recording import ask_as_they_stand, set_standing

REVERT = "revert"


async def revert(
    connection: Connection, namespace: str, subject: str, by: str, now: datetime, *, keep_both: bool
) -> Change:
    """Undo the change of an id, or the last one about a memory; see `undo`.

    Raises PermissionDenied where a human decided, or is to decide, and somebody else asks.
    """
    change = await _to_undo(connection, namespace, subject)
    if change.by == "human" and by != "human":
        raise PermissionDenied(f"memory_id: {change.id} was decided by a human; only a human can undo it")
    waits = change.action in ARRIVALS and await contests.waits(connection, namespace, change.memory_id)
    if waits and by != "human":
        raise PermissionDenied(f"memory_id: a human must decide about {change.memory_id}: agentos approvals")
    return await undo(connection, change, by, now, keep_both=keep_both)


async def _to_undo(connection: Connection, namespace: str, subject: str) -> Change:
    rows = await connection.fetch_all(
        "SELECT c.* FROM changes c WHERE c.id = ? AND c.namespace = ?", (subject, namespace)
    ) or await connection.fetch_all(
        f"SELECT c.* {OF_A_MEMORY} AND c.reverted_by IS NULL AND c.action <> ? ORDER BY c.seq DESC LIMIT 1",
        (subject, namespace, REVERT),
    )
    if not rows:
        known = await connection.fetch_all(
            "SELECT 1 FROM memories WHERE id = ? AND namespace = ?", (subject, namespace)
        )
        if not known:
            what = "change" if subject.startswith("chg_") else "memory"
            raise NotFound(f"memory_id: there is no {what} {subject[:60]!r}; memory_list gives valid ids")
        nothing = f"no change of {subject[:60]!r} is left to undo"
        raise NotFound(f"memory_id: {nothing}; memory_get has its earlier texts")
    change = to_change(rows[0])
    if change.reverted_by is not None or change.action == REVERT:
        raise Conflict(f"memory_id: {change.id} was already undone, or is itself an undo")
    return change


async def undo(connection: Connection, change: Change, by: str, now: datetime, *, keep_both: bool) -> Change:
    """Undo a change, and return the change that this is; what arrived with it is archived, unless `keep_both`.

    Raises Conflict where something was judged since.
    """
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
    await vouching.forbids(connection, change.namespace, by, change.after, restored, now)
    for name, standing in restored.items():
        await set_standing(connection, name, standing)
    for relation in change.relations:
        await connection.execute(
            "DELETE FROM relations WHERE from_id = ? AND type = ? AND to_id = ?",
            (relation.from_id, relation.type, relation.to_id),
        )
    approval = await ask_as_they_stand(connection, change.namespace, list(present), "human", now)
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
    await keep(connection, undoing)
    await connection.execute("UPDATE changes SET reverted_by = ? WHERE id = ?", (undoing.id, change.id))
    return undoing


async def _what_stands_in_the_way(connection: Connection, change: Change, memory_id: str) -> str:
    rows = await connection.fetch_all(
        f"SELECT c.* {OF_A_MEMORY} AND c.reverted_by IS NULL AND c.action <> ? "
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


async def unsay(connection: Connection, memory: Memory, now: datetime, by: str = "agent") -> None:
    """Undo, before a memory states something else, what it replaced or contested by the rules.

    What was judged since, decided by a human, or said outright stays as it is.
    """
    rows = await connection.fetch_all(
        f"SELECT c.* {OF_A_MEMORY} AND c.memory_id = x.memory_id AND c.reverted_by IS NULL AND c.by = 'agent' "
        f"AND c.action IN ({', '.join(repr(action) for action in sorted(ARRIVALS))}) ORDER BY c.seq DESC",
        (memory.id, memory.namespace),
    )
    for change in map(to_change, rows):
        if not any(relation.evidence == STATED_BY_CALLER for relation in change.relations):
            with suppress(Conflict, PermissionDenied):
                await undo(connection, change, by, now, keep_both=True)
