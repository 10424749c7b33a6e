"""Redaction of a bundle while it is staged in a database of its own, so that no secret in it reaches the store."""

import json
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

from ...modules.errors import InvalidInput
from ...modules.portability.models import Progress
from ...modules.redactor import Redactor
from ..engine.ports import Connection
from ..repositories.scrub import OTHER_TEXTS, ScrubRows
from ..sqlite.database import Sqlite
from ..sqlite.driver import sqlite3
from .staged_tables import DERIVED

_TAGS = (
    "INSERT OR IGNORE INTO memory_tags (namespace, tag, memory_seq) "
    "SELECT m.namespace, tag_of(t.value), m.seq FROM memories m, json_each(m.tags) t"
)
"""Rebuilds the tag index, which a bundle leaves out, and which redaction updates with a memory's texts."""

_NOT_LOOKED_INTO = frozenset({"sealed_memories"})
"""Tables of encrypted content, in which nothing can be recognised."""


async def redact(staged: Path, redactor: Redactor, now: datetime, progress: Progress) -> Mapping[str, int]:
    """Replace the secrets in a staged bundle with markers; return how many rows held some, by table.

    The same bundle gives the same rows whenever it is read. The audit log has no entry: the secrets never were in the
    store. Raises InvalidInput for texts that cannot be examined.
    """
    sqlite = Sqlite(staged)
    await sqlite.open()
    try:
        total = await ScrubRows(sqlite).rows()
        look = ScrubRows(sqlite, redactor, lambda done: progress("rows for secrets", done, total))
        found = await look.run(now, apply=False)
        if found.rows:
            [last] = await sqlite.read("SELECT coalesce(max(seq), 0) AS seq FROM audit")
            await sqlite.write(_index)
            await ScrubRows(sqlite, redactor).run(now, apply=True)

            async def forget(connection: Connection) -> None:
                await connection.execute("DELETE FROM audit WHERE seq > ?", (last["seq"],))

            await sqlite.write(forget)
        elsewhere = await sqlite.write(partial(_redact_elsewhere, redactor))
        return dict(Counter(found.rows) + elsewhere)
    except RecursionError as error:
        raise InvalidInput("file", "a text in it is JSON nested too deeply to be checked") from error
    finally:
        await sqlite.close()


async def _redact_elsewhere(redactor: Redactor, connection: Connection) -> Counter[str]:
    """Replace secrets in columns that hold none in a store that AgentOS wrote, but may in a file.

    Returns how many rows held some, by table. Raises InvalidInput where one cannot be replaced.
    """
    found: Counter[str] = Counter()
    for table, column in await _texts(connection):
        values = await connection.fetch_all(f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL")
        for [value] in values:
            clean = await _redacted(value, redactor)
            if clean != value:
                change = f"UPDATE {table} SET {column} = ? WHERE {column} = ?"
                try:
                    found[table] += await connection.execute(change, (clean, value))
                except sqlite3.IntegrityError as error:
                    raise InvalidInput("file", f"a row of {table} has a secret as its {column}") from error
    return found


async def _texts(connection: Connection) -> list[tuple[str, str]]:
    """Return the (table, column) pairs of texts that are no references, hashes or ciphertexts, nor examined already."""
    rows = await connection.fetch_all(
        "SELECT t.name, c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c "
        "WHERE t.schema = 'main' AND t.type = 'table' AND c.type = 'TEXT' AND c.name NOT IN ('id', 'content_hash') "
        'AND NOT EXISTS (SELECT 1 FROM pragma_foreign_key_list(t.name) f WHERE f."from" = c.name)'
    )
    return [
        (table, column)
        for table, column in rows
        if column not in OTHER_TEXTS.get(table, ())
        and table not in _NOT_LOOKED_INTO
        and not any(table == one or table.startswith(f"{one}_") for one in DERIVED)
    ]


async def _redacted(value: str, redactor: Redactor) -> str:
    if value[:1] in ("{", "["):
        try:
            read = json.loads(value)
            clean = await redactor.json(read)
        except (ValueError, RecursionError):
            return await redactor.text(value)
        return value if clean == read else json.dumps(clean, ensure_ascii=False, separators=(",", ":"))
    return await redactor.text(value)


async def _index(connection: Connection) -> None:
    await connection.execute(_TAGS)
