"""Taking over what another system keeps, record by record: what is not acceptable is reported with its place.

A dry run (`dry_run`) looks at the same records in the same order, and changes nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import field, replace

from .. import inputs
from ..approvals.risk import RiskInputs
from ..approvals.service import ApprovalService
from ..errors import AgentOSError, InvalidInput
from ..goals.models import Goal
from ..goals.service import GoalService
from ..graph.service import GraphService
from ..memory.service import MemoryService
from ..records import dataclass
from ..redactor import Redactor
from ..reflection.models import Pattern, PatternType
from ..reflection.service import ReflectionService
from ..store_request import StoreRequest
from ..turns.service import TurnService
from .acceptance import check
from .models import (
    ActionEntry,
    EdgeEntry,
    FoundPattern,
    GoalEntry,
    MemoryEntry,
    NodeEntry,
    Progress,
    Record,
    Refused,
    RequestEntry,
    Taken,
    TurnEntry,
)
from .pieces import pieces

SHOWN = 5
GOAL_STATUSES = ("active", "paused", "completed", "abandoned", "cancelled")
AT_ONCE = 500
GOALS_AT_ONCE = 200
MOST_PATTERNS = 10_000
MOST_FREQUENT = 1_000_000_000
REQUESTED_BY = "import"
COMING = "comes in with this"
"""Stands for the id here of what a dry run would bring in."""


@dataclass(frozen=True)
class Into:
    """The services that take imported records."""

    memory: MemoryService
    goals: GoalService
    reflection: ReflectionService
    graph: GraphService
    approvals: ApprovalService
    turns: TurnService
    redactor: Redactor


@dataclass
class Tally:
    """The progress of importing `total` records, and where it is reported."""

    progress: Progress
    total: int
    new: int = 0
    known: int = 0
    refused: list[str] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)

    def add(self, example: str, *, is_known: bool) -> None:
        """Count a record that came in, or was there already."""
        self.known += is_known
        self.new += not is_known
        if not is_known and len(self.examples) < SHOWN:
            self.examples.append(example)
        self._tell()

    def refuse(self, record: Record, error: AgentOSError) -> None:
        """Count a record that was not acceptable, by its place and why."""
        known = not isinstance(record, Refused) and record.where
        self.refused.append(f"{record.where}: {error}" if known else str(error))
        self._tell()

    def _tell(self) -> None:
        self.progress("entries", self.new + self.known + len(self.refused), self.total)


async def take(
    into: Into,
    kind: str,
    records: Sequence[Record],
    namespace: str | None,
    default: str,
    progress: Progress,
    dry_run: bool,
) -> Taken:
    """Bring records in: into `namespace`, if given; else each into that of the agent that it names, or `default`."""
    tally = Tally(progress, len(records))
    by_namespace: dict[str, list[Record]] = {}
    for record in records:
        try:
            check(record)
        except InvalidInput as error:
            tally.refuse(record, error)
            continue
        assert not isinstance(record, Refused)
        by_namespace.setdefault(namespace or record.agent or default, []).append(record)
    for owner, owned in by_namespace.items():
        await _Owner(into, owner, tally, dry_run).take(owned)
    clean = into.redactor.text
    refused, examples = [[await clean(one) for one in shown] for shown in (tally.refused, tally.examples)]
    return Taken(kind, tally.new, tally.known, tuple(refused), tuple(examples))


class _Owner:
    """The records of one namespace; what refers to another record of it finds that by its id there."""

    def __init__(self, into: Into, namespace: str, tally: Tally, dry_run: bool) -> None:
        self._into = into
        self._namespace = namespace
        self._tally = tally
        self._dry_run = dry_run
        self._ours: dict[str, str] = {}
        """The ids here of what came in, by the ids there."""
        self._met: dict[object, str] = {}
        """The ids here of what this import has brought in, by what makes two records one."""

    async def take(self, records: Sequence[Record]) -> None:
        """Bring in what others refer to before what refers to it."""
        await self._memories([one for one in records if isinstance(one, MemoryEntry)])
        await self._goals([one for one in records if isinstance(one, GoalEntry)])
        await self._actions([one for one in records if isinstance(one, ActionEntry)])
        await self._patterns([one for one in records if isinstance(one, FoundPattern)])
        await self._nodes([one for one in records if isinstance(one, NodeEntry)])
        await self._edges([one for one in records if isinstance(one, EdgeEntry)])
        await self._requests([one for one in records if isinstance(one, RequestEntry)])
        await self._turns([one for one in records if isinstance(one, TurnEntry)])

    # Memories.

    async def _memories(self, entries: Sequence[MemoryEntry]) -> None:
        for begin in range(0, len(entries), AT_ONCE):
            batch = [piece for entry in entries[begin : begin + AT_ONCE] for piece in await self._pieces(entry)]
            known = await self._into.memory.known(self._namespace, [entry.content for entry in batch])
            for entry, there in zip(batch, known, strict=True):
                memory_id = there or self._met.get((MemoryEntry, entry.content))
                is_known = memory_id is not None
                try:
                    if memory_id is None:
                        memory_id, is_known = await self._store(entry)
                except AgentOSError as error:
                    self._tally.refuse(entry, error)
                else:
                    self._met[MemoryEntry, entry.content] = memory_id
                    if isinstance(theirs := entry.metadata.get("imported_id"), str):
                        self._ours.setdefault(theirs, memory_id)
                    self._tally.add(entry.content, is_known=is_known)

    async def _pieces(self, entry: MemoryEntry) -> list[MemoryEntry]:
        content = await self._into.redactor.text(entry.content)
        return [replace(entry, content=part) for part in pieces(content, self._into.memory.max_content_bytes)]

    async def _store(self, entry: MemoryEntry) -> tuple[str, bool]:
        """The id here, and whether it was there already."""
        request = StoreRequest(
            entry.content,
            entry.memory_type,
            entry.importance,
            entry.tags,
            entry.metadata,
            entry.source,
            entry.occurred_at,
            confidence=entry.confidence,
            kind=entry.kind,
        )
        if self._dry_run:
            await self._into.memory.check(request)
            return COMING, False
        stored = await self._into.memory.store(self._namespace, request)
        return stored.memory.id, stored.duplicate

    # Goals.

    async def _goals(self, entries: Sequence[GoalEntry]) -> None:
        if not entries:
            return
        there = {tag: goal.id for goal in await all_goals(self._into.goals, self._namespace) for tag in goal.tags}
        for entry in _parents_first(entries):
            known = there.get(_mark(entry))
            try:
                goal_id = known or await self._add_goal(entry)
            except AgentOSError as error:
                self._tally.refuse(entry, error)
            else:
                self._ours[entry.id] = there[_mark(entry)] = goal_id
                self._tally.add(entry.title, is_known=known is not None)

    async def _add_goal(self, entry: GoalEntry) -> str:
        goals, namespace = self._into.goals, self._namespace
        parent = self._ours.get(entry.parent or "")
        tags = (*entry.tags, _mark(entry))
        draft = await goals.draft(
            namespace, entry.title, entry.description, entry.priority, entry.urgency, entry.deadline, parent, tags
        )
        status = entry.status if entry.status in GOAL_STATUSES else "active"
        progress = entry.progress if 0 < entry.progress < 1 else 0.0
        draft = await goals.resumed(draft, status, progress, entry.notes)
        return COMING if self._dry_run else (await goals.keep(draft)).id

    # Actions and patterns.

    async def _actions(self, entries: Sequence[ActionEntry]) -> None:
        for begin in range(0, len(entries), AT_ONCE):
            batch = entries[begin : begin + AT_ONCE]
            known = await self._into.reflection.known(self._namespace, [_mark(entry) for entry in batch])
            for entry in batch:
                mark = _mark(entry)
                is_known = mark in known or mark in self._met
                try:
                    if not is_known:
                        await self._log(entry)
                except AgentOSError as error:
                    self._tally.refuse(entry, error)
                else:
                    self._met[mark] = COMING
                    self._tally.add(f"{entry.action}: {entry.outcome}", is_known=is_known)

    async def _log(self, entry: ActionEntry) -> None:
        reflection, goal = self._into.reflection, self._ours.get(entry.goal or "")
        fields = (self._namespace, entry.action, entry.outcome, entry.success, entry.context, goal, entry.tags)
        await reflection.log(*fields, _mark(entry), entry.occurred_at, dry_run=self._dry_run)

    async def _patterns(self, entries: Sequence[FoundPattern]) -> None:
        if not entries:
            return
        there = await self._into.reflection.patterns(self._namespace, None, MOST_PATTERNS)
        known = {(pattern.pattern_type, pattern.action) for pattern in there}
        for entry in entries:
            try:
                pattern = await self._pattern(entry)
                is_known = (pattern.pattern_type, pattern.action) in known
                if not (self._dry_run or is_known):
                    await self._into.reflection.keep(self._namespace, [pattern])
            except AgentOSError as error:
                self._tally.refuse(entry, error)
            else:
                known.add((pattern.pattern_type, pattern.action))
                self._tally.add(pattern.description, is_known=is_known)

    async def _pattern(self, entry: FoundPattern) -> Pattern:
        text = (await self._into.redactor.text(inputs.text("description", entry.description))).strip()
        last_seen = inputs.moment("last_seen", entry.last_seen)
        if last_seen is None:
            raise InvalidInput("last_seen", "is missing")
        suggested = inputs.text("suggested_action", entry.suggested_action, allow_empty=True)
        return Pattern(
            inputs.choice("type", entry.type, PatternType),
            text,
            text,
            await self._into.redactor.text(suggested),
            max(1, min(int(entry.frequency), MOST_FREQUENT)),
            last_seen,
        )

    # The graph.

    async def _nodes(self, entries: Sequence[NodeEntry]) -> None:
        for entry in entries:
            try:
                known = await self._node(entry)
            except AgentOSError as error:
                self._tally.refuse(entry, error)
            else:
                self._tally.add(f"{entry.type}: {entry.label}", is_known=known)

    async def _node(self, entry: NodeEntry) -> bool:
        """Store it, and return whether it was there already."""
        graph, namespace = self._into.graph, self._namespace
        ref = self._ours.get(entry.ref or "")
        if self._dry_run:
            draft = await graph.draft_node(entry.type, entry.label, entry.description, ref)
            there = await graph.named(namespace, entry.type, entry.label)
            met = self._met.get((draft.type, draft.key))
            self._ours[entry.id] = self._met[draft.type, draft.key] = (
                met or f"{COMING}: {draft.id}" if there is None else there.id
            )
            return (there or met) is not None
        node, is_new = await graph.add_node(namespace, entry.type, entry.label, entry.description, ref)
        self._ours[entry.id] = node.id
        return not is_new

    async def _edges(self, entries: Sequence[EdgeEntry]) -> None:
        for entry in entries:
            source, target = self._ours.get(entry.source), self._ours.get(entry.target)
            try:
                if source is None or target is None:
                    raise InvalidInput("edge", "connects nodes that were not imported")
                is_known = await self._edge(entry, source, target)
            except AgentOSError as error:
                self._tally.refuse(entry, error)
            else:
                self._tally.add(f"{entry.type} {entry.description}".strip(), is_known=is_known)

    async def _edge(self, entry: EdgeEntry, source: str, target: str) -> bool:
        """Store it, and return whether it was there already."""
        graph = self._into.graph
        if source == target:
            raise InvalidInput("edge", "connects a node to itself")
        if not self._dry_run:
            fields = (entry.type, entry.weight, entry.description)
            return not (await graph.add_edge(self._namespace, source, target, *fields))[1]
        kind = graph.check_edge(entry.type, entry.weight, entry.description)
        if not (is_known := (source, kind, target) in self._met) and not source.startswith(COMING):
            nearby = await graph.neighbours(self._namespace, source, (kind,), GOALS_AT_ONCE)
            is_known = any((one.edge.type, one.node.id) == (kind, target) for one in nearby.outgoing)
        self._met[source, kind, target] = COMING
        return is_known

    # Conversations.

    async def _turns(self, entries: Sequence[TurnEntry]) -> None:
        for begin in range(0, len(entries), AT_ONCE):
            batch = entries[begin : begin + AT_ONCE]
            keys: dict[str, list[str]] = {}
            for entry in batch:
                keys.setdefault(entry.session, []).append(entry.key)
            turns = self._into.turns
            known = {(name, key) for name in keys for key in await turns.known(self._namespace, name, keys[name])}
            unique = list({entry.key for entry in batch if entry.is_unique})
            anywhere = await turns.known_anywhere(self._namespace, unique) if unique else frozenset[str]()
            for entry in batch:
                mark = ("", entry.key) if entry.is_unique else (entry.session, entry.key)
                is_known = mark in known or entry.key in anywhere or (TurnEntry, mark) in self._met
                try:
                    if not is_known:
                        await self._turn(entry)
                except AgentOSError as error:
                    self._tally.refuse(entry, error)
                else:
                    self._met[TurnEntry, mark] = COMING
                    self._tally.add(f"{entry.role}: {entry.content}", is_known=is_known)

    async def _turn(self, entry: TurnEntry) -> None:
        """Store what was said; a long text as several turns, each within the limit of a memory."""
        parts = pieces(await self._into.redactor.text(entry.content), self._into.memory.max_content_bytes)
        for number, part in enumerate(parts):
            key = entry.key if not number else f"{entry.key}/{number}"
            await self._into.turns.add(
                self._namespace,
                entry.session,
                entry.role,
                part,
                occurred_at=entry.occurred_at,
                key=key,
                source=entry.source,
                project=entry.project,
                dry_run=self._dry_run,
            )

    # What waits for a human.

    async def _requests(self, entries: Sequence[RequestEntry]) -> None:
        if not entries:
            return
        inbox = await self._into.approvals.inbox(self._namespace)
        history = await self._into.approvals.history(self._namespace, GOALS_AT_ONCE)
        known = {(one.action, one.subject) for one in (*inbox.approvals, *history)}
        for entry in entries:
            action = _action_name(entry.action)
            is_known = (action, entry.subject) in known
            try:
                if not is_known:
                    risk = RiskInputs(entry.risk, 1 - entry.risk, entry.risk)
                    approvals = self._into.approvals
                    ask = approvals.draft if self._dry_run else approvals.ask_permission
                    await ask(self._namespace, entry.subject, action, risk, entry.reason, REQUESTED_BY)
            except AgentOSError as error:
                self._tally.refuse(entry, error)
            else:
                known.add((action, entry.subject))
                self._tally.add(f"{entry.action}: {entry.reason}", is_known=is_known)


async def all_goals(goals: GoalService, namespace: str) -> list[Goal]:
    """Every goal of a namespace, whatever its status."""
    found: list[Goal] = []
    offset, total = 0, 1
    while offset < total:
        page = await goals.page(namespace, "all", GOALS_AT_ONCE, offset)
        found += page.goals
        offset, total = offset + GOALS_AT_ONCE, page.total
    return found


def _parents_first(entries: Iterable[GoalEntry]) -> list[GoalEntry]:
    """Each goal after the one that it belongs to; where they run in a circle, one of them goes first."""
    waiting: dict[str, GoalEntry] = {}
    repeated = [entry for entry in entries if waiting.setdefault(entry.id, entry) is not entry]
    ordered: list[GoalEntry] = []
    for entry in list(waiting.values()):
        chain: list[GoalEntry] = []
        at: GoalEntry | None = entry
        while at is not None and waiting.pop(at.id, None) is not None:
            chain.append(at)
            at = waiting.get(at.parent or "")
        ordered += reversed(chain)
    return ordered + repeated


def _mark(entry: GoalEntry | ActionEntry) -> str:
    """The tag or key that keeps a goal or an action from coming in twice."""
    return f"imported:{entry.id}"[:60]


def _action_name(action: str) -> str:
    """A name as approvals have them."""
    return "".join(letter if letter.isalnum() or letter in "_.:-" else "_" for letter in action.lower())[:64]
