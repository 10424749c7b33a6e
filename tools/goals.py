"""The goal tools."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.framing import quote
from .tool import Tool
from .views import GoalView, goal_view


@dataclass(frozen=True)
class GoalList:
    """Goals, and how many there are in all."""

    results: list[GoalView]
    total: int


async def goal_add(
    agentos: AgentOS,
    namespace: str,
    *,
    title: str,
    description: str,
    priority: Annotated[float, Field(description="0 to 1")] = 0.5,
    urgency: float = 0.5,
    deadline: Annotated[str | None, Field(description="ISO 8601; UTC if without a zone")] = None,
    parent_goal_id: str | None = None,
    tags: list[str] | None = None,
) -> GoalView:
    """Add a goal that outlives this session, or a sub-goal of another."""
    goal = await agentos.goals.add(
        namespace, title, description, priority, urgency, deadline, parent_goal_id, tags or ()
    )
    return goal_view(goal, agentos.goals.score(goal, agentos.clock()))


async def goal_get_active(
    agentos: AgentOS, namespace: str, *, limit: Annotated[int, Field(description="1 to 200")] = 10
) -> GoalList:
    """Active goals by priority, urgency and closeness of the deadline, the most pressing first."""
    ranked = await agentos.goals.ranked(namespace, limit)
    total = (await agentos.goals.statistics(namespace)).active
    return GoalList([goal_view(entry.goal, entry.score) for entry in ranked], total)


async def goal_update_progress(
    agentos: AgentOS,
    namespace: str,
    *,
    goal_id: str,
    progress: Annotated[float, Field(description="0 to 1; 1 completes")],
    notes: str | None = None,
) -> GoalView:
    """Set a goal's progress. Notes are added to the earlier ones; a paused goal stays paused."""
    goal = await agentos.goals.update_progress(namespace, goal_id, progress, notes)
    return goal_view(goal, agentos.goals.score(goal, agentos.clock()))


async def goal_update_status(
    agentos: AgentOS,
    namespace: str,
    *,
    goal_id: str,
    status: Literal["active", "paused", "completed", "abandoned", "cancelled"],
    notes: str | None = None,
) -> GoalView:
    """Pause, resume, complete or abandon a goal (cancelled means abandoned)."""
    goal = await agentos.goals.update_status(namespace, goal_id, status, notes)
    return goal_view(goal, agentos.goals.score(goal, agentos.clock()))


async def goal_list(
    agentos: AgentOS,
    namespace: str,
    *,
    status: Literal["active", "paused", "completed", "abandoned", "all"] = "active",
    limit: Annotated[int, Field(description="1 to 200")] = 20,
    offset: int = 0,
) -> GoalList:
    """List goals in a status, newest first."""
    page = await agentos.goals.page(namespace, status, limit, offset)
    now = agentos.clock()
    return GoalList([goal_view(goal, agentos.goals.score(goal, now)) for goal in page.goals], page.total)


def _goal_text(goal: GoalView) -> str:
    due = f", due {goal.deadline:%Y-%m-%d %H:%M} UTC" if goal.deadline else ""
    return f"{goal.id} {quote(goal.title, 200)} {goal.status}, {goal.progress:.0%}{due}, score {goal.score:.2f}"


def _goals_text(result: GoalList) -> str:
    lines = [f"- {_goal_text(goal)}" for goal in result.results]
    lines.append(f"{len(result.results)} of {result.total} goals.")
    return "\n".join(lines)


GOAL_TOOLS = (
    Tool(goal_add, "Add a goal", _goal_text),
    Tool(goal_get_active, "Most pressing goals", _goals_text, read_only=True, idempotent=True),
    Tool(goal_update_progress, "Update a goal's progress", _goal_text),
    Tool(goal_update_status, "Change a goal's status", _goal_text),
    Tool(goal_list, "List goals", _goals_text, read_only=True, idempotent=True),
)
