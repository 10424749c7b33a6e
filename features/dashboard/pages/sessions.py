"""Sessions: runs of agents on projects, and one of them with what was said, done and observed in order."""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from ....modules import inputs, offload
from ....modules.context.tokens import estimate
from ....modules.errors import InvalidInput
from ....modules.memory.models import MemoryFilter, Order, Status
from ....modules.sessions.models import Event, EventType, Session
from ....modules.sessions.tool_calls import from_json
from ..visit import Redirect, Shown, Undo, Visit

STATES = ("active", "completed", "failed")
MOST = 50
MOST_EVENTS = 200
RECALLED, STORED = "recalled", "stored"
WORK = ("tool_call", "failed")
MEMORY = re.compile(r"mem_[0-9a-f]+")
"""The id of a memory in the name of what a session was shown."""


async def show(visit: Visit, path: str) -> Shown:
    """Show the sessions, the last active first, or one."""
    session_id = path.partition("/")[2]
    if session_id:
        return await _session(visit, session_id)
    project, state = visit.given("project"), visit.given("state")
    known = {one: await visit.agentos.sessions.projects(one) for one in visit.namespaces}
    names = sorted({one.name for each in known.values() for one in each})
    found = [
        {**session, "agent": one}
        for one, there in known.items()
        if project not in names or project in {each.name for each in there}
        for session in await _listed(visit.inside(one), project if project in names else None, state)
    ]
    found = sorted(found, key=lambda one: str(one["last_at"]), reverse=True)[:MOST]
    values = {"project": project, "state": state, "projects": names, "states": STATES}
    return Shown("sessions.html", {"sessions": found, **values})


async def _listed(visit: Visit, project: str | None, state: str) -> list[dict[str, Any]]:
    found = await visit.call("session_list", limit=MOST, project=project, state=state if state in STATES else None)
    sessions: list[dict[str, Any]] = found["results"]
    return sessions


async def _session(visit: Visit, session_id: str) -> Shown:
    """Show a session as a story: what was said, done, told from memory and stored, day by day."""
    session = await visit.agentos.sessions.get(visit.namespace, session_id)
    after = int(visit.number("after", 0))
    found = await visit.agentos.sessions.events(session, after, MOST_EVENTS + 1)
    events, more = found[:MOST_EVENTS], len(found) > MOST_EVENTS
    happened = [entry for event in events if (entry := _entry(event)) is not None]
    first = events[0].occurred_at if after and events else None
    last = events[-1].occurred_at if more else None
    recalled, stored = await _recalled(visit, session), await _stored(visit, session)
    derived = [
        one
        for one in [*await _observed(visit, session_id), *await _turns(visit, session.key), *recalled, *stored]
        if (first is None or one["at"] >= first) and (last is None or one["at"] <= last)
    ]
    known = {one["memory"] for one in derived if one["kind"] != STORED}
    derived = [one for one in derived if one["kind"] != STORED or one["memory"] not in known]
    entries = sorted([*happened, *derived], key=lambda one: one["at"])  # what was made of events after them
    days = groupby(entries, key=lambda one: visit.text.day_of(one["at"]))
    files = sorted({file for one in happened for file in one.get("files", ())})
    told = Counter(one["kind"] for one in entries)
    chars = offload.length(one["text"] for one in entries)
    tokens = await offload.read(chars, lambda: sum(estimate(one["text"]) for one in entries))
    return Shown(
        "session.html",
        {
            "session": session,
            "days": [(day, _chapters(of_day)) for day, of_day in days],
            "states": STATES,
            "told": told,
            "files": files,
            "tokens": tokens,
            "later": visit.url(f"/sessions/{session_id}", after=events[-1].seq) if more else "",
            "may_write": visit.may_write,
        },
    )


def _chapters(entries: Iterable[dict[str, Any]]) -> list[tuple[bool, list[dict[str, Any]]]]:
    """Return entries in stretches, each with whether it is one of the work between what was said."""
    stretches = groupby(entries, key=lambda one: one["kind"] in WORK)
    return [(is_work, list(of_stretch)) for is_work, of_stretch in stretches]


async def _recalled(visit: Visit, session: Session) -> list[dict[str, Any]]:
    """Return what the session was told from memory without asking."""
    shown = {found.group(): at for entry, at in (await visit.agentos.sessions.shown_at(session)).items()
             if (found := MEMORY.search(entry))}  # fmt: skip
    memories = await visit.agentos.browsing.named(visit.namespace, list(shown)[:MOST_EVENTS])
    return [
        {"at": shown[one.id], "kind": RECALLED, "text": one.content, "memory": one.id}
        for one in memories
        if one.status is not Status.FORGOTTEN
    ]


async def _stored(visit: Visit, session: Session) -> list[dict[str, Any]]:
    """Return what was stored in the session's project while it lasted."""
    where = MemoryFilter(
        since=session.started_at, until=session.last_at + timedelta(seconds=1), projects=session.project.names
    )
    memories = await visit.agentos.browsing.chosen(visit.namespace, where, Order.OLDEST, MOST)
    return [{"at": one.created_at, "kind": STORED, "text": one.content, "memory": one.id} for one in memories]


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
        "files": call.files_modified,
    }


async def _observed(visit: Visit, session_id: str) -> list[dict[str, Any]]:
    timeline = await visit.call("session_timeline", id=session_id)
    return [
        {"at": datetime.fromisoformat(one["at"]), "kind": one["type"], "text": one["title"], "memory": one["id"]}
        for one in timeline["results"]
        if one["type"] not in ("session", "prompt")  # prompts are among what was said
    ]


async def _turns(visit: Visit, key: str) -> list[dict[str, Any]]:
    window = await visit.call("turn_window", session=key, limit=MOST)
    return [
        {"at": datetime.fromisoformat(one["at"]), "kind": one["role"], "text": one["text"], "memory": one["id"]}
        for one in window["results"]
    ]


async def act(visit: Visit, path: str) -> Redirect:
    """End, resume or rename a session, or make it again what it was. Raises AgentOSError."""
    session_id = path.partition("/")[2]
    sessions, namespace = visit.agentos.sessions, visit.caller.writing(visit.namespace)
    state, title = visit.given("state"), visit.given("title")
    if visit.given("do") not in ("update", "put_back"):
        raise InvalidInput("do", visit.text("errors.unknown_action"))
    before = await sessions.get(namespace, session_id)
    if visit.given("do") == "put_back":
        ended_at = inputs.moment("ended_at", visit.given("ended_at") or None)
        await sessions.put_back(namespace, session_id, state, title, ended_at)
    else:
        await sessions.update(namespace, session_id, state or None, title or None)
    ended = before.ended_at.isoformat() if before.ended_at else ""
    undo = {"do": "put_back", "state": before.state.value, "title": before.title, "ended_at": ended}
    return Redirect(f"/sessions/{session_id}", {"done": "session_changed"}, Undo(f"/sessions/{session_id}", undo))
