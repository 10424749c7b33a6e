"""Forks of agents: what a new one learns from its origin, and what of that comes back; each in one transaction."""

from dataclasses import replace
from datetime import datetime

from ...modules.branches.learning import MERGED_FROM, Returned, elsewhere, is_learnt, surer, taught
from ...modules.branches.models import Branch, Governance, MergePlan
from ...modules.branches.planning import plan
from ...modules.errors import Conflict
from ...modules.judging import guards, recording
from ..engine.ports import Connection, Engine
from ..engine.times import to_us
from . import branches, memory_files
from .audit import record_change, register_namespace
from .memory_rows import COLUMNS, to_memory
from .rows import TransactionRows

AGENT = "agent"


class ForksRepository:
    """What an agent and its fork, which is no branch, learn of each other; each change is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def teach(self, fork: Branch, most: int) -> int:
        """Copy what the origin has learnt into a fork; return how many memories.

        Raises Conflict where the fork has memories already, or the origin has learnt more than `most` of them.
        """

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
            copies = {there.id: await branches.copy(connection, copy, fork, there) for copy, there in chosen}
            await memory_files.give(connection, fork.origin, fork.namespace, copies)
            details = {"origin": fork.origin, "memories": len(chosen)}
            await record_change(connection, fork.created_at, fork.namespace, "agent.fork", fork.namespace, **details)
            return len(chosen)

        return await self._engine.write(work)

    async def take_back(self, fork: Branch, now: datetime) -> Returned:
        """Give the origin what its fork is surer of or has learnt anew; what contradicts it waits for a human.

        Raises PermissionDenied, and then nothing is changed, where a watch of what would change demands a review.
        """

        async def work(connection: Connection) -> Returned:
            await branches.lock_both(connection, fork)
            await register_namespace(connection, fork.origin, to_us(now))
            found = await _plan(connection, fork, now)
            rows = TransactionRows(connection)
            decisions = surer(found.known, fork.namespace)
            present = {theirs.id: theirs for _, theirs in found.known}
            await guards.guard(rows, fork.origin, [present[one.memory_id] for one in decisions], now)
            for decision in decisions:
                await recording.record(rows, fork.origin, decision, present, AGENT, now)
            for step in found.steps:
                await branches.carry_out(connection, fork, step, now, by=AGENT)
            await branches.give_back_files(connection, fork, found)
            done = Returned(len(found.steps), len(decisions))
            if done.new or done.surer:
                details = {"branch": fork.namespace, "memories": done.new, "surer": done.surer}
                await record_change(connection, now, fork.origin, "agent.merge", fork.namespace, **details)
            return done

        return await self._engine.write(work)


async def _plan(connection: Connection, fork: Branch, now: datetime) -> MergePlan:
    """Return what a fork is sure of that its origin knows too, and the steps for what only the fork says.

    Nobody reviews it, so it writes over nothing of the origin: what the fork has corrected is put to a person. What
    stands in the fork as it was taught, and no more in the origin, is no news there.
    """
    rows = await connection.fetch_all(
        f"SELECT {COLUMNS}, p.origin_id, p.origin_version, {branches.CHANGED} AS is_changed FROM memories m "
        f"LEFT JOIN branch_points p ON p.memory_id = m.id WHERE m.namespace = ? AND {branches.STANDS} "
        "AND m.confidence >= ? ORDER BY m.seq",
        (fork.namespace, MERGED_FROM),
    )
    learnt = [row for row in rows if is_learnt(to_memory(row), MERGED_FROM)]
    all_offered = await branches.offered(connection, fork, learnt, now)
    offered = [
        replace(
            one,
            memory=replace(one.memory, source=f"fork:{fork.namespace}", metadata=elsewhere(one.memory.metadata)),
        )
        for one, row in zip(all_offered, learnt, strict=True)
        if one.same is not None or row["is_changed"]
    ]
    origin = await branches.came_from(connection, fork, offered)
    return plan(fork, offered, origin, Governance(fork.origin), vouched=frozenset(origin))
