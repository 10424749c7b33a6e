"""The briefing at the start of a session: what is at hand, what has changed, what binds, what was learnt."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from ..abbreviations import Abbreviations
from ..approvals.service import ApprovalService
from ..framing import named, quote
from ..goals.models import Goal
from ..goals.service import GoalService
from ..insights.models import Insight, InsightSeverity
from ..insights.service import InsightService
from ..insights.triggers import action_subject
from ..memory.models import Memory, MemoryFilter
from ..memory.service import MemoryService
from ..reflection.models import Pattern, PatternType
from ..reflection.service import ReflectionService
from ..sessions import service as sessions
from ..sessions.models import Session
from ..suspicion import unsuspicious
from ..views.questions import SETTLE
from . import lessons
from .elsewhere import Elsewhere, Others
from .entries import Briefing, Group, KeyedLine, fitted, pattern_key, question_key, without
from .foremost import Chosen, Foremost, Precedence, is_for
from .lines import Lines, next_steps
from .phrases import Phrases
from .replaced import Replaced
from .tokens import cut
from .unanswered import Unanswered
from .unasked import Unasked
from .unconfirmed import Unconfirmed

START_TOKENS = 900
LINE_TOKENS = 60
"""The most tokens of the text of a line."""
CHECKPOINT_TOKENS = 400
WORK, GOALS, TASKS, RULES, PATTERNS, APPROVALS, NEXT = 8, 5, 3, 6, 2, 3, 2
CHANGED = 20
"""The newest memories, of which those count that are new since the last session."""
LOOKED_AT = 40
OF_ALL = "agent"
"""The subject of findings about a memory as a whole: they name nothing to do for a goal."""
STARTED = "started"
"""The entry that marks that a session has had its briefing."""
TITLE = "title:"
"""The prefix of the entries of work whose title was shown, but not its text."""


class Opening:
    """Compiles the briefing of a session's start from every module."""

    def __init__(
        self,
        memory: MemoryService,
        goals: GoalService,
        insights: InsightService,
        reflection: ReflectionService,
        approvals: ApprovalService,
        unanswered: Unanswered,
        unconfirmed: Unconfirmed,
        unasked: Unasked,
        replaced: Replaced,
        abbreviations: Abbreviations,
        lines: Lines,
        phrases: Phrases,
    ) -> None:
        self._memory = memory
        self._goals = goals
        self._insights = insights
        self._reflection = reflection
        self._approvals = approvals
        self._unanswered = unanswered
        self._unconfirmed = unconfirmed
        self._unasked = unasked
        self._replaced = replaced
        self._abbreviations = abbreviations
        self._lines = lines
        self._phrases = phrases
        self._foremost = Foremost(memory, unasked)
        self._elsewhere = Elsewhere(goals, reflection)

    async def __call__(
        self,
        session: Session,
        shown: Collection[str],
        *,
        since: datetime | None = None,
        after_compaction: bool = False,
        max_tokens: int = START_TOKENS,
    ) -> Briefing:
        """Return what a session should know when it starts, without what is `shown`: that is in its context already.

        `since` is when the last session of the project ended. After a compaction the last checkpoint of the session
        comes first.
        """
        groups = without(await self._groups(session, since, after_compaction=after_compaction), shown)
        if shown and not any(group.entries for group in groups):
            return Briefing(entries=(STARTED,))
        text = "\n".join(entry.line for group in groups for entry in group.entries)
        short = iter((await self._abbreviations.in_text(session.namespace, text)).split("\n"))
        told = [Group(g.title, [replace(entry, line=next(short)) for entry in g.entries]) for g in groups]
        head = f"# AgentOS: {self._phrases.known.format(project=quote(cut(session.project.name, 20)))}"
        made = fitted(head, told, self._phrases.more, max_tokens)
        return Briefing(made.text, (*made.entries, STARTED))

    async def _groups(self, session: Session, since: datetime | None, *, after_compaction: bool) -> list[Group]:
        namespace, project = session.namespace, session.project.names
        others = await self._elsewhere(namespace, project)
        tasks = await self._tasks(namespace, others)
        open_work, work = await self._work(session)
        questions = await self._unanswered(namespace, project)
        asked = [KeyedLine(question_key(one.id, one.by), one.line()) for one in questions]
        rules = await self._rules(session)
        memories = await self._memories(session, since, {one.id for one in questions})
        at_hand = [*await self._pending(namespace), *open_work, *await self._due(session), *map(self._task, tasks)]
        return [
            Group(self._phrases.checkpoint, await self._checkpoint(session) if after_compaction else []),
            Group(self._phrases.at_hand, at_hand),
            Group(self._phrases.work, [*work, *memories["changed"]]),
            Group(self._phrases.asked.format(settle=SETTLE), asked),
            Group(self._phrases.unconfirmed, await self._unconfirmed(session)),
            Group(self._phrases.rules, rules),
            Group(self._phrases.binding, memories["binding"]),
            Group(self._phrases.lessons, [*await self._patterns(namespace, others, tasks), *memories["lessons"]]),
            Group(self._phrases.memories, memories["known"]),
        ]

    async def _checkpoint(self, session: Session) -> list[KeyedLine]:
        where = MemoryFilter(tags=(sessions.CHECKPOINT_TAG,), session=session.id)
        allowed = await self._unasked(await self._memory.newest(session.namespace, where, 1))
        return [KeyedLine(m.id, f"- {quote(cut(m.content, CHECKPOINT_TOKENS))}") for m in allowed]

    async def _pending(self, namespace: str) -> list[KeyedLine]:
        waits = self._phrases.waits
        waiting = (await self._approvals.inbox(namespace)).approvals[:APPROVALS]
        return [
            KeyedLine(one.id, f"- {one.id} {waits} {named(one.action)} {quote(cut(one.subject, LINE_TOKENS))}")
            for one in await unsuspicious(waiting, lambda one: one.subject)
        ]

    async def _work(self, session: Session) -> tuple[list[KeyedLine], list[KeyedLine]]:
        """Return the work that the last session left something to do of, and the other work on this project."""
        where = MemoryFilter(tags=(sessions.TAG, session.project.id))
        newest = await self._memory.newest(session.namespace, where, LOOKED_AT)
        earlier = (await self._unasked(memory for memory in newest if memory.session != session.id))[:WORK]
        last = [memory for memory in earlier if memory.session == earlier[0].session]
        at_hand = [memory.id for memory in last if next_steps(memory)][:NEXT]
        entries = {
            memory.id: KeyedLine(TITLE + memory.id, self._lines.work(memory, LINE_TOKENS), memory.occurred_at)
            for memory in earlier
        }
        return [entries[one] for one in at_hand], [entries[m.id] for m in earlier if m.id not in at_hand]

    async def _due(self, session: Session) -> list[KeyedLine]:
        ranked = await self._goals.ranked(session.namespace, GOALS, session.project.names)
        return [
            KeyedLine(one.goal.id, self._goal(one.goal))
            for one in await unsuspicious(ranked, lambda one: one.goal.title)
        ]

    def _goal(self, goal: Goal) -> str:
        due = "" if goal.deadline is None else f", {self._phrases.due.format(day=f'{goal.deadline:%Y-%m-%d}')}"
        return f"- {goal.id} {self._phrases.goal} {quote(cut(goal.title, LINE_TOKENS))} {goal.progress:.0%}{due}"

    async def _tasks(self, namespace: str, others: Others) -> list[Insight]:
        """Return what is to be done, and what is critical though nothing says what to do about it."""
        tasks = await self._insights.tasks(namespace, LOOKED_AT)
        named = {one.key.subject for one in tasks}
        found = await self._insights.insights(namespace, LOOKED_AT)
        severe = [one for one in found if one.severity is InsightSeverity.CRITICAL and one.key.subject not in named]
        own = others.without([*severe, *tasks], lambda one: one.key.subject)
        return (await unsuspicious((i for i in own if i.key.subject != OF_ALL), lambda one: one.text))[:TASKS]

    async def _rules(self, session: Session) -> list[KeyedLine]:
        """Return the rules of this project, or of all, that a person confirmed and that are for no tool."""
        confirmed = await self._memory.vouched(session.namespace, lessons.TAG)
        general = (one for one in confirmed if is_for(one, session.project.names) and not lessons.trigger_of(one))
        allowed = sorted(await self._unasked(general), key=lessons.rank)[:RULES]
        return [KeyedLine(rule.id, self._lines.rule(rule, sure=True, max_tokens=LINE_TOKENS)) for rule in allowed]

    async def _memories(
        self, session: Session, since: datetime | None, asked: Collection[str]
    ) -> dict[str, list[KeyedLine]]:
        """Return what is new since the last session, what binds, what was learnt to do, and what else is known."""
        project = session.project.names
        foremost = await self._foremost(session.namespace, LOOKED_AT, project)
        ranks = {one.memory.id: one.rank for one in foremost}
        new = [] if since is None else await self._new(session, since)
        changed = {memory.id for memory in new}
        listed = {one.memory.id: one for one in (*(Chosen(memory, Precedence.OTHER) for memory in new), *foremost)}
        own = [one for one in listed.values() if not is_of_sessions(one.memory) and is_for(one.memory, project)]
        chosen = {one.memory.id: one for one in await self._foremost.told_once(session.namespace, own)}
        shown = [one.memory for one in chosen.values()]
        found: dict[str, list[KeyedLine]] = {"changed": [], "binding": [], "lessons": [], "known": []}
        for name, told in (await self._replaced(session.namespace, shown, project, asked)).items():
            also = len(chosen[told.memory.id].also) if told.memory.id in chosen else 0
            line = self._lines.told(told, max_tokens=LINE_TOKENS, also=also)
            entry = KeyedLine(told.memory.id, line, told.memory.occurred_at)
            found["changed" if name in changed else _GROUPS[ranks[name]]].append(entry)
        return found

    async def _new(self, session: Session, since: datetime) -> list[Memory]:
        """Return what was stored since a moment, by any agent; a turn of a conversation is no news."""
        newest = await self._memory.newest(session.namespace, MemoryFilter(), CHANGED)
        new = (one for one in newest if one.created_at > since and one.session is None)
        return await self._unasked(new)

    async def _patterns(self, namespace: str, others: Others, tasks: Sequence[Insight]) -> list[KeyedLine]:
        """Return advice on actions, without those that a task is about already."""
        told = {task.key.subject for task in tasks}
        known = await self._reflection.patterns(namespace, limit=LOOKED_AT)
        own = others.without(known, lambda one: action_subject(one.action))
        untold = [one for one in own if action_subject(one.action) not in told]
        left = [one for one in untold if await self._teaches(namespace, one)][:PATTERNS]
        return [
            KeyedLine(
                pattern_key(one),
                f"- {quote(cut(one.suggested_action, LINE_TOKENS))}",
                one.last_seen,
            )
            for one in await unsuspicious(left, lambda one: one.suggested_action)
        ]

    def _task(self, found: Insight) -> KeyedLine:
        return KeyedLine(found.id, f"- {found.id} {self._phrases.to_do} {quote(cut(found.text, LINE_TOKENS))}")

    async def _teaches(self, namespace: str, pattern: Pattern) -> bool:
        """Return whether a pattern says what to do: that something goes well is no advice, what helped is."""
        if pattern.pattern_type is not PatternType.SUCCESS_PATTERN:
            return True
        tally = await self._reflection.tally(namespace, pattern.action)
        return tally is not None and bool(tally.remedy)


_GROUPS = {
    Precedence.BINDING: "binding",
    Precedence.OTHER: "known",
    Precedence.PROCEDURE: "lessons",
    Precedence.OUTDATED: "known",
}
"""The group of a memory by its precedence."""


def is_of_sessions(memory: Memory) -> bool:
    """Return whether a memory is told elsewhere: as work, as a checkpoint, or as a rule."""
    return not {sessions.TAG, sessions.CHECKPOINT_TAG, lessons.TAG}.isdisjoint(memory.tags)
