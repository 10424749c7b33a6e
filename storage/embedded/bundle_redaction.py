"""A bundle's secrets, taken out while it waits in a database of its own: none of them reaches the store."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import aiosqlite

from ...modules.portability.models import Progress
from ...modules.redactor import Redactor
from .scrub import SqliteScrub
from .sqlite import Sqlite

_TAGS = "INSERT OR IGNORE INTO memory_tags (tag, memory_seq) SELECT t.value, m.seq FROM memories m, json_each(m.tags) t"
"""What a bundle leaves out, and what a memory's texts are replaced together with."""


async def redact(staged: Path, redactor: Redactor, now: datetime, progress: Progress) -> Mapping[str, int]:
    """Replace the secrets in a staged bundle by markers; how many rows held some, by table.

    The same bundle comes out the same, whenever it is read: the audit is not told of what was never in the store.
    """
    sqlite = Sqlite(staged)
    await sqlite.open()
    try:
        total = await SqliteScrub(sqlite).rows()
        look = SqliteScrub(sqlite, redactor, lambda done: progress("rows for secrets", done, total))
        found = await look.run(now, apply=False)
        if found.rows:
            [last] = await sqlite.read("SELECT coalesce(max(seq), 0) AS seq FROM audit")
            await sqlite.write(_index)
            await SqliteScrub(sqlite, redactor).run(now, apply=True)

            async def forget(connection: aiosqlite.Connection) -> None:
                await connection.execute("DELETE FROM audit WHERE seq > ?", (last["seq"],))

            await sqlite.write(forget)
        return found.rows
    finally:
        await sqlite.close()


async def _index(connection: aiosqlite.Connection) -> None:
    await connection.execute(_TAGS)
