"""Merging a bundle's rows into a store: new rows are added, existing ones stay as they are."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from datetime import datetime
from typing import cast

from ...modules.branches.models import Watch
from ...modules.graph.models import ALIAS_OF, MAY_BE
from ...modules.judging import guards
from ...modules.portability.models import Imported
from ...modules.records import dataclass
from ..engine.ports import Connection
from ..engine.ports import Row as StoredRow
from . import bundle_contests
from .authority import without_authority
from .bundle_rows import NUMBER, Row, Table, stored_row
from .memory_rows import to_memory
from .rows import TransactionRows

_TAGS = """
INSERT INTO memory_tags (namespace, tag, memory_seq)
SELECT m.namespace, tag_of(t.value), m.seq FROM memories m /*then*/ JOIN json_texts(m.tags) t ON TRUE WHERE m.id = ?
ON CONFLICT DO NOTHING
"""

WATCHED = "memories, watched"
"""Under which name it is counted what a review is needed for."""
_OF_ITS_MEMORY = frozenset({"readings", "entity_mentions"})
"""Tables derived from a memory's text: merged only with it, as an existing memory may have another text."""


@dataclass
class Batch:
    """The effect of one transaction on a merge; it counts once that is committed (`Merging.count`)."""

    new: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    same: dict[str, str] = field(default_factory=dict)
    """Nodes of the bundle that equal ones of the store, by id."""
    arrived: set[str] = field(default_factory=set)
    """The memories that came."""
    files: set[str] = field(default_factory=set)
    """The hashes of the files that memories here have."""
    namespaces: set[str] = field(default_factory=set)
    """Those that are there."""
    waiting: list[Row] = field(default_factory=list)
    settles: bool = False
    """Whether no row waits any more."""
    contested: list[str] = field(default_factory=list)
    watches: dict[str, tuple[Watch, ...]] = field(default_factory=dict)
    """What needs a review, by namespace."""


class Merging:
    """One merge of a bundle's rows, with counts of what became of them.

    Its methods work within a transaction, which an engine may retry: pass what the committed attempt returned to
    `count` before the next begins.
    """

    def __init__(self) -> None:
        self._done = Batch()

    @property
    def outcome(self) -> Imported:
        """The counts so far."""
        done = self._done
        return Imported(dict(done.new), dict(done.known), dict(done.left_out), contested=tuple(done.contested))

    def count(self, batch: Batch) -> None:
        """Count what was committed."""
        done = self._done
        done.new += batch.new
        done.known += batch.known
        done.left_out += batch.left_out
        done.same |= batch.same
        done.arrived |= batch.arrived
        done.files |= batch.files
        done.namespaces |= batch.namespaces
        done.waiting = [] if batch.settles else done.waiting + batch.waiting
        done.contested += batch.contested

    async def contest(self, now: datetime, connection: Connection) -> Batch:
        """Contest what has come and contradicts what is known here."""
        return Batch(contested=await bundle_contests.contest(connection, sorted(self._done.arrived), now))

    async def add(self, table: Table, found: Sequence[Row], connection: Connection) -> Batch:
        """Merge rows of a table. A row waits if it refers to one that has not come yet."""
        for namespace in sorted({row["namespace"] for row in found if row.get("namespace") is not None}):
            await connection.lock(namespace)
        batch = Batch()
        await self._add(batch, table, found, connection)
        return batch

    async def settle(self, table: Table, connection: Connection) -> Batch:
        """Merge the rows that waited for others of their table; leave out those whose references never came."""
        batch, waiting = Batch(settles=True), self._done.waiting
        while waiting and any(link.table == table.name for link in table.links):
            await self._add(batch, table, waiting, connection)
            before, waiting = waiting, batch.waiting
            batch.waiting = []
            if len(waiting) == len(before):
                break
        batch.left_out.update({table.name: len(waiting)} if waiting else {})
        return batch

    async def _add(self, batch: Batch, table: Table, found: Sequence[Row], connection: Connection) -> None:
        for row in found:
            values = stored_row(table, row)
            memory = values.get("memory_seq")
            if table.name == "memories" and await self._needs_review(batch, connection, values):
                batch.left_out[WATCHED] += 1
            elif not await self._resolve(batch, connection, table, values):
                batch.waiting.append(row)
            elif (
                (table.name in _OF_ITS_MEMORY and memory not in self._done.arrived)
                or (table.name == "attachment_parts" and values["content_hash"] not in self._done.files)
                or await self._is_known(connection, table, values)
                or (table.name == "entity_relations" and await _is_pair(connection, values))
                or not await self._insert(batch, connection, table, values)
            ):
                batch.known[table.name] += 1
            else:
                batch.new[table.name] += 1

    async def _needs_review(self, batch: Batch, connection: Connection, values: Row) -> bool:
        """Return whether a memory is new here and a watch of its namespace names it: it comes by a branch alone."""
        namespace = values["namespace"]
        if namespace not in batch.watches:
            batch.watches[namespace] = await guards.reviewed(TransactionRows(connection), namespace)
        if not batch.watches[namespace] or not guards.holds(values["status"]):
            return False
        memory = to_memory(cast("StoredRow", values | {"likely_successor": None, "code_mark": None}))
        if not any(watch.names(memory) for watch in batch.watches[namespace]):
            return False
        return not await connection.fetch_all(
            "SELECT 1 FROM memories WHERE namespace = ? AND id = ?", (namespace, values["id"])
        )

    async def _resolve(self, batch: Batch, connection: Connection, table: Table, values: Row) -> bool:
        """Replace ids with this store's numbers; return whether everything that the row refers to is there."""
        for link in table.links:
            if link.column not in values or values[link.column] is None:
                continue
            value = values[link.column]
            if link.table == "namespaces" and (value in self._done.namespaces or value in batch.namespaces):
                continue
            key = "id" if link.key == NUMBER else link.key
            if link.table == "entities":
                value = self._done.same.get(value, value)
            named = await connection.fetch_all(f"SELECT {link.key} FROM {link.table} WHERE {key} = ?", (value,))
            if not named:
                return False
            [values[link.column]] = [row[0] for row in named]
            if link.table == "namespaces":
                batch.namespaces.add(values[link.column])
        return True

    async def _is_known(self, connection: Connection, table: Table, values: Row) -> bool:
        """Return whether the very same row is there, in a table whose rows have no other key."""
        if table.keyed:
            return False
        conditions = " AND ".join(f"{column} IS NOT DISTINCT FROM ?" for column in table.columns)
        same = await connection.fetch_all(
            f"SELECT 1 FROM {table.name} WHERE {conditions} LIMIT 1", [values[column] for column in table.columns]
        )
        return bool(same)

    async def _insert(self, batch: Batch, connection: Connection, table: Table, values: Row) -> bool:
        if table.name == "memories" and values["session"] is not None:
            await _find_place(connection, values)
        values |= without_authority(table.name, values)
        changed = await connection.execute(
            f"INSERT INTO {table.name} ({', '.join(table.columns)}) "
            f"VALUES ({', '.join('?' * len(table.columns))}) ON CONFLICT DO NOTHING",
            [values[column] for column in table.columns],
        )
        if not changed and table.name == "entities":
            await self._find_same(batch, connection, values)
        if changed and table.name == "memories":
            batch.arrived.add(values["id"])
            await connection.execute(_TAGS, (values["id"],))
        if table.name == "attachments":
            batch.files.add(values["content_hash"])  # one that was there may lack its bytes: an import was cut off
        return changed > 0

    async def _find_same(self, batch: Batch, connection: Connection, values: Row) -> None:
        """Note which node of the store a node of the bundle equals: its edges and aliases are merged into that one."""
        rows = await connection.fetch_all(
            "SELECT id FROM entities WHERE namespace = ? AND type = ? AND key = ?",
            (values["namespace"], values["type"], values["key"]),
        )
        for row in rows:
            batch.same[values["id"]] = row["id"]


async def _is_pair(connection: Connection, values: Row) -> bool:
    """Return whether a row compares two names that the store has compared, in either direction: its verdict stands."""
    if values["type"] not in (ALIAS_OF, MAY_BE) or values["evidence"] is not None:
        return False
    ends = values["from_entity"], values["to_entity"]
    rows = await connection.fetch_all(
        f"SELECT 1 FROM entity_relations WHERE type IN ('{ALIAS_OF}', '{MAY_BE}') AND evidence IS NULL "
        "AND ((from_entity, to_entity) = (?1, ?2) OR (from_entity, to_entity) = (?2, ?1)) LIMIT 1",
        ends,
    )
    return bool(rows)


async def _find_place(connection: Connection, values: Row) -> None:
    """Move a turn to the end of its session if another turn has its place."""
    taken = await connection.fetch_all(
        "SELECT (SELECT max(place) + 1 FROM memories m WHERE m.namespace = o.namespace AND m.session = o.session) "
        "FROM memories o WHERE o.namespace = ? AND o.session = ? AND o.place = ? AND o.id <> ?",
        (values["namespace"], values["session"], values["place"], values["id"]),
    )
    for row in taken:
        values["place"] = row[0]
