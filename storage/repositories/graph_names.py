"""Names that are alike: the forms that are compared, and the pairs, kept as relations made by rules."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from ...modules import identifiers
from ...modules.graph.likeness import COMPARED
from ...modules.graph.models import ALIAS_OF, MAY_BE, Node, OtherName, Pair, PairState
from ..engine.ports import Connection, Engine, Row
from ..engine.times import to_us
from .audit import record_change
from .graph import GraphsRepository

_NODE = "e.seq, e.id, e.type, e.label, e.key, e.description, e.ref_id, e.source"
_TYPES = ", ".join(f"'{type_.value}'" for type_ in sorted(COMPARED))
_PAIRS = f"type IN ('{ALIAS_OF}', '{MAY_BE}') AND evidence IS NULL"


class AliasesRepository:
    """Storage of pairs of alike names. A pair joined here is an alias everywhere."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._graph = GraphsRepository(engine)

    async def uncompared(self, namespace: str, limit: int) -> list[Node]:
        """Return entities whose names were not compared with older ones yet, the oldest first."""
        rows = await self._engine.read(
            f"SELECT {_NODE} FROM entities e /*by none*/ WHERE e.seq > coalesce("
            "(SELECT max(entity) FROM entity_forms WHERE namespace = ?1), 0) "
            f"AND e.namespace = ?1 AND e.type IN ({_TYPES}) ORDER BY e.seq LIMIT ?2",
            (namespace, limit),
        )
        return [_node(row) for row in rows]

    async def alike(self, namespace: str, forms: Sequence[str], before: int, limit: int) -> list[Node]:
        """Return the newest entities, older than the number `before`, that have one of the given forms."""
        rows = await self._engine.read(
            f"SELECT {_NODE} FROM (SELECT DISTINCT f.entity FROM json_texts(?1) given /*then*/ JOIN entity_forms f "
            "ON f.namespace = ?2 AND f.form = given.value AND f.entity < ?3 ORDER BY f.entity DESC LIMIT ?4) found "
            "/*then*/ JOIN entities e ON e.seq = found.entity ORDER BY e.seq DESC",
            (json.dumps(list(forms)), namespace, before, limit),
        )
        return [_node(row) for row in rows]

    async def newest(self, namespace: str, types: Sequence[str], before: int, limit: int) -> list[Node]:
        """Return the newest entities of the given types that are older than the number `before`."""
        rows = await self._engine.read(
            f"SELECT {_NODE} FROM entities e /*by none*/ WHERE e.seq < ? AND e.namespace = ? "
            "AND e.type IN (SELECT value FROM json_texts(?)) ORDER BY e.seq DESC LIMIT ?",
            (before, namespace, json.dumps(list(types)), limit),
        )
        return [_node(row) for row in rows]

    async def compared(
        self, namespace: str, forms: Mapping[int, Sequence[str]], pairs: Sequence[Pair], now: datetime
    ) -> int:
        """Store the forms and the pairs of compared entities in one transaction; return how many pairs are new.

        A pair that was decided about stays as it is.
        """

        async def work(connection: Connection) -> int:
            there = {
                row[0]
                for row in await connection.fetch_all(
                    "SELECT e.seq FROM json_numbers(?) given /*then*/ JOIN entities e ON e.seq = given.value",
                    (json.dumps([*forms, *(number for pair in pairs for number in (pair.alias, pair.canonical))]),),
                )
            }
            await connection.execute(
                "INSERT INTO entity_forms (entity, namespace, form) "
                "SELECT CAST(value ->> 0 AS BIGINT), ?, value ->> 1 FROM json_rows(?) WHERE true ON CONFLICT DO "
                "NOTHING",
                (
                    namespace,
                    json.dumps([[number, form] for number in forms if number in there for form in forms[number]]),
                ),
            )
            known = await self._joined(connection, pairs)
            new = 0
            for pair in pairs:
                if {pair.alias, pair.canonical} <= there and frozenset((pair.alias, pair.canonical)) not in known:
                    new += await _insert(connection, namespace, pair, now)
            return new

        return await self._engine.write(work)

    async def other_names(self, namespace: str, limit: int, now: datetime) -> list[OtherName]:
        """Return pairs that were found, suggestions first, then the newest; none with a hidden name."""
        rows = await self._engine.read(
            f"SELECT * FROM entity_relations WHERE namespace = ? AND {_PAIRS} "
            f"ORDER BY type = '{MAY_BE}' AND weight > 0 DESC, seq DESC LIMIT ?",
            (namespace, limit),
        )
        numbers = sorted({row[name] for row in rows for name in ("from_entity", "to_entity")})
        nodes = {node.seq: node for node in await self._graph.nodes(namespace, numbers, None, now)}
        return [
            OtherName(
                id=row["id"],
                alias=nodes[row["from_entity"]],
                canonical=nodes[row["to_entity"]],
                basis=row["description"],
                score=row["weight"],
                standing=_standing(row),
                source=row["source"],
            )
            for row in rows
            if row["from_entity"] in nodes and row["to_entity"] in nodes
        ]

    async def decide(self, namespace: str, pair_id: str, now: datetime, *, accept: bool) -> bool:
        """Join or part the names of a pair, for good; False if there is no such pair."""

        async def work(connection: Connection) -> bool:
            # If the two have been joined as well, the decision replaces that relation.
            await connection.execute(
                f"DELETE FROM entity_relations WHERE type = '{ALIAS_OF}' AND evidence IS NULL AND namespace = ?2 AND "
                "(from_entity, to_entity) = (SELECT from_entity, to_entity FROM entity_relations WHERE id = ?1 AND "
                f"namespace = ?2 AND type = '{MAY_BE}' AND evidence IS NULL)",
                (pair_id, namespace),
            )
            changed = await connection.execute(
                # A rejected pair has the source "rules", so that it does not keep names whose memories go.
                f"UPDATE entity_relations SET type = '{ALIAS_OF}', weight = ?, source = ? "
                f"WHERE id = ? AND namespace = ? AND {_PAIRS}",
                (float(accept), "manual" if accept else "rules", pair_id, namespace),
            )
            if changed:
                await record_change(connection, now, namespace, "graph.join" if accept else "graph.part", pair_id)
            return changed > 0

        return await self._engine.write(work)

    async def _joined(self, connection: Connection, pairs: Sequence[Pair]) -> set[frozenset[int]]:
        """Return the pairs that are related already, in either direction and by whichever source."""
        rows = await connection.fetch_all(
            "SELECT r.from_entity, r.to_entity FROM json_rows(?1) given /*then*/ JOIN entity_relations r "
            "ON r.from_entity = CAST(given.value ->> 0 AS BIGINT) AND r.to_entity = CAST(given.value ->> 1 AS BIGINT) "
            f"AND r.type IN ('{ALIAS_OF}', '{MAY_BE}')",
            (
                json.dumps(
                    [each for pair in pairs for each in ([pair.alias, pair.canonical], [pair.canonical, pair.alias])]
                ),
            ),
        )
        return {frozenset((row[0], row[1])) for row in rows}


async def _insert(connection: Connection, namespace: str, pair: Pair, now: datetime) -> bool:
    pair_id = identifiers.new_id("edge")
    changed = await connection.execute(
        "INSERT INTO entity_relations (id, namespace, from_entity, to_entity, type, weight, description, source, "
        "created_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'rules', ?) ON CONFLICT DO NOTHING",
        (
            pair_id,
            namespace,
            pair.alias,
            pair.canonical,
            ALIAS_OF if pair.is_sure else MAY_BE,
            pair.score,
            pair.basis,
            to_us(now),
        ),
    )
    if changed and pair.is_sure:
        await record_change(connection, now, namespace, "graph.join", pair_id, basis=pair.basis)
    return changed > 0


def _standing(row: Row) -> PairState:
    if row["weight"] == 0:
        return PairState.REJECTED
    return PairState.SUGGESTED if row["type"] == MAY_BE else PairState.ALIAS


def _node(row: Row) -> Node:
    return Node(
        **{name: row[name] for name in ("seq", "id", "type", "label", "key", "description", "ref_id", "source")}
    )
