"""Goals: the tree with progress and deadlines, and what can be said about each."""

from .....modules.errors import InvalidInput
from ..visit import Redirect, Shown, Visit

STATUSES = ("active", "paused", "completed", "abandoned", "all")


async def show(visit: Visit, path: str) -> Shown:
    """Show the tree of goals in a status."""
    status = visit.given("status") if visit.given("status") in STATUSES else "active"
    tree = await visit.call("goal_tree", status=status, limit=200)
    whole = await visit.call("goal_list", status=status, limit=200, detail="full")
    deadlines = {goal["id"]: goal.get("deadline") for goal in whole["results"]}
    goals = [{**goal, "deadline": deadlines.get(goal["id"])} for goal in tree["results"]]
    return Shown("goals.html", {"goals": goals, "total": tree["total"], "status": status, "statuses": STATUSES})


async def act(visit: Visit, path: str) -> Redirect:
    """Add a goal, or change one. Raises AgentOSError."""
    what, goal = visit.given("do"), visit.given("id")
    if what == "add":
        await visit.call(
            "goal_add",
            title=visit.given("title"),
            description=visit.given("description") or visit.given("title"),
            deadline=visit.given("deadline"),
            priority=visit.number("priority", 0.5),
            parent_goal_id=visit.given("parent"),
        )
        return Redirect("/goals", {"done": "goal_added"})
    if what == "progress":
        share = visit.number("progress", 0) / 100
        await visit.call("goal_update_progress", goal_id=goal, progress=share, notes=visit.given("notes"))
    elif what in ("active", "paused", "completed", "abandoned"):
        await visit.call("goal_update_status", goal_id=goal, status=what)
    elif what == "edit":
        await visit.call(
            "goal_update",
            goal_id=goal,
            title=visit.given("title"),
            description=visit.given("description"),
            deadline=visit.given("deadline"),
        )
    else:
        raise InvalidInput("do", "is not known here")
    return Redirect("/goals", {"done": "goal_changed"})
