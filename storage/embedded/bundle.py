"""A store as one file of JSON lines, and back: everything that cannot be made again, one row a line.

The first line says what it is and which schema its rows have, the last one how many there were and their hash. A
bundle of an older schema is read into a private database of that schema first and migrated there, as a store would be.
"""

import asyncio
import hashlib
import json
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TextIO

import aiosqlite

from ...modules.errors import Conflict, InvalidInput, StorageRefused, StorageUnavailable
from ...modules.portability.models import FORMAT, Exported, Imported, Progress, unheard
from ...modules.redactor import Redactor
from ...modules.version import VERSION
from . import bundle_redaction, folder, migrate, pages
from .bundle_merge import Merging
from .bundle_tables import NUMBER, Row, Table, acceptable_value, rows, tables
from .sqlite import Sqlite

ROWS_A_TRANSACTION = 500
"""So many are brought in at once: others write in between."""

LINES_A_REPORT = 100


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
        with tempfile.TemporaryDirectory(prefix="import-", dir=self._home) as scratch:
            staged = Path(scratch) / "staged.db"
            await asyncio.to_thread(stage, path, staged, progress)
            redacted = await bundle_redaction.redact(staged, redactor, now, progress)
            return replace(await self._merge(staged, dry_run, progress), redacted=redacted)

    async def write_text(self, path: Path, text: str) -> None:
        def work() -> None:
            with _new_file(path) as file:
                file.write(text)

        await asyncio.to_thread(work)

    def _write(self, path: Path, namespaces: Sequence[str] | None) -> Exported:
        with _new_file(path) as file, self._moment() as connection:
            counts, digest = _write_lines(connection, file, namespaces)
        return Exported(str(path), counts, digest)

    @contextmanager
    def _moment(self) -> Iterator[sqlite3.Connection]:
        """The store as it is at one moment; others go on writing."""
        with closing(sqlite3.connect(f"{self._database.as_uri()}?mode=ro", uri=True, isolation_level=None)) as one:
            one.execute("BEGIN")
            yield one

    async def _merge(self, staged: Path, dry_run: bool, progress: Progress) -> Imported:
        with closing(sqlite3.connect(staged, check_same_thread=False)) as source:
            found = tables(source)
            merging = Merging(found)
            if dry_run:  # all in one transaction, so that what refers to new rows finds them
                with suppress(_OnlyLooked):
                    await self._sqlite.write(partial(_look, merging, [(t, list(rows(source, t, None))) for t in found]))
                return merging.outcome
            done, total = 0, sum(source.execute(f"SELECT count(*) FROM {t.name}").fetchone()[0] for t in found)
            for table in found:
                for some in _groups(rows(source, table, None), ROWS_A_TRANSACTION):
                    await self._sqlite.write(partial(merging.add, table, some))
                    done += len(some)
                    progress("rows", done, total)
            await self._sqlite.write(pages.tidy)
            return merging.outcome


@contextmanager
def _new_file(path: Path) -> Iterator[TextIO]:
    """A private file that is there when all of it is, and only then. Raises Conflict when there is one already."""
    if path.exists():
        raise Conflict(f"{path} exists already; nothing was written")
    unfinished = path.with_name(f"{path.name}.partial")
    try:
        folder.make_private(unfinished)
        with unfinished.open("w", encoding="utf-8") as file:
            yield file
        folder.sync(unfinished)
        unfinished.replace(path)
    except OSError as error:
        raise StorageUnavailable(f"{error.filename or path}: {error.strerror or error}") from error
    finally:
        unfinished.unlink(missing_ok=True)


class _OnlyLooked(Exception):
    """Ends a transaction that is not to be kept."""


async def _look(merging: Merging, found: list[tuple[Table, list[Row]]], connection: aiosqlite.Connection) -> None:
    for table, some in found:
        await merging.add(table, some, connection)
    raise _OnlyLooked


class CanonicalHash:
    """SHA-256 over rows, whatever their order: of the sorted hashes of each."""

    def __init__(self) -> None:
        self._hashes: list[bytes] = []

    def add(self, table: str, row: Row) -> None:
        """Take a row in."""
        self._hashes.append(hashlib.sha256(_line([table, row]).encode()).digest())

    @property
    def digest(self) -> str:
        """In hexadecimal."""
        return hashlib.sha256(b"".join(sorted(self._hashes))).hexdigest()


def _write_lines(
    connection: sqlite3.Connection, file: TextIO, namespaces: Sequence[str] | None
) -> tuple[dict[str, int], str]:
    [schema] = connection.execute("SELECT max(version) FROM schema_migrations").fetchone()
    file.write(_line({"agentos_bundle": FORMAT, "schema": schema, "made_by": VERSION}) + "\n")
    counts: Counter[str] = Counter()
    found = CanonicalHash()
    for table in tables(connection):
        for row in rows(connection, table, namespaces):
            file.write(_line({"table": table.name, "row": row}) + "\n")
            found.add(table.name, row)
            counts[table.name] += 1
    file.write(_line({"end": counts.total(), "canonical_hash": found.digest}) + "\n")
    return dict(counts), found.digest


def stage(path: Path, staged: Path, progress: Progress = unheard) -> None:
    """Read a bundle into a new database of its own schema, check it, and bring it up to the present one. Blocks.

    Raises InvalidInput, naming the line; StorageRefused for a newer schema.
    """
    lines = _lines(path, progress)
    _, head = next(lines, (0, {}))
    if head.get("agentos_bundle") != FORMAT or not isinstance(head.get("schema"), int):
        raise InvalidInput("file", f"{path} is no AgentOS bundle; agentos import --from says what else can be read")
    migrations = migrate.load()
    if not 1 <= head["schema"] <= len(migrations):
        raise StorageRefused(f"the bundle has schema {head['schema']}, this AgentOS knows {len(migrations)}; upgrade")
    migrate.apply(staged, migrations[: head["schema"]])
    with closing(sqlite3.connect(staged, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("BEGIN")
        _fill(connection, lines)
        connection.execute("COMMIT")
        dangling = connection.execute("PRAGMA foreign_key_check").fetchone()
        if dangling is not None:
            raise InvalidInput("file", f"a row of {dangling[0]} refers to one that is not in the bundle")
    migrate.apply(staged, migrations[head["schema"] :])


def _fill(connection: sqlite3.Connection, lines: Iterator[tuple[int, Row]]) -> None:
    known = {table.name: table for table in tables(connection)}
    found = CanonicalHash()
    for count, (number, line) in enumerate(lines):
        if "end" in line:
            if (line["end"], line.get("canonical_hash")) != (count, found.digest):
                raise InvalidInput("file", "is not as it was written: rows are missing or changed")
            return
        table, row = known.get(str(line.get("table"))), line.get("row")
        if table is None or not isinstance(row, dict) or set(row) != set(table.columns):
            raise InvalidInput("file", f"line {number} is no row of this schema")
        try:
            _insert(connection, table, row)
            found.add(table.name, row)
        except (sqlite3.Error, ValueError, RecursionError, InvalidInput) as error:
            raise InvalidInput("file", f"line {number}: {error}") from error
    raise InvalidInput("file", "ends too early: its last line is missing")


def _insert(connection: sqlite3.Connection, table: Table, row: Row) -> None:
    numbered = {link.column: link.table for link in table.by_number}
    values = [
        f"(SELECT {NUMBER} FROM {numbered[column]} WHERE id = ?)" if column in numbered else "?"
        for column in table.columns
    ]
    connection.execute(
        f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES ({', '.join(values)})",
        [acceptable_value(column, row[column]) for column in table.columns],
    )


def _lines(path: Path, progress: Progress) -> Iterator[tuple[int, Row]]:
    try:
        size, read = path.stat().st_size, 0
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                value = json.loads(line.decode())
                read += len(line)
                if number % LINES_A_REPORT == 0 or read == size:
                    progress("bytes", read, size)
                if not isinstance(value, dict):
                    raise InvalidInput("file", f"line {number} is no JSON object")
                yield number, value
    except OSError as error:
        raise InvalidInput("file", f"{path}: {error.strerror or error}") from error
    except InvalidInput:
        raise
    except (ValueError, RecursionError) as error:
        raise InvalidInput("file", f"{path} is no JSON lines file: {error}") from error


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _groups(found: Iterator[Row], size: int) -> Iterator[list[Row]]:
    while some := list(islice(found, size)):
        yield some
