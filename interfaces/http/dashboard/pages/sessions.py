"""Sessions: runs of agents on projects, and one of them with what was said, done and observed in order."""

from datetime import datetime
from itertools import groupby
from typing import Any

from .....modules.errors import InvalidInput
from .....modules.sessions.models import Event, EventType
from .....modules.sessions.tool_calls import from_json
from ..visit import Redirect, Shown, Undo, Visit

STATES = ("active", "completed", "failed")
MOST = 50
MOST_EVENTS = 200


async def show(visit: Visit, path: str) -> Shown:
    """Show the sessions, the last active first, or one."""
    session_id = path.partition("/")[2]
    if session_id:
        return await _session(visit, session_id)
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


async def _session(visit: Visit, session_id: str) -> Shown:
    """Show what was said, done and observed in a session, day by day."""
    session = await visit.agentos.sessions.get(visit.namespace, session_id)
    after = int(visit.number("after", 0))
    found = await visit.agentos.sessions.events(session, after, MOST_EVENTS + 1)
    events, more = found[:MOST_EVENTS], len(found) > MOST_EVENTS
    happened = [entry for event in events if (entry := _entry(event)) is not None]
    first = events[0].occurred_at if after and events else None
    last = events[-1].occurred_at if more else None
    derived = [
        one
        for one in [*await _observed(visit, session_id), *await _turns(visit, session.key)]
        if (first is None or one["at"] >= first) and (last is None or one["at"] <= last)
    ]
    entries = sorted([*happened, *derived], key=lambda one: one["at"])  # what was made of events after them
    days = groupby(entries, key=lambda one: visit.text.day_of(one["at"]))
    values = {"session": session, "days": [(day, list(of_day)) for day, of_day in days], "states": STATES}
    later = visit.url(f"/sessions/{session_id}", after=events[-1].seq) if more else ""
    return Shown("session.html", {**values, "later": later, "may_write": visit.may_write})


def _entry(event: Event) -> dict[str, Any] | None:
    """Return an event as an entry of the timeline; None for what only the recorder needs."""
    if event.type is EventType.TURN:
        return {"at": event.occurred_at, "kind": event.role, "text": event.text, "memory": ""}
    if event.type is not EventType.TOOL_CALL:
        return None
    call = from_json(event.structured)
    touched = ", ".join(dict.fromkeys((*call.files_modified, *call.files_read)))
    text = " ".join(part for part in (call.tool, call.command or touched or call.subject) if part)
    return {
        "at": event.occurred_at,
        "kind": "failed" if call.success is False else "tool_call",
        "text": text,
        "memory": "",
    }


async def _observed(visit: Visit, session_id: str) -> list[dict[str, Any]]:
    timeline = await visit.call("session_timeline", id=session_id)
    return [
        {"at": datetime.fromisoformat(one["at"]), "kind": one["type"], "text": one["title"], "memory": one["id"]}
        for one in timeline["results"]
        if one["type"] != "session"
    ]


async def _turns(visit: Visit, key: str) -> list[dict[str, Any]]:
    window = await visit.call("turn_window", session=key, limit=MOST)
    return [
        {"at": datetime.fromisoformat(one["at"]), "kind": one["role"], "text": one["text"], "memory": one["id"]}
        for one in window["results"]
    ]


async def act(visit: Visit, path: str) -> Redirect:
    """End, resume or rename a session. Raises AgentOSError."""
    session_id = path.partition("/")[2]
    if visit.given("do") != "update":
        raise InvalidInput("do", visit.text("errors.unknown_action"))
    before = await visit.agentos.sessions.get(visit.namespace, session_id)
    await visit.call("session_update", id=session_id, state=visit.given("state"), title=visit.given("title"))
    undo = {"do": "update", "state": before.state.value, "title": before.title}
    return Redirect(f"/sessions/{session_id}", {"done": "session_changed"}, Undo(f"/sessions/{session_id}", undo))
