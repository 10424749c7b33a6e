"""The bytes of files, which a store keeps once, whoever's memories have them."""

from collections.abc import Sequence

from ...modules.attaching import MOST_BYTES
from ..engine.ports import Connection, Engine
from .bundle_files import PART_BYTES, parts_of
from .memory_rows import as_json


class KeptFiles:
    """The files that a store holds, by the SHA-256 of their bytes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def data(self, content_hash: str) -> bytes:
        """Return the bytes of a file, as far as they are there."""
        rows = await self._engine.read(
            "SELECT data FROM attachment_parts WHERE content_hash = ? ORDER BY part LIMIT ?",
            (content_hash, MOST_BYTES // PART_BYTES + 1),
        )
        return b"".join(bytes(row["data"]) for row in rows)

    async def hashes_everywhere(self, memory_ids: Sequence[str]) -> frozenset[str]:
        """Return the hashes of the files of some memories."""
        rows = await self._engine.read(
            "SELECT a.content_hash FROM json_texts(?) given /*then*/ JOIN attachments a ON a.memory_id = given.value",
            (as_json(list(memory_ids)),),
        )
        return frozenset(row["content_hash"] for row in rows)

    async def held(self, hashes: Sequence[str]) -> frozenset[str]:
        """Return those of the hashes whose bytes are there."""
        rows = await self._engine.read(
            "SELECT DISTINCT p.content_hash FROM json_texts(?) given /*then*/ "
            "JOIN attachment_parts p ON p.content_hash = given.value",
            (as_json(list(hashes)),),
        )
        return frozenset(row["content_hash"] for row in rows)


async def keep_bytes(connection: Connection, content_hash: str, data: bytes) -> bool:
    """Keep the bytes of a file where they are not kept yet; return whether they are now, until the transaction ends.

    Without `data` they are where they were before.
    """
    await connection.lock(f"attachment {content_hash}")
    query = "SELECT 1 FROM attachment_parts WHERE content_hash = ? LIMIT 1"
    if await connection.fetch_all(query, (content_hash,)):
        return True
    await connection.execute_many(
        "INSERT INTO attachment_parts (content_hash, part, data) VALUES (?, ?, ?)",
        ((content_hash, part, piece) for part, piece in enumerate(parts_of(data))),
    )
    return bool(data)
