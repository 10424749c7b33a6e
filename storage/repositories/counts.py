"""Counts of memories for people who look at them: by what filters choose by, and by day."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, tzinfo

from ...modules.memory.facets import Traits
from ...modules.memory.models import MemoryFilter
from ..engine.ports import Engine
from ..engine.times import MICROSECONDS_A_DAY, day_in, day_of, to_us
from . import predicates

MICROSECONDS_AN_HOUR = MICROSECONDS_A_DAY // 24
_PROJECT = f"CASE WHEN m.metadata = '{{}}' THEN '' ELSE {predicates.PROJECT} END"
_PROJECT_NAME = (  # most memories have no metadata to be read
    "CASE WHEN m.metadata = '{}' THEN '' ELSE coalesce(m.metadata ->> 'project_name', m.metadata ->> 'project', '') END"
)


class CountsRepository:
    """Storage's counts of memories."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def traits(self, namespace: str, where: MemoryFilter, now: datetime) -> dict[Traits, int]:
        """Count the memories that a filter lets pass by their traits."""
        chosen = predicates.for_memories(namespace, where, now)
        rows = await self._engine.read(
            f"SELECT m.memory_type, m.status, m.source, {_PROJECT} AS project, "
            f"{_PROJECT_NAME} AS project_name, "
            f"count(*) AS total FROM memories m WHERE {chosen.sql} GROUP BY 1, 2, 3, 4, 5",
            chosen.parameters,
        )
        return {Traits(*map(str, row[:5])): int(row["total"]) for row in rows}

    async def tagged(self, namespace: str, where: MemoryFilter, now: datetime, limit: int) -> list[tuple[str, int]]:
        """Count the memories that a filter lets pass by their tags, the most frequent first."""
        chosen = predicates.for_memories(namespace, where, now)
        rows = await self._engine.read(
            "SELECT t.tag, count(*) AS total FROM memory_tags t WHERE t.namespace = ? AND t.memory_seq IN "
            f"(SELECT m.seq FROM memories m WHERE {chosen.sql}) GROUP BY t.tag ORDER BY total DESC, t.tag LIMIT ?",
            (namespace, *chosen.parameters, limit),
        )
        return [(row["tag"], int(row["total"])) for row in rows]

    async def hourly(self, namespace: str, since: datetime, until: datetime) -> Mapping[int, int]:
        """Count the visible memories that happened in a span by the hours since it began."""
        rows = await self._engine.read(
            f"SELECT (m.occurred_at - ?) / {MICROSECONDS_AN_HOUR} AS hour, count(*) AS total FROM memories m "
            f"WHERE m.namespace = ? AND m.occurred_at >= ? AND m.occurred_at < ? AND {predicates.VISIBLE} GROUP BY 1",
            (to_us(since), namespace, to_us(since), to_us(until)),
        )
        return {int(row["hour"]): int(row["total"]) for row in rows}

    async def growth(
        self, namespace: str, since: datetime, until: datetime, zone: tzinfo = UTC
    ) -> Mapping[tuple[date, str, str], int]:
        """Count the visible memories that happened in a span by day in a zone, type and the name of the project."""
        day = day_in(zone, "m.occurred_at", since, until)
        rows = await self._engine.read(
            f"SELECT {day} AS day, m.memory_type, {_PROJECT_NAME} AS project, count(*) AS total FROM memories m "
            f"WHERE m.namespace = ? AND m.occurred_at >= ? AND m.occurred_at < ? AND {predicates.VISIBLE} "
            f"GROUP BY {day}, m.memory_type, {_PROJECT_NAME}",
            (namespace, to_us(since), to_us(until)),
        )
        return {(day_of(row["day"]), row["memory_type"], row["project"]): int(row["total"]) for row in rows}
