"""Goals: the tree with progress and deadlines, and what can be said about each."""

from collections.abc import Sequence
from datetime import UTC, datetime

from .....modules.errors import InvalidInput
from .....modules.goals.models import Goal
from ..visit import Redirect, Shown, Visit

STATUSES = ("active", "paused", "completed", "abandoned", "all")
MOST = 200
_NEVER = datetime.max.replace(tzinfo=UTC)


async def show(visit: Visit, path: str) -> Shown:
    """Show the tree of goals in a status."""
    status = visit.given("status") if visit.given("status") in STATUSES else "active"
    goals = _by_priority(await visit.agentos.goals.tree(visit.namespace, status))
    values = {"goals": goals[:MOST], "total": len(goals), "may_write": visit.may("writer")}
    return Shown("goals.html", {**values, "status": status, "statuses": STATUSES})


def _by_priority(tree: Sequence[tuple[Goal, int]]) -> list[tuple[Goal, int]]:
    """Return a tree with siblings in the order of their priority, then of their deadline."""
    below: dict[str | None, list[Goal]] = {}
    known = {goal.id for goal, _ in tree}
    for goal, _ in tree:
        below.setdefault(goal.parent_goal_id if goal.parent_goal_id in known else None, []).append(goal)
    ordered: list[tuple[Goal, int]] = []
    waiting = [(goal, 0) for goal in _least_first(below.get(None, []))]
    while waiting:
        goal, depth = waiting.pop()
        ordered.append((goal, depth))
        waiting += [(one, depth + 1) for one in _least_first(below.pop(goal.id, []))]
    return ordered


def _least_first(goals: Sequence[Goal]) -> list[Goal]:
    return sorted(goals, key=lambda goal: (-goal.priority, goal.deadline or _NEVER, goal.title), reverse=True)


async def act(visit: Visit, path: str) -> Redirect:
    """Add a goal, or change one. Raises AgentOSError."""
    what, goal = visit.given("do"), visit.given("id")
    if what == "add":
        await visit.call(
            "goal_add",
            title=visit.given("title"),
            description=visit.given("description") or visit.given("title"),
            deadline=visit.given("deadline"),
            priority=visit.number("priority", 50) / 100,
            parent_goal_id=visit.given("parent"),
        )
        return Redirect("/goals", {"done": "goal_added"})
    if what == "progress":
        share = visit.number("progress", 0) / 100
        await visit.call("goal_update_progress", goal_id=goal, progress=share, notes=visit.given("notes"))
    elif what in ("active", "paused", "completed", "abandoned"):
        await visit.call("goal_update_status", goal_id=goal, status=what, notes=visit.given("notes"))
    elif what == "edit":
        await visit.call(
            "goal_update",
            goal_id=goal,
            title=visit.given("title"),
            description=visit.given("description"),
            deadline=visit.given("deadline"),
            priority=visit.number("priority", 50) / 100 if visit.given("priority") else None,
        )
    else:
        raise InvalidInput("do", visit.text("errors.unknown_action"))
    return Redirect("/goals", {"done": "goal_changed"})
