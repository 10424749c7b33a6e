"""Write and erase what belongs to a memory's row: tags, text index, vectors, traces."""

from collections.abc import Sequence
from datetime import datetime

from ...modules.judging import contest_ends
from ...modules.memory.models import Kind, Memory, Passage
from ..engine.ports import Connection, Row
from . import (
    gateway_blocks,
    pages,
    predicates,
)
from .audit import record_change
from .memory_rows import COLUMNS, INSERTED, as_json, values
from .rows import TransactionRows


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


async def erase_row(connection: Connection, row: Row, at: datetime, action: str) -> None:
    """Delete a memory with everything derived from it, and note it in the audit log as `action`.

    Unconfirmed facts that were found in it alone are erased too. So are summaries of it, as they may tell what it said.
    """
    for fact in await _found_in_it_alone(connection, row["id"]):
        await erase_row(connection, fact, at, action)
    await erase_derived(connection, row["id"], at, action)
    await contest_ends.clear_traces(TransactionRows(connection), row["namespace"], row["id"], at)
    await pages.clear_turn(connection, row["seq"], row["content"])
    await gateway_blocks.delete_containing(connection, row["namespace"], row["id"])
    await clear_derived(connection, row, keep_vector=False)
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


async def erase_derived(connection: Connection, memory_id: str, at: datetime, action: str) -> None:
    """Erase the summaries that were made of a memory; their other sources can be summarised again."""
    for made in await connection.fetch_all(
        f"SELECT {COLUMNS} FROM relations r JOIN memories m ON m.id = r.from_id "
        f"WHERE r.to_id = ? AND r.type = '{predicates.DERIVED_FROM}' AND m.kind = '{Kind.SUMMARY}'",
        (memory_id,),
    ):
        await erase_row(connection, made, at, action)


async def clear_derived(connection: Connection, row: Row, *, keep_vector: bool) -> None:
    """Delete what was derived from the text of a row; its vector too, unless `keep_vector`."""
    await connection.execute(
        "DELETE FROM memory_tags WHERE /*unindexed*/namespace = ? AND memory_seq = ?", (row["namespace"], row["seq"])
    )
    if not keep_vector:
        await connection.execute(
            "INSERT INTO index_outbox (namespace, memory_seq, operation, passages) "
            "SELECT ?, ?, 'delete', coalesce(max(part) + 1, 0) FROM embeddings WHERE memory_seq = ?",
            (row["namespace"], row["seq"], row["seq"]),
        )
        await connection.execute("DELETE FROM embeddings WHERE memory_seq = ?", (row["seq"],))


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
    await gateway_blocks.delete_containing(connection, row["namespace"], row["id"])
    await clear_derived(connection, row, keep_vector=memory.content == row["content"])
    await write_tags(connection, row["seq"], memory)
    await pages.text_changed(connection, row["seq"], memory.content)
