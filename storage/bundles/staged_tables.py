"""The tables of a bundle that is staged in a database of its own schema, which may be an older one.

Its catalogue describes them: what the newest schema has is declared in `repositories.bundle_tables`.
"""

from collections.abc import Iterator, Sequence

from ..repositories.bundle_rows import NUMBER, ReferringColumn, Row, Table, json_row, selection
from ..sqlite.driver import sqlite3

DERIVED = frozenset(
    "anchored_folders anchors "
    "memory_tags memory_text text_statistics compounds postings embeddings token_signs embedding_generations "
    "index_outbox index_state job_runs daemon_state store_identity schema_migrations usage spending queue "
    "event_handlers questions deeds entity_forms principals keys grants namespace_policies audit_head request_effects "
    "told_blocks told_memories held_exchanges owed_looks branches branch_points branch_merges governance watches "
    "teams sync_place sync_records lesson_states lesson_tellings lesson_runs lesson_reading".split()
)
"""Tables that can be derived from the others, or belong to one machine."""

OF_THE_CHAIN = frozenset({"principal", "door", "request_id", "hash"})
"""Columns of the audit log that prove something in their own store alone."""


def tables(connection: sqlite3.Connection) -> list[Table]:
    """Return every table that is not derived, referenced tables first."""
    names = [
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        if not name.startswith("sqlite_") and not any(name == one or name.startswith(f"{one}_") for one in DERIVED)
    ]
    found = {name: _table(connection, name) for name in names}
    ordered: dict[str, Table] = {}

    def place(table: Table, trail: tuple[str, ...] = ()) -> None:
        for link in table.links:
            if link.table != table.name and link.table in found and link.table not in trail:
                place(found[link.table], (*trail, table.name))
        ordered.setdefault(table.name, table)

    for table in found.values():
        place(table)
    return list(ordered.values())


def _table(connection: sqlite3.Connection, name: str) -> Table:
    described = connection.execute(f"PRAGMA table_info({name})").fetchall()
    columns = [row[1] for row in described]
    numbered = [row[1] for row in described if row[5]] == [NUMBER]
    links = tuple(
        ReferringColumn(row[3], row[2], row[4] or NUMBER)
        for row in connection.execute(f"PRAGMA foreign_key_list({name})")
    )
    left_out = OF_THE_CHAIN if name == "audit" else frozenset[str]()
    included = tuple(column for column in columns if not (numbered and column == NUMBER) and column not in left_out)
    unique = [row[2] and not row[4] for row in connection.execute(f"PRAGMA index_list({name})")]
    return Table(name, included, numbered, not numbered or any(unique), links)


def rows(connection: sqlite3.Connection, table: Table, namespaces: Sequence[str] | None) -> Iterator[Row]:
    """Yield a table's rows as JSON values, in order, with ids in place of numbers; of some namespaces, or of all."""
    for values in connection.execute(*selection(table, namespaces)):
        yield json_row(table, values)
