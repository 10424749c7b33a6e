"""Databases of other systems, read without touching them."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from ...modules import foreign_files
from .. import foreign_sqlite

MAX_VALUE_BYTES = 16 * foreign_files.MiB
A_ROW_WITHIN_S = 10.0
STEPS_A_LOOK = 100_000


def has_tables(path: Path, *names: str) -> bool:
    """Return whether a path is a SQLite file with all of these tables."""
    if not (path.is_file() and foreign_sqlite.has_header(path)):
        return False
    with opened(path) as connection:
        found = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return found >= set(names)


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The file for reading alone, whoever else uses it; its schema is not trusted, and no row of it takes long."""
    foreign_sqlite.has_header(path)  # a regular file
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        foreign_sqlite.distrust(connection)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
        _give_up_later(connection)
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
        yield connection


def columns(connection: sqlite3.Connection, table: str) -> set[str]:
    """The names of the columns that a table stores; none where there is no such table: a view runs what it likes."""
    named = "SELECT x.name FROM pragma_table_list l, pragma_table_xinfo(l.name) x WHERE l.schema = 'main' AND "
    found = connection.execute(f"{named} l.type = 'table' AND x.hidden = 0 AND l.name = ?", (table,))
    return {name for (name,) in found}


def rows(connection: sqlite3.Connection, table: str, *order: str) -> Iterator[dict[str, Any]]:
    """The rows of a table by the columns that it has, in order; none where there is no such table."""
    there = columns(connection, table)
    by = ", ".join(f'"{name}"' for name in (*order, "rowid") if name in there or name == "rowid")
    if not there:
        return
    named = ", ".join('"' + name.replace('"', '""') + '"' for name in there)
    found = connection.execute(f'SELECT {named} FROM "{table}" ORDER BY {by}')
    while True:
        _give_up_later(connection)
        if (row := found.fetchone()) is None:
            return
        yield dict(row)


def _give_up_later(connection: sqlite3.Connection) -> None:
    """End what runs longer than a row may take; what is done with the rows does not count."""
    give_up_at = time.monotonic() + A_ROW_WITHIN_S
    connection.set_progress_handler(lambda: time.monotonic() > give_up_at, STEPS_A_LOOK)
