"""Keeping memories: a new or revised one is written and judged against others, within the transaction of a caller."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from ...modules.errors import Conflict, NotFound
from ...modules.judging import contest_ends, guards, questions, recording, undoing, vouched
from ...modules.memory.conflict_resolution import AddOutcome, ConflictResolver, Decision
from ...modules.memory.models import HIDDEN, Change, Memory, MemoryType, Status, require_version
from ...modules.memory.occurrences import A_MOMENT, is_another_time
from ...modules.memory.storing import content_hash as content_hash_of
from ...modules.memory.storing import other_spellings
from ...modules.memory.vouching import HUMAN
from ...modules.text.scripts import composed
from ..engine.ports import Connection, Row
from ..engine.times import maybe_to_us, to_us
from . import change_rows, lifecycle, pages
from .audit import record_change, register_namespace
from .memory_rows import COLUMNS, as_json, slot_values, to_memory
from .memory_writing import clear_derived, erase_derived, erase_row, insert_memory, write_tags
from .rows import TransactionRows


async def keep(
    connection: Connection,
    memory: Memory,
    content_hash: str,
    judge: ConflictResolver | None = None,
    supersedes: Sequence[str] = (),
    by: str = "agent",
) -> AddOutcome:
    """Store a memory within a transaction, once for each text, and judge it; `by` says who answers for that.

    An event is stored once for each time at which it happened.
    Raises Conflict, NotFound, QuotaExceeded, PermissionDenied.
    """
    now = memory.created_at
    rows = TransactionRows(connection)
    await connection.lock(memory.namespace)
    known, free_hash = await _same_content(connection, memory, content_hash, now)
    if known is not None:
        named = await _named(connection, memory, [name for name in supersedes if name != known.id])
        decision = judge.repeated(known, memory, list(named.values())) if judge else None
        change = decision and await _judged(connection, known, decision, {**named, known.id: known}, now, by)
        return AddOutcome(await _as_it_stands(connection, known), False, change or None)
    await guards.require_room(rows, memory.namespace, memory.content)
    await register_namespace(connection, memory.namespace, to_us(now))
    named = await _named(connection, memory, supersedes)
    if by != HUMAN:
        await guards.guard(rows, memory.namespace, [memory, *named.values()], now)
    placed = replace(memory, place=await _next_place(connection, memory))
    await insert_memory(connection, placed, free_hash)
    change = await _arrived(connection, placed, judge, named, now, by=by)
    times = 1
    if free_hash != content_hash:
        times = await _occurrences(connection, memory.namespace, free_hash.partition("@")[0])
    stands = placed if change is None else await _as_it_stands(connection, placed)
    return AddOutcome(stands, True, change, times)


async def revise(
    connection: Connection,
    memory: Memory,
    content_hash: str,
    expected_version: int,
    judge: ConflictResolver | None = None,
    by: str = "agent",
) -> Memory:
    """Replace a memory's content within a transaction, and keep the version before it; return it as it stands then.

    `by` says who answers for that. Raises Conflict for another version, or where another memory has the text; NotFound,
    QuotaExceeded, PermissionDenied.
    """
    await connection.lock(memory.namespace)
    rows = TransactionRows(connection)
    row = await _current(connection, memory)
    require_version(row["version"], expected_version)
    free_hash = row["content_hash"]
    if memory.content != row["content"]:
        same, free_hash = await _same_content(connection, memory, content_hash, memory.updated_at)
        if same is not None and same.id != memory.id:
            raise Conflict(f"content: memory {same.id} already has this text; delete one of the two")
        await guards.require_room(rows, memory.namespace, memory.content, row["content"])
    if by != HUMAN:
        await guards.guard(rows, memory.namespace, [to_memory(row), memory], memory.updated_at)
    if memory.expires_at is not None and row["expires_at"] is None:
        await vouched.guard_ending(rows, memory.namespace, [memory.id])
    await connection.execute(
        "INSERT INTO memory_versions SELECT seq, version, memory_type, content, tags, importance, "
        "metadata, ? FROM memories WHERE seq = ?",
        (to_us(memory.updated_at), row["seq"]),
    )
    before = revised_from = to_memory(row)
    if _needs_judgement(before, memory):
        await undoing.unsay(rows, before, memory.updated_at, by)
        await contest_ends.retract(rows, memory.namespace, memory.id, memory.updated_at)
        revised_from = await _as_it_stands(connection, memory)
    await connection.execute(
        "UPDATE memories SET memory_type = ?, content = ?, summary = ?, tags = ?, importance = ?, "
        "metadata = ?, source = ?, content_hash = ?, occurred_at = ?, updated_at = ?, expires_at = ?, "
        "speaker = ?, kind = ?, trust = ?, subject = ?, attribute = ?, value = ?, slot_confidence = ?, "
        "polarity = ?, valid_from = ?, valid_to = ?, version = version + 1 WHERE seq = ?",
        (
            memory.memory_type.value,
            memory.content,
            memory.summary,
            as_json(memory.tags),
            memory.importance,
            as_json(memory.metadata),
            memory.source,
            free_hash,
            to_us(memory.occurred_at),
            to_us(memory.updated_at),
            maybe_to_us(memory.expires_at),
            memory.speaker,
            memory.kind.value,
            memory.trust,
            *slot_values(memory.slot),
            maybe_to_us(_else(memory.valid_from, before.valid_from, revised_from.valid_from)),
            maybe_to_us(_else(memory.valid_to, before.valid_to, revised_from.valid_to)),
            row["seq"],
        ),
    )
    await clear_derived(connection, row, keep_vector=memory.content == row["content"])
    await write_tags(connection, row["seq"], memory)
    if memory.content != row["content"]:
        await lifecycle.forget_opinions(connection, memory.id)
        await pages.untitle(connection, row["seq"], row["content"])
        await pages.text_changed(connection, row["seq"], memory.content)
        await erase_derived(connection, memory.id, memory.updated_at, "memory.outdate")
    version = row["version"] + 1
    await record_change(connection, memory.updated_at, memory.namespace, "memory.update", memory.id, version=version)
    changed = await _as_it_stands(connection, memory)
    await questions.ask_again(rows, before, changed, memory.updated_at)
    lasts = before.memory_type is not MemoryType.WORKING or memory.memory_type is MemoryType.WORKING
    if memory.content == before.content and memory.slot == before.slot and lasts:
        return changed
    if changed.status in HIDDEN:
        return changed  # a hidden memory ends and contradicts nothing
    contesting = await contest_ends.contesting(rows, memory.id)
    change = await _arrived(connection, changed, judge, {}, memory.updated_at, beside=contesting, by=by)
    return changed if change is None else await _as_it_stands(connection, memory)


async def _same_content(
    connection: Connection, memory: Memory, content_hash: str, now: datetime
) -> tuple[Memory | None, str]:
    """Return the memory that has the same content already, and the hash under which the new one can be kept.

    An expired memory is erased. One that is hidden, or had ended by then, stays as it is, and the new one is another
    memory, under a hash derived from that one's. So it is when some other content has that hash, as in a forged bundle,
    and when an event happens at another time. What another project has alone is stored for this one as well.
    """
    first_hash = content_hash
    while True:
        rows = await connection.fetch_all(
            f"SELECT {COLUMNS} FROM memories m WHERE m.namespace = ? AND m.content_hash = ?",
            (memory.namespace, content_hash),
        )
        if not rows:
            return await _spelled_otherwise(connection, memory, now), content_hash
        known = to_memory(rows[0])
        is_same = known.session == memory.session and composed(known.content) == composed(memory.content)
        if is_same and _expired(rows[0], now):
            await erase_row(connection, rows[0], now, "memory.expire")
            return None, content_hash
        if is_same and content_hash == first_hash and known.project not in ("", memory.project):
            first_hash = content_hash = hashlib.sha256(f"{first_hash}\0{memory.project}".encode()).hexdigest()
            continue
        if is_same and content_hash == first_hash and known.id != memory.id and is_another_time(known, memory):
            content_hash = await _of_its_time(connection, memory, first_hash)
            continue
        ended = known.valid_to is not None and known.valid_to <= memory.holds_from
        if known.id == memory.id or (is_same and known.status not in HIDDEN and not ended):
            return known, content_hash
        content_hash = hashlib.sha256(f"{content_hash}\0again".encode()).hexdigest()


async def _spelled_otherwise(connection: Connection, memory: Memory, now: datetime) -> Memory | None:
    """Return the memory that has the content but for spaces, first letter and full stop.

    A turn of a conversation has none, nor has what was found in one: that is judged as evidence.
    """
    if memory.session is not None or memory.status is Status.CANDIDATE:
        return None
    hashes = [content_hash_of(text) for text in other_spellings(memory.content)]
    rows = await connection.fetch_all(
        f"SELECT {COLUMNS} FROM json_texts(?) given /*then*/ JOIN memories m ON m.content_hash = given.value "
        "AND m.namespace = ? ORDER BY m.seq",
        (as_json(hashes), memory.namespace),
    )
    for row in rows:
        known = to_memory(row)
        holds = known.status not in HIDDEN and (known.valid_to is None or known.valid_to > memory.holds_from)
        same = known.session is None and known.id != memory.id and not is_another_time(known, memory)
        if same and holds and not _expired(row, now):
            return known
    return None


async def _of_its_time(connection: Connection, memory: Memory, content_hash: str) -> str:
    """Return the hash of the event of the same text and moment, else the one that the event can be kept under."""
    rows = await connection.fetch_all(
        f"SELECT {COLUMNS} FROM memories m WHERE m.namespace = ? AND m.content_hash BETWEEN ? AND ? "
        "ORDER BY m.content_hash DESC",
        (
            memory.namespace,
            _timed(content_hash, memory.occurred_at - A_MOMENT),
            _timed(content_hash, memory.occurred_at + A_MOMENT),
        ),
    )
    same = (row["content_hash"] for row in rows if not is_another_time(to_memory(row), memory))
    return next(same, _timed(content_hash, memory.occurred_at))


def _timed(content_hash: str, moment: datetime) -> str:
    """Return a hash with a time behind it: in the order of their hashes, events of one text are in that of time."""
    return f"{content_hash}@{to_us(moment) + 2**62:020d}"


async def _occurrences(connection: Connection, namespace: str, content_hash: str) -> int:
    """Return how many events of one text are kept."""
    [row] = await connection.fetch_all(
        "SELECT count(*) FROM memories WHERE namespace = ? AND (content_hash = ? OR content_hash BETWEEN ? AND ?)",
        (namespace, content_hash, f"{content_hash}@", f"{content_hash}@~"),
    )
    return int(row[0])


def _needs_judgement(before: Memory, after: Memory) -> bool:
    """Return whether the memory's effects on others must be judged anew.

    They must if it states something of another slot, or is contested and has another value now.
    """
    if before.slot is None:
        return False
    return not before.slot.is_also(after.slot) or (before.status is Status.CONTESTED and before.slot != after.slot)


async def _arrived(
    connection: Connection,
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
    rows = TransactionRows(connection)
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
    return await _judged(connection, memory, decision, present, now, by)


async def _named(connection: Connection, memory: Memory, supersedes: Sequence[str]) -> dict[str, Memory]:
    """Return the memories that one is said to supersede. Raises NotFound."""
    if not supersedes:
        return {}
    named = await change_rows.read(connection, memory.namespace, supersedes)
    missing = [name for name in supersedes if name not in named or named[name].status is Status.FORGOTTEN]
    if missing:
        raise NotFound(
            f"supersedes: there is no memory {missing[0][:60]!r}, so nothing was stored; memory_search gives valid ids"
        )
    return named


async def _judged(
    connection: Connection, memory: Memory, decision: Decision, present: Mapping[str, Memory], now: datetime, by: str
) -> Change | None:
    return await recording.record(TransactionRows(connection), memory.namespace, decision, present, by, now)


async def _as_it_stands(connection: Connection, memory: Memory) -> Memory:
    return (await change_rows.read(connection, memory.namespace, [memory.id]))[memory.id]


async def _next_place(connection: Connection, memory: Memory) -> int | None:
    """Return the place after the last one of its session; None when it has no session."""
    if memory.session is None:
        return None
    [row] = await connection.fetch_all(
        "SELECT coalesce(max(place), -1) + 1 FROM memories WHERE namespace = ? AND session = ?",
        (memory.namespace, memory.session),
    )
    return int(row[0])


async def _current(connection: Connection, memory: Memory) -> Row:
    rows = await connection.fetch_all(
        f"SELECT {COLUMNS} FROM memories m WHERE m.namespace = ? AND m.id = ?", (memory.namespace, memory.id)
    )
    if not rows:
        raise NotFound(f"memory_id: memory {memory.id} has been deleted")
    return rows[0]


def _else(given: datetime | None, before: datetime | None, now: datetime | None) -> datetime | None:
    """Return the given time if it differs from the one before, else the current one."""
    return given if given != before else now


def _expired(row: Row, now: datetime) -> bool:
    return row["expires_at"] is not None and row["expires_at"] <= to_us(now)
