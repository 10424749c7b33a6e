"""Briefings for agents at the start of a session, with a prompt, and before a tool runs.

Each preset has a hard budget of tokens, repeats nothing that the session still has in its context, and frames what is
recalled as data. What looks like an instruction to the agent, what nobody has confirmed and what was rejected is
left out.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from .. import offload
from ..approvals.service import ApprovalService
from ..clock import Clock
from ..framing import NOTICE, quote
from ..goals.service import GoalService
from ..insights.models import Severity
from ..insights.service import InsightService
from ..memory.lifecycle import TRUSTED
from ..memory.models import Memory, MemoryFilter, SearchHit, SearchResult
from ..memory.service import MemoryService
from ..memory.words import terms
from ..reflection import patterns
from ..reflection.service import ReflectionService
from ..sessions import observations, tool_calls
from ..sessions import service as sessions
from ..sessions.models import Session
from ..suspicion import unsuspicious
from ..views.labels import Labels
from ..views.questions import SETTLE
from . import lessons
from .elsewhere import Elsewhere
from .foremost import Foremost, is_for
from .prompts import query_of
from .stretches import best_stretch
from .tokens import cut, estimate
from .unanswered import Unanswered
from .unasked import Unasked

START_TOKENS = 1_500
PROMPT_TOKENS = 600
TOOL_TOKENS = 300
ENTRY_TOKENS = 130
CHECKPOINT_TOKENS = 500
OBSERVATIONS, GOALS, INSIGHTS, TASKS, RULES, PATTERNS, APPROVALS = 8, 5, 4, 3, 6, 2, 3
RECALLED = 6
LEAST_SIMILARITY = 0.4
LEAST_WORDS = 2
SURE = 0.4
"""The least chance that a note answers a prompt for it to be shown unasked."""
LIKELY, NEAR = 0.1, 0.45
"""The least chance that is enough for a note that is as similar to the prompt as NEAR."""
LOOKED_AT = 40
OF_ALL = "agent"
"""The subject of findings about a memory as a whole: they name nothing to do for a goal."""
MAX_RULES = 200
SHOWN_RULES = 3
STARTED = "started"
"""The entry that marks that a session has had its briefing."""

TITLE = "title:"
"""The prefix of the entries of work whose title was shown, but not its text."""

WENT = "went:"
"""The prefix of the entries of how a tool went before."""

RULE = "rule:"
"""The prefix of the entries of rules that were shown before a tool."""

REMINDER = (
    "memory_search finds more; call it before you answer about the past. memory_store stores what will matter later."
)


@dataclass(frozen=True)
class Briefing:
    """A text for an agent, "" when there is nothing to say, and the entries that it is made of."""

    text: str = ""
    entries: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Entry:
    key: str
    line: str


@dataclass(frozen=True)
class _Section:
    title: str
    entries: list[_Entry]


class BriefingService:
    """Compiles briefings. Counts an access for each lesson that it shows; of other memories an answer counts it."""

    def __init__(
        self,
        memory: MemoryService,
        goals: GoalService,
        insights: InsightService,
        reflection: ReflectionService,
        approvals: ApprovalService,
        unanswered: Unanswered,
        unasked: Unasked,
        clock: Clock,
    ) -> None:
        self._memory = memory
        self._goals = goals
        self._insights = insights
        self._reflection = reflection
        self._approvals = approvals
        self._unanswered = unanswered
        self._clock = clock
        self._unasked = unasked
        self._foremost = Foremost(memory, unasked)
        self._elsewhere = Elsewhere(goals, reflection)

    async def at_start(
        self,
        session: Session,
        shown: Collection[str],
        *,
        after_compaction: bool = False,
        max_tokens: int = START_TOKENS,
    ) -> Briefing:
        """Return what a session should know when it starts, without what is `shown`: that is in its context already.

        After a compaction the last checkpoint of the session comes first.
        """
        sections = [
            _Section("Where this session was", await self._checkpoint(session) if after_compaction else []),
            _Section("Last work on this project", await self._work(session)),
            _Section("Active goals", await self._active_goals(session)),
            _Section("Needs attention", await self._attention(session)),
            _Section(f"Asked, not answered: {SETTLE}", await self._questions(session)),
            _Section("Rules", await self._general_rules(session)),
            _Section("Memories", await self._first_things(session)),
            _Section("Patterns", await self._patterns(session)),
        ]
        fresh = [_Section(s.title, [entry for entry in s.entries if entry.key not in shown]) for s in sections]
        if STARTED in shown and not any(section.entries for section in fresh):
            return Briefing()
        head = f"# AgentOS: what is known from before, project {quote(cut(session.project.name, 20))}"
        made = _fitted(head, fresh, REMINDER, max_tokens)
        await self._count(session.namespace, made)
        return Briefing(made.text, (*made.entries, STARTED))

    async def with_prompt(
        self, session: Session, prompt: str, shown: Collection[str], max_tokens: int = PROMPT_TOKENS
    ) -> Briefing:
        """Return what is known about a prompt, if anything is; nothing for a command or a mere yes."""
        query = query_of(prompt)
        if not query:
            return Briefing()
        found = await self._memory.recall(session.namespace, query, MemoryFilter(), RECALLED)
        evident = [
            hit
            for hit in answering(found)
            if hit.memory.id not in shown
            and hit.memory.session != session.id
            and sessions.CHECKPOINT_TAG not in hit.memory.tags
            and _concerns(hit.memory, session)
        ]
        allowed = {memory.id for memory in await self._unasked(hit.memory for hit in evident)}
        hits = await unsuspicious((hit for hit in evident if hit.memory.id in allowed), lambda hit: hit.matched)
        words = terms(query)

        def made_of(hit: SearchHit) -> _Entry:
            stretch = best_stretch(hit.matched, words, ENTRY_TOKENS)
            return _Entry(hit.memory.id, self._memory_line(hit.memory, stretch))

        chars = offload.length(hit.matched for hit in hits)
        entries = await offload.read(chars, lambda: [made_of(hit) for hit in hits])
        if not entries:
            return Briefing()
        made = _fitted("# AgentOS: may concern this prompt", [_Section("", entries)], "", max_tokens)
        await self._count(session.namespace, made)
        return made

    async def before_tool(
        self,
        session: Session,
        tool: str,
        given: object,
        shown: Collection[str],
        failed: tuple[int, str] = (0, ""),
        max_tokens: int = TOOL_TOKENS,
    ) -> Briefing:
        """Return the lessons for a tool that is about to run with what it is given.

        First how it went before: that it has just `failed` (how often in a row, and why), or what helped when it did.

        Those that a person confirmed, and those from a source that is trusted, each with its source. Each showing is
        counted as an access.
        """
        confirmed = await self._rules(session)
        suggested = await self._suggested(session, {rule.id for rule in confirmed})
        matching = [
            (rule, sure)
            for rules, sure in ((confirmed, True), (suggested, False))
            for rule in rules
            if rule_key(rule.id) not in shown and lessons.applies(rule, tool, given)
        ]
        entries = [_Entry(rule_key(rule.id), self._rule(rule, sure=sure)) for rule, sure in matching[:SHOWN_RULES]]
        before = [entry for entry in await self._went_before(session, tool, given, failed) if entry.key not in shown]
        entries = [*before, *entries]
        if not entries:
            return Briefing()
        made = _fitted(f"# AgentOS: kept for {quote(tool[:60])}", [_Section("", entries)], "", max_tokens)
        await self._count(session.namespace, made)
        return made

    async def _went_before(self, session: Session, tool: str, given: object, failed: tuple[int, str]) -> list[_Entry]:
        command = tool_calls.command_of(given)
        action = observations.action_name(command) if command else tool
        tally = await self._reflection.tally(session.namespace, action) if action else None
        failures, reason = failed
        if tally is not None and tally.failing > failures:
            failures, reason = tally.failing, tally.last_failure or ""
        if failures >= patterns.RESOLVED_AFTER:
            line = f"failed {failures} times in a row, find the cause first. Last: {reason}"
        elif tally is not None and tally.failures >= patterns.RESOLVED_AFTER and tally.cure not in (None, "", "ok"):
            line = f"failed before. What helped: {tally.cure}"
        else:
            return []
        entry = _Entry(f"{WENT}{action}:{failures}"[:200], f"- {quote(action[:60])} {quote(cut(line, ENTRY_TOKENS))}")
        return await unsuspicious([entry], lambda one: one.line)

    async def _count(self, namespace: str, made: Briefing) -> None:
        await self._memory.shown(namespace, [key.removeprefix(RULE) for key in made.entries if key.startswith(RULE)])

    async def _checkpoint(self, session: Session) -> list[_Entry]:
        where = MemoryFilter(tags=(sessions.CHECKPOINT_TAG,), session=session.id)
        page = await self._memory.page(session.namespace, where, 1)
        allowed = await self._unasked(page.memories)
        return [_Entry(m.id, f"- {quote(cut(m.content, CHECKPOINT_TOKENS))}") for m in allowed]

    async def _rules(self, session: Session) -> list[Memory]:
        """Return the rules of this project that a person confirmed."""
        confirmed = await self._memory.vouched(session.namespace, lessons.TAG)
        allowed = await self._unasked(memory for memory in confirmed if _concerns(memory, session))
        return sorted(allowed, key=lessons.rank)

    async def _suggested(self, session: Session, confirmed: Collection[str]) -> list[Memory]:
        """Return the newest of the others, from sources that are trusted."""
        page = await self._memory.page(session.namespace, MemoryFilter(tags=(lessons.TAG,)), MAX_RULES)
        others = (one for one in page.memories if one.id not in confirmed and one.trust >= TRUSTED)
        allowed = await self._unasked(memory for memory in others if _concerns(memory, session))
        return sorted(allowed, key=lessons.rank)

    async def _general_rules(self, session: Session) -> list[_Entry]:
        general = [rule for rule in await self._rules(session) if not lessons.trigger_of(rule)]
        return [_Entry(rule.id, self._rule(rule, sure=True)) for rule in general[:RULES]]

    async def _attention(self, session: Session) -> list[_Entry]:
        namespace = session.namespace
        others = {*await self._elsewhere(namespace, session.project.names), OF_ALL}
        found = await self._insights.insights(namespace, LOOKED_AT)
        insights = [one for one in found if one.key.subject not in others]
        severe = (i for i in insights if i.severity is not Severity.INFO)
        pressing = (await unsuspicious(severe, lambda i: i.text))[:INSIGHTS]
        lines = [_Entry(i.id, f"- {i.id} [{i.severity}] {quote(cut(i.text, ENTRY_TOKENS))}") for i in pressing]
        open_tasks = await self._insights.tasks(namespace, LOOKED_AT)
        own_tasks = [one for one in open_tasks if one.key.subject not in others][:TASKS]
        tasks = await unsuspicious(own_tasks, lambda t: t.text)
        waiting = await unsuspicious(
            (await self._approvals.inbox(namespace)).approvals[:APPROVALS], lambda a: a.subject
        )
        asked = [
            _Entry(a.id, f"- {a.id} waits for the user: {a.action} {quote(cut(a.subject, ENTRY_TOKENS))}")
            for a in waiting
        ]
        return [*asked, *lines, *(_Entry(t.id, f"- {t.id} to do: {quote(cut(t.text, ENTRY_TOKENS))}") for t in tasks)]

    async def _questions(self, session: Session) -> list[_Entry]:
        found = await self._unanswered(session.namespace, session.project.names)
        return [_Entry(f"question:{one.id}:{one.by}", one.line()) for one in found]

    async def _work(self, session: Session) -> list[_Entry]:
        where = MemoryFilter(tags=(sessions.TAG, session.project.id))
        page = await self._memory.page(session.namespace, where, LOOKED_AT)
        earlier = await self._unasked(memory for memory in page.memories if memory.session != session.id)
        return [_Entry(TITLE + memory.id, self._observed(memory)) for memory in earlier[:OBSERVATIONS]]

    async def _active_goals(self, session: Session) -> list[_Entry]:
        ranked = await self._goals.ranked(session.namespace, GOALS, session.project.names)
        return [
            _Entry(
                entry.goal.id,
                f"- {entry.goal.id} {quote(cut(entry.goal.title, ENTRY_TOKENS))} {entry.goal.progress:.0%} done"
                + (f", due {entry.goal.deadline:%Y-%m-%d}" if entry.goal.deadline else ""),
            )
            for entry in await unsuspicious(ranked, lambda entry: entry.goal.title)
        ]

    async def _first_things(self, session: Session) -> list[_Entry]:
        foremost = await self._foremost(session.namespace, LOOKED_AT, session.project.names)
        relevant = [m for m, _ in foremost if not _is_of_sessions(m) and _concerns(m, session)]
        return [_Entry(m.id, self._memory_line(m, m.content)) for m in relevant]

    async def _patterns(self, session: Session) -> list[_Entry]:
        others = await self._reflection.elsewhere(session.namespace, session.project.id)
        known = await self._reflection.patterns(session.namespace, limit=LOOKED_AT)
        own = [one for one in known if one.action not in others][:PATTERNS]
        found = await unsuspicious(own, lambda p: p.suggested_action)
        return [
            _Entry(f"pattern:{p.pattern_type}:{p.action}"[:200], f"- {quote(cut(p.suggested_action, ENTRY_TOKENS))}")
            for p in found
        ]

    def _observed(self, memory: Memory) -> str:
        observation = memory.metadata.get(sessions.TAG)
        fields = observation if isinstance(observation, dict) else {}
        title = quote(cut(str(fields.get("title", memory.summary)), ENTRY_TOKENS))
        files = [str(path) for path in fields.get("files_modified", ())][:3]
        changed = f", changed {', '.join(map(quote, files))}" if files else ""
        kind = f"{fields.get('type', 'work')}{self._label(memory)}"
        return f"- {memory.id} {memory.occurred_at:%Y-%m-%d} {kind}: {title}{cut(changed, 40)}"

    def _memory_line(self, memory: Memory, text: str) -> str:
        head = f"- {memory.id} {memory.occurred_at:%Y-%m-%d}"
        source = f" by {quote(cut(memory.source, 10))}" if memory.source else ""
        return f"{head}{self._label(memory)}{source}: {quote(cut(text, ENTRY_TOKENS))}"

    def _rule(self, memory: Memory, *, sure: bool) -> str:
        label = "" if sure else ", no person has confirmed it"
        head = f"- {memory.id} [{lessons.severity_of(memory)}{self._label(memory)}{label}] {lessons.origin_of(memory)}"
        return f"{head}: {quote(cut(memory.content, ENTRY_TOKENS))}"

    def _label(self, memory: Memory) -> str:
        label = Labels(self._clock(), suspicious=frozenset()).of(memory)  # what may be shown unasked is none
        return f", {label}" if label else ""


def rule_key(memory_id: str) -> str:
    """Return the entry of a rule that was shown before a tool ran."""
    return RULE + memory_id


def answering(found: SearchResult) -> Sequence[SearchHit]:
    """Return the hits that are evidence; none where the gate is closed.

    Nobody asked, so that being the nearest there is is no reason. Where the gate alone has judged, it speaks for the
    first one. Before what is maybe outdated comes what may have replaced it.
    """
    judged = found.gate.answered and found.gate.threshold > 0
    by_id = {hit.memory.id: hit for hit in found.hits}
    answers: dict[str, SearchHit] = {}
    for place, hit in enumerate(found.hits):
        if (judged and place == 0 and hit.support is None) or _is_evidence(hit, found):
            newer = by_id.get(hit.memory.outdated_by or "")
            answers |= {one.memory.id: one for one in (newer, hit) if one is not None and one.memory.id not in answers}
    return list(answers.values())


def _is_evidence(hit: SearchHit, found: SearchResult) -> bool:
    text = hit.memory.content.lower()
    shared = sum(len(word) > 3 and word.lower() in text for word in found.reading.words)
    exact = any(term.lower() in text for term in found.reading.identifiers)
    if hit.support is not None:
        is_near = (hit.similarity or 0.0) >= NEAR and hit.support >= LIKELY
        return exact or is_near or hit.support >= SURE
    if hit.similarity is None:
        return exact or shared >= LEAST_WORDS
    return exact or hit.similarity >= LEAST_SIMILARITY


def _concerns(memory: Memory, session: Session) -> bool:
    """Return whether a memory may be shown here: it belongs to this project, or to none."""
    return is_for(memory, session.project.names)


def _is_of_sessions(memory: Memory) -> bool:
    return not {sessions.TAG, sessions.CHECKPOINT_TAG, lessons.TAG}.isdisjoint(memory.tags)


def _fitted(head: str, sections: Sequence[_Section], foot: str, max_tokens: int) -> Briefing:
    """Return as much as fits, sections in turn, so that none starves another; never above `max_tokens`."""
    chosen: list[list[_Entry]] = [[] for _ in sections]

    def text() -> str:
        lines = [head, NOTICE]
        for section, entries in zip(sections, chosen, strict=True):
            lines += [f"## {section.title}"] if entries and section.title else []
            lines += [entry.line for entry in entries]
        return "\n".join([*lines, foot] if foot else lines)

    waiting = [list(section.entries) for section in sections]
    spent = estimate(text())
    while any(waiting):
        for number, queue in enumerate(waiting):
            if not queue:
                continue
            entry = queue.pop(0)
            title = sections[number].title
            price = estimate(entry.line) + 1 + (estimate(f"## {title}") + 1 if title and not chosen[number] else 0)
            if spent + price <= max_tokens:
                chosen[number].append(entry)
                spent += price
    while estimate(text()) > max_tokens and any(chosen):  # prices are of single lines; what counts is the whole
        next(entries for entries in reversed(chosen) if entries).pop()
    return Briefing(text(), tuple(entry.key for entries in chosen for entry in entries))
