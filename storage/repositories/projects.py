"""The projects that memories belong to, and what changes with a project."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from ...modules.judging import questions
from ...modules.memory.models import Memory, MemoryFilter
from ...modules.sessions.models import Project
from ..engine.ports import Connection, Engine
from ..engine.times import to_us
from . import predicates
from .audit import record_change
from .memory_rows import COLUMNS, as_json, to_memory
from .memory_writing import write_tags
from .rows import TransactionRows

AT_ONCE = 500
"""The most memories that one transaction changes."""


class ProjectsRepository:
    """Which projects memories belong to."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def elsewhere(self, namespace: str, where: MemoryFilter, now: datetime) -> dict[str, int]:
        """Return how many memories pass a filter but for the project it works in, by the other project they are of."""
        chosen = predicates.for_memories(namespace, replace(where, working_in=()), now)
        chosen.add(f"{predicates.PROJECT} NOT IN ('', {', '.join('?' * len(where.working_in))})", *where.working_in)
        rows = await self._engine.read(
            f"SELECT {predicates.PROJECT} AS project, count(*) AS count FROM memories m WHERE {chosen.sql} GROUP BY 1",
            chosen.parameters,
        )
        return {row["project"]: row["count"] for row in rows}

    async def named(self, namespace: str) -> list[str]:
        """Return the projects that memories say they belong to, by id or name."""
        rows = await self._engine.read(
            f"SELECT DISTINCT {predicates.PROJECT} AS project FROM memories m WHERE m.namespace = ? ORDER BY 1",
            (namespace,),
        )
        return [row["project"] for row in rows if row["project"]]

    async def of_sessions(self, namespace: str) -> dict[str, str]:
        """Return the id of the project of each session that has a folder, by the session's id and by its key."""
        rows = await self._engine.read(
            "SELECT s.id, s.key, s.project FROM sessions s JOIN projects p ON p.id = s.project "
            "WHERE s.namespace = ? AND p.location <> ''",
            (namespace,),
        )
        return {name: row["project"] for row in rows for name in (row["key"], row["id"])}

    async def assign(self, namespace: str, projects: Mapping[str, Project], now: datetime) -> int:
        """Give memories, by their ids, to projects; those that belong to one stay there. Return how many changed."""
        ids, done = list(projects), 0
        for begin in range(0, len(ids), AT_ONCE):
            some = ids[begin : begin + AT_ONCE]

            async def work(connection: Connection, some: Sequence[str] = tuple(some)) -> int:
                await connection.lock(namespace)
                unplaced = [one for one in await _of_ids(connection, namespace, some) if not one.project]
                for memory in unplaced:
                    await _write(connection, memory, projects[memory.id], (), now)
                return len(unplaced)

            done += await self._engine.write(work)
        return done

    async def rewrite(self, namespace: str, names: Sequence[str], into: Project, now: datetime) -> int:
        """Give the memories that call their project by one of these names to another project, or to it renamed."""
        tags, after, done = {names[0]} - {into.id}, 0, 0
        while rows := await self._engine.read(
            f"SELECT m.seq, m.id FROM memories m WHERE m.namespace = ? AND m.seq > ? AND "
            f"({predicates.PROJECT} IN ({', '.join('?' * len(names))}) OR "
            "m.seq IN (SELECT memory_seq FROM memory_tags WHERE namespace = ? AND tag = tag_of(?))) "
            "ORDER BY m.seq LIMIT ?",
            (namespace, after, *names, namespace, names[0], AT_ONCE),
        ):
            after = rows[-1]["seq"]

            async def work(connection: Connection, some: Sequence[str] = tuple(row["id"] for row in rows)) -> int:
                await connection.lock(namespace)
                changed = [
                    await _write(connection, memory, into, tags, now)
                    for memory in await _of_ids(connection, namespace, some)
                ]
                return sum(changed)

            done += await self._engine.write(work)
        return done

    async def merge(self, namespace: str, old: str, into: Project, now: datetime) -> None:
        """Give the sessions, goals and logged actions of a project to another one, and delete it."""

        async def work(connection: Connection) -> None:
            await connection.lock(namespace)
            await connection.execute(
                "UPDATE sessions SET project = ? WHERE project = ? AND namespace = ?", (into.id, old, namespace)
            )
            for table, condition in (("goals", ""), ("events", "AND t.type = 'reflection' ")):
                for row in await connection.fetch_all(
                    f"SELECT t.seq, t.tags FROM {table} t WHERE t.namespace = ? {condition}"
                    "AND EXISTS (SELECT 1 FROM json_texts(t.tags) WHERE value = ?)",
                    (namespace, old),
                ):
                    tags = as_json(_renamed(json.loads(row["tags"]), {old}, into.id))
                    await connection.execute(f"UPDATE {table} SET tags = ? WHERE seq = ?", (tags, row["seq"]))
            await connection.execute("DELETE FROM projects WHERE id = ? AND namespace = ?", (old, namespace))
            await record_change(connection, now, namespace, "project.merge", into.id, merged=old)

        await self._engine.write(work)


async def _of_ids(connection: Connection, namespace: str, ids: Sequence[str]) -> list[Memory]:
    rows = await connection.fetch_all(
        f"SELECT {COLUMNS} FROM memories m WHERE m.namespace = ? AND m.id IN (SELECT value FROM json_texts(?))",
        (namespace, as_json(list(ids))),
    )
    return [to_memory(row) for row in rows]


async def _write(connection: Connection, memory: Memory, project: Project, tags: Iterable[str], now: datetime) -> bool:
    """Write the project of a memory, with `tags` replaced by its id; return whether that changes anything."""
    placed = replace(
        memory,
        metadata={**memory.metadata, **project.fields},
        tags=tuple(_renamed(memory.tags, tags, project.id)),
    )
    if placed == memory:
        return False
    [row] = await connection.fetch_all(
        "SELECT seq FROM memories WHERE id = ? AND namespace = ?", (memory.id, memory.namespace)
    )
    await connection.execute(
        "INSERT INTO memory_versions SELECT seq, version, memory_type, content, tags, importance, metadata, ? "
        "FROM memories WHERE seq = ?",
        (to_us(now), row["seq"]),
    )
    await connection.execute(
        "UPDATE memories SET metadata = ?, tags = ?, updated_at = ?, version = version + 1 WHERE seq = ?",
        (as_json(placed.metadata), as_json(placed.tags), to_us(now), row["seq"]),
    )
    await connection.execute(
        "DELETE FROM memory_tags WHERE /*unindexed*/namespace = ? AND memory_seq = ?", (memory.namespace, row["seq"])
    )
    await write_tags(connection, row["seq"], placed)
    await questions.ask_again(TransactionRows(connection), memory, placed, now)
    await record_change(connection, now, memory.namespace, "memory.update", memory.id, version=memory.version + 1)
    return True


def _renamed(tags: Sequence[str], old: Iterable[str], new: str) -> list[str]:
    return list(dict.fromkeys(new if tag in old else tag for tag in tags))
