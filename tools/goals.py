"""The goal tools."""

from typing import Annotated, Literal

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.sessions.models import Project
from ..modules.views import goals as views
from .filters import Moment
from .tool import Tool


async def goal_add(
    agentos: AgentOS,
    namespace: str,
    here: Project | None = None,
    *,
    title: str,
    description: str,
    priority: Annotated[float, Field(description="0 to 1")] = 0.5,
    urgency: float = 0.5,
    deadline: Moment = None,
    parent_goal_id: str | None = None,
    tags: list[str] | None = None,
    project: str | None = None,
) -> views.GoalView:
    """Add a goal that outlives this session, or a sub-goal of another."""
    own = await agentos.sessions.belonging(namespace, project, here)
    goal = await agentos.goals.add(
        namespace,
        title,
        description,
        priority,
        urgency,
        deadline,
        parent_goal_id,
        (*(tags or ()), *([] if own is None else [own.id])),
    )
    return views.goal_view(goal)


async def goal_get_active(
    agentos: AgentOS, namespace: str, *, limit: Annotated[int, Field(description="1 to 200")] = 10
) -> views.GoalList:
    """List active goals, most pressing first, by priority, urgency and deadline."""
    ranked = await agentos.goals.ranked(namespace, limit)
    total = (await agentos.goals.statistics(namespace)).active
    return views.goals([entry.goal for entry in ranked], total)


async def goal_update_progress(
    agentos: AgentOS,
    namespace: str,
    *,
    goal_id: str,
    progress: Annotated[float, Field(description="0 to 1; 1 completes")],
    notes: str | None = None,
) -> views.GoalView:
    """Set a goal's progress. Notes are added to the earlier ones; a paused goal stays paused."""
    goal = await agentos.goals.update_progress(namespace, goal_id, progress, notes)
    return views.goal_view(goal)


async def goal_update_status(
    agentos: AgentOS,
    namespace: str,
    *,
    goal_id: str,
    status: Literal["active", "paused", "completed", "abandoned", "cancelled"],
    notes: str | None = None,
) -> views.GoalView:
    """Pause, resume, complete or abandon a goal (cancelled means abandoned)."""
    goal = await agentos.goals.update_status(namespace, goal_id, status, notes)
    return views.goal_view(goal)


async def goal_list(
    agentos: AgentOS,
    namespace: str,
    *,
    status: Literal["active", "paused", "completed", "abandoned", "all"] = "active",
    limit: Annotated[int, Field(description="1 to 200")] = 20,
    offset: int = 0,
    project: Annotated[str | None, Field(description="a tag")] = None,
    detail: Annotated[Literal["lean", "full"], Field(description="full: descriptions, notes, scores")] = "lean",
) -> views.GoalList:
    """List goals in a status, newest first."""
    of = await agentos.sessions.spellings(namespace, project) or None
    page = await agentos.goals.page(namespace, status, limit, offset, of)
    if detail == "lean":
        return views.goals(page.goals, page.total)
    now = agentos.clock()
    return views.full_goals([(goal, agentos.goals.score(goal, now)) for goal in page.goals], page.total)


GOAL_TOOLS = (
    Tool(goal_add, "Add a goal", is_placed=True),
    Tool(goal_get_active, "Most pressing goals", read_only=True, idempotent=True),
    Tool(goal_update_progress, "Update a goal's progress"),
    Tool(goal_update_status, "Change a goal's status"),
    Tool(goal_list, "List goals", read_only=True, idempotent=True, may_lag=True),
)
