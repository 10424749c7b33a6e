"""Writing the entities and relations of memories: one transaction a batch, so a killed reader repeats only one."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from ...modules import identifiers
from ...modules.graph.keys import key
from ...modules.graph.models import LLM, RULES, EntityType, Named, StatedRelation, Text, Understood
from ..engine.ports import Connection, Engine, Row
from ..engine.times import from_us, maybe_to_us, to_us
from .audit import register_namespace
from .predicates import VISIBLE

READER = "graph"
ASKED = "graph:llm"
TRUSTED = 0.5
"""The least trust of a memory given to a language model: nothing may gain trust by being read."""

_TEXT = (
    "m.seq, m.id, m.version, m.content, m.occurred_at, m.speaker, t.role, m.subject, m.attribute, m.value, m.polarity"
)
# A summary's names are in its sources too; what expires is not worth a place in the graph.
_READABLE = "m.kind <> 'summary' AND m.expires_at IS NULL"
_NEW = (
    f"SELECT {_TEXT} FROM memories m LEFT JOIN turns t ON t.memory_seq = m.seq WHERE m.namespace = ?1 AND m.seq > "
    "coalesce((SELECT r.memory_seq FROM readings r WHERE r.reader = ?2 AND r.namespace = ?1 "
    f"ORDER BY r.memory_seq DESC LIMIT 1), 0) AND {_READABLE} ORDER BY m.seq LIMIT ?3"
)
# A memory that changes takes its readings back to version 0, by a trigger.
_CHANGED = (
    f"SELECT {_TEXT} FROM readings r /*by readings_old*/ /*then*/ JOIN memories m ON m.seq = r.memory_seq "
    "LEFT JOIN turns t ON t.memory_seq = m.seq WHERE r.reader = ?2 AND r.namespace = ?1 AND r.version = 0 "
    "ORDER BY m.seq LIMIT ?3"
)
_SKIPPED = (
    "INSERT INTO readings (memory_seq, reader, version, namespace) SELECT m.seq, ?1, 0, m.namespace FROM "
    "(SELECT namespace, max(memory_seq) AS last FROM readings WHERE reader = ?1 GROUP BY namespace) r "
    f"JOIN memories m ON m.namespace = r.namespace AND m.seq < r.last WHERE {_READABLE} "
    "AND NOT EXISTS (SELECT 1 FROM readings x WHERE x.reader = ?1 AND x.memory_seq = m.seq)"
)
_UNASKED = (
    f"SELECT {_TEXT} FROM readings g /*then*/ JOIN memories m ON m.seq = g.memory_seq AND m.version = g.version "
    "LEFT JOIN turns t ON t.memory_seq = m.seq WHERE g.reader = ?2 AND g.namespace = ?1 AND g.memory_seq {} "
    f"AND m.trust >= {TRUSTED} AND {VISIBLE} ORDER BY m.seq LIMIT ?4"
)
_LAST_ASKED = (
    "coalesce((SELECT a.memory_seq FROM readings a WHERE a.reader = ?3 AND a.namespace = ?1 "
    "ORDER BY a.memory_seq DESC LIMIT 1), 0)"
)
_NEVER_ASKED = _UNASKED.format(f"> {_LAST_ASKED}")
_ASKED_BEFORE = _UNASKED.format(
    "IN (SELECT a.memory_seq FROM readings a /*by readings_old*/ "
    "WHERE a.reader = ?3 AND a.namespace = ?1 AND a.version = 0)"
)
_ADD_RELATIONS = """
INSERT INTO entity_relations (id, namespace, from_entity, type, to_entity, weight, source, evidence, valid_from,
                              valid_to, created_at)
SELECT value ->> 0, ?1, CAST(value ->> 1 AS BIGINT), value ->> 2, CAST(value ->> 3 AS BIGINT),
       CAST(value ->> 4 AS DOUBLE PRECISION), ?2, CAST(value ->> 5 AS BIGINT), CAST(value ->> 6 AS BIGINT),
       CAST(value ->> 7 AS BIGINT), ?3
FROM json_rows(?4) WHERE true
ON CONFLICT (from_entity, type, to_entity, coalesce(evidence, 0)) DO UPDATE SET
    weight = CASE WHEN excluded.source = 'llm' THEN entity_relations.weight WHEN entity_relations.evidence IS NULL
        THEN greatest(entity_relations.weight, excluded.weight) ELSE excluded.weight END
"""


async def unread(engine: Engine, namespace: str, limit: int, *, changed: bool) -> list[Text]:
    """Implement `GraphsRepository.unread`."""
    rows = await engine.read(_NEW, (namespace, READER, limit))
    if changed and len(rows) < limit:
        rows = [*rows, *await engine.read(_CHANGED, (namespace, READER, limit - len(rows)))]
    return [_text(row) for row in rows]


async def unasked(engine: Engine, namespace: str, limit: int) -> list[Text]:
    """Implement `GraphsRepository.unasked`."""
    rows = await engine.read(_NEVER_ASKED, (namespace, READER, ASKED, limit))
    if len(rows) < limit:
        rows = [*rows, *await engine.read(_ASKED_BEFORE, (namespace, READER, ASKED, limit - len(rows)))]
    return [_text(row) for row in rows]


async def tidy(connection: Connection) -> None:
    """Mark memories that were not read here as read at version 0, so that rows merged from elsewhere do not hide them;
    so is what was read at another version than the merged one.

    Reading goes on after the last memory read: a reading that came with a bundle may lie after unread memories.
    """
    for reader in (READER, ASKED):
        await connection.execute(_SKIPPED, (reader,))
    await connection.execute(
        "UPDATE readings SET version = 0 WHERE version <> 0 "
        "AND version <> (SELECT m.version FROM memories m WHERE m.seq = readings.memory_seq)"
    )


async def record(
    connection: Connection, namespace: str, understood: Sequence[tuple[Text, Understood]], now: datetime
) -> tuple[int, int]:
    """Implement `GraphsRepository.record` within a transaction; a language model's relations of old versions go too."""
    current, versions = await _current(connection, understood)
    await _forget(connection, current, (RULES, LLM))
    added = await write(connection, namespace, current, RULES, now)
    await _note(connection, namespace, READER, current, versions)
    return added


async def record_asked(
    connection: Connection, namespace: str, understood: Sequence[tuple[Text, Understood]], now: datetime
) -> tuple[int, int]:
    """Implement `GraphsRepository.record_asked` within a transaction."""
    current, versions = await _current(connection, understood)
    await _forget(connection, current, (LLM,))
    added = await write(connection, namespace, current, LLM, now, keep=True)
    await _note(connection, namespace, ASKED, current, versions)
    return added


async def _current(
    connection: Connection, understood: Sequence[tuple[Text, Understood]]
) -> tuple[dict[int, Understood], dict[int, int]]:
    """Return what was understood of the texts that are unchanged since, and the versions of all that still exist."""
    versions = {
        row["seq"]: row["version"]
        for row in await connection.fetch_all(
            "SELECT m.seq, m.version FROM json_numbers(?) given /*then*/ JOIN memories m ON m.seq = given.value",
            (json.dumps([text.seq for text, _ in understood]),),
        )
    }
    return {text.seq: found for text, found in understood if versions.get(text.seq) == text.version}, versions


async def _forget(connection: Connection, texts: Iterable[int], sources: Sequence[str]) -> None:
    await connection.execute(
        "DELETE FROM entity_relations WHERE source IN (SELECT value FROM json_texts(?)) "
        "AND evidence IN (SELECT value FROM json_numbers(?))",
        (json.dumps(sources), json.dumps(list(texts))),
    )


async def _note(
    connection: Connection, namespace: str, reader: str, current: Mapping[int, Understood], versions: Mapping[int, int]
) -> None:
    """Note what was read. A memory that changed meanwhile counts as read at version 0, so that it is read again."""
    read = [[seq, version if seq in current else 0] for seq, version in versions.items()]
    await connection.execute(
        "INSERT INTO readings (memory_seq, reader, version, namespace) "
        "SELECT CAST(value ->> 0 AS BIGINT), ?, CAST(value ->> 1 AS BIGINT), ? FROM json_rows(?) WHERE true "
        "ON CONFLICT (reader, memory_seq) DO UPDATE SET version = excluded.version",
        (reader, namespace, json.dumps(read)),
    )


async def write(
    connection: Connection,
    namespace: str,
    by_memory: Mapping[int | None, Understood] | Mapping[int, Understood],
    source: str,
    now: datetime,
    *,
    keep: bool = False,
) -> tuple[int, int]:
    """Write the entities and relations of texts by memory number, or None; return how many nodes and edges are new.

    A memory's earlier mentions that are not among these are removed, unless `keep` is set.
    """
    named = [each for found in by_memory.values() for each in found.entities]
    await register_namespace(connection, namespace, to_us(now))
    numbers, new_nodes = await _resolve(connection, namespace, named, source, now)
    mentions = {(numbers[each], memory) for memory, found in by_memory.items() if memory for each in found.entities}
    before = await connection.fetch_all(
        "SELECT e.entity, e.memory_seq FROM json_numbers(?) given /*then*/ JOIN entity_mentions e "
        "ON e.memory_seq = given.value",
        (json.dumps([memory for memory in by_memory if memory]),),
    )
    gone = [] if keep else [[row[0], row[1]] for row in before if (row[0], row[1]) not in mentions]
    await connection.execute(
        "INSERT INTO entity_mentions (entity, memory_seq, namespace) "
        "SELECT CAST(value ->> 0 AS BIGINT), CAST(value ->> 1 AS BIGINT), ? FROM json_rows(?) "
        "WHERE true ON CONFLICT DO NOTHING",
        (namespace, json.dumps(sorted(mentions))),
    )
    relations = [_relation(numbers, each, memory) for memory, found in by_memory.items() for each in found.relations]
    [edges_before] = await connection.fetch_all("SELECT count(*) FROM entity_relations")
    await connection.execute(_ADD_RELATIONS, (namespace, source, to_us(now), json.dumps(relations)))
    [edges_after] = await connection.fetch_all("SELECT count(*) FROM entity_relations")
    if gone:  # last, as a node goes with its last mention: the new ones must be there
        await connection.execute(
            "DELETE FROM entity_mentions WHERE (entity, memory_seq) IN "
            "(SELECT CAST(value ->> 0 AS BIGINT), CAST(value ->> 1 AS BIGINT) FROM json_rows(?))",
            (json.dumps(gone),),
        )
    return new_nodes, edges_after[0] - edges_before[0]


def _relation(numbers: Mapping[Named, int], stated: StatedRelation, memory: int | None) -> list[Any]:
    return [
        identifiers.new_id("edge"),
        numbers[stated.subject],
        stated.type,
        numbers[stated.object],
        stated.weight if stated.holds else 0.0,
        memory,
        maybe_to_us(stated.since),
        maybe_to_us(stated.until),
    ]


async def _resolve(
    connection: Connection, namespace: str, named: Iterable[Named], source: str, now: datetime
) -> tuple[dict[Named, int], int]:
    """Return the node number of each name, inserted where there is none, and how many were inserted.

    A name of unknown type stands for the node of that name whose type is known; it gets its type once a text tells it.
    """
    wanted: dict[str, list[Named]] = defaultdict(list)
    for each in dict.fromkeys(named):
        wanted[key(each.label)].append(each)
    known = await _known(connection, namespace, list(wanted))
    to_insert: list[list[Any]] = []
    for name, things in wanted.items():
        there = known[name]
        for thing in sorted(things, key=lambda each: each.type is EntityType.NAME):  # names last: they fit any
            if _fitting(thing, there) is not None:
                continue
            if EntityType.NAME in there and isinstance(thing.type, EntityType):
                number = there.pop(EntityType.NAME)
                await connection.execute("UPDATE entities SET type = ? WHERE seq = ?", (thing.type.value, number))
                there[thing.type] = number
            else:
                there[thing.type] = -1
                to_insert.append([identifiers.new_id("node"), thing.type.value, thing.label, name])
    await connection.execute(
        "INSERT INTO entities (id, namespace, type, label, key, source, created_at) "
        "SELECT value ->> 0, ?, value ->> 1, value ->> 2, value ->> 3, ?, ? FROM json_rows(?)",
        (namespace, source, to_us(now), json.dumps(to_insert)),
    )
    known = await _known(connection, namespace, list(wanted)) if to_insert else known
    numbers = {}
    for name, things in wanted.items():
        for thing in things:
            found = _fitting(thing, known[name])
            assert found is not None, "each was found or inserted above"
            numbers[thing] = found
    return numbers, len(to_insert)


def _fitting(thing: Named, there: Mapping[str, int]) -> int | None:
    if thing.type in there:
        return there[thing.type]
    if thing.type is EntityType.NAME:
        return next((number for type_, number in there.items() if type_ in set(EntityType)), None)
    return None


async def _known(connection: Connection, namespace: str, keys: Sequence[str]) -> dict[str, dict[str, int]]:
    rows = await connection.fetch_all(
        "SELECT e.key, e.type, e.seq FROM json_texts(?) given /*then*/ JOIN entities e "
        "/*by entities_by_key*/ ON e.namespace = ? AND e.key = given.value ORDER BY e.seq",
        (json.dumps(keys), namespace),
    )
    known: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        known[row["key"]][row["type"]] = row["seq"]
    return known


def _text(row: Row) -> Text:
    return Text(
        seq=row["seq"],
        memory_id=row["id"],
        version=row["version"],
        content=row["content"],
        occurred_at=from_us(row["occurred_at"]),
        speaker=row["speaker"],
        role=row["role"],
        subject=row["subject"],
        attribute=row["attribute"],
        value=row["value"],
        polarity=row["polarity"] != 0,
    )
