"""One memory: what it says, how far it is believed and why, where it comes from, what is near it, and what to do."""

import asyncio
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ....modules import offload
from ....modules.attaching import Attachment
from ....modules.errors import InvalidInput, NotFound
from ....modules.facts.models import RELATES_TO
from ....modules.memory.models import Status
from ....modules.sessions.models import Session
from .. import html
from ..markdown import rendered
from ..visit import Redirect, Shown, Undo, Visit
from . import contested
from .listing import TYPES

DONE = {
    "confirm": "confirmed",
    "reject": "rejected",
    "archive": "archived",
    "forget": "forgotten",
    "restore": "restored",
    "erase": "erased",
}
MOST_COMPARED = 20
FOLDED_CHARS, FOLDED_LINES = 1_500, 24
"""A text that is longer than either is folded."""
SESSIONS_READ = 100


async def show(visit: Visit, path: str) -> Shown:
    """Show a memory. Raises NotFound."""
    memory = await visit.call("memory_get", memory_id=_id(path))
    timeline = await visit.call("memory_timeline", memory_id=memory["id"], before=3, after=3)
    near = await visit.call("memory_search", query=memory["content"][:400], limit=6, detail="full")
    anchors = await visit.agentos.anchors()
    related = await visit.agentos.browsing.named(visit.namespace, [one["id"] for one in memory["lineage"]])
    return Shown(
        "memory.html",
        {
            "memory": memory,
            "rendered": await offload.read(len(memory["content"]), lambda: rendered(memory["content"])),
            "is_long": len(memory["content"]) > FOLDED_CHARS or memory["content"].count("\n") > FOLDED_LINES,
            "session": await _session_of(visit, memory),
            "timeline": timeline["results"],
            "near": [one for one in near["results"] if one["id"] != memory["id"]][:5],
            "lineage": _lineage(memory["lineage"]),
            "related": {one.id: one.content for one in related if one.status is not Status.FORGOTTEN},
            "anchors": [] if anchors is None else await anchors.views(visit.namespace, memory["id"]),
            "types": TYPES,
            "versions": await asyncio.to_thread(_versions, memory),
            "files": await _files_of(visit, memory["id"]),
            "may_write": visit.may_write,
        },
    )


async def _files_of(visit: Visit, memory_id: str) -> Sequence[Attachment]:
    """Return the files of a memory; none where they are off."""
    if "attachments" not in visit.agentos.features:
        return ()
    return await visit.agentos.attachments().of_memory(visit.namespace, memory_id)


def _lineage(links: list[dict[str, str]]) -> dict[str, list[str]]:
    """Return by id the memories that one is related to, each with how; that they relate at all only where it is all."""
    found: dict[str, list[str]] = {}
    for one in sorted(links, key=lambda link: link["relation"] == RELATES_TO):
        known = found.setdefault(one["id"], [])
        if not known or one["relation"] not in (RELATES_TO, *known):
            known.append(one["relation"])
    return found


async def _session_of(visit: Visit, memory: dict[str, Any]) -> Session | None:
    """Return the session that a memory comes from: the one observed, else one of its key or project at that time."""
    sessions = visit.agentos.sessions
    stretch = await sessions.stretch_of(visit.namespace, memory["id"])
    if stretch is not None:
        return stretch.session
    at = datetime.fromisoformat(memory["created_at"])
    project = (memory["metadata"] or {}).get("project")
    for one in await sessions.page(visit.namespace, limit=SESSIONS_READ):
        if memory["session"] == one.key or (project == one.project.id and one.started_at <= at <= one.last_at):
            return one
    return None


def _versions(memory: dict[str, Any]) -> list[tuple[dict[str, Any], html.Pieces]]:
    """Return the former versions, each with its text in pieces: what differs from the present one. Blocks."""
    now, versions = memory["content"], memory["history"]
    compared = [(one, html.differing(one["content"], now)[0]) for one in versions[:MOST_COMPARED]]
    return compared + [(one, ((False, one["content"]),)) for one in versions[MOST_COMPARED:]]


async def act(visit: Visit, path: str) -> Redirect | Shown:
    """Change, judge, hide, split or erase a memory. Raises AgentOSError."""
    memory_id, what = _id(path), visit.given("do")
    here = f"/memory/{memory_id}"
    if what == "edit":
        return await _edit(visit, memory_id)
    if what == "restore_version":
        version = await _version(visit, memory_id, visit.given("version"))
        restored = {name: version[name] for name in ("content", "memory_type", "importance", "tags")}
        since = int(visit.number("since", 0)) or None  # what undoes a change undoes no later one
        await visit.call("memory_update", memory_id=memory_id, **restored, version=since)
        return Redirect(here, {"done": "reverted"}) if since else await _edited(visit, memory_id)
    if what == "supersede":
        await _replace(visit, memory_id, visit.given("by"))
        return Redirect(here, {"done": "superseded"}, await visit.undo_of(memory_id))
    if what == "revert":
        subject = visit.given("change") or memory_id
        await visit.agentos.lifecycle.revert(visit.caller.writing(visit.namespace), subject, visit.by)
        return Redirect(here, {"done": "reverted"})
    if what == contested.DROP:
        await contested.drop(visit, memory_id)
        return Redirect(here, {"done": "anchor_dropped"})
    if what == "split":
        return await _split(visit, memory_id)
    if what == "erase" and not visit.given("sure"):
        memory = await visit.call("memory_get", memory_id=memory_id)
        return Shown("erase.html", {"memories": [memory], "back": here})
    await _judge(visit, memory_id, what)
    if what == "erase":
        return Redirect("/memories", {"done": "erased"})
    where = "/memories" if what == "forget" else here  # what is forgotten is not shown any more
    return Redirect(where, {"done": DONE[what]}, await visit.undo_of(memory_id))


async def _judge(visit: Visit, memory_id: str, what: str) -> None:
    """Pass a verdict with the visitor's rights; confirming counts as an agent's (people vouch at a terminal)."""
    lifecycle, namespace = visit.agentos.lifecycle, visit.caller.writing(visit.namespace)
    match what:
        case "confirm":
            await lifecycle.feedback(namespace, memory_id, what)
        case "reject":
            await lifecycle.feedback(namespace, memory_id, what, by=visit.by)
        case "archive":
            await lifecycle.archive(namespace, memory_id, visit.by)
        case "forget":
            await lifecycle.forget(namespace, memory_id, visit.by)
        case "restore":
            await lifecycle.restore(namespace, memory_id, visit.by)
        case "erase":
            await visit.agentos.memory.delete(namespace, memory_id, by=visit.by)
        case _:
            raise InvalidInput("do", visit.text("errors.unknown_action"))


async def _replace(visit: Visit, memory_id: str, newer: str) -> None:
    """Let another memory replace one, as the visitor says. Raises AgentOSError."""
    namespace = visit.caller.writing(visit.namespace)
    await visit.agentos.lifecycle.feedback(namespace, memory_id, "supersede", newer or None, visit.by)


async def _edit(visit: Visit, memory_id: str) -> Redirect | Shown:
    """Change a memory, or show both texts where somebody else has changed it since. Raises AgentOSError."""
    version = int(visit.number("version", 0))
    memory = await visit.call("memory_get", memory_id=memory_id)
    if memory["version"] != version:
        theirs, own = await asyncio.to_thread(html.differing, memory["content"], visit.given("content"))
        fields = {name: visit.given(name) for name in ("content", "importance", "memory_type", "tags")}
        return Shown("conflict.html", {"memory": memory, "own": own, "theirs": theirs, "fields": fields}, 409)
    await visit.call(
        "memory_update",
        memory_id=memory_id,
        content=visit.given("content"),
        importance=visit.number("importance", 0.5),
        memory_type=visit.given("memory_type"),
        tags=[tag for tag in visit.given("tags").replace(",", " ").split() if tag],
        version=version,
    )
    return await _edited(visit, memory_id)


async def _edited(visit: Visit, memory_id: str) -> Redirect:
    """Lead to a memory that was changed, with its former version to go back to, if it has one."""
    memory = await visit.call("memory_get", memory_id=memory_id)
    last = max((one["version"] for one in memory["history"]), default=None)
    undo = {"do": "restore_version", "version": str(last), "since": str(memory["version"])}
    here = f"/memory/{memory_id}"
    return Redirect(here, {"done": "edited"}, None if last is None else Undo(here, undo))


async def _split(visit: Visit, memory_id: str) -> Redirect | Shown:
    """Store each part by itself, and let the first replace the whole."""
    memory = await visit.call("memory_get", memory_id=memory_id)
    if not visit.given("parts"):
        return Shown("split.html", {"memory": memory, "parts": "\n\n".join(_sentences(memory["content"]))})
    parts = [part.strip() for part in visit.given("parts").replace("\r\n", "\n").split("\n\n") if part.strip()]
    if len(parts) < 2 or memory["content"] in parts:
        raise InvalidInput("parts", visit.text("errors.parts"))
    shared = {"memory_type": memory["memory_type"], "importance": memory["importance"], "tags": memory["tags"] or None}
    stored = [
        await visit.call("memory_store", content=part, occurred_at=memory["occurred_at"], source="user", **shared)
        for part in parts
    ]
    await _replace(visit, memory_id, stored[0]["id"])
    return Redirect(f"/memory/{memory_id}", {"done": "split"}, await visit.undo_of(memory_id))


def _sentences(text: str) -> list[str]:
    """Return a text's lines or, of a single one, its sentences: where a person most likely splits it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines if len(lines) > 1 else [one.strip() for one in re.split(r"(?<=[.!?]) ", text) if one.strip()]


async def _version(visit: Visit, memory_id: str, number: str) -> dict[str, Any]:
    memory = await visit.call("memory_get", memory_id=memory_id)
    version = next((one for one in memory["history"] if str(one["version"]) == number), None)
    if version is None:
        raise NotFound(visit.text("errors.no_version", name=repr(number[:20])))
    return dict(version)


def _id(path: str) -> str:
    return path.partition("/")[2]
