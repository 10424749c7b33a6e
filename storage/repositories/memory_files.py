"""The files that memories have: how many there may be, and how a copy of a memory gets those of what it is of."""

from collections import Counter
from collections.abc import Mapping

from ...modules.attaching import MOST_BYTES
from ...modules.errors import QuotaExceeded
from ...modules.judging import guards
from ..engine.ports import Connection
from .memory_rows import as_json
from .rows import TransactionRows

MOST_OF_A_MEMORY = 20
MOST_OF_A_NAMESPACE = 10_000
MOST_BYTES_OF_A_NAMESPACE = 64 * MOST_BYTES
MOST_BYTES_OF_A_STORE = 512 * MOST_BYTES
ADD = (
    "INSERT INTO attachments (memory_id, content_hash, namespace, name, media_type, size, created_at) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)


async def require_room(connection: Connection, namespace: str, size: int, files: int = 1) -> None:
    """Raise QuotaExceeded where a namespace or the store may not have so many files, or bytes of them, more.

    Each has what it has, shared bytes too: nobody learns what others have.
    """
    held = await connection.fetch_one(
        "SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM attachments WHERE namespace = ?", (namespace,)
    )
    assert held is not None
    if held["files"] + files > MOST_OF_A_NAMESPACE or held["bytes"] + size > MOST_BYTES_OF_A_NAMESPACE:
        raise QuotaExceeded(
            f"{namespace[:60]!r} may have {MOST_OF_A_NAMESPACE:,} files of {MOST_BYTES_OF_A_NAMESPACE:,} bytes in all, "
            f"and has {held['files']:,} of {held['bytes']:,}: remove some (agentos attachments list)"
        )
    if await _bytes_everywhere(connection) + size > MOST_BYTES_OF_A_STORE:
        raise QuotaExceeded(f"the files of a store may have {MOST_BYTES_OF_A_STORE:,} bytes in all: remove some")
    await guards.require_bytes(TransactionRows(connection), namespace, size)


async def _bytes_everywhere(connection: Connection) -> int:
    size: int = await connection.fetch_value("SELECT coalesce(sum(size), 0) FROM attachments")
    return size


async def give(connection: Connection, origin: str, namespace: str, copies: Mapping[str, str]) -> None:
    """Give memories of a namespace the files of those of another that they are copies of, by whose ids they are named.

    The caller has locked both namespaces. Raises QuotaExceeded.
    """
    rows = await connection.fetch_all(
        "SELECT a.* FROM json_texts(?) given /*then*/ JOIN attachments a ON a.memory_id = given.value "
        "WHERE a.namespace IN (?, ?) ORDER BY a.memory_id, a.created_at, a.content_hash",
        (as_json([*copies, *copies.values()]), origin, namespace),
    )
    had = {(row["memory_id"], row["content_hash"]) for row in rows}
    wanted = {(copies[row["memory_id"]], row["content_hash"]): row for row in rows if row["memory_id"] in copies}
    new = {key: row for key, row in wanted.items() if key not in had}  # two memories may have become one, with one file
    if not new:
        return
    await require_room(connection, namespace, sum(row["size"] for row in new.values()), len(new))
    counts = Counter(memory_id for memory_id, _ in [*had, *new])
    if any(counts[memory_id] > MOST_OF_A_MEMORY for memory_id, _ in new):
        raise QuotaExceeded(f"a memory of {namespace[:60]!r} would have more than {MOST_OF_A_MEMORY} files")
    await connection.execute_many(
        ADD,
        [(*key, namespace, row["name"], row["media_type"], row["size"], row["created_at"]) for key, row in new.items()],
    )


async def hashes_of(connection: Connection, namespace: str, memory_ids: list[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the hashes of the files of memories of a namespace that have some, by memory."""
    found: dict[str, tuple[str, ...]] = {}
    for row in await connection.fetch_all(
        "SELECT a.memory_id, a.content_hash FROM json_texts(?) given /*then*/ JOIN attachments a "
        "ON a.memory_id = given.value WHERE a.namespace = ? ORDER BY a.memory_id, a.content_hash",
        (as_json(memory_ids), namespace),
    ):
        found[row["memory_id"]] = (*found.get(row["memory_id"], ()), row["content_hash"])
    return found
