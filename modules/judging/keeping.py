"""Keeps memories: a new or revised one is written, once for each text, and judged beside others of its slot."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ..errors import Conflict, NotFound
from ..facts.models import BOTH_HOLD, MAY_SUPERSEDE, SAME_AS
from ..memory.conflict_resolution import Addition, AddOutcome, ConflictResolver
from ..memory.models import HIDDEN, Change, Memory, MemoryType, Status, require_version
from ..memory.vouching import HUMAN
from . import contest_ends, erasing, guards, questions, undoing, vouched
from .recording import record
from .same_content import occurrences, same_content

if TYPE_CHECKING:
    from ...storage.repositories.rows import TransactionRows


async def keep(rows: "TransactionRows", addition: Addition) -> AddOutcome:
    """Store a memory, once for each text, and judge it.

    An event is stored once for each time at which it happened.
    Raises Conflict, NotFound, QuotaExceeded, PermissionDenied.
    """
    memory, by = addition.memory, addition.by
    namespace, now = memory.namespace, memory.created_at
    await rows.namespaces.hold(namespace)
    known, free_hash = await same_content(rows, memory, addition.content_hash, now)
    if known is not None:
        return await _kept_already(rows, known, addition)
    await guards.require_room(rows, namespace, memory.content)
    await rows.namespaces.register(namespace, now)
    named = await _named(rows, namespace, addition.supersedes)
    if by != HUMAN:
        await guards.guard(rows, namespace, [memory, *named.values()], now)
    placed = memory if memory.session is None else replace(memory, place=await rows.memories.next_place(memory))
    await rows.memories.insert(placed, free_hash)
    change = await _arrived(rows, placed, addition.judge, named, now, by=by)
    times = 1 if free_hash == addition.content_hash else await occurrences(rows, namespace, free_hash)
    return AddOutcome(placed if change is None else await _as_it_stands(rows, placed), True, change, times)


async def _kept_already(rows: "TransactionRows", known: Memory, addition: Addition) -> AddOutcome:
    """Judge a memory whose text is stored again."""
    again, judge = addition.memory, addition.judge
    named = await _named(rows, again.namespace, [name for name in addition.supersedes if name != known.id])
    decision = judge.repeated(known, again, list(named.values())) if judge else None
    change = None
    if decision is not None:
        present = {**named, known.id: known}
        change = await record(rows, again.namespace, decision, present, addition.by, again.created_at)
    return AddOutcome(await _as_it_stands(rows, known), False, change)


async def revise(
    rows: "TransactionRows",
    memory: Memory,
    content_hash: str,
    expected_version: int,
    judge: ConflictResolver | None = None,
    by: str = "agent",
) -> Memory:
    """Replace a memory's content, and keep the version before it; return it as it stands then.

    `by` says who answers for that. Raises Conflict for another version, or where another memory has the text; NotFound,
    QuotaExceeded, PermissionDenied.
    """
    namespace, now = memory.namespace, memory.updated_at
    await rows.namespaces.hold(namespace)
    before = await _current(rows, memory)
    require_version(before.version, expected_version)
    reads_otherwise = memory.content != before.content
    free_hash = await _room_for(rows, memory, before, content_hash) if reads_otherwise else None
    if by != HUMAN:
        await guards.guard(rows, namespace, [before, memory], now)
    if memory.expires_at is not None and before.expires_at is None:
        await vouched.guard_ending(rows, namespace, [memory.id])
    standing = before
    if _needs_judgement(before, memory):
        await undoing.unsay(rows, before, now, by)
        await contest_ends.retract(rows, namespace, memory.id, now)
        standing = await _as_it_stands(rows, memory)
    held = replace(
        memory,
        valid_from=_else(memory.valid_from, before.valid_from, standing.valid_from),
        valid_to=_else(memory.valid_to, before.valid_to, standing.valid_to),
    )
    if reads_otherwise:
        await rows.relations.clear(memory.id, [MAY_SUPERSEDE, BOTH_HOLD, SAME_AS])
        await erasing.erase_summaries(rows, memory, now, "memory.outdate")
    await rows.memories.rewrite(before, held, free_hash)
    changed = await _as_it_stands(rows, memory)
    await questions.ask_again(rows, before, changed, now)
    lasts = before.memory_type is not MemoryType.WORKING or memory.memory_type is MemoryType.WORKING
    if not reads_otherwise and memory.slot == before.slot and lasts:
        return changed
    if changed.status in HIDDEN:
        return changed  # a hidden memory ends and contradicts nothing
    contesting = await contest_ends.contesting(rows, memory.id)
    change = await _arrived(rows, changed, judge, {}, now, beside=contesting, by=by)
    return changed if change is None else await _as_it_stands(rows, memory)


async def _current(rows: "TransactionRows", memory: Memory) -> Memory:
    found = await rows.memories.get(memory.namespace, [memory.id])
    if memory.id not in found:
        raise NotFound(f"memory_id: memory {memory.id} has been deleted")
    return found[memory.id]


async def _room_for(rows: "TransactionRows", memory: Memory, before: Memory, content_hash: str) -> str:
    """Return the hash that a memory's new text can have. Raises Conflict, QuotaExceeded."""
    same, free_hash = await same_content(rows, memory, content_hash, memory.updated_at)
    if same is not None and same.id != memory.id:
        raise Conflict(f"content: memory {same.id} already has this text; delete one of the two")
    await guards.require_room(rows, memory.namespace, memory.content, before.content)
    return free_hash


def _needs_judgement(before: Memory, after: Memory) -> bool:
    """Return whether the memory's effects on others must be judged anew.

    They must if it states something of another slot, or is contested and has another value now.
    """
    if before.slot is None:
        return False
    return not before.slot.is_also(after.slot) or (before.status is Status.CONTESTED and before.slot != after.slot)


async def _arrived(
    rows: "TransactionRows",
    memory: Memory,
    judge: ConflictResolver | None,
    named: Mapping[str, Memory],
    now: datetime,
    beside: Sequence[str] = (),
    by: str = "agent",
) -> Change | None:
    """Judge a memory that was just written against others of its slot and the `named`, which it shall supersede.

    Those `beside` it contest it already, which a human must decide about.
    """
    if judge is None or not (named or memory.slot):
        return None
    others = [other for other in await rows.memories.rivals(memory, now) if other.id not in beside]
    decision = judge.arrived(memory, others, list(named.values())) if named or others else None
    if decision is None:
        return None
    present = {**named} | {other.id: other for other in others} | {memory.id: memory}
    before = {name: each.standing for name, each in present.items() if name not in named}
    kept = await vouched.withdrawn_confirmations(rows, memory.namespace, before, decision.standings)
    if kept:  # what a person vouches for is not ended by what merely states another value
        decision = judge.arrived(memory, [other for other in others if other.id not in kept], list(named.values()))
    if decision is None:
        return None
    return await record(rows, memory.namespace, decision, present, by, now)


async def _named(rows: "TransactionRows", namespace: str, supersedes: Sequence[str]) -> dict[str, Memory]:
    """Return the memories that one is said to supersede. Raises NotFound."""
    if not supersedes:
        return {}
    named = await rows.memories.get(namespace, supersedes)
    missing = [name for name in supersedes if name not in named or named[name].status is Status.FORGOTTEN]
    if missing:
        raise NotFound(
            f"supersedes: there is no memory {missing[0][:60]!r}, so nothing was stored; memory_search gives valid ids"
        )
    return named


async def _as_it_stands(rows: "TransactionRows", memory: Memory) -> Memory:
    return (await rows.memories.get(memory.namespace, [memory.id]))[memory.id]


def _else(given: datetime | None, before: datetime | None, now: datetime | None) -> datetime | None:
    """Return the given time if it differs from the one before, else the current one."""
    return given if given != before else now
