"""Copying the rows of a database that somebody else may have made into a new one of our own schema, and nothing else.

A file's own schema can execute when it is read or written: triggers, views, generated columns, checks. So it is opened
as untrusted, and only plain columns of plain tables that AgentOS knows are read.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from ...modules.errors import StorageRefused
from .. import foreign_sqlite
from ..repositories.authority import undecided, without_authority
from ..repositories.bundle_rows import acceptable_value
from . import migrate, text_functions
from .driver import connect, sqlite3

OF_ONE_MACHINE = frozenset({"index_state", "daemon_state"})
"""Tables of processes and folders of another time, not copied: the vector index is rebuilt."""
MADE_ANEW = frozenset({"schema_migrations", "compounds", "postings", "text_statistics"})
"""Tables filled by the schema itself, or by its triggers as rows are inserted."""
OF_OUR_OWN = frozenset({"principals", "keys", "grants"})
"""Tables of who may ask, which nobody else's file can say."""
ROWS_AT_ONCE = 500
NOT_OURS = "its table {} is not an AgentOS table"


def copy_rows(source: Path, target: Path, name: str, *, is_ours: bool) -> None:
    """Write the rows of `source`, called `name` in errors, into a new database at `target`. Blocks.

    Unless the file `is_ours`, no decision is taken over as a human's, and every value must be one that AgentOS writes.
    Raises StorageRefused, sqlite3.Error, OSError.
    """
    with closing(opened(source)) as foreign:
        known = migrate.known()
        owed = migrate.outstanding(foreign, known, Path(name))
        [found] = foreign.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise StorageRefused(f"it is damaged and cannot be used: {str(found)[:200]}")
        migrate.apply(target, known[: len(known) - len(owed)])
        with closing(connect(target, isolation_level=None)) as own:
            text_functions.add_to(own)
            own.execute("PRAGMA foreign_keys=OFF")
            own.execute("BEGIN")
            tables = [table for table in _plain_tables(own) if table not in MADE_ANEW | OF_ONE_MACHINE]
            if "memories" not in tables:
                raise StorageRefused("it has no table of memories")
            there = frozenset(_plain_tables(foreign))
            for table in tables:
                if table in OF_OUR_OWN and not is_ours:
                    continue
                if table not in there:
                    raise StorageRefused(NOT_OURS.format(table))
                _copy(foreign, own, table, is_ours=is_ours)
            _copy_numbers(foreign, own)
            own.execute("UPDATE job_runs SET lease_owner = NULL, lease_until = NULL")
            own.execute("COMMIT")
            own.execute("PRAGMA journal_mode=DELETE")


def opened(path: Path) -> sqlite3.Connection:
    """Open a file that nobody writes to, read-only and with an untrusted schema. Raises sqlite3.Error."""
    connection = connect(path.as_uri() + "?mode=ro&immutable=1", uri=True, isolation_level=None)
    foreign_sqlite.distrust(connection)
    return connection


def _plain_tables(connection: sqlite3.Connection) -> list[str]:
    """Return the tables that hold rows themselves, in the order in which they were created."""
    rows = connection.execute(
        "SELECT m.name FROM sqlite_master m JOIN pragma_table_list l ON l.name = m.name AND l.schema = 'main' "
        "WHERE m.type = 'table' AND l.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY m.rowid"
    )
    return [row[0] for row in rows]


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    """Return the columns that are stored as given: neither generated nor hidden."""
    rows = connection.execute("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", (table,))
    return [row[0] for row in rows]


def _copy(foreign: sqlite3.Connection, own: sqlite3.Connection, table: str, *, is_ours: bool) -> None:
    columns = _columns(own, table)
    if not set(columns) <= set(_columns(foreign, table)):
        raise StorageRefused(NOT_OURS.format(table))
    own.execute(f"DELETE FROM {table}")
    names = ", ".join(columns)
    insert = f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(columns))})"
    cursor = foreign.execute(f"SELECT {names} FROM {table}")
    waiting = _waiting(foreign) if table == "approvals" else set()
    try:
        while rows := cursor.fetchmany(ROWS_AT_ONCE):
            own.executemany(insert, list(_accepted(table, columns, rows, waiting, is_ours=is_ours)))
    except (sqlite3.IntegrityError, ValueError) as error:
        raise StorageRefused(
            f"its table {table} contains data that AgentOS never writes: {str(error)[:200]}"
        ) from error


def _accepted(
    table: str, columns: list[str], rows: list[Any], waiting: set[tuple[Any, ...]], *, is_ours: bool
) -> Iterator[list[Any]]:
    for values in rows:
        row = dict(zip(columns, values, strict=True))
        allowed = undecided(table, row) if is_ours else without_authority(table, row)
        if table == "approvals" and allowed["status"] != row["status"]:
            key = tuple(allowed[name] for name in ("namespace", "subject", "action", "automatic"))
            if key in waiting:  # the same request is pending already
                allowed = allowed | {"status": "expired"}
            waiting.add(key)
        if not is_ours:
            for column, value in allowed.items():
                acceptable_value(column, value)
        yield [allowed[column] for column in columns]


def _waiting(foreign: sqlite3.Connection) -> set[tuple[Any, ...]]:
    rows = foreign.execute("SELECT namespace, subject, action, automatic FROM approvals WHERE status = 'pending'")
    return {tuple(row) for row in rows}


def _copy_numbers(foreign: sqlite3.Connection, own: sqlite3.Connection) -> None:
    """Copy the sequence counters, so that numbers of deleted rows are not given to others."""
    for name, number in foreign.execute("SELECT name, seq FROM sqlite_sequence").fetchall():
        if isinstance(number, int) and 0 <= number < 2**53:
            own.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (number, name))
            own.execute(
                "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM sqlite_master "
                "WHERE type = 'table' AND name = ?1 AND sql LIKE '%AUTOINCREMENT%') "
                "AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
                (name, number),
            )
