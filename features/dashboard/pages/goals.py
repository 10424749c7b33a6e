"""Goals: the tree with progress and deadlines a page at a time, and one goal with what can be said about it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from ....modules import inputs
from ....modules.errors import InvalidInput
from ....modules.goals.models import Goal, GoalStatus
from ....modules.goals.service import ALL, NONE
from .. import charts
from ..paging import page_of
from ..visit import Redirect, Shown, Undo, Visit

STATUSES = ("active", "paused", "completed", "abandoned", ALL)
PAGE = 50
MOST_PARENTS = 200
"""The goals that another one can be made a part of at its page: the most important ones."""
_NEVER = datetime.max.replace(tzinfo=UTC)


async def show(visit: Visit, path: str) -> Shown:
    """Show a page of the tree of goals in a status, or one goal. Raises NotFound."""
    goal_id = _id(path)
    if goal_id:
        return await _goal(visit, goal_id)
    status = visit.given("status") if visit.given("status") in STATUSES else STATUSES[0]
    goals = _by_priority([pair for one in visit.namespaces for pair in await _of_project(visit, one, status)])
    page = page_of(visit, "/goals", len(goals), PAGE, status=status)
    shown = goals[page.begin : page.begin + PAGE]
    known = {goal.id: goal for goal, _ in goals}
    return Shown(
        "goals.html",
        {
            "goals": shown,
            "line": charts.span_line(visit.text, [goal for goal, _ in shown], visit.now),
            "above": _above(shown[0][0], known) if shown else [],
            "total": len(goals),
            "status": status,
            "statuses": STATUSES,
            "projects": await visit.projects(),
            "earlier": page.earlier,
            "later": page.later,
            "may_write": visit.may_write,
        },
    )


async def _of_project(visit: Visit, namespace: str, status: str) -> list[tuple[Goal, int]]:
    """Return the tree of goals of an agent, those of the chosen project alone if there is one."""
    tree = await visit.agentos.goals.tree(namespace, status)
    if not visit.project:
        return tree
    tags = {one.casefold() for one in await visit.agentos.sessions.spellings(namespace, visit.project)}
    return [(goal, depth) for goal, depth in tree if tags & {one.casefold() for one in goal.tags}]


async def _goal(visit: Visit, goal_id: str) -> Shown:
    """Show a goal with what it is a part of and its parts. Raises NotFound."""
    goal = await visit.agentos.goals.get(visit.namespace, goal_id)
    tree = _by_priority(await visit.agentos.goals.tree(visit.namespace, ALL))
    known = {one.id: one for one, _ in tree}
    at = next((number for number, (one, _) in enumerate(tree) if one.id == goal.id), len(tree))
    depth = tree[at][1] if at < len(tree) else 0
    end = next((number for number in range(at + 1, len(tree)) if tree[number][1] <= depth), len(tree))
    below = [(one, deep - depth - 1) for one, deep in tree[at + 1 : end]]
    inside = {goal.id, *(one.id for one, _ in below)}
    parents = [one for one, _ in tree if one.status.is_open and one.id not in inside and one.id != goal.parent_goal_id]
    return Shown(
        "goal.html",
        {
            "goal": goal,
            "above": _above(goal, known),
            "below": below[:PAGE],
            "more_below": len(below) - PAGE,
            "parent": known.get(goal.parent_goal_id or ""),
            "parents": parents[:MOST_PARENTS],
            "may_write": visit.may_write,
        },
    )


def _id(path: str) -> str:
    return path.partition("/")[2]


def _above(goal: Goal, known: Mapping[str, Goal]) -> list[Goal]:
    """Return what a goal is a part of, the outermost first."""
    found: list[Goal] = []
    above = known.get(goal.parent_goal_id or "")
    while above is not None and above not in found:
        found.append(above)
        above = known.get(above.parent_goal_id or "")
    return found[::-1]


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
    """Add a goal, or change the one that the page is about. Raises AgentOSError."""
    what, goal_id = visit.given("do"), _id(path)
    if what == "add":
        added = await visit.call(
            "goal_add",
            title=visit.given("title"),
            description=visit.given("description") or visit.given("title"),
            deadline=visit.end_of_day("deadline"),
            priority=visit.number("priority", 50) / 100,
            parent_goal_id=goal_id,
        )
        here = f"/goals/{added['id']}"
        return Redirect(here, {"done": "goal_added"}, Undo(here, {"do": "abandoned"}))
    before = await visit.agentos.goals.get(visit.namespace, goal_id)
    if what == "put_back":
        await _put_back(visit, before)
    elif what == "progress":
        share = visit.number("progress", 0) / 100
        await visit.call("goal_update_progress", goal_id=goal_id, progress=share, notes=visit.given("notes"))
    elif what in ("active", "paused", "completed", "abandoned"):
        await visit.call("goal_update_status", goal_id=goal_id, status=what, notes=visit.given("notes"))
    elif what == "edit":
        await visit.call(
            "goal_update",
            goal_id=goal_id,
            title=visit.given("title"),
            description=visit.given("description"),
            deadline=visit.end_of_day("deadline") or NONE,
            priority=visit.number("priority", 50) / 100 if visit.given("priority") else None,
            parent_goal_id=visit.given("parent") or NONE,
        )
    else:
        raise InvalidInput("do", visit.text("errors.unknown_action"))
    return Redirect(f"/goals/{goal_id}", {"done": "goal_changed"}, await as_before(visit, before))


async def as_before(visit: Visit, goal: Goal) -> Undo:
    """Return the form that makes a goal again what it was before it was changed just now, unless it changes later."""
    now = await visit.agentos.goals.get(visit.namespace, goal.id)
    fields = {
        "do": "put_back",
        "version": str(now.version),
        "title": goal.title,
        "description": goal.description,
        "deadline": goal.deadline.isoformat() if goal.deadline else "",
        "priority": str(goal.priority),
        "progress": str(goal.progress),
        "status": goal.status.value,
        "completed_at": goal.completed_at.isoformat() if goal.completed_at else "",
        "parent": goal.parent_goal_id or "",
    }
    return Undo(f"/goals/{goal.id}", fields)


async def _put_back(visit: Visit, goal: Goal) -> None:
    """Make a goal again what a form says that it was. Raises AgentOSError."""
    before = replace(
        goal,
        title=visit.given("title"),
        description=visit.given("description"),
        deadline=inputs.moment("deadline", visit.given("deadline") or None),
        priority=visit.number("priority", goal.priority),
        progress=visit.number("progress", goal.progress),
        status=inputs.choice("status", visit.given("status"), GoalStatus),
        completed_at=inputs.moment("completed_at", visit.given("completed_at") or None),
        parent_goal_id=visit.given("parent") or None,
    )
    namespace = visit.caller.writing(visit.namespace)
    await visit.agentos.goals.put_back(namespace, before, int(visit.number("version", 0)))
