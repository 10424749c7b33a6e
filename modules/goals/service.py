"""The goal service: add, rank, progress, status, list."""

import logging
from collections.abc import Awaitable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from .. import identifiers, inputs
from ..clock import Clock
from ..errors import AgentOSError, Conflict, InvalidInput, NotFound
from ..identifiers import PROJECT_PREFIX
from ..records import dataclass
from ..redactor import Redactor
from . import formulas, hierarchy
from .models import Goal, GoalNote, GoalStatistics, GoalStatus, RankedGoal

if TYPE_CHECKING:
    from ...storage.repositories.goals import GoalsRepository
    from ..insights.triggers import Triggers

ALL = "all"
MAX_LIMIT = 200
MAX_OFFSET = 10_000_000
MAX_DESCRIPTION_BYTES = 16 * 1024
MAX_TREE = 2_000
NONE = "none"
"""The value that removes a deadline or a parent."""

log = logging.getLogger(__name__)

_ALIASES = {"cancelled": GoalStatus.ABANDONED, "canceled": GoalStatus.ABANDONED}


@dataclass(frozen=True)
class GoalPage:
    """One page of goals, newest first, and how many there are in all."""

    goals: tuple[Goal, ...]
    total: int


@dataclass(frozen=True)
class GoalChanges:
    """Changes of a goal: a field that is None stays; a deadline or parent of `none` is removed."""

    title: str | None = None
    description: str | None = None
    priority: float | None = None
    urgency: float | None = None
    deadline: str | None = None
    parent_goal_id: str | None = None
    tags: Sequence[str] | None = None


class GoalService:
    """The rules of goals over one store."""

    def __init__(self, repository: "GoalsRepository", listener: "Triggers", redactor: Redactor, clock: Clock) -> None:
        self._repository = repository
        self._listener = listener
        self._redactor = redactor
        self._clock = clock

    async def add(
        self,
        namespace: str,
        title: str,
        description: str,
        priority: float = 0.5,
        urgency: float = 0.5,
        deadline: str | None = None,
        parent_goal_id: str | None = None,
        tags: Sequence[str] = (),
    ) -> Goal:
        """Add a goal. A deadline without a time zone is UTC; a bare date means the end of that day.

        A new goal has no children, so that its parent can never make a cycle. Raises InvalidInput, or NotFound if the
        parent does not exist.
        """
        draft = await self.draft(namespace, title, description, priority, urgency, deadline, parent_goal_id, tags)
        return await self.keep(draft)

    async def draft(
        self,
        namespace: str,
        title: str,
        description: str,
        priority: float = 0.5,
        urgency: float = 0.5,
        deadline: str | None = None,
        parent_goal_id: str | None = None,
        tags: Sequence[str] = (),
    ) -> Goal:
        """Return a new goal as `keep` would store it. Raises InvalidInput."""
        now = self._clock()
        return Goal(
            id=identifiers.new_id("goal"),
            namespace=namespace,
            title=await self._title(title),
            description=await self._description(description),
            priority=inputs.unit_interval("priority", priority),
            urgency=inputs.unit_interval("urgency", urgency),
            deadline=inputs.end_of_day_if_date_only("deadline", deadline),
            progress=0.0,
            status=GoalStatus.ACTIVE,
            parent_goal_id=None if parent_goal_id is None else inputs.text("parent_goal_id", parent_goal_id, 200),
            tags=await self._redactor.tags(inputs.tags("tags", tags)),
            notes=(),
            created_at=now,
            updated_at=now,
        )

    async def resumed(self, draft: Goal, status: str, progress: float, notes: str | None) -> Goal:
        """Return the draft of a goal that was worked on elsewhere, as it stood there. Raises InvalidInput."""
        reached = _ALIASES.get(status) or inputs.choice("status", status, GoalStatus)
        completed = reached is GoalStatus.COMPLETED
        note = await self._note(notes, draft.created_at)
        return replace(
            draft,
            status=reached,
            progress=1.0 if completed else inputs.unit_interval("progress", progress),
            completed_at=draft.created_at if completed else None,
            notes=() if note is None else (note,),
        )

    async def keep(self, draft: Goal) -> Goal:
        """Store a draft. Raises NotFound if its parent does not exist."""
        added = await self._repository.add(draft)
        await self._tell(self._listener.goal_added(added))
        if not added.status.is_open:
            await self._tell(self._listener.goal_closed(added))
        return added

    async def _tell(self, telling: Awaitable[None]) -> None:
        """Tell the listener of a change that is stored already: its failure must not look like a refusal."""
        try:
            await telling
        except AgentOSError as error:
            log.warning("a change of a goal could not be reported: %s", error)

    async def ranked(self, namespace: str, limit: int = 10, first: Sequence[str] = ()) -> list[RankedGoal]:
        """Return active goals by composite score, highest first; those with a tag in `first` before all others.

        `first` are the names of a project: goals of other projects are left out then.

        Raises InvalidInput.
        """
        inputs.count("limit", limit, 1, MAX_LIMIT)
        now = self._clock()
        lead = {tag.casefold() for tag in first}
        active = [goal for goal in await self._repository.active(namespace) if is_for(goal.tags, lead)]
        ranked = [RankedGoal(goal, self.score(goal, now)) for goal in active]

        def order(entry: RankedGoal) -> tuple[bool, float, datetime, str]:
            leads = any(tag.casefold() in lead for tag in entry.goal.tags)
            return not leads, -entry.score, entry.goal.created_at, entry.goal.id

        ranked.sort(key=order)
        return ranked[:limit]

    def score(self, goal: Goal, now: datetime) -> float:
        """Return the composite priority of a goal at a moment."""
        return formulas.score(goal.priority, goal.urgency, goal.deadline, now)

    async def get(self, namespace: str, goal_id: str) -> Goal:
        """Return a goal. Raises NotFound, InvalidInput."""
        return await self._existing(namespace, goal_id)

    async def update_progress(self, namespace: str, goal_id: str, progress: float, notes: str | None = None) -> Goal:
        """Set the progress; 1.0 completes the goal. Never un-pauses it, and earlier notes are kept.

        Raises NotFound, InvalidInput, or Conflict if the goal is completed or abandoned.
        """
        goal = await self._existing(namespace, goal_id)
        inputs.unit_interval("progress", progress)
        if not goal.status.is_open:
            raise Conflict(f"goal_id: this goal is {goal.status}; set it to active with goal_update_status first")
        now = self._clock()
        done = progress >= 1.0
        changed = replace(
            goal,
            progress=progress,
            status=GoalStatus.COMPLETED if done else goal.status,
            completed_at=now if done else None,
            updated_at=now,
        )
        saved = await self._repository.save(changed, await self._note(notes, now))
        await self._tell(self._listener.goal_closed(saved) if done else self._listener.goal_progressed(saved))
        return saved

    async def update_status(self, namespace: str, goal_id: str, status: str, notes: str | None = None) -> Goal:
        """Move a goal to active, paused, completed or abandoned (`cancelled` means abandoned).

        One that is open again has the progress that it had before it was completed.

        Raises NotFound or InvalidInput.
        """
        goal = await self._existing(namespace, goal_id)
        target = _ALIASES.get(status) or inputs.choice("status", status, GoalStatus)
        now = self._clock()
        completed = target is GoalStatus.COMPLETED
        changed = replace(
            goal,
            status=target,
            completed_at=(goal.completed_at or now) if completed else None,
            updated_at=now,
        )
        saved = await self._repository.save(changed, await self._note(notes, now))
        if not target.is_open and target is not goal.status:
            await self._tell(self._listener.goal_closed(saved))
        return saved

    async def edit(self, namespace: str, goal_id: str, changes: GoalChanges, notes: str | None = None) -> Goal:
        """Change the fields of a goal, or its parent; earlier notes are kept.

        Raises NotFound, InvalidInput; Conflict if it would become a part of itself, or has changed meanwhile.
        """
        goal = await self._existing(namespace, goal_id)
        if changes == GoalChanges():
            raise InvalidInput("goal_id", "nothing to change; give title, description, deadline, …")
        now = self._clock()
        changed = replace(
            goal,
            title=goal.title if changes.title is None else await self._title(changes.title),
            description=(
                goal.description if changes.description is None else await self._description(changes.description)
            ),
            priority=(
                goal.priority if changes.priority is None else inputs.unit_interval("priority", changes.priority)
            ),
            urgency=goal.urgency if changes.urgency is None else inputs.unit_interval("urgency", changes.urgency),
            deadline=goal.deadline if changes.deadline is None else _deadline(changes.deadline),
            parent_goal_id=(goal.parent_goal_id if changes.parent_goal_id is None else _parent(changes.parent_goal_id)),
            tags=goal.tags if changes.tags is None else await self._redactor.tags(inputs.tags("tags", changes.tags)),
            updated_at=now,
        )
        return await self._repository.save(changed, await self._note(notes, now))

    async def put_back(self, namespace: str, before: Goal, version: int) -> Goal:
        """Make a goal again what it was before the change that made it this version; its notes stay.

        Raises NotFound, InvalidInput; Conflict if it has changed since.
        """
        goal = await self._existing(namespace, before.id)
        changed = replace(
            goal,
            version=version,
            title=await self._title(before.title),
            description=await self._description(before.description),
            priority=inputs.unit_interval("priority", before.priority),
            deadline=before.deadline,
            progress=inputs.unit_interval("progress", before.progress),
            status=before.status,
            completed_at=before.completed_at,
            parent_goal_id=before.parent_goal_id,
            updated_at=self._clock(),
        )
        return await self._repository.save(changed, None)

    async def tree(self, namespace: str, status: str = ALL) -> list[tuple[Goal, int]]:
        """Return goals with their depth, each below its parent; the newest MAX_TREE of them. Raises InvalidInput."""
        found: list[Goal] = []
        while len(found) < MAX_TREE:
            page = await self.page(namespace, status, MAX_LIMIT, len(found))
            found += page.goals
            if not page.goals or len(found) >= page.total:
                break
        return hierarchy.ordered(found)

    async def page(
        self,
        namespace: str,
        status: str = GoalStatus.ACTIVE,
        limit: int = 20,
        offset: int = 0,
        tags: Sequence[str] | None = None,
    ) -> GoalPage:
        """Return goals in one state, or in `all`, newest first; with `tags`, those with any. Raises InvalidInput."""
        inputs.count("limit", limit, 1, MAX_LIMIT)
        inputs.count("offset", offset, 0, MAX_OFFSET)
        if status == ALL:
            statuses = list(GoalStatus)
        elif status in _ALIASES:
            statuses = [_ALIASES[status]]
        else:
            try:
                statuses = [GoalStatus(status)]
            except ValueError:
                raise InvalidInput("status", f"must be one of {', '.join(GoalStatus)}, all") from None
        goals, total = await self._repository.page(namespace, statuses, limit, offset, tags)
        return GoalPage(tuple(goals), total)

    async def active(self, namespace: str) -> list[Goal]:
        """Return every active goal, the oldest first."""
        return await self._repository.active(namespace)

    async def completed_since(self, namespace: str, since: datetime) -> list[Goal]:
        """Return goals completed at or after a moment."""
        return await self._repository.completed_since(namespace, since)

    async def statistics(self, namespace: str) -> GoalStatistics:
        """Count the goals: in all, active and completed."""
        return await self._repository.statistics(namespace)

    async def _existing(self, namespace: str, goal_id: str) -> Goal:
        inputs.text("goal_id", goal_id, 200)
        goal = await self._repository.get(namespace, goal_id)
        if goal is None:
            raise NotFound(f"goal_id: there is no goal {goal_id[:60]!r}; goal_list gives valid ids")
        return goal

    async def _title(self, text: str) -> str:
        return await self._redactor.text(inputs.text("title", text, 500))

    async def _description(self, text: str) -> str:
        return await self._redactor.text(inputs.text("description", text, MAX_DESCRIPTION_BYTES, allow_empty=True))

    async def _note(self, text: str | None, at: datetime) -> GoalNote | None:
        if text is None or not text.strip():
            return None
        return GoalNote(at, await self._redactor.text(inputs.text("notes", text, MAX_DESCRIPTION_BYTES)))


def _deadline(text: str) -> datetime | None:
    return None if text == NONE else inputs.end_of_day_if_date_only("deadline", text)


def _parent(goal_id: str) -> str | None:
    return None if goal_id == NONE else inputs.text("parent_goal_id", goal_id, 200)


def is_for(tags: Sequence[str], project: Collection[str]) -> bool:
    """Return whether a goal with these tags is of the project with these names, or of none; without names all are."""
    ids = {tag.casefold() for tag in tags if tag.startswith(PROJECT_PREFIX)}
    return not project or not ids or not ids.isdisjoint(project)
