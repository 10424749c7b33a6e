"""Sessions: runs of agents on projects, and one of them with its observations in order."""

from datetime import UTC, datetime
from itertools import groupby

from .....modules.errors import InvalidInput
from ..visit import Redirect, Shown, Visit

STATES = ("active", "completed", "failed")
MOST = 50


async def show(visit: Visit, path: str) -> Shown:
    """Show the sessions, the last active first, or one."""
    session_id = path.partition("/")[2]
    if session_id:
        return await _one(visit, session_id)
    project, state = visit.given("project"), visit.given("state")
    projects = await visit.agentos.sessions.projects(visit.namespace)
    names = {one.name for one in projects}
    found = await visit.call(
        "session_list",
        limit=MOST,
        project=project if project in names else None,
        state=state if state in STATES else None,
    )
    values = {"project": project, "state": state, "projects": projects, "states": STATES}
    return Shown("sessions.html", {"sessions": found["results"], **values})


async def _one(visit: Visit, session_id: str) -> Shown:
    """Show what was said and observed in a session, day by day."""
    session = await visit.agentos.sessions.get(visit.namespace, session_id)
    timeline = await visit.call("session_timeline", id=session_id, before=MOST, after=MOST)
    turns = await visit.call("turn_window", session=session.key, limit=MOST)
    observed = [one for one in timeline["results"] if one["type"] != "session"]
    entries = sorted([*observed, *turns["results"]], key=lambda one: datetime.fromisoformat(one["at"]))
    days = groupby(entries, key=lambda one: datetime.fromisoformat(one["at"]).astimezone(UTC).date())
    values = {"session": session, "days": [(day, list(of_day)) for day, of_day in days], "states": STATES}
    return Shown("session.html", {**values, "may_write": visit.may("writer")})


async def act(visit: Visit, path: str) -> Redirect:
    """End, resume or rename a session. Raises AgentOSError."""
    session_id = path.partition("/")[2]
    if visit.given("do") != "update":
        raise InvalidInput("do", visit.text("errors.unknown_action"))
    await visit.call("session_update", id=session_id, state=visit.given("state"), title=visit.given("title"))
    return Redirect(f"/sessions/{session_id}", {"done": "session_changed"})
