"""The graph. Co-occurrence is computed from mentions, so that no stale counts can remain."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ...modules.graph.keys import key
from ...modules.graph.models import (
    ALIAS_OF,
    MAY_BE,
    ONE_AT_A_TIME,
    GraphStatistics,
    Node,
    NodeRelation,
    Text,
    Together,
    Understood,
)
from ...modules.memory.models import MemoryFilter
from ..engine.ports import Connection, Engine, Row
from ..engine.times import maybe_from_us, to_us
from . import graph_writing
from .audit import record_change, register_namespace
from .predicates import SELDOM_SHOWN, VISIBLE, for_memories

# The memories that an answer leaves out are few and indexed: cheaper to list than to check each memory of a mention.
_UNSEEN = (
    f"SELECT m.seq FROM memories m WHERE m.namespace = :namespace AND {SELDOM_SHOWN} "
    f"AND NOT ({VISIBLE} AND (m.valid_to IS NULL OR m.valid_to > :at)) "
    "UNION SELECT l.seq FROM memories l "
    "WHERE CAST(:as_of AS BIGINT) IS NOT NULL AND l.namespace = :namespace AND l.occurred_at > :as_of"
)
# If few memories are unseen, it is cheaper to subtract their mentions than to filter all mentions.
_OF_NODE = "(SELECT count(*) FROM entity_mentions c WHERE c.entity = e.seq"
_MENTIONS = (
    f"CASE WHEN (SELECT count(*) FROM unseen) < 100 THEN {_OF_NODE}) - (SELECT count(*) FROM unseen u "
    "/*then*/ JOIN entity_mentions c ON c.entity = e.seq AND c.memory_seq = u.seq) "
    f"ELSE {_OF_NODE} AND c.memory_seq NOT IN (SELECT seq FROM unseen)) END"
)
_NODE = f"e.seq, e.id, e.type, e.label, e.key, e.description, e.ref_id, e.source, {_MENTIONS} AS mentions"
_SHOWN = (
    "(source = 'manual' OR mentions > 0 OR NOT EXISTS (SELECT 1 FROM entity_mentions c WHERE c.entity = found.seq))"
)
"""Nodes that are shown: one whose memories are all hidden is hidden with them."""

_ALIASES = f"""
WITH given AS MATERIALIZED (
    SELECT e.* FROM json_numbers(:numbers) g /*then*/ JOIN entities e ON e.seq = g.value WHERE e.namespace = :namespace
), unseen AS MATERIALIZED (SELECT m.seq FROM memories m
    WHERE m.namespace = :namespace AND {SELDOM_SHOWN} AND NOT ({VISIBLE})
), short AS (
    SELECT seq, key FROM given WHERE type IN ('person', 'name') AND strpos(key, ' ') = 0
    UNION SELECT s.seq, s.key FROM given g /*then*/ JOIN entities s ON s.namespace = :namespace
        AND s.key = substr(g.key, 1, strpos(g.key, ' ') - 1)
        WHERE g.type = 'person' AND strpos(g.key, ' ') > 0 AND s.type IN ('person', 'name')
)
SELECT r.from_entity, r.to_entity FROM given g /*then*/ JOIN entity_relations r ON r.from_entity = g.seq
    WHERE r.type = '{ALIAS_OF}' AND r.weight > 0 AND coalesce(r.evidence, 0) NOT IN (SELECT seq FROM unseen)
UNION SELECT r.from_entity, r.to_entity FROM given g /*then*/ JOIN entity_relations r ON r.to_entity = g.seq
    WHERE r.type = '{ALIAS_OF}' AND r.weight > 0 AND coalesce(r.evidence, 0) NOT IN (SELECT seq FROM unseen)
UNION SELECT g.seq, a.entity FROM given g /*then*/ JOIN entity_aliases a ON a.namespace = :namespace AND a.key = g.key
    WHERE a.entity <> g.seq
UNION SELECT s.seq, a.entity FROM given g /*then*/ JOIN entity_aliases a ON a.entity = g.seq
    /*then*/ JOIN entities s ON s.namespace = :namespace AND s.key = a.key WHERE s.seq <> g.seq
UNION SELECT g.seq, p.seq FROM given g /*then*/ JOIN entities p ON p.namespace = :namespace AND p.key = g.key
    AND p.type = 'person' WHERE g.type IN ('name', 'concept')
UNION SELECT o.seq, g.seq FROM given g /*then*/ JOIN entities o ON o.namespace = :namespace AND o.key = g.key
    AND o.type IN ('name', 'concept') WHERE g.type = 'person'
UNION SELECT s.seq, max(f.seq) FROM short s /*then*/ JOIN entities f ON f.namespace = :namespace
    AND f.key > s.key || ' ' AND f.key < s.key || '!'
    WHERE f.type = 'person' AND EXISTS (SELECT 1 FROM entity_mentions c
        WHERE c.entity = f.seq AND c.memory_seq NOT IN (SELECT seq FROM unseen))
    GROUP BY s.seq HAVING count(*) = 1
"""
# Only the newest mentions of each member, found by the key's order, so that a hub costs no more than any other node.
_TOGETHER = f"""
WITH unseen AS MATERIALIZED ({_UNSEEN}), member AS MATERIALIZED (
    SELECT given.seq, given.grp, coalesce((SELECT x.memory_seq FROM entity_mentions x
        WHERE x.entity = given.seq ORDER BY x.memory_seq DESC LIMIT 1 OFFSET :newest), 0) AS after
    FROM (SELECT CAST(value ->> 0 AS BIGINT) AS seq, CAST(value ->> 1 AS BIGINT) AS grp FROM json_rows(:members)) given
), told AS MATERIALIZED (
    SELECT DISTINCT member.grp, c.memory_seq FROM member /*then*/ JOIN entity_mentions c
    ON c.entity = member.seq AND c.memory_seq > member.after
    WHERE c.memory_seq NOT IN (SELECT seq FROM unseen)
)
SELECT told.grp, o.entity, count(*) AS memories FROM told
/*then*/ JOIN entity_mentions o ON o.memory_seq = told.memory_seq
GROUP BY told.grp, o.entity HAVING count(*) >= :least ORDER BY memories DESC, o.entity LIMIT :limit
"""
_BOTH = f"""
WITH unseen AS MATERIALIZED ({_UNSEEN})
SELECT count(DISTINCT c.memory_seq) FROM json_numbers(:ones) one /*then*/ JOIN entity_mentions c ON c.entity = one.value
WHERE c.memory_seq NOT IN (SELECT seq FROM unseen)
    AND EXISTS (SELECT 1 FROM json_numbers(:others) other /*then*/ JOIN entity_mentions d
        ON d.entity = other.value AND d.memory_seq = c.memory_seq)
"""
_ONE_AT_A_TIME = ", ".join(f"'{type_}'" for type_ in sorted(ONE_AT_A_TIME))
_RELATIONS = f"""
WITH given AS MATERIALIZED (SELECT value AS seq FROM json_numbers(:numbers)), near AS MATERIALIZED (
    SELECT * FROM (SELECT r.seq FROM given g /*then*/ JOIN entity_relations r ON r.from_entity = g.seq
        UNION SELECT r.seq FROM given g /*then*/ JOIN entity_relations r ON r.to_entity = g.seq) LIMIT :limit
), chosen AS (
    SELECT seq FROM near
    UNION SELECT s.seq FROM near /*then*/ JOIN entity_relations r ON r.seq = near.seq
        /*then*/ JOIN entity_relations s ON s.from_entity = r.from_entity AND s.type = r.type
        WHERE r.type IN ({_ONE_AT_A_TIME})
)
SELECT r.*, coalesce(r.valid_from, m.valid_from, m.occurred_at) AS begins, least(coalesce(r.valid_to, m.valid_to),
    coalesce(m.valid_to, r.valid_to)) AS ends, coalesce(m.occurred_at, r.created_at) AS said_at
FROM chosen /*then*/ JOIN entity_relations r ON r.seq = chosen.seq LEFT JOIN memories m ON m.seq = r.evidence
WHERE r.namespace = :namespace AND (r.evidence IS NULL OR {VISIBLE}) AND r.type NOT IN ('{ALIAS_OF}', '{MAY_BE}')
    AND (:types = '[]' OR r.type IN (SELECT value FROM json_texts(:types)))
ORDER BY r.weight DESC, r.seq
"""


class GraphsRepository:
    """Graphs of names: read, walked through step by step, and written."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def get(self, namespace: str, node_id: str) -> Node | None:
        """Return a node by its id; None if there is none."""
        rows = await self._engine.read(
            f"WITH unseen AS MATERIALIZED (SELECT m.seq FROM memories m WHERE m.namespace = ?1 AND {SELDOM_SHOWN} "
            f"AND NOT ({VISIBLE})) SELECT {_NODE} FROM entities e WHERE e.namespace = ?1 AND e.id = ?2",
            (namespace, node_id),
        )
        return _node(rows[0]) if rows else None

    async def nodes(self, namespace: str, numbers: Sequence[int], as_of: datetime | None, now: datetime) -> list[Node]:
        """Return nodes by number with their mentions (with `as_of`, those until then).

        Nodes that rules found and no visible memory names are left out.
        """
        rows = await self._engine.read(
            f"WITH unseen AS MATERIALIZED ({_UNSEEN}), found AS MATERIALIZED (SELECT {_NODE} "
            "FROM json_numbers(:numbers) given /*then*/ JOIN entities e ON e.seq = given.value "
            f"WHERE e.namespace = :namespace) SELECT * FROM found WHERE {_SHOWN} ORDER BY mentions DESC, seq",
            {"numbers": json.dumps(list(numbers)), **_moment(namespace, as_of, now)},
        )
        return [_node(row) for row in rows]

    async def find(
        self, namespace: str, type_: str | None, key_part: str, limit: int, now: datetime
    ) -> tuple[list[Node], int]:
        """Find nodes whose key or alias contains a text, the most mentioned first; also return how many there are."""
        rows = await self._engine.read(
            f"WITH unseen AS MATERIALIZED ({_UNSEEN}), found AS MATERIALIZED (SELECT {_NODE} FROM entities e "
            "WHERE e.namespace = :namespace AND e.type = coalesce(:type, e.type) AND (:part = '' "
            "OR strpos(e.key, :part) > 0 OR EXISTS (SELECT 1 FROM entity_aliases a WHERE a.entity = e.seq "
            f"AND strpos(a.key, :part) > 0))) SELECT *, count(*) OVER () AS total FROM found WHERE {_SHOWN} "
            "ORDER BY mentions DESC, seq DESC LIMIT :limit",
            {"type": type_, "part": key_part, "limit": limit, **_moment(namespace, None, now)},
        )
        return [_node(row) for row in rows], rows[0]["total"] if rows else 0

    async def named(self, namespace: str, keys: Sequence[str]) -> dict[str, list[int]]:
        """Return, for each key, the numbers of the nodes with that label or alias."""
        rows = await self._engine.read(
            "SELECT e.key, e.seq FROM json_texts(?1) given /*then*/ JOIN entities e /*by entities_by_key*/ "
            "ON e.namespace = ?2 AND e.key = given.value UNION SELECT a.key, a.entity FROM json_texts(?1) given "
            "/*then*/ JOIN entity_aliases a ON a.namespace = ?2 AND a.key = given.value",
            (json.dumps(list(keys)), namespace),
        )
        found: dict[str, list[int]] = {}
        for row in rows:
            found.setdefault(row[0], []).append(row[1])
        return found

    async def aliases(self, namespace: str, numbers: Sequence[int]) -> list[tuple[int, int]]:
        """Return pairs (alias, canonical) of nodes where either is among `numbers`.

        Aliases are stated by a memory or an agent, or are a first name that only one person has.
        """
        rows = await self._engine.read(_ALIASES, {"namespace": namespace, "numbers": json.dumps(list(numbers))})
        return [(row[0], row[1]) for row in rows]

    async def named_in(self, namespace: str, projects: Sequence[str], limit: int, now: datetime) -> list[int]:
        """Return the nodes that visible memories of some projects, by id or name, name most often."""
        chosen = for_memories(namespace, MemoryFilter(projects=tuple(projects)), now)
        rows = await self._engine.read(
            "SELECT c.entity, count(*) AS mentions FROM memories m /*then*/ JOIN entity_mentions c "
            f"ON c.memory_seq = m.seq WHERE {chosen.sql} GROUP BY c.entity ORDER BY mentions DESC, c.entity LIMIT ?",
            (*chosen.parameters, limit),
        )
        return [row[0] for row in rows]

    async def naming(self, namespace: str, numbers: Sequence[int], limit: int, now: datetime) -> list[str]:
        """Return the ids of the visible memories that name one of some nodes, the last stored first."""
        rows = await self._engine.read(
            f"WITH unseen AS MATERIALIZED ({_UNSEEN}) SELECT DISTINCT m.id, m.seq FROM json_numbers(:numbers) given "
            "/*then*/ JOIN entity_mentions c ON c.entity = given.value "
            "/*then*/ JOIN memories m ON m.seq = c.memory_seq WHERE m.namespace = :namespace "
            "AND m.seq NOT IN (SELECT seq FROM unseen) ORDER BY m.seq DESC LIMIT :limit",
            {"numbers": json.dumps(list(numbers)), "limit": limit, **_moment(namespace, None, now)},
        )
        return [row[0] for row in rows]

    async def together(
        self,
        namespace: str,
        groups: Mapping[int, int],
        newest: int,
        least: int,
        limit: int,
        as_of: datetime | None,
        now: datetime,
    ) -> list[Together]:
        """Return nodes named by the same memories as those of a group: `groups` maps a number to its group's number.

        The `newest` memories of each member are looked at; pairs with fewer than `least` memories are left out, and the
        `limit` pairs with the most are returned. With `as_of`, what held then counts, else what holds now.
        """
        rows = await self._engine.read(
            _TOGETHER,
            {
                "members": json.dumps(list(groups.items())),
                "newest": newest,
                "least": least,
                "limit": limit,
                **_moment(namespace, as_of, now),
            },
        )
        return [Together(row[0], row[1], row[2]) for row in rows if groups.get(row[1]) != row[0]]

    async def both(
        self, namespace: str, ones: Sequence[int], others: Sequence[int], as_of: datetime | None, now: datetime
    ) -> int:
        """Count the visible memories that name one of `ones` and one of `others`."""
        [row] = await self._engine.read(
            _BOTH,
            {"ones": json.dumps(list(ones)), "others": json.dumps(list(others)), **_moment(namespace, as_of, now)},
        )
        return int(row[0])

    async def relations(
        self, namespace: str, numbers: Sequence[int], limit: int, types: Sequence[str] = ()
    ) -> list[NodeRelation]:
        """Return the edges from and to nodes, of all times, whose evidence is visible, the heaviest first.

        Edges of a type that holds one at a time come with the others of their source and type.
        """
        rows = await self._engine.read(
            _RELATIONS,
            {
                "namespace": namespace,
                "numbers": json.dumps(list(numbers)),
                "limit": limit,
                "types": json.dumps(list(types)),
            },
        )
        return [_relation(row) for row in rows]

    async def add_node(self, namespace: str, node: Node, now: datetime) -> tuple[Node, bool]:
        """Insert a node, or fill in what the one of the same type and key lacks; True if it is new."""

        async def work(connection: Connection) -> tuple[str, bool]:
            await register_namespace(connection, namespace, to_us(now))
            known = await connection.fetch_all(
                "UPDATE entities SET source = 'manual', "
                "description = CASE WHEN ?4 = '' THEN description ELSE ?4 END, "
                "ref_id = coalesce(?5, ref_id) WHERE namespace = ?1 AND type = ?2 AND key = ?3 RETURNING id",
                (namespace, node.type, node.key, node.description, node.ref_id),
            )
            if not known:
                await connection.execute(
                    "INSERT INTO entities (id, namespace, type, label, key, description, ref_id, source, created_at) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        node.id,
                        namespace,
                        node.type,
                        node.label,
                        node.key,
                        node.description,
                        node.ref_id,
                        node.source,
                        to_us(now),
                    ),
                )
            stored_id = known[0]["id"] if known else node.id
            await record_change(connection, now, namespace, "graph.node", stored_id)
            return stored_id, not known

        node_id, is_new = await self._engine.write(work)
        stored = await self.get(namespace, node_id)
        return stored or node, is_new

    async def add_alias(self, namespace: str, node: Node, label: str, now: datetime) -> None:
        """Give a node an alias; one that it already has is kept."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "INSERT INTO entity_aliases (entity, namespace, key, label, created_at) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING",
                (node.seq, namespace, key(label), label, to_us(now)),
            )
            await connection.execute("UPDATE entities SET source = 'manual' WHERE seq = ?", (node.seq,))
            await record_change(connection, now, namespace, "graph.alias", node.id)

        await self._engine.write(work)

    async def add_edge(self, namespace: str, relation: NodeRelation, now: datetime) -> tuple[NodeRelation, bool]:
        """Insert an edge without evidence, or raise the weight of the existing one; True if it is new."""

        async def work(connection: Connection) -> tuple[Row, bool]:
            [row] = await connection.fetch_all(
                "INSERT INTO entity_relations (id, namespace, from_entity, to_entity, type, weight, description, "
                "source, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'manual', ?) "
                "ON CONFLICT (from_entity, type, to_entity, coalesce(evidence, 0)) DO UPDATE SET source = 'manual', "
                "weight = greatest(entity_relations.weight, excluded.weight), description = CASE "
                "WHEN excluded.description = '' THEN entity_relations.description ELSE excluded.description END "
                "RETURNING *, NULL AS begins, valid_to AS ends, created_at AS said_at",
                (
                    relation.id,
                    namespace,
                    relation.source,
                    relation.target,
                    relation.type,
                    relation.weight,
                    relation.description,
                    to_us(now),
                ),
            )
            await record_change(connection, now, namespace, "graph.edge", row["id"], type=relation.type)
            return row, row["id"] == relation.id

        row, is_new = await self._engine.write(work)
        return _relation(row), is_new

    async def delete_node(self, namespace: str, node_id: str, now: datetime) -> int | None:
        """Delete a node with its edges, mentions and aliases; return how many edges went, None if there is no node."""

        async def work(connection: Connection) -> int | None:
            await connection.lock(namespace)
            rows = await connection.fetch_all(
                "SELECT e.seq, (SELECT count(*) FROM entity_relations r WHERE r.from_entity = e.seq "
                "OR r.to_entity = e.seq) AS edges FROM entities e WHERE e.namespace = ? AND e.id = ?",
                (namespace, node_id),
            )
            if not rows:
                return None
            await connection.execute("DELETE FROM entities WHERE seq = ?", (rows[0]["seq"],))
            await record_change(connection, now, namespace, "graph.delete", node_id)
            return int(rows[0]["edges"])

        return await self._engine.write(work)

    async def statistics(self, namespace: str, now: datetime) -> GraphStatistics:
        """Count nodes, edges and mentions."""
        at = _moment(namespace, None, now)
        nodes = await self._engine.read(
            f"WITH unseen AS MATERIALIZED ({_UNSEEN}), found AS MATERIALIZED (SELECT {_NODE} FROM entities e "
            "WHERE e.namespace = :namespace) "
            f"SELECT type, count(*) AS n, sum(mentions) AS mentions FROM found WHERE {_SHOWN} "
            "GROUP BY type ORDER BY n DESC",
            at,
        )
        edges = await self._engine.read(
            "SELECT r.type, count(DISTINCT r.from_entity || ' ' || r.to_entity) AS n FROM entity_relations r "
            "LEFT JOIN memories m ON m.seq = r.evidence WHERE r.namespace = :namespace AND r.weight > 0 "
            f"AND r.type <> '{MAY_BE}' "
            f"AND (r.evidence IS NULL OR {VISIBLE}) AND (r.evidence IS NULL OR m.valid_to IS NULL OR m.valid_to > :at) "
            "GROUP BY r.type ORDER BY n DESC",
            {"namespace": namespace, "at": at["at"]},
        )
        by_type = {row["type"]: row["n"] for row in nodes}
        edges_by_type = {row["type"]: row["n"] for row in edges}
        mentions = sum(row["mentions"] for row in nodes)
        return GraphStatistics(sum(by_type.values()), sum(edges_by_type.values()), mentions, by_type, edges_by_type)

    async def unread(self, namespace: str, limit: int, *, changed: bool) -> list[Text]:
        """Return memories newer than the last one read, the oldest first.

        With `changed`, also those that were read at another version, which takes a look at each.
        """
        return await graph_writing.unread(self._engine, namespace, limit, changed=changed)

    async def unasked(self, namespace: str, limit: int) -> list[Text]:
        """Return memories that rules have read and no language model at their version, the oldest first.

        Hidden memories and those of little trust are left out.
        """
        return await graph_writing.unasked(self._engine, namespace, limit)

    async def record_asked(
        self, namespace: str, understood: Sequence[tuple[Text, Understood]], now: datetime
    ) -> tuple[int, int]:
        """Add what a language model reads in texts to what rules read, which stays, in one transaction.

        Returns how many nodes and edges are new. A text that changed meanwhile, or is gone, is left for the next time.
        """

        async def work(connection: Connection) -> tuple[int, int]:
            return await graph_writing.record_asked(connection, namespace, understood, now)

        return await self._engine.write(work)

    async def record(
        self, namespace: str, understood: Sequence[tuple[Text, Understood]], now: datetime
    ) -> tuple[int, int]:
        """Replace what was kept of these texts by what they name and state, in one transaction.

        Returns how many nodes and edges are new. A text that changed meanwhile, or is gone, is left for the next time.
        """

        async def work(connection: Connection) -> tuple[int, int]:
            return await graph_writing.record(connection, namespace, understood, now)

        return await self._engine.write(work)

    async def extend(
        self, namespace: str, memory_id: str | None, understood: Understood, source: str, now: datetime
    ) -> tuple[int, int]:
        """Add what a text names and states; return how many nodes and edges are new.

        A given memory is the evidence and mentions all of it.
        """

        async def work(connection: Connection) -> tuple[int, int]:
            await register_namespace(connection, namespace, to_us(now))
            rows = await connection.fetch_all(
                "SELECT seq FROM memories WHERE namespace = ? AND id = ?", (namespace, memory_id)
            )
            by_memory = {(rows[0]["seq"] if rows else None): understood}
            added = await graph_writing.write(connection, namespace, by_memory, source, now, keep=True)
            await record_change(connection, now, namespace, "graph.extract", memory_id or namespace)
            return added

        return await self._engine.write(work)

    async def is_memory(self, namespace: str, memory_id: str) -> bool:
        """Return whether there is such a memory."""
        return bool(
            await self._engine.read("SELECT 1 FROM memories WHERE namespace = ? AND id = ?", (namespace, memory_id))
        )


def _moment(namespace: str, as_of: datetime | None, now: datetime) -> dict[str, Any]:
    return {"namespace": namespace, "at": to_us(as_of or now), "as_of": None if as_of is None else to_us(as_of)}


def _node(row: Row) -> Node:
    return Node(
        seq=row["seq"],
        id=row["id"],
        type=row["type"],
        label=row["label"],
        key=row["key"],
        description=row["description"],
        ref_id=row["ref_id"],
        source=row["source"],
        mentions=row["mentions"],
    )


def _relation(row: Row) -> NodeRelation:
    return NodeRelation(
        source=row["from_entity"],
        type=row["type"],
        target=row["to_entity"],
        weight=row["weight"],
        start=maybe_from_us(row["begins"]),
        end=maybe_from_us(row["ends"]),
        evidence=row["evidence"],
        description=row["description"],
        order=row["seq"],
        id=row["id"],
        method=row["source"],
    )
