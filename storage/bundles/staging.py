"""Reading a bundle into a private database of its own schema, where it is checked and migrated to the current one."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from ...conformance import reader
from ...modules import foreign_files
from ...modules.attaching import MOST_BYTES
from ...modules.errors import InvalidInput, StorageRefused
from ...modules.portability.models import Progress, no_progress
from ..repositories.bundle_files import Whole
from ..repositories.bundle_rows import NUMBER, Row, Table, acceptable_value
from ..sqlite import migrate, text_functions
from ..sqlite.driver import connect, sqlite3
from .staged_tables import tables

LINES_A_REPORT = 100
MAX_LINE_BYTES = 32 * foreign_files.MiB
"""The longest line accepted: many times the largest row that AgentOS writes."""

_WAITING = "CREATE TEMP TABLE waiting (number INTEGER PRIMARY KEY, name TEXT NOT NULL, row BLOB NOT NULL)"


def stage(path: Path, staged: Path, progress: Progress = no_progress) -> Mapping[str, int]:
    """Read a bundle into a new database and migrate it; return the fields that were ignored, and how often. Blocks.

    Raises InvalidInput, naming the line; StorageRefused for a newer schema.
    """
    try:
        with foreign_files.opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            return _stage(
                staged, reader.unbroken(_with_progress(foreign_files.lines(file, MAX_LINE_BYTES), size, progress))
            )
    except OSError as error:
        raise InvalidInput("file", f"{path}: {error.strerror or error}") from error
    except reader.Complaint as complaint:
        raise _refusal(path, complaint) from complaint


def _refusal(path: Path, complaint: reader.Complaint) -> InvalidInput | StorageRefused:
    if complaint.code == "newer":
        return StorageRefused(f"the bundle {complaint.message}")
    if complaint.code == "head":
        return InvalidInput("file", f"{path} is not an AgentOS bundle; for other formats see agentos import --from")
    if complaint.code == "json":
        return InvalidInput("file", f"{path} is not a JSON Lines file: {complaint.message}")
    if complaint.code in ("count", "hash"):
        said = "was changed or cut after it was written; nothing was imported. Ask for it again"
        return InvalidInput("file", f"{path} {said}")
    return InvalidInput("file", complaint.message)


def _with_progress(lines: Iterator[bytes], size: int, progress: Progress) -> Iterator[bytes]:
    read = 0
    for number, line in enumerate(lines, start=1):
        read = min(read + len(line) + 1, size)
        if number % LINES_A_REPORT == 0 or read == size:
            progress("bytes", read, size)
        yield line


def _stage(staged: Path, lines: Iterator[reader.Line]) -> Mapping[str, int]:
    head = next(lines)
    schema = head.value["schema"]
    migrations = migrate.known()
    if schema > len(migrations):
        raise StorageRefused(f"the bundle has schema {schema}, this AgentOS knows {len(migrations)}; upgrade AgentOS")
    migrate.apply(staged, migrations[:schema])
    with closing(connect(staged, isolation_level=None)) as connection:
        text_functions.add_to(connection)
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("BEGIN")
        staging = _Staging(connection)
        staging.ignore("head", set(head.value) - {"agentos_bundle", "schema", "made_by", "envelope"})
        for line in lines:
            if line.kind == "end":
                staging.ignore("end", set(line.value) - {"end", "canonical_hash", "seal"})
            else:
                staging.add(line)
        staging.finish()
        connection.execute("COMMIT")
        dangling = connection.execute("PRAGMA foreign_key_check").fetchone()
        if dangling is not None:
            raise InvalidInput("file", f"a row of {dangling[0]} refers to one that is not in the bundle")
    migrate.apply(staged, migrations[schema:])
    _check_files(staged)
    return staging.ignored


def _check_files(staged: Path) -> None:
    """Raise InvalidInput unless all bytes of files are there, and are those of their hashes: others may have them."""
    with closing(connect(staged)) as connection:
        told = dict(connection.execute("SELECT content_hash, max(size) FROM attachments GROUP BY content_hash"))
        sizes = connection.execute("SELECT count(DISTINCT size) FROM attachments GROUP BY content_hash")
        if any(count > 1 for (count,) in sizes) or any(size > MOST_BYTES for size in told.values()):
            raise InvalidInput("file", "the size of an attached file is wrong")
        parts = connection.execute("SELECT content_hash, part, data FROM attachment_parts ORDER BY 1, 2")
        for named, of_file in groupby(parts, itemgetter(0)):
            whole = Whole()
            try:
                for _, part, data in of_file:
                    whole.add(part, data)
            except ValueError as error:
                raise InvalidInput("file", f"a part of the attached file {named} {error}") from error
            if whole.content_hash != named or whole.size != told.pop(named, None):
                raise InvalidInput("file", f"the bytes of the attached file {named} are not those of its hash")
        if told:
            raise InvalidInput("file", f"the bytes of {len(told)} attached files are not in the bundle")


class _Staging:
    """Rows on their way into a database, in any order: a row waits until the one that it refers to has come.

    All later rows of its table wait with it: within a table, rows keep the order in which they arrived.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._tables = {table.name: table for table in tables(connection)}
        self._waiting: set[str] = set()
        self._ignored: Counter[str] = Counter()
        connection.execute(_WAITING)

    @property
    def ignored(self) -> Mapping[str, int]:
        """Fields that this schema does not know, and how often each came."""
        return dict(self._ignored)

    def ignore(self, where: str, names: set[str]) -> None:
        """Count fields that have no place in this schema."""
        self._ignored.update(f"{where}.{name}" for name in names)

    def add(self, line: reader.Line) -> None:
        """Insert a row, or let it wait. Raises InvalidInput if it is not a row of this schema."""
        name, row = line.value["table"], line.value["row"]
        table = self._tables.get(name)
        if table is None or not set(table.columns) <= set(row):
            raise InvalidInput("file", f"line {line.number} is not a row of this schema")
        self.ignore("line", set(line.value) - {"table", "row"})
        self.ignore(name, set(row) - set(table.columns))
        known = {column: row[column] for column in table.columns}
        if name in self._waiting or not self._insert(table, line.number, known):
            self._waiting.add(name)
            values = (line.number, name, reader.canonical(known))
            self._connection.execute("INSERT INTO waiting VALUES (?, ?, ?)", values)

    def finish(self) -> None:
        """Insert the rows that waited. Raises InvalidInput when one refers to a row that never came."""
        for table in self._tables.values():  # those that others refer to come first
            waited = self._connection.execute(
                "SELECT number, row FROM waiting WHERE name = ? ORDER BY 1", (table.name,)
            )
            for number, text in waited:
                if not self._insert(table, number, reader.parse(text)):
                    raise InvalidInput("file", f"line {number} refers to a row that is not in the bundle")

    def _insert(self, table: Table, number: int, row: Row) -> bool:
        """Insert a row if the rows it refers to by number are there; return whether it was. Raises InvalidInput."""
        try:
            values = {column: acceptable_value(column, value) for column, value in row.items()}
            for link in table.by_number:
                if values[link.column] is not None:
                    query = f"SELECT {NUMBER} FROM {link.table} WHERE id = ?"
                    found = self._connection.execute(query, (values[link.column],)).fetchone()
                    if found is None:
                        return False
                    values[link.column] = found[0]
            self._connection.execute(
                f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES ({', '.join('?' * len(table.columns))})",
                [values[column] for column in table.columns],
            )
        except (sqlite3.Error, ValueError, RecursionError, InvalidInput) as error:
            raise InvalidInput("file", f"line {number}: {error}") from error
        return True
