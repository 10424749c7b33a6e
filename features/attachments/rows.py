"""The rows of attachments, on every engine: which memory has which file."""

from datetime import datetime

from ...modules.attaching import Attachment
from ...modules.errors import InvalidInput, NotFound
from ...storage.engine.ports import Connection, Engine, Row
from ...storage.engine.times import from_us, to_us
from ...storage.repositories import predicates
from ...storage.repositories.audit import record_change
from ...storage.repositories.kept_files import keep_bytes
from ...storage.repositories.memory_files import ADD, MOST_OF_A_MEMORY, require_room

_COLUMNS = "a.memory_id, a.content_hash, a.name, a.media_type, a.size, a.created_at"


class AttachmentRows:
    """Which memories have which files."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def require_room(self, namespace: str, size: int) -> None:
        """Raise QuotaExceeded where a namespace or the store may not hold so many bytes more."""
        await self._engine.at_one_moment(lambda connection: require_room(connection, namespace, size))

    async def add(self, namespace: str, attachment: Attachment, data: bytes, at: datetime) -> bool:
        """Give a memory a file; return whether it is new to that memory.

        Raises NotFound, QuotaExceeded, InvalidInput where the memory has too many; then nothing was changed.
        """

        async def work(connection: Connection) -> bool:
            await connection.lock(namespace)
            of_it = await _of(connection, namespace, attachment.memory_id)
            if any(one["content_hash"] == attachment.content_hash for one in of_it):
                return False
            if len(of_it) >= MOST_OF_A_MEMORY:
                raise InvalidInput("file", f"is one too many: a memory may have {MOST_OF_A_MEMORY}")
            await require_room(connection, namespace, attachment.size)
            await keep_bytes(connection, attachment.content_hash, data)
            await connection.execute(
                ADD,
                (
                    attachment.memory_id,
                    attachment.content_hash,
                    namespace,
                    attachment.name,
                    attachment.media_type,
                    attachment.size,
                    to_us(attachment.created_at),
                ),
            )
            await record_change(connection, at, namespace, "memory.attach", attachment.memory_id, size=attachment.size)
            return True

        return await self._engine.write(work)

    async def of_memory(self, namespace: str, memory_id: str) -> list[Attachment]:
        """Return the files of a memory, in the order in which they came. Raises NotFound."""
        rows = await self._engine.at_one_moment(lambda connection: _of(connection, namespace, memory_id))
        return [_attachment(row) for row in rows]

    async def all(self, namespace: str, limit: int, offset: int) -> list[Attachment]:
        """Return the files of a namespace's memories that are not hidden, the newest first."""
        rows = await self._engine.read(
            f"SELECT {_COLUMNS} FROM attachments a JOIN memories m ON m.id = a.memory_id "
            f"WHERE a.namespace = ? AND {predicates.VISIBLE} "
            "ORDER BY a.created_at DESC, a.memory_id, a.content_hash LIMIT ? OFFSET ?",
            (namespace, limit, offset),
        )
        return [_attachment(row) for row in rows]


async def _of(connection: Connection, namespace: str, memory_id: str) -> list[Row]:
    if not await connection.fetch_all("SELECT 1 FROM memories WHERE namespace = ? AND id = ?", (namespace, memory_id)):
        raise NotFound(f"memory_id: no memory {memory_id[:60]!r} in {namespace[:60]!r}")
    return await connection.fetch_all(
        f"SELECT {_COLUMNS} FROM attachments a WHERE a.memory_id = ? ORDER BY a.created_at, a.content_hash",
        (memory_id,),
    )


def _attachment(row: Row) -> Attachment:
    return Attachment(
        row["memory_id"],
        row["content_hash"],
        row["name"],
        row["media_type"],
        row["size"],
        from_us(row["created_at"]),
    )
