"""Memories: row, tags, audit and outbox change in one transaction; the text index follows the row."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from ...modules.errors import Conflict, NotFound
from ...modules.memory.conflict_resolution import ConflictResolver, Decision, Kept
from ...modules.memory.models import HIDDEN, Change, Kind, Memory, MemoryFilter, MemoryType, Order, Passage, Status
from ...modules.text.scripts import composed
from ..engine.ports import Connection, Engine, Row
from ..engine.times import maybe_to_us, to_us
from . import lifecycle, pages, predicates, quotas, segments, vouching
from .audit import record_change, register_namespace
from .memory_rows import COLUMNS, INSERTED, as_json, slot_values, to_memory, values

_IDS_A_QUERY = 500
_ORDERS = {
    Order.NEWEST: (("seq",), True),
    Order.OLDEST: (("seq",), False),
    Order.IMPORTANT: (("importance", "accessed_at", "seq"), True),
    Order.UNIMPORTANT: (("importance", "accessed_at", "seq"), False),
    Order.UNUSED: (("accessed_at", "seq"), False),
}
"""By which columns each order goes, and whether it descends; they follow those of an index where there is one."""
_OF_SLOT = "memories m /*by memories_by_slot*/ WHERE m.namespace = :namespace AND m.subject"
_STATED_OF = f"""
WITH RECURSIVE named(subject, last) AS (
    SELECT (SELECT min(m.subject) FROM {_OF_SLOT} > given.value || ' ' AND m.subject < given.value || '!'),
        given.value || '!'
    FROM json_texts(:subjects) given
    UNION ALL
    SELECT (SELECT min(m.subject) FROM {_OF_SLOT} > named.subject AND m.subject < named.last), named.last
    FROM named WHERE named.subject IS NOT NULL
    /*limit 500*/
),
whose(subject) AS (
    SELECT value FROM json_texts(:subjects) UNION SELECT subject FROM named WHERE subject IS NOT NULL
),
slots(subject, attribute) AS (
    SELECT whose.subject, (SELECT min(m.attribute) FROM {_OF_SLOT} = whose.subject) FROM whose
    UNION ALL
    SELECT slots.subject,
        (SELECT min(m.attribute) FROM {_OF_SLOT} = slots.subject AND m.attribute > slots.attribute)
    FROM slots WHERE slots.attribute IS NOT NULL
    /*limit 5000*/
)
SELECT subject, attribute FROM slots WHERE attribute IS NOT NULL LIMIT :limit
"""
"""Steps from one name to the next in the index: what is stated a thousand times costs no more than once. "dana"
includes "dana kim": subjects that begin with it and a space, which is the character before "!"."""


class MemoriesRepository:
    """Implements `modules.memory.ports.MemoryRepository`, but for candidates: each engine finds them its own way."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def read_only(self) -> str | None:
        return self._engine.read_only

    async def add(
        self, memory: Memory, content_hash: str, judge: ConflictResolver | None = None, supersedes: Sequence[str] = ()
    ) -> Kept:
        now = memory.created_at

        async def work(connection: Connection) -> Kept:
            await connection.lock(memory.namespace)
            known, free_hash = await _same_content(connection, memory, content_hash, now)
            if known is not None:
                named = await _named(connection, memory, [name for name in supersedes if name != known.id])
                decision = judge.repeated(known, memory, list(named.values())) if judge else None
                change = decision and await _judged(connection, known, decision, {**named, known.id: known}, now)
                return Kept(await _as_it_stands(connection, known), False, change or None)
            await quotas.require_room(connection, memory.namespace, memory.content)
            await register_namespace(connection, memory.namespace, to_us(now))
            placed = replace(memory, place=await _next_place(connection, memory))
            await insert_memory(connection, placed, free_hash)
            change = await _arrived(connection, placed, judge, supersedes, now)
            return Kept(placed if change is None else await _as_it_stands(connection, placed), True, change)

        return await self._engine.write(work)

    async def get(self, namespace: str, memory_id: str) -> Memory | None:
        rows = await self._engine.read(
            f"SELECT {COLUMNS} FROM memories m WHERE m.namespace = ? AND m.id = ?", (namespace, memory_id)
        )
        return to_memory(rows[0]) if rows else None

    async def revise(
        self, memory: Memory, content_hash: str, expected_version: int, judge: ConflictResolver | None = None
    ) -> Memory:
        async def work(connection: Connection) -> Memory:
            await connection.lock(memory.namespace)
            row = await _current(connection, memory)
            if row["version"] != expected_version:
                raise Conflict(
                    f"version: the memory is at version {row['version']}, not {expected_version}; "
                    "read it with memory_get and try again"
                )
            free_hash = row["content_hash"]
            if memory.content != row["content"]:
                same, free_hash = await _same_content(connection, memory, content_hash, memory.updated_at)
                if same is not None and same.id != memory.id:
                    raise Conflict(f"content: memory {same.id} already has this text; delete one of the two")
                await quotas.require_room(connection, memory.namespace, memory.content, row["content"])
            if memory.expires_at is not None and row["expires_at"] is None:
                await vouching.guard_expiring(connection, memory.namespace, memory.id)
            await connection.execute(
                "INSERT INTO memory_versions SELECT seq, version, memory_type, content, tags, importance, "
                "metadata, ? FROM memories WHERE seq = ?",
                (to_us(memory.updated_at), row["seq"]),
            )
            before = revised_from = to_memory(row)
            if _says_otherwise(before, memory):
                await lifecycle.unsay(connection, before, memory.updated_at)
                await lifecycle.retract(connection, memory.namespace, memory.id, memory.updated_at)
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
            await _clear_derived(connection, row, keep_vector=memory.content == row["content"])
            await _write_tags(connection, row["seq"], memory)
            if memory.content != row["content"]:
                await lifecycle.forget_opinions(connection, memory.id)
                await pages.untitle(connection, row["seq"], row["content"])
                await pages.text_changed(connection, row["seq"], memory.content)
                await _erase_derived(connection, memory.id, memory.updated_at, "memory.outdate")
            version = row["version"] + 1
            await record_change(
                connection, memory.updated_at, memory.namespace, "memory.update", memory.id, version=version
            )
            changed = await _as_it_stands(connection, memory)
            lasts = before.memory_type is not MemoryType.WORKING or memory.memory_type is MemoryType.WORKING
            if memory.content == before.content and memory.slot == before.slot and lasts:
                return changed
            if changed.status in HIDDEN:
                return changed  # a hidden memory ends and contradicts nothing
            contesting = await lifecycle.contesting(connection, memory.id)
            change = await _arrived(connection, changed, judge, (), memory.updated_at, beside=contesting)
            return changed if change is None else await _as_it_stands(connection, memory)

        return await self._engine.write(work)

    async def erase(
        self, namespace: str, memory_ids: Sequence[str], where: MemoryFilter | None, now: datetime, by: str = "agent"
    ) -> int:
        if where is None:
            chosen = predicates.Predicates()
            chosen.add("m.namespace = ?", namespace)
            chosen.add("m.id IN (SELECT value FROM json_texts(?))", as_json(list(memory_ids)))
        elif where.is_empty:
            raise ValueError("an empty filter would erase the whole namespace")
        else:
            chosen = predicates.for_memories(namespace, where, None)

        async def work(connection: Connection) -> int:
            await connection.lock(namespace)
            rows = await connection.fetch_all(f"SELECT {COLUMNS} FROM memories m WHERE {chosen.sql}", chosen.parameters)
            if by == "agent":
                await vouching.guard_erasing(connection, namespace, [row["id"] for row in rows])
            for row in rows:
                await erase_row(connection, row, now, "memory.erase")
            return len(rows)

        return await self._engine.erase(work)

    async def page(
        self, namespace: str, where: MemoryFilter, now: datetime, limit: int, offset: int, before: int | None
    ) -> tuple[list[tuple[int, Memory]], int]:
        chosen = predicates.for_memories(namespace, where, now)
        counted = await self.count(namespace, where, now)
        if before is not None:
            chosen.add("m.seq < ?", before)
        rows = await self._engine.read(
            f"SELECT {COLUMNS} FROM memories m WHERE {chosen.sql} ORDER BY m.seq DESC LIMIT ? OFFSET ?",
            (*chosen.parameters, limit, offset),
        )
        return [(row["seq"], to_memory(row)) for row in rows], counted

    async def ordered(
        self,
        namespace: str,
        where: MemoryFilter,
        now: datetime,
        order: Order,
        limit: int,
        beyond: Sequence[float] | None = None,
        *,
        backwards: bool = False,
    ) -> list[tuple[tuple[float, ...], Memory]]:
        columns, descends = _ORDERS[order]
        falls = descends is not backwards
        chosen = predicates.for_memories(namespace, where, now)
        if beyond is not None:
            place = ", ".join("?" * len(columns))
            chosen.add(f"({', '.join(f'm.{one}' for one in columns)}) {'<' if falls else '>'} ({place})", *beyond)
        by = ", ".join(f"m.{one} {'DESC' if falls else 'ASC'}" for one in columns)
        rows = await self._engine.read(
            f"SELECT {COLUMNS} FROM memories m WHERE {chosen.sql} ORDER BY {by} LIMIT ?", (*chosen.parameters, limit)
        )
        found = [(tuple(row[one] for one in columns), to_memory(row)) for row in rows]
        return found[::-1] if backwards else found

    async def count(self, namespace: str, where: MemoryFilter, now: datetime) -> int:
        chosen = predicates.for_memories(namespace, where, now)
        rows = await self._engine.read(f"SELECT count(*) FROM memories m WHERE {chosen.sql}", chosen.parameters)
        return int(rows[0][0])

    async def with_vector_everywhere(self, memory_id: str, generation: int) -> tuple[Memory, bytes] | None:
        rows = await self._engine.read(
            f"SELECT {COLUMNS}, e.vector FROM memories m JOIN embeddings e ON e.generation = ? "
            "AND e.memory_seq = m.seq WHERE m.id = ? LIMIT 2",
            (generation, memory_id),
        )
        return (to_memory(rows[0]), rows[0]["vector"]) if len(rows) == 1 else None

    async def fetch(self, namespace: str, memory_ids: Sequence[str]) -> list[Memory]:
        found: list[Memory] = []
        for start in range(0, len(memory_ids), _IDS_A_QUERY):
            rows = await self._engine.read(
                # Else the whole namespace is walked to find a few ids.
                f"SELECT {COLUMNS} FROM memories m WHERE /*unindexed*/m.namespace = ? AND m.id IN (SELECT value FROM "
                "json_texts(?))",
                (namespace, as_json(list(memory_ids[start : start + _IDS_A_QUERY]))),
            )
            found += [to_memory(row) for row in rows]
        return found

    async def first_ids(self, namespace: str, where: MemoryFilter, now: datetime, limit: int) -> list[str]:
        chosen = predicates.for_memories(namespace, where, now)
        rows = await self._engine.read(
            f"SELECT m.id FROM memories m WHERE {chosen.sql} LIMIT ?", (*chosen.parameters, limit)
        )
        return [row["id"] for row in rows]

    async def stating(
        self, namespace: str, subject: str, attribute: str, where: MemoryFilter, now: datetime, limit: int
    ) -> list[str]:
        chosen = predicates.for_memories(namespace, where, now)
        rows = await self._engine.read(
            "SELECT m.id FROM memories m /*by memories_by_slot*/ "
            f"WHERE {chosen.sql} AND m.attribute = ? AND (m.subject = ? OR (m.subject > ? AND m.subject < ?)) "
            "ORDER BY coalesce(m.valid_from, m.occurred_at) DESC, m.seq DESC LIMIT ?",
            # "dana" includes "dana kim": subjects that begin with it and a space, the character before "!".
            (*chosen.parameters, attribute, subject, f"{subject} ", f"{subject}!", limit),
        )
        return [row["id"] for row in rows]

    async def stated_of(self, namespace: str, subjects: Sequence[str], limit: int) -> list[tuple[str, str]]:
        rows = await self._engine.read(
            _STATED_OF, {"namespace": namespace, "subjects": as_json(list(subjects)), "limit": limit}
        )
        return [(row["subject"], row["attribute"]) for row in rows]

    async def token_signs(
        self, namespace: str, memory_ids: Sequence[str], generation: int, limit: int
    ) -> dict[str, list[bytes]]:
        rows = await self._engine.read(
            # From the ids, in their order, to the rows that they name.
            "SELECT m.id, e.part, s.signs FROM json_texts(?) given /*then*/ JOIN memories m ON m.id = given.value "
            "/*then*/ JOIN embeddings e ON e.generation = ? AND e.memory_seq = m.seq "
            "/*then*/ JOIN token_signs s ON s.embedding = e.id WHERE m.namespace = ? LIMIT ?",
            (as_json(list(memory_ids)), generation, namespace, limit),
        )
        found: dict[str, list[bytes]] = {}
        for memory_id, _, signs in sorted(rows, key=lambda row: int(row["part"])):
            found.setdefault(memory_id, []).append(signs)
        return found

    async def touch(self, namespaces: Sequence[str], memory_ids: Sequence[str], at: datetime) -> None:
        async def work(connection: Connection) -> None:
            await connection.execute(
                "UPDATE memories SET access_count = access_count + 1, accessed_at = greatest(accessed_at, ?) "
                # The hint keeps an engine from walking the whole namespace to find a few ids.
                "WHERE id IN (SELECT value FROM json_texts(?)) "
                "AND /*unindexed*/namespace IN (SELECT value FROM json_texts(?))",
                (to_us(at), as_json(list(memory_ids)), as_json(list(namespaces))),
            )
            await segments.visited(connection, namespaces, memory_ids, at)

        await self._engine.write(work, durable=False)


async def insert_memory(connection: Connection, memory: Memory, content_hash: str) -> int:
    """Insert a new memory with all that is derived from it, except vectors, which are made later; return its number."""
    [row] = await connection.fetch_all(
        f"INSERT INTO memories ({INSERTED}) VALUES ({','.join('?' * len(INSERTED.split(',')))}) RETURNING seq",
        values(memory, content_hash),
    )
    await _write_tags(connection, row["seq"], memory)
    await record_change(connection, memory.created_at, memory.namespace, "memory.store", memory.id, version=1)
    return int(row["seq"])


async def _same_content(
    connection: Connection, memory: Memory, content_hash: str, now: datetime
) -> tuple[Memory | None, str]:
    """Return the memory that has the same content already, and the hash under which the new one can be kept.

    An expired memory is erased. One that is hidden, or had ended by then, stays as it is, and the new one is another
    memory, under a hash derived from that one's. So it is when some other content has that hash, as in a forged bundle.
    """
    while True:
        rows = await connection.fetch_all(
            f"SELECT {COLUMNS} FROM memories m WHERE m.namespace = ? AND m.content_hash = ?",
            (memory.namespace, content_hash),
        )
        if not rows:
            return None, content_hash
        known = to_memory(rows[0])
        is_same = known.session == memory.session and composed(known.content) == composed(memory.content)
        if is_same and _expired(rows[0], now):
            await erase_row(connection, rows[0], now, "memory.expire")
            return None, content_hash
        ended = known.valid_to is not None and known.valid_to <= memory.holds_from
        if known.id == memory.id or (is_same and known.status not in HIDDEN and not ended):
            return known, content_hash
        content_hash = hashlib.sha256(f"{content_hash}\0again".encode()).hexdigest()


def _says_otherwise(before: Memory, after: Memory) -> bool:
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
    supersedes: Sequence[str],
    now: datetime,
    beside: Sequence[str] = (),
) -> Change | None:
    """Judge a memory that was just written against the others of its slot and those that it is said to supersede.

    Those `beside` it contest it already, which a human decides about.
    """
    if judge is None:
        return None
    named = await _named(connection, memory, supersedes)
    others = [other for other in await lifecycle.rivals(connection, memory, now) if other.id not in beside]
    decision = judge.arrived(memory, others, list(named.values())) if named or others else None
    if decision is None:
        return None
    present = named | {other.id: other for other in others} | {memory.id: memory}
    before = {name: each.standing for name, each in present.items() if name not in named}
    kept = await vouching.unmade(connection, memory.namespace, before, decision.standings)
    if kept:  # what a person vouches for is not ended by what merely states another value
        decision = judge.arrived(memory, [other for other in others if other.id not in kept], list(named.values()))
    if decision is None:
        return None
    return await _judged(connection, memory, decision, present, now)


async def _named(connection: Connection, memory: Memory, supersedes: Sequence[str]) -> dict[str, Memory]:
    """Return the memories that one is said to supersede. Raises NotFound."""
    named = await lifecycle.read(connection, memory.namespace, supersedes)
    missing = [name for name in supersedes if name not in named or named[name].status is Status.FORGOTTEN]
    if missing:
        raise NotFound(f"supersedes: there is no memory {missing[0][:60]!r}; nothing was stored")
    return named


async def _judged(
    connection: Connection, memory: Memory, decision: Decision, present: Mapping[str, Memory], now: datetime
) -> Change | None:
    return await lifecycle.record(connection, memory.namespace, decision, present, "agent", now)


async def _as_it_stands(connection: Connection, memory: Memory) -> Memory:
    return (await lifecycle.read(connection, memory.namespace, [memory.id]))[memory.id]


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
        raise NotFound(f"memory_id: memory {memory.id} was deleted meanwhile")
    return rows[0]


def _else(given: datetime | None, before: datetime | None, now: datetime | None) -> datetime | None:
    """Return the given time if it differs from the one before, else the current one."""
    return given if given != before else now


def _expired(row: Row, now: datetime) -> bool:
    return row["expires_at"] is not None and row["expires_at"] <= to_us(now)


async def _write_tags(connection: Connection, seq: int, memory: Memory) -> None:
    await connection.execute_many(
        "INSERT INTO memory_tags (tag, memory_seq) VALUES (tag_of(?), ?) ON CONFLICT DO NOTHING",
        [(tag, seq) for tag in memory.tags],
    )


async def write_passages(
    connection: Connection, namespace: str, seq: int, passages: Sequence[Passage], generation: int
) -> None:
    """Store the vectors of a memory that has none of this generation yet, and tell the derived index."""
    for part, passage in enumerate(passages):
        number = await connection.fetch_value(
            "INSERT INTO embeddings (memory_seq, part, generation, begins, ends, vector) "
            "VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
            (seq, part, generation, passage.begin, passage.end, passage.vector),
        )
        if passage.signs:
            await connection.execute(
                "INSERT INTO token_signs (embedding, signs) VALUES (?, ?)", (number, passage.signs)
            )
    await connection.execute(
        "INSERT INTO index_outbox (namespace, memory_seq, operation, generation) VALUES (?, ?, 'upsert', ?)",
        (namespace, seq, generation),
    )


async def _clear_derived(connection: Connection, row: Row, *, keep_vector: bool) -> None:
    await connection.execute("DELETE FROM memory_tags WHERE memory_seq = ?", (row["seq"],))
    if not keep_vector:
        await connection.execute(
            "INSERT INTO index_outbox (namespace, memory_seq, operation, passages) "
            "SELECT ?, ?, 'delete', coalesce(max(part) + 1, 0) FROM embeddings WHERE memory_seq = ?",
            (row["namespace"], row["seq"], row["seq"]),
        )
        await connection.execute("DELETE FROM embeddings WHERE memory_seq = ?", (row["seq"],))


async def erase_row(connection: Connection, row: Row, at: datetime, action: str) -> None:
    """Delete a memory with everything derived from it, and note it in the audit log as `action`.

    Unconfirmed facts that were found in it alone are erased too. So are summaries of it, as they may tell what it said.
    """
    for fact in await _found_in_it_alone(connection, row["id"]):
        await erase_row(connection, fact, at, action)
    await _erase_derived(connection, row["id"], at, action)
    await lifecycle.clear_traces(connection, row, at)
    await pages.clear_turn(connection, row["seq"], row["content"])
    await _clear_derived(connection, row, keep_vector=False)
    await connection.execute("DELETE FROM memories WHERE seq = ?", (row["seq"],))
    await record_change(connection, at, row["namespace"], action, row["id"])


async def _found_in_it_alone(connection: Connection, memory_id: str) -> list[Row]:
    return await connection.fetch_all(
        f"SELECT {COLUMNS} FROM relations r /*then*/ JOIN memories m ON m.id = r.to_id "
        f"WHERE r.from_id = ?1 AND r.type = 'evidence_of' AND {predicates.UNCONFIRMED} "
        "AND NOT EXISTS (SELECT 1 FROM relations o WHERE o.to_id = m.id AND o.type = 'evidence_of' "
        "AND o.from_id <> ?1)",
        (memory_id,),
    )


async def _erase_derived(connection: Connection, memory_id: str, at: datetime, action: str) -> None:
    """Erase the summaries that were made of a memory; their other sources can be summarised again."""
    for made in await connection.fetch_all(
        f"SELECT {COLUMNS} FROM relations r JOIN memories m ON m.id = r.from_id "
        f"WHERE r.to_id = ? AND r.type = '{predicates.DERIVED_FROM}' AND m.kind = '{Kind.SUMMARY}'",
        (memory_id,),
    ):
        await erase_row(connection, made, at, action)


async def replace_texts(connection: Connection, row: Row, memory: Memory, content_hash: str) -> None:
    """Replace a memory's texts, with all that is derived from them; the old ones are not kept."""
    await connection.execute(
        "UPDATE memories SET content = ?, summary = ?, tags = ?, metadata = ?, source = ?, session = ?, speaker = ?, "
        "content_hash = ?, version = version + 1 WHERE seq = ?",
        (
            memory.content,
            memory.summary,
            as_json(memory.tags),
            as_json(memory.metadata),
            memory.source,
            memory.session,
            memory.speaker,
            content_hash,
            row["seq"],
        ),
    )
    await _clear_derived(connection, row, keep_vector=memory.content == row["content"])
    await _write_tags(connection, row["seq"], memory)
    await pages.text_changed(connection, row["seq"], memory.content)
