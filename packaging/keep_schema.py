"""Keeps a store of each schema before the newest: the sample of the schema before it, brought to that schema.

    python packaging/keep_schema.py

Writes the files that are missing in tests/integration/released. What is there never changes.
"""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from agentos.storage.sqlite import migrate

RELEASED = Path(__file__).resolve().parents[1] / "tests/integration/released"
HEAD = "-- A store of schema {} as AgentOS wrote it before a release, as SQL: it must stay openable. Never edit it.\n"
OBJECTS = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
"""Tables, indexes, views and triggers, in the order in which they were made."""


def statements(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield what makes a database anew; the tables in which FTS5 keeps its own come with their virtual tables."""
    objects = list(connection.execute(OBJECTS))
    virtual = tuple(f"{name}_" for _, name, sql in objects if sql.startswith("CREATE VIRTUAL"))
    tables = [(name, sql) for type_, name, sql in objects if type_ == "table" and not _is_shadow(name, virtual)]
    yield from (sql for _, sql in tables)
    for name, sql in tables:
        if "USING fts5vocab" not in sql:  # which reads the text index
            yield from _rows(connection, name)
    yield from _rows(connection, "sqlite_sequence")
    for wanted in ("view", "index", "trigger"):
        yield from (sql for type_, _, sql in objects if type_ == wanted)


def _is_shadow(name: str, virtual: tuple[str, ...]) -> bool:
    return name.startswith(virtual) and name.rsplit("_", 1)[1] in ("data", "idx", "content", "docsize", "config")


def _rows(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    described = connection.execute(f"PRAGMA table_xinfo({table})").fetchall()
    columns = [row[1] for row in described if row[6] == 0]  # neither generated nor hidden
    if any(row[6] == 1 for row in described):
        columns.insert(0, "rowid")  # of FTS5
    values = " || ', ' || ".join(f"quote({column})" for column in columns)
    for (row,) in connection.execute(f"SELECT {values} FROM {table}"):
        yield f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({row})"


def main() -> int:
    """Write what is missing."""
    migrations = migrate.known()
    for migration in migrations[1:-1]:
        path = RELEASED / f"schema-{migration.version:03}.sql"
        if path.exists():
            continue
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            before = RELEASED / f"schema-{migration.version - 1:03}.sql"
            connection.executescript(before.read_text(encoding="utf-8"))
            migrate.apply_to(connection, [migration])
            path.write_text(HEAD.format(migration.version) + ";\n".join([*statements(connection), ""]), "utf-8")
        sys.stdout.write(f"{path.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
