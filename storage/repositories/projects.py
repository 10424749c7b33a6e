"""The projects that memories belong to."""

from dataclasses import replace
from datetime import datetime

from ...modules.memory.models import MemoryFilter
from ..engine.ports import Engine
from . import predicates


class ProjectsRepository:
    """Implements `modules.projects.ports.ProjectRepository`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def elsewhere(self, namespace: str, where: MemoryFilter, now: datetime) -> dict[str, int]:
        chosen = predicates.for_memories(namespace, replace(where, working_in=()), now)
        chosen.add(f"{predicates.PROJECT} NOT IN ('', {', '.join('?' * len(where.working_in))})", *where.working_in)
        rows = await self._engine.read(
            f"SELECT {predicates.PROJECT} AS project, count(*) AS count FROM memories m WHERE {chosen.sql} GROUP BY 1",
            chosen.parameters,
        )
        return {row["project"]: row["count"] for row in rows}

    async def named(self, namespace: str) -> list[str]:
        rows = await self._engine.read(
            f"SELECT DISTINCT {predicates.PROJECT} AS project FROM memories m WHERE m.namespace = ? ORDER BY 1",
            (namespace,),
        )
        return [row["project"] for row in rows if row["project"]]
