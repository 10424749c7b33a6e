"""Forks of agents: what a new one learns from its origin, and what of that comes back; each in one transaction."""

from dataclasses import replace
from datetime import datetime

from ...modules.branches.learning import MERGED_FROM, Returned, returned, taught
from ...modules.branches.models import Branch, Offered, Point
from ...modules.branches.planning import create
from ...modules.errors import Conflict
from ...modules.memory.models import Memory
from ..engine.ports import Connection, Engine
from ..engine.times import to_us
from . import branches, change_rows, guards, lifecycle, recording
from .audit import record_change, register_namespace
from .memory_rows import COLUMNS, to_memory

AGENT = "agent"


class ForksRepository:
    """Implements `modules.branches.ports.ForkRepository`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def teach(self, fork: Branch, most: int) -> int:
        async def work(connection: Connection) -> int:
            await branches.lock_both(connection, fork)
            for namespace in (fork.origin, fork.namespace):
                await register_namespace(connection, namespace, to_us(fork.created_at))
            await branches.require_empty(connection, fork.namespace)
            rows = await connection.fetch_all(
                f"SELECT {COLUMNS} FROM memories m WHERE m.namespace = ? AND {branches.STANDS} ORDER BY m.seq",
                (fork.origin,),
            )
            learnt = [(taught(there), there) for there in map(to_memory, rows)]
            chosen = [(copy, there) for copy, there in learnt if copy is not None]
            if len(chosen) > most:
                raise Conflict(f"{fork.origin[:60]!r} has learnt more than {most:,} memories, too many for a fork")
            for copy, there in chosen:
                await branches.copy(connection, copy, fork, there)
            details = {"origin": fork.origin, "memories": len(chosen)}
            await record_change(connection, fork.created_at, fork.namespace, "agent.fork", fork.namespace, **details)
            return len(chosen)

        return await self._engine.write(work)

    async def take_back(self, fork: Branch, now: datetime) -> Returned:
        async def work(connection: Connection) -> Returned:
            await branches.lock_both(connection, fork)
            await register_namespace(connection, fork.origin, to_us(now))
            offered = await _offered(connection, fork)
            points = [one.point.origin_id for one in offered if one.point is not None]
            origin = await change_rows.read(connection, fork.origin, points)
            surer, new = returned(offered, origin, fork.namespace)
            present = await change_rows.read(connection, fork.origin, [one.memory_id for one in surer])
            await guards.guard(connection, fork.origin, present.values(), now)
            for decision in surer:
                await recording.record(connection, fork.origin, decision, present, AGENT, now)
            for memory in new:
                await _give(connection, fork, memory, now)
            if surer or new:
                details = {"branch": fork.namespace, "memories": len(new), "surer": len(surer)}
                await record_change(connection, now, fork.origin, "agent.merge", fork.namespace, **details)
            return Returned(len(new), len(surer))

        return await self._engine.write(work)


async def _offered(connection: Connection, fork: Branch) -> list[Offered]:
    """Return what a fork is sure of, with the memory of its origin that each was made of, or that has its text."""
    rows = await connection.fetch_all(
        f"SELECT {COLUMNS}, p.origin_id, p.origin_version FROM memories m LEFT JOIN branch_points p "
        f"ON p.memory_id = m.id WHERE m.namespace = ? AND {branches.STANDS} AND m.confidence >= ? ORDER BY m.seq",
        (fork.namespace, MERGED_FROM),
    )
    offered = []
    for row in rows:
        memory = to_memory(row)
        point = None if row["origin_id"] is None else Point(row["origin_id"], row["origin_version"])
        there = replace(memory, namespace=fork.origin)
        offered.append(Offered(memory, point, same=await branches.same(connection, there)))
    return offered


async def _give(connection: Connection, fork: Branch, memory: Memory, now: datetime) -> None:
    given = replace(memory, source=f"fork:{fork.namespace}")
    rivals = await lifecycle.rivals(connection, replace(given, namespace=fork.origin), now)
    await branches.carry_out(connection, fork, create(given, rivals), now, by=AGENT)
