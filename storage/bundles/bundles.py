"""A store as one file of JSON lines, and back: everything that cannot be derived again, one row a line.

The first line says what the file is and which schema its rows have, the last one how many rows there were and their
hash. A bundle is first read into a private database of its own schema, where it is checked, and migrated as a store
would be.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, closing, contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from ...conformance.reader import FORMAT, CanonicalHash, canonical
from ...modules import private_files
from ...modules.errors import Conflict, StorageUnavailable
from ...modules.portability.models import Exported, Imported, Progress, no_progress
from ...modules.redactor import Redactor
from ...modules.version import VERSION
from ..engine.ports import Connection, Engine
from ..engine.ports import Row as Read
from ..repositories import graph_writing, pages
from ..repositories.bundle_merge import Batch, Merging
from ..repositories.bundle_rows import Row, Table, json_row, selection
from ..repositories.bundle_tables import TABLES
from ..sqlite import folder
from ..sqlite.driver import connect, sqlite3
from ..sqlite.scratch import scratch
from . import redaction, signatures
from .staged_tables import rows
from .staging import stage

ROWS_A_TRANSACTION = 500
"""Rows merged in one transaction, so that others can write in between."""
ROWS_AT_ONCE = 500
"""Rows of a store that are in memory at once."""


class Bundles:
    """Exports and imports a store by bundles; one that comes in is looked into in the `home`."""

    def __init__(self, engine: Engine, home: Path) -> None:
        self._engine = engine
        self._home = home

    async def write_bundle(self, path: Path, namespaces: Sequence[str] | None) -> Exported:
        """Write everything but derived data (indexes, vectors) to a new private file, one row per line.

        Only what belongs to `namespaces`, if given. Raises StorageUnavailable, Conflict if the file exists.
        """
        async with _new_file(path) as file:

            async def work(connection: Connection) -> Exported:
                return await _write(connection, file, path, namespaces)

            return await self._engine.at_one_moment(work)

    async def canonical_hash(self, namespaces: Sequence[str] | None) -> str:
        """Return the SHA-256 of everything that a bundle would hold, in any order: equal stores have equal hashes."""

        async def work(connection: Connection) -> str:
            found = CanonicalHash()
            for table in TABLES:
                async for page in connection.pages(*selection(table, namespaces), rows=ROWS_AT_ONCE):
                    await asyncio.to_thread(_lines, table, page, found)
            return found.digest

        return await self._engine.at_one_moment(work)

    async def read_bundle(
        self, path: Path, redactor: Redactor, now: datetime, *, dry_run: bool, progress: Progress = no_progress
    ) -> Imported:
        """Import the rows of a bundle that the store lacks, without their secrets; existing ones stay. Idempotent.

        Raises InvalidInput, naming the line, before anything is changed; StorageRefused for a newer schema.
        """
        with scratch(self._home) as own:
            staged = own / "staged.db"
            ignored = await asyncio.to_thread(stage, path, staged, progress)
            signature = await asyncio.to_thread(signatures.weighed, path, self._home)
            redacted = await redaction.redact(staged, redactor, now, progress)
            with closing(connect(staged, check_same_thread=False)) as source:
                merged = await (self._tried(source, now) if dry_run else self._merged(source, now, progress))
            return replace(merged, ignored=ignored, redacted=redacted, signature=signature)

    async def write_text(self, path: Path, text: str) -> None:
        """Write a text to a new private file. Raises StorageUnavailable, Conflict if the file exists."""
        async with _new_file(path) as file:
            await asyncio.to_thread(file.write, text.encode())

    async def _merged(self, source: sqlite3.Connection, now: datetime, progress: Progress) -> Imported:
        merging = Merging()
        done, total = 0, sum(source.execute(f"SELECT count(*) FROM {t.name}").fetchone()[0] for t in TABLES)
        for table in TABLES:
            for group in _groups(rows(source, table, None), ROWS_A_TRANSACTION):

                async def add(connection: Connection, table: Table = table, group: list[Row] = group) -> Batch:
                    return await merging.add(table, group, connection)

                merging.count(await self._engine.write(add))
                done += len(group)
                progress("rows", done, total)

            async def settle(connection: Connection, table: Table = table) -> Batch:
                return await merging.settle(table, connection)

            merging.count(await self._engine.write(settle))

        async def contest(connection: Connection) -> Batch:
            return await merging.contest(now, connection)

        merging.count(await self._engine.write(contest))
        await self._engine.write(pages.tidy)
        await self._engine.write(graph_writing.tidy)
        return merging.outcome

    async def _tried(self, source: sqlite3.Connection, now: datetime) -> Imported:
        """Merge all in one transaction, so that what refers to new rows finds them, and undo it."""
        outcomes: list[Imported] = []

        async def work(connection: Connection) -> None:
            merging = Merging()
            for table in TABLES:
                for group in _groups(rows(source, table, None), ROWS_A_TRANSACTION):
                    merging.count(await merging.add(table, group, connection))
                merging.count(await merging.settle(table, connection))
            merging.count(await merging.contest(now, connection))
            outcomes.append(merging.outcome)
            raise _OnlyLooked

        with suppress(_OnlyLooked):
            await self._engine.write(work)
        return outcomes[-1]


class _OnlyLooked(Exception):
    """Ends a transaction that is not to be kept."""


@asynccontextmanager
async def _new_file(path: Path) -> AsyncIterator[BinaryIO]:
    """Yield a private file that appears only once it is whole; the waiting for the disk is done in threads.

    Raises Conflict when there is a file already, StorageUnavailable when it cannot be written.
    """
    appearing: AbstractContextManager[BinaryIO] = _appearing(path)
    file = await asyncio.to_thread(appearing.__enter__)
    try:
        yield file
    except BaseException as error:
        await asyncio.to_thread(appearing.__exit__, type(error), error, error.__traceback__)
        raise
    await asyncio.to_thread(appearing.__exit__, None, None, None)


@contextmanager
def _appearing(path: Path) -> Iterator[BinaryIO]:
    try:
        with private_files.appearing(path) as file:
            yield file
        folder.sync(path.parent)
    except FileExistsError as error:
        raise Conflict(f"{path} already exists, and nothing was written; name a new file") from error
    except OSError as error:
        raise StorageUnavailable(f"{path}: {error.strerror or error}") from error


async def _write(connection: Connection, file: BinaryIO, path: Path, namespaces: Sequence[str] | None) -> Exported:
    schema = await connection.fetch_value("SELECT max(version) FROM schema_migrations")
    head = _line({"agentos_bundle": FORMAT, "schema": schema, "made_by": VERSION})
    file.write(head)
    counts: Counter[str] = Counter()
    found, sealed = CanonicalHash(), hashlib.sha256(head)
    for table in sorted(TABLES, key=lambda one: one.name):  # its own normal form, which keeps its seal
        async for page in connection.pages(*selection(table, namespaces), rows=ROWS_AT_ONCE):
            lines = await asyncio.to_thread(_lines, table, page, found)
            await asyncio.to_thread(file.writelines, lines)
            await asyncio.to_thread(sealed.update, b"".join(lines))
            counts[table.name] += len(lines)
    end = {"end": counts.total(), "canonical_hash": found.digest}
    sealed.update(canonical(end))
    file.write(_line(end | {"seal": {"sha256": sealed.hexdigest()}}))
    return Exported(str(path), dict(counts), found.digest)


def _lines(table: Table, page: Sequence[Read], found: CanonicalHash) -> list[bytes]:
    """Return the lines of rows, each of which is added to the hash."""
    lines = []
    for values in page:
        row = json_row(table, tuple(values))
        found.add(table.name, row)
        lines.append(_line({"table": table.name, "row": row}))
    return lines


def _line(value: object) -> bytes:
    return canonical(value) + b"\n"


def _groups(found: Iterator[Row], size: int) -> Iterator[list[Row]]:
    while group := list(islice(found, size)):
        yield group
