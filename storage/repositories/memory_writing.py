"""Write and erase what belongs to a memory's row: tags, text index, vectors, traces."""

from collections.abc import Sequence
from datetime import datetime

from ...modules.memory.models import Memory, Passage
from ..engine.ports import Connection, Row
from ..engine.times import maybe_to_us, to_us
from . import kept_by_gateway, pages
from .audit import record_change
from .memory_rows import INSERTED, as_json, slot_values, values


async def insert_memory(connection: Connection, memory: Memory, content_hash: str) -> int:
    """Insert a new memory with all that is derived from it, except vectors, which are made later; return its number."""
    [row] = await connection.fetch_all(
        f"INSERT INTO memories ({INSERTED}) VALUES ({','.join('?' * len(INSERTED.split(',')))}) RETURNING seq",
        values(memory, content_hash),
    )
    await write_tags(connection, row["seq"], memory)
    await record_change(connection, memory.created_at, memory.namespace, "memory.store", memory.id, version=1)
    return int(row["seq"])


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


async def write_tags(connection: Connection, seq: int, memory: Memory) -> None:
    """Write the tags of a memory to their index, by its number."""
    await connection.execute_many(
        "INSERT INTO memory_tags (namespace, tag, memory_seq) VALUES (?, tag_of(?), ?) ON CONFLICT DO NOTHING",
        [(memory.namespace, tag, seq) for tag in memory.tags],
    )


async def rewrite(connection: Connection, seq: int, before: Memory, after: Memory, content_hash: str | None) -> None:
    """Replace what a memory says, by its number, and keep the version before; without a hash it has the same text."""
    await connection.execute(
        "INSERT INTO memory_versions SELECT seq, version, memory_type, content, tags, importance, metadata, ? "
        "FROM memories WHERE seq = ?",
        (to_us(after.updated_at), seq),
    )
    await connection.execute(
        "UPDATE memories SET memory_type = ?, content = ?, summary = ?, tags = ?, importance = ?, "
        "metadata = ?, source = ?, content_hash = coalesce(?, content_hash), occurred_at = ?, updated_at = ?, "
        "expires_at = ?, speaker = ?, kind = ?, trust = ?, subject = ?, attribute = ?, value = ?, "
        "slot_confidence = ?, polarity = ?, valid_from = ?, valid_to = ?, version = version + 1 WHERE seq = ?",
        (
            after.memory_type.value,
            after.content,
            after.summary,
            as_json(after.tags),
            after.importance,
            as_json(after.metadata),
            after.source,
            content_hash,
            to_us(after.occurred_at),
            to_us(after.updated_at),
            maybe_to_us(after.expires_at),
            after.speaker,
            after.kind.value,
            after.trust,
            *slot_values(after.slot),
            maybe_to_us(after.valid_from),
            maybe_to_us(after.valid_to),
            seq,
        ),
    )
    reads_otherwise = after.content != before.content
    await clear_derived(connection, after.namespace, seq, keep_vector=not reads_otherwise)
    await write_tags(connection, seq, after)
    if reads_otherwise:
        await pages.untitle(connection, seq, before.content)
        await pages.text_changed(connection, seq, after.content)
    version = before.version + 1
    await record_change(connection, after.updated_at, after.namespace, "memory.update", after.id, version=version)


async def delete(connection: Connection, seq: int, memory: Memory, at: datetime, action: str) -> None:
    """Delete a memory, by its number, with everything that is kept of it alone; note it as `action`."""
    await pages.clear_turn(connection, seq, memory.content)
    await kept_by_gateway.delete_containing(connection, memory.namespace, memory.id)
    await clear_derived(connection, memory.namespace, seq, keep_vector=False)
    await connection.execute("DELETE FROM memories WHERE seq = ?", (seq,))
    await record_change(connection, at, memory.namespace, action, memory.id)


async def clear_derived(connection: Connection, namespace: str, seq: int, *, keep_vector: bool) -> None:
    """Delete what was derived from a memory's text, by its number; its vector too, unless `keep_vector`."""
    await connection.execute(
        "DELETE FROM memory_tags WHERE /*unindexed*/namespace = ? AND memory_seq = ?", (namespace, seq)
    )
    if not keep_vector:
        await connection.execute(
            "INSERT INTO index_outbox (namespace, memory_seq, operation, passages) "
            "SELECT ?, ?, 'delete', coalesce(max(part) + 1, 0) FROM embeddings WHERE memory_seq = ?",
            (namespace, seq, seq),
        )
        await connection.execute("DELETE FROM embeddings WHERE memory_seq = ?", (seq,))


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
    await kept_by_gateway.delete_containing(connection, row["namespace"], row["id"])
    await clear_derived(connection, row["namespace"], row["seq"], keep_vector=memory.content == row["content"])
    await write_tags(connection, row["seq"], memory)
    await pages.text_changed(connection, row["seq"], memory.content)
