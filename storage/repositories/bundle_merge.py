"""Merging a bundle's rows into a store: new rows are added, existing ones stay as they are."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from ...modules.graph.models import ALIAS_OF, MAY_BE
from ...modules.portability.models import Imported
from ..engine.ports import Connection
from . import bundle_contests
from .authority import without_authority
from .bundle_rows import NUMBER, Row, Table, stored_value

_TAGS = """
INSERT INTO memory_tags (tag, memory_seq)
SELECT tag_of(t.value), m.seq FROM memories m /*then*/ JOIN json_texts(m.tags) t ON TRUE WHERE m.id = ?
ON CONFLICT DO NOTHING
"""

_OF_ITS_MEMORY = frozenset({"readings", "entity_mentions"})
"""Tables derived from a memory's text: merged only with it, as an existing memory may have another text."""


class Merging:
    """One merge of a bundle's rows, with counts of what became of them."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._tables = {table.name: table for table in tables}
        self._new: Counter[str] = Counter()
        self._known: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()
        self._same: dict[str, str] = {}
        self._arrived: set[str] = set()
        self._namespaces: set[str] = set()
        self._waiting: list[Row] = []
        self._contested: list[str] = []

    @property
    def outcome(self) -> Imported:
        """The counts so far."""
        contested = tuple(self._contested)
        return Imported(dict(self._new), dict(self._known), dict(self._left_out), contested=contested)

    async def contest(self, now: datetime, connection: Connection) -> None:
        """Contest what has come and contradicts what is known here."""
        self._contested += await bundle_contests.contest(connection, sorted(self._arrived), now)

    async def add(self, table: Table, found: Sequence[Row], connection: Connection) -> None:
        """Merge rows of a table, within a transaction. A row waits if it refers to one that has not come yet."""
        for row in found:
            values = {column: stored_value(row[column]) for column in table.columns}
            memory = values.get("memory_seq")
            if not await self._resolve(connection, table, values):
                self._waiting.append(row)
            elif (
                (table.name in _OF_ITS_MEMORY and memory not in self._arrived)
                or await self._is_known(connection, table, values)
                or (table.name == "entity_relations" and await _is_pair(connection, values))
                or not await self._insert(connection, table, values)
            ):
                self._known[table.name] += 1
            else:
                self._new[table.name] += 1

    async def settle(self, table: Table, connection: Connection) -> None:
        """Merge the rows that waited for others of their table; leave out those whose references never came."""
        while (waiting := self._waiting) and any(link.table == table.name for link in table.links):
            self._waiting = []
            await self.add(table, waiting, connection)
            if len(self._waiting) == len(waiting):
                break
        if self._waiting:
            self._left_out[table.name] += len(self._waiting)
            self._waiting = []

    async def _resolve(self, connection: Connection, table: Table, values: Row) -> bool:
        """Replace ids with this store's numbers; return whether everything that the row refers to is there."""
        for link in table.links:
            if link.column not in values or values[link.column] is None:
                continue
            if link.table == "namespaces" and values[link.column] in self._namespaces:
                continue
            key = "id" if link.key == NUMBER else link.key
            value = values[link.column]
            if link.table == "entities":
                value = self._same.get(value, value)
            named = await connection.fetch_all(f"SELECT {link.key} FROM {link.table} WHERE {key} = ?", (value,))
            if not named:
                return False
            [values[link.column]] = [row[0] for row in named]
            if link.table == "namespaces":
                self._namespaces.add(values[link.column])
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

    async def _insert(self, connection: Connection, table: Table, values: Row) -> bool:
        if table.name == "memories" and values["session"] is not None:
            await _find_place(connection, values)
        values |= without_authority(table.name, values)
        changed = await connection.execute(
            f"INSERT INTO {table.name} ({', '.join(table.columns)}) "
            f"VALUES ({', '.join('?' * len(table.columns))}) ON CONFLICT DO NOTHING",
            [values[column] for column in table.columns],
        )
        if not changed and table.name == "entities":
            await self._find_same(connection, values)
        if changed and table.name == "memories":
            self._arrived.add(values["id"])
            await connection.execute(_TAGS, (values["id"],))
        return changed > 0

    async def _find_same(self, connection: Connection, values: Row) -> None:
        """Note which node of the store a node of the bundle equals: its edges and aliases are merged into that one."""
        rows = await connection.fetch_all(
            "SELECT id FROM entities WHERE namespace = ? AND type = ? AND key = ?",
            (values["namespace"], values["type"], values["key"]),
        )
        for row in rows:
            self._same[values["id"]] = row["id"]


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
