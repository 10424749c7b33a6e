"""Sessions: runs of agents on projects, and one of them with its observations in order."""

from datetime import datetime

from .....modules.errors import InvalidInput
from ..visit import Redirect, Shown, Visit


async def show(visit: Visit, path: str) -> Shown:
    """Show the sessions, the last active first, or one."""
    session_id = path.partition("/")[2]
    if session_id:
        session = await visit.agentos.sessions.get(visit.namespace, session_id)
        timeline = await visit.call("session_timeline", id=session_id, before=50, after=50)
        turns = await visit.call("turn_window", session=session.key, limit=50)
        observed = [one for one in timeline["results"] if one["type"] != "session"]
        entries = sorted([*observed, *turns["results"]], key=lambda one: datetime.fromisoformat(one["at"]))
        values = {"session": session, "entries": entries}
        return Shown("session.html", values)
    found = await visit.call("session_list", limit=50, project=visit.given("project"), state=visit.given("state"))
    return Shown("sessions.html", {"sessions": found["results"]})


async def act(visit: Visit, path: str) -> Redirect:
    """End, resume or rename a session. Raises AgentOSError."""
    session_id = path.partition("/")[2]
    if visit.given("do") != "update":
        raise InvalidInput("do", "is not known here")
    await visit.call("session_update", id=session_id, state=visit.given("state"), title=visit.given("title"))
    return Redirect(f"/sessions/{session_id}", {"done": "session_changed"})
