"""The parts of a move: how each is read from one engine, with ids for row numbers, and written to another."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from ...modules.records import dataclass
from ..engine.ports import Connection, Row
from ..repositories.bundle_rows import NUMBER, ReferringColumn, Table, json_value, rows_in_order
from ..repositories.bundle_tables import TABLES, declared

OWN_RUN = "move"
"""The name of the row of `job_runs` in which a move notes, in the target, how far it got."""


@dataclass(frozen=True)
class RowUpdate:
    """A statement that is run for each row with the values at these places of it, if that at `needs` is not NULL."""

    sql: str
    places: tuple[int, ...]
    needs: int | None = None


@dataclass(frozen=True)
class MovedPart:
    """The rows of a table, or what can be written only after all of these.

    `is_verified` where both engines must have the same rows of it in the end; `is_content` where a store that nobody
    has used yet has none.
    """

    name: str
    columns: tuple[str, ...]
    query: str
    changes: tuple[RowUpdate, ...]
    truths: frozenset[int] = frozenset()
    is_verified: bool = True
    is_content: bool = True

    @property
    def counting(self) -> str:
        """The query for how many rows there are."""
        return f"SELECT count(*) FROM ({self.query}) counted"

    async def write(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Write rows of the query within a transaction."""
        values = [
            [bool(value) if place in self.truths and value is not None else value for place, value in enumerate(row)]
            for row in rows
        ]
        for change in self.changes:
            concerned = [row for row in values if change.needs is None or row[change.needs] is not None]
            given = [[row[place] for place in change.places] for row in concerned]
            await connection.execute_many(change.sql, given)

    def as_dict(self, row: Row) -> dict[str, Any]:
        """Return a row by column, in values that are the same on both engines."""
        return {column: json_value(value) for column, value in zip(self.columns, row, strict=True)}


def _of(of: Table, *, condition: str = "TRUE", is_content: bool = True) -> list[MovedPart]:
    """Return the parts of a table: its rows and, where they refer to each other, these references after them."""
    own = {link.column for link in of.links if link.table == of.name}
    written = [column for column in of.columns if column not in own]
    by_number = {link.column: link for link in of.by_number}
    marks = ", ".join(_number_of(by_number[column]) if column in by_number else "?" for column in written)
    insert = RowUpdate(
        f"INSERT INTO {of.name} ({', '.join(written)}) VALUES ({marks})",
        tuple(of.columns.index(column) for column in written),
    )
    truths = frozenset(of.columns.index(column) for column in of.truths)
    rows = MovedPart(of.name, of.columns, rows_in_order(of, condition), (insert,), truths, is_content=is_content)
    later = [
        MovedPart(
            f"{of.name}.{column}",
            (column, "id"),
            f"SELECT t.{column}, t.id FROM {of.name} t WHERE t.{column} IS NOT NULL ORDER BY t.{NUMBER}",
            (RowUpdate(f"UPDATE {of.name} SET {column} = ? WHERE id = ?", (0, 1)),),
            is_verified=False,
        )
        for column in sorted(own)
    ]
    return [rows, *later]


def _number_of(link: ReferringColumn) -> str:
    return f"(SELECT {link.key} FROM {link.table} WHERE id = ?)"


_NAMED = [part for one in TABLES if one.name != "audit" for part in _of(one)]
_AUDIT = declared("audit", "seq at principal door request_id namespace action subject detail hash")
_OF_STORE = {
    "principals": "id home created_at",
    "keys": "prefix digest principal name role namespaces created_at expires_at revoked_at used_at",
    "grants": "principal namespace tag access created_at expires_at",
    "namespace_policies": "namespace reads target max_memories max_bytes retention_days",
    "branches": "namespace origin created_at created_by",
    "branch_points": "memory_id version origin_id origin_version",
    "branch_merges": "approval namespace branch at decided_by created changed contested",
    "governance": "namespace review",
    "watches": "namespace kind value demands",
    "teams": "id label version signer digest applied_at",
}
_QUEUE = declared(
    "queue",
    "id namespace type key payload state attempts run_at lease_owner lease_until last_error created_at finished_at",
)
_ANCHORS = declared(
    "anchors",
    "memory_seq folder path symbol now_path now_symbol body revision state mark confirmations version is_given",
    ("memory_seq", "memories", NUMBER),
    numbered=False,
)
_OF_USE = {
    "anchored_folders": "id namespace project folder problem",
    "event_handlers": "name cursor",
    "usage": "at namespace client tool calls failures characters hits used unanswered helpful",
    "spending": "at namespace client model calls estimated uncached cached written output told replay",
    "questions": "id namespace asked_at client tool question hits used",
    "deeds": "id namespace principal session done_at done path address undo undone_at",
    "told_blocks": "namespace digest text told_at",
    "told_memories": "namespace digest place memory",
    "held_exchanges": "namespace session key client exchange held_at",
    "sync_place": "id place",
    "sync_records": "kind id parent written state mark expires_at",
}
_OF_LESSONS = {
    "lesson_states": "memory_seq namespace digest since told told_at state verdict looked note state_at",
    "lesson_tellings": "session memory_seq way told_at",
    "lesson_runs": "memory_seq session told place outcome followed ran_at",
}
_BESIDE = [
    *_of(_AUDIT),
    *_of(_ANCHORS, is_content=False),
    *_of(declared("memory_tags", "namespace tag memory_seq", ("memory_seq", "memories", NUMBER), numbered=False)),
    *_of(declared("entity_forms", "namespace form entity", ("entity", "entities", NUMBER), numbered=False)),
    *(part for name, columns in _OF_STORE.items() for part in _of(declared(name, columns, numbered=False))),
    *(
        part
        for name, columns in _OF_LESSONS.items()
        for part in _of(
            declared(
                name,
                columns,
                ("memory_seq", "memories", NUMBER),
                numbered=False,
                truths="followed" if "followed" in columns else "",
            ),
            is_content=False,
        )
    ),
    *_of(_QUEUE, is_content=False),
    *(
        part
        for name, columns in _OF_USE.items()
        for part in _of(declared(name, columns, numbered=False), is_content=False)
    ),
    *_of(  # without leases: whoever held one is not here
        declared(
            "job_runs",
            "name interval_us next_due_at last_started_at last_finished_at last_status last_error runs failures",
            numbered=False,
        ),
        condition=f"t.name <> '{OWN_RUN}'",
        is_content=False,
    ),
]

_END_OF_AUDIT = MovedPart(
    "audit_head",
    ("seq", "entries", "hash"),
    "SELECT t.seq, t.entries, t.hash FROM audit_head t WHERE t.id = 1",
    (
        RowUpdate(
            "INSERT INTO audit_head (id, seq, entries, hash) VALUES (1, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, entries = excluded.entries, hash = excluded.hash",
            (0, 1, 2),
        ),
    ),
    is_content=False,
)
_GENERATIONS = MovedPart(
    "embedding_generations",
    ("stopped_at", "dimension", "created_at", "fingerprint"),
    "SELECT t.stopped_at, t.dimension, t.created_at, t.fingerprint FROM embedding_generations t ORDER BY t.id",
    (
        RowUpdate(
            "INSERT INTO embedding_generations (stopped_at, dimension, created_at, fingerprint) VALUES (?, ?, ?, ?)",
            (0, 1, 2, 3),
        ),
    ),
    is_content=False,
)
_MEMORY = "(SELECT seq FROM memories WHERE id = ?)"
_GENERATION = "(SELECT id FROM embedding_generations WHERE fingerprint = ?)"
_VECTORS = MovedPart(
    "embeddings",
    ("memory", "model", "part", "begins", "ends", "vector", "signs"),
    "SELECT m.id, g.fingerprint, t.part, t.begins, t.ends, t.vector, s.signs FROM embeddings t "
    "JOIN memories m ON m.seq = t.memory_seq JOIN embedding_generations g ON g.id = t.generation "
    "LEFT JOIN token_signs s ON s.embedding = t.id ORDER BY t.generation, t.memory_seq, t.part",
    (
        RowUpdate(
            "INSERT INTO embeddings (memory_seq, generation, part, begins, ends, vector) "
            f"VALUES ({_MEMORY}, {_GENERATION}, ?, ?, ?, ?)",
            (0, 1, 2, 3, 4, 5),
        ),
        RowUpdate(
            "INSERT INTO token_signs (embedding, signs) SELECT e.id, ? FROM embeddings e "
            f"WHERE e.memory_seq = {_MEMORY} AND e.generation = {_GENERATION} AND e.part = ?",
            (6, 0, 1, 2),
            needs=6,
        ),
    ),
)

_LOOKS = MovedPart(
    "owed_looks",
    ("memory",),
    "SELECT m.id FROM owed_looks t JOIN memories m ON m.seq = t.memory_seq ORDER BY t.memory_seq",
    (RowUpdate(f"INSERT INTO owed_looks (memory_seq) VALUES ({_MEMORY})", (0,)),),
    is_content=False,
)

PARTS = tuple(chain(_NAMED, _BESIDE, [_END_OF_AUDIT, _GENERATIONS, _VECTORS, _LOOKS]))
"""In the order in which they are copied: each after what its rows refer to."""
