"""The context service: gathers from every module and compiles one snapshot under a hard token budget."""

from datetime import datetime, timedelta
from typing import Any

from .. import inputs
from ..clock import Clock
from ..goals.service import GoalService
from ..insights.service import InsightService
from ..jobs.models import DaemonState
from ..jobs.service import JobService
from ..memory.models import Memory, MemoryFilter
from ..memory.ports import MemoryArchive
from ..memory.service import MemoryService
from ..reflection.service import ReflectionService
from ..suspicion import unsuspicious
from . import budget
from .compiler import ContextCompiler
from .models import (
    DaemonView,
    Performance,
    Snapshot,
    SnapshotGoal,
    SnapshotInsight,
    SnapshotMemory,
    SnapshotPattern,
    SnapshotTask,
)
from .tokens import cut
from .unasked import caveats, that_may_be_told

MIN_MAX_TOKENS = 300
MAX_MAX_TOKENS = 20_000
MAX_ENTRIES = 50
LOOKED_AT = 4
"""So many times the memories that are asked for are looked at, since suspicious and rejected ones are left out."""

INSIGHTS = 10
TASKS = 5
ENTRIES_A_BUDGET = 10
"""An entry is cut to this part of the budget: one long memory must not push out all the others."""


class ContextService:
    """Compiles snapshots, which change nothing and count no access; and, by its compiler, contexts for queries."""

    def __init__(
        self,
        memory: MemoryService,
        archive: MemoryArchive,
        goals: GoalService,
        reflection: ReflectionService,
        insights: InsightService,
        jobs: JobService,
        compiler: ContextCompiler,
        clock: Clock,
        default_max_tokens: int = 1500,
    ) -> None:
        self.compile = compiler.compile
        self._default_max_tokens = default_max_tokens
        self._memory = memory
        self._archive = archive
        self._goals = goals
        self._reflection = reflection
        self._insights = insights
        self._jobs = jobs
        self._clock = clock

    async def snapshot(
        self,
        namespace: str,
        include_memories: int = 5,
        include_goals: int = 5,
        include_patterns: int = 3,
        query: str | None = None,
        max_tokens: int | None = None,
    ) -> Snapshot:
        """What an agent should know now. Never costs more than `max_tokens` (estimated on the high side).

        With a `query`, the second half of the memories is what fits it best. Raises InvalidInput.
        """
        for field, value in (
            ("include_memories", include_memories),
            ("include_goals", include_goals),
            ("include_patterns", include_patterns),
        ):
            inputs.count(field, value, 0, MAX_ENTRIES)
        if max_tokens is None:
            max_tokens = self._default_max_tokens
        inputs.count("max_tokens", max_tokens, MIN_MAX_TOKENS, MAX_MAX_TOKENS)
        entry, now = max_tokens // ENTRIES_A_BUDGET, self._clock()
        memories, notes = await self._top_memories(namespace, include_memories, query)
        empty = await self._empty(namespace, notes)
        stored = {memory.id: (memory.created_at, memory.id) for memory in memories}
        sections: dict[str, Any] = {
            "top_memories": [_memory(memory, entry, now) for memory in memories],
            "active_goals": await self._active_goals(namespace, include_goals, entry),
            "recent_patterns": await self._recent_patterns(namespace, include_patterns, entry),
            "proactive_insights": [
                SnapshotInsight(i.id, i.severity, cut(i.text, entry), i.status)
                for i in await unsuspicious(await self._insights.insights(namespace, INSIGHTS), lambda i: i.text)
            ],
            "autonomous_tasks": [
                SnapshotTask(t.id, round(t.priority, 2), cut(t.text, entry), t.status)
                for t in await unsuspicious(await self._insights.tasks(namespace, TASKS), lambda t: t.text)
            ],
        }
        # Memories are shown oldest first: the block stays the same while the set stays the same.
        return budget.fit(empty, sections, max_tokens, {"top_memories": lambda entry: stored[entry.id]})

    async def _top_memories(
        self, namespace: str, limit: int, query: str | None
    ) -> tuple[list[Memory], tuple[str, ...]]:
        if limit == 0:
            return [], self._memory.limits
        looked_at = await self._memory.strongest(namespace, LOOKED_AT * limit)
        strongest = (await that_may_be_told(looked_at))[:limit]
        if query is None or not query.strip():
            return strongest, self._memory.limits
        inputs.text("query", query)
        found = await self._memory.recall(namespace, query, MemoryFilter(), limit)
        always = strongest[: (limit + 1) // 2]
        known = {memory.id for memory in always}
        relevant = await that_may_be_told(hit.memory for hit in found.hits if hit.memory.id not in known)
        chosen = always + relevant[: limit - len(always)]
        known = {memory.id for memory in chosen}
        rest = [memory for memory in strongest if memory.id not in known]
        return chosen + rest[: limit - len(chosen)], found.notes

    async def _active_goals(self, namespace: str, limit: int, max_tokens: int) -> list[SnapshotGoal]:
        if limit == 0:
            return []
        return [
            SnapshotGoal(
                entry.goal.id,
                cut(entry.goal.title, max_tokens),
                round(entry.score, 3),
                entry.goal.progress,
                entry.goal.deadline.isoformat(timespec="minutes") if entry.goal.deadline else None,
            )
            for entry in await unsuspicious(await self._goals.ranked(namespace, limit), lambda entry: entry.goal.title)
        ]

    async def _recent_patterns(self, namespace: str, limit: int, max_tokens: int) -> list[SnapshotPattern]:
        if limit == 0:
            return []
        return [
            SnapshotPattern(
                p.pattern_type, cut(p.description, max_tokens), cut(p.suggested_action, max_tokens), p.frequency
            )
            for p in await unsuspicious(
                await self._reflection.patterns(namespace, limit=limit), lambda p: p.description
            )
        ]

    async def _empty(self, namespace: str, notes: tuple[str, ...]) -> Snapshot:
        now = self._clock()
        _, rate = await self._reflection.totals(namespace, timedelta(days=7))
        memories = await self._archive.statistics(namespace, now)
        goals = await self._goals.statistics(namespace)
        daemon = await self._jobs.daemon_status()
        return Snapshot(
            agent_id=namespace,
            top_memories=(),
            active_goals=(),
            recent_patterns=(),
            proactive_insights=(),
            autonomous_tasks=(),
            performance_summary=Performance(
                None if rate is None else round(rate, 3), memories.total, goals.total, goals.completed
            ),
            daemon_status=DaemonView(
                daemon.state is DaemonState.RUNNING,
                daemon.state,
                _minute(daemon.last_seen),
                daemon.minutes_since_heartbeat,
            ),
            omitted=0,
            notes=notes,
        )


def _memory(memory: Memory, max_tokens: int, now: datetime) -> SnapshotMemory:
    return SnapshotMemory(
        memory.id,
        memory.memory_type,
        cut(memory.content, max_tokens),
        round(memory.importance, 3),
        memory.source,
        memory.created_at.date().isoformat(),
        ", ".join(caveats(memory, now)) or memory.status.value,
    )


def _minute(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="minutes")
