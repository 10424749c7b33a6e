"""The context service: gathers from every module and compiles one snapshot under a hard token budget."""

import asyncio
import dataclasses
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from .. import inputs
from ..approvals.service import ApprovalService
from ..clock import Clock
from ..framing import NOTICE
from ..goals.service import GoalService
from ..insights.models import Insight
from ..insights.service import InsightService
from ..insights.triggers import action_subject
from ..jobs.models import DaemonState
from ..jobs.service import JobService
from ..memory.models import Memory, MemoryFilter
from ..memory.service import MemoryService
from ..reflection.service import ReflectionService
from ..sessions.models import Briefed
from ..suspicion import unsuspicious
from ..views.labels import Labels, source_of, with_times
from ..views.questions import OpenQuestion
from ..views.snapshot import (
    DaemonView,
    Performance,
    Snapshot,
    SnapshotApproval,
    SnapshotGoal,
    SnapshotInsight,
    SnapshotMemory,
    SnapshotPattern,
    SnapshotTask,
)
from . import snapshot_fitting
from .compiler import ContextCompiler
from .elsewhere import Elsewhere, Others
from .entries import pattern_key, question_key
from .foremost import Chosen, Foremost, is_for, precedence
from .lines import WAS_TOKENS
from .replaced import Replaced, Told
from .tokens import cut
from .unanswered import Unanswered
from .unasked import Unasked

MIN_MAX_TOKENS = 300
MAX_MAX_TOKENS = 20_000
MAX_ENTRIES = 50
LOOKED_AT = 4
"""How many times the memories asked for are looked at, since suspicious and rejected ones are left out."""

MEMORIES = 5
INSIGHTS = 10
TASKS = 5
APPROVALS = 3
NOT_ASKED = "not asked for"
NONE_SHOWN = "none that may be shown here; memory_list has all"
NO_GOALS_SHOWN = "none that may be shown here; goal_list has all"
LEAST_ENTRY = 30
"""The least tokens that a memory costs to tell: no more memories are looked at than fit at this price."""
ENTRIES_A_BUDGET = 10
"""An entry is cut to the budget divided by this: one long memory must not push out all the others."""


class ContextService:
    """Compiles snapshots, which change nothing and count no access; and, by its compiler, contexts for queries."""

    def __init__(
        self,
        memory: MemoryService,
        goals: GoalService,
        reflection: ReflectionService,
        insights: InsightService,
        jobs: JobService,
        approvals: ApprovalService,
        compiler: ContextCompiler,
        unanswered: Unanswered,
        unasked: Unasked,
        replaced: Replaced,
        clock: Clock,
        default_max_tokens: int = 1500,
    ) -> None:
        self.compile = compiler.compile
        self._default_max_tokens = default_max_tokens
        self._memory = memory
        self._goals = goals
        self._reflection = reflection
        self._insights = insights
        self._jobs = jobs
        self._approvals = approvals
        self._unanswered = unanswered
        self._unasked = unasked
        self._replaced = replaced
        self._foremost = Foremost(memory, unasked)
        self._elsewhere = Elsewhere(goals, reflection)
        self._clock = clock

    async def snapshot(
        self,
        namespace: str,
        include_memories: int | None = None,
        include_goals: int = 5,
        include_patterns: int = 3,
        query: str | None = None,
        max_tokens: int | None = None,
        project: Sequence[str] = (),
        briefed: Briefed | None = None,
    ) -> Snapshot:
        """Compile what an agent should know now. Never costs more than `max_tokens` (estimated on the high side).

        Without `include_memories` there are MEMORIES, and as many more as fit. With a `query`, the second half of them
        is what fits it best. With the names of a `project`, memories of other projects are left out and its goals come
        first. For a session that was `briefed`, only what is new since. Raises InvalidInput.
        """
        for field, value in (
            ("include_memories", MEMORIES if include_memories is None else include_memories),
            ("include_goals", include_goals),
            ("include_patterns", include_patterns),
        ):
            inputs.count(field, value, 0, MAX_ENTRIES)
        if max_tokens is None:
            max_tokens = self._default_max_tokens
        inputs.count("max_tokens", max_tokens, MIN_MAX_TOKENS, MAX_MAX_TOKENS)
        entry, asked = max_tokens // ENTRIES_A_BUDGET, MEMORIES if include_memories is None else include_memories
        most = max_tokens // LEAST_ENTRY if include_memories is None else asked
        others = await self._elsewhere(namespace, project)
        foremost, notes = await self._top_memories(namespace, asked, most, query, project)
        questions = await self._unanswered(namespace, project)
        ranks = {one.memory.id: one.rank for one in foremost}
        also = {one.memory.id: len(one.also) for one in foremost}
        told = await self._replaced(namespace, [one.memory for one in foremost], project, {one.id for one in questions})
        before = frozenset() if briefed is None else briefed.entries
        if briefed is not None:
            since = None if query else briefed.at
            told = {name: one for name, one in told.items() if _is_new(one.memory, before, since)}
        shown = list(told.values())
        memories, more = shown[:asked], shown[asked:]
        order = {
            one.memory.id: (
                *(ranks.get(one.memory.id, ranks[name]), bool(project) and not one.memory.project),
                *(one.memory.created_at, one.memory.id),
            )
            for name, one in told.items()
        }
        labels = Labels(self._clock(), suspicious=frozenset())  # what may be shown unasked is none
        sections: dict[str, Any] = {
            "pending_approvals": await self._pending(namespace, entry),
            "questions": questions,
            "top_memories": [_memory(one, entry, labels, also) for one in memories],
            "active_goals": await self._active_goals(namespace, include_goals, entry, project),
            "recent_patterns": await self._recent_patterns(namespace, include_patterns, entry, others, before),
            "proactive_insights": [
                SnapshotInsight(i.id, i.severity, cut(i.text, entry), i.status)
                for i in await unsuspicious(
                    others.without(await self._insights.insights(namespace, MAX_ENTRIES), _subject)[:INSIGHTS],
                    lambda i: i.text,
                )
            ],
            "autonomous_tasks": [
                SnapshotTask(t.id, cut(t.text, entry), t.status)
                for t in await unsuspicious(
                    others.without(await self._insights.tasks(namespace, MAX_ENTRIES), _subject)[:TASKS],
                    lambda t: t.text,
                )
            ],
        }
        off = {"top_memories": asked, "active_goals": include_goals, "recent_patterns": include_patterns}
        empty = {name: NOT_ASKED for name, count in off.items() if count == 0}
        snapshot = await self._empty(namespace, notes, empty, {name for name, entries in sections.items() if entries})
        if briefed is not None:
            snapshot = dataclasses.replace(snapshot, only_new=True, empty=None)
            sections = {name: _new(entries, before) for name, entries in sections.items()}
        # Of equal precedence the project's own, then the oldest first: the block stays the same while the set does.
        stored = {"top_memories": lambda entry: order[entry.id]}
        fillers = (_memory(one, entry, labels, also) for one in more)
        return await asyncio.to_thread(snapshot_fitting.fit, snapshot, sections, max_tokens, stored, fillers)

    async def _top_memories(
        self, namespace: str, limit: int, most: int, query: str | None, project: Sequence[str]
    ) -> tuple[list[Chosen], tuple[str, ...]]:
        """Return at most `most` memories, of which the first `limit` are asked for, and notes on what is degraded."""
        if limit == 0:
            return [], self._memory.limits
        foremost = await self._foremost(namespace, LOOKED_AT * limit + most, project, most)
        notes = self._memory.limits
        if query is not None and query.strip():
            inputs.text("query", query)
            found = await self._memory.recall(namespace, query, MemoryFilter(working_in=tuple(project)), limit)
            notes = found.notes
            chosen = {one.memory.id: one for one in foremost}
            relevant = await self._unasked(hit.memory for hit in found.hits if is_for(hit.memory, project))
            always, others = foremost[: (limit + 1) // 2], foremost[(limit + 1) // 2 :]
            near = (chosen.get(one.id, Chosen(one, precedence(one))) for one in relevant)
            listed = {one.memory.id: one for one in (*always, *near, *others)}
            foremost = await self._foremost.told_once(namespace, list(listed.values()))
        return foremost[:most], notes

    async def _pending(self, namespace: str, max_tokens: int) -> list[SnapshotApproval]:
        waiting = (await self._approvals.inbox(namespace)).approvals
        return [
            SnapshotApproval(one.id, one.action, cut(one.subject, max_tokens), _minute(one.expires_at))
            for one in await unsuspicious(waiting[:APPROVALS], lambda one: one.subject)
        ]

    async def _active_goals(
        self, namespace: str, limit: int, max_tokens: int, project: Sequence[str]
    ) -> list[SnapshotGoal]:
        if limit == 0:
            return []
        return [
            SnapshotGoal(
                entry.goal.id,
                cut(entry.goal.title, max_tokens),
                entry.goal.progress,
                _minute(entry.goal.deadline),
            )
            for entry in await unsuspicious(
                await self._goals.ranked(namespace, limit, project), lambda entry: entry.goal.title
            )
        ]

    async def _recent_patterns(
        self, namespace: str, limit: int, max_tokens: int, others: Others, told: Collection[str]
    ) -> list[SnapshotPattern]:
        if limit == 0:
            return []
        known = await self._reflection.patterns(namespace, limit=MAX_ENTRIES)
        new = [one for one in known if pattern_key(one) not in told]
        own = others.without(new, lambda one: action_subject(one.action))[:limit]
        return [
            SnapshotPattern(
                p.pattern_type, p.frequency, cut(p.description, max_tokens), cut(p.suggested_action, max_tokens)
            )
            for p in await unsuspicious(own, lambda p: p.description)
        ]

    async def _empty(
        self, namespace: str, notes: tuple[str, ...], empty: dict[str, str], filled: Collection[str]
    ) -> Snapshot:
        """Return the snapshot without its entries; `empty` says why sections that are not `filled` have none."""
        _, rate = await self._reflection.totals(namespace, timedelta(days=7))
        held = await self._memory.count(namespace)
        goals = await self._goals.statistics(namespace)
        daemon = await self._jobs.daemon_status()
        if held and "top_memories" not in filled:
            empty = {"top_memories": NONE_SHOWN, **empty}
        if goals.active and "active_goals" not in filled:
            empty = {"active_goals": NO_GOALS_SHOWN, **empty}
        return Snapshot(
            agent_id=namespace,
            notice=NOTICE,
            top_memories=(),
            active_goals=(),
            recent_patterns=(),
            proactive_insights=(),
            autonomous_tasks=(),
            performance_summary=Performance(
                held, goals.total, goals.completed, None if rate is None else round(rate, 3)
            ),
            daemon_status=DaemonView(
                daemon.state is DaemonState.RUNNING, daemon.state.value, _minute(daemon.last_seen)
            ),
            empty=empty or None,
            notes=notes,
        )


def _is_new(memory: Memory, told: Collection[str], since: datetime | None) -> bool:
    return memory.id not in told and (since is None or memory.created_at > since)


def _new(entries: Sequence[Any], told: Collection[str]) -> list[Any]:
    """Return the entries that were not told, by the keys of the briefing."""
    return [
        one
        for one in entries
        if isinstance(one, SnapshotPattern)
        or (question_key(one.id, one.by) if isinstance(one, OpenQuestion) else one.id) not in told
    ]


def _subject(found: Insight) -> str:
    return found.key.subject


def _memory(told: Told, max_tokens: int, labels: Labels, also: Mapping[str, int]) -> SnapshotMemory:
    memory = told.memory
    label = with_times(labels.of(memory), also.get(memory.id, 0))
    was = "" if told.was is None else cut(told.was.content, min(WAS_TOKENS, max_tokens))
    content = cut(memory.content, max_tokens)
    return SnapshotMemory(memory.id, content, f"{memory.occurred_at:%Y-%m-%d}", label, source_of(memory, label), was)


def _minute(moment: datetime | None) -> str | None:
    return None if moment is None else f"{moment:%Y-%m-%d %H:%M} UTC"
