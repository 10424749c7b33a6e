"""A store as one file of JSON lines, and back: everything that cannot be derived again, one row a line.

The first line says what the file is and which schema its rows have, the last one how many rows there were and their
hash. A bundle of an older schema is first read into a private database of that schema and migrated there, as a store
would be.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from ...conformance.reader import FORMAT, CanonicalHash, canonical
from ...modules import private_files
from ...modules.errors import Conflict, StorageUnavailable
from ...modules.portability.models import Exported, Imported, Progress, unheard
from ...modules.redactor import Redactor
from ...modules.version import VERSION
from ..engine.ports import Connection
from ..repositories import graph_reading, pages
from ..repositories.bundle_merge import Merging
from ..repositories.bundle_rows import Row, Table
from . import bundle_redaction, folder
from .bundle_staging import stage
from .bundle_tables import rows, tables
from .database import Sqlite
from .driver import connect, sqlite3
from .scratch import scratch

ROWS_A_TRANSACTION = 500
"""Rows merged in one transaction, so that others can write in between."""


class Bundles:
    """Implements `modules.portability.ports.PortableStore`."""

    def __init__(self, sqlite: Sqlite, home: Path, database: Path) -> None:
        self._sqlite = sqlite
        self._home = home
        self._database = database

    async def write_bundle(self, path: Path, namespaces: Sequence[str] | None) -> Exported:
        return await asyncio.to_thread(self._write, path, namespaces)

    async def canonical_hash(self, namespaces: Sequence[str] | None) -> str:
        def work() -> str:
            with self._moment() as connection:
                found = CanonicalHash()
                for table in tables(connection):
                    for row in rows(connection, table, namespaces):
                        found.add(table.name, row)
                return found.digest

        return await asyncio.to_thread(work)

    async def read_bundle(
        self, path: Path, redactor: Redactor, now: datetime, *, dry_run: bool, progress: Progress = unheard
    ) -> Imported:
        with scratch(self._home) as own:
            staged = own / "staged.db"
            ignored = await asyncio.to_thread(stage, path, staged, progress)
            redacted = await bundle_redaction.redact(staged, redactor, now, progress)
            return replace(await self._merge(staged, now, dry_run, progress), ignored=ignored, redacted=redacted)

    async def write_text(self, path: Path, text: str) -> None:
        def work() -> None:
            with _new_file(path) as file:
                file.write(text.encode())

        await asyncio.to_thread(work)

    def _write(self, path: Path, namespaces: Sequence[str] | None) -> Exported:
        with _new_file(path) as file, self._moment() as connection:
            counts, digest = _write_lines(connection, file, namespaces)
        return Exported(str(path), counts, digest)

    @contextmanager
    def _moment(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that sees the store at one moment, while others go on writing."""
        with closing(connect(f"{self._database.as_uri()}?mode=ro", uri=True, isolation_level=None)) as one:
            one.execute("BEGIN")
            yield one

    async def _merge(self, staged: Path, now: datetime, dry_run: bool, progress: Progress) -> Imported:
        with closing(connect(staged, check_same_thread=False)) as source:
            found = tables(source)
            merging = Merging(found)
            if dry_run:  # all in one transaction, so that what refers to new rows finds them
                everything = [(table, list(rows(source, table, None))) for table in found]
                with suppress(_OnlyLooked):
                    await self._sqlite.write(partial(_look, merging, now, everything))
                return merging.outcome
            done, total = 0, sum(source.execute(f"SELECT count(*) FROM {t.name}").fetchone()[0] for t in found)
            for table in found:
                for some in _groups(rows(source, table, None), ROWS_A_TRANSACTION):
                    await self._sqlite.write(partial(merging.add, table, some))
                    done += len(some)
                    progress("rows", done, total)
                await self._sqlite.write(partial(merging.settle, table))
            await self._sqlite.write(partial(merging.contest, now))
            await self._sqlite.write(pages.tidy)
            await self._sqlite.write(graph_reading.tidy)
            return merging.outcome


@contextmanager
def _new_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a private file that appears only once it is whole.

    Raises Conflict when there is a file already, StorageUnavailable when it cannot be written.
    """
    try:
        with private_files.appearing(path) as file:
            yield file
        folder.sync(path.parent)
    except FileExistsError as error:
        raise Conflict(f"{path} exists already; nothing was written") from error
    except OSError as error:
        raise StorageUnavailable(f"{error.filename or path}: {error.strerror or error}") from error


class _OnlyLooked(Exception):
    """Ends a transaction that is not to be kept."""


async def _look(merging: Merging, now: datetime, found: list[tuple[Table, list[Row]]], connection: Connection) -> None:
    for table, some in found:
        await merging.add(table, some, connection)
        await merging.settle(table, connection)
    await merging.contest(now, connection)
    raise _OnlyLooked


def _write_lines(
    connection: sqlite3.Connection, file: BinaryIO, namespaces: Sequence[str] | None
) -> tuple[dict[str, int], str]:
    [schema] = connection.execute("SELECT max(version) FROM schema_migrations").fetchone()
    file.write(_line({"agentos_bundle": FORMAT, "schema": schema, "made_by": VERSION}))
    counts: Counter[str] = Counter()
    found = CanonicalHash()
    for table in tables(connection):
        for row in rows(connection, table, namespaces):
            file.write(_line({"table": table.name, "row": row}))
            found.add(table.name, row)
            counts[table.name] += 1
    file.write(_line({"end": counts.total(), "canonical_hash": found.digest}))
    return dict(counts), found.digest


def _line(value: object) -> bytes:
    return canonical(value) + b"\n"


def _groups(found: Iterator[Row], size: int) -> Iterator[list[Row]]:
    while some := list(islice(found, size)):
        yield some
