"""Memories: the list and the search that agents have, with filters, and what can be done to many at once."""

from typing import Any

from .....modules.errors import InvalidInput
from .. import html
from ..visit import Redirect, Shown, Visit

PAGE = 50
BAR = 300.0
"""The width of an explanation's bars, in the units of their drawing."""
TYPES = ("semantic", "episodic", "procedural", "working")
MOST_AT_ONCE = 200
FILTERS = ("memory_type", "since", "until", "min_importance", "session", "project")


async def show(visit: Visit, path: str) -> Shown:
    """Show the memories that match, the newest first; of a search, the best first."""
    query = visit.given("q")
    tags = [tag for tag in visit.given("tags").replace(",", " ").split() if tag]
    filters: dict[str, Any] = {name: visit.given(name) for name in FILTERS if visit.given(name)}
    if "min_importance" in filters:
        filters["min_importance"] = visit.number("min_importance", 0)
    cursor = visit.given("cursor")
    if query:
        explain = bool(visit.given("explain"))
        also = {"include_superseded": True} if visit.given("all") else {}
        found = await visit.call(
            "memory_search",
            query=query,
            limit=20,
            tags=tags or None,
            detail="full",
            explain=explain or None,
            cursor=cursor,
            **filters,
            **also,
        )
    else:
        found = await visit.call("memory_list", limit=PAGE, tags=tags or None, detail="full", cursor=cursor, **filters)
    explained = (found.get("explanation") or {}).get("parts", {})
    shown = {name: value for name in ("q", "tags", "explain", "all", *FILTERS) if (value := visit.given(name))}
    return Shown(
        "memories.html",
        {
            "found": found,
            "query": query,
            "bars_of": {one: html.stacked(parts, BAR) for one, parts in explained.items()},
            "shown": shown,
            "types": TYPES,
            "more": visit.url("/memories", **shown, cursor=found["next_cursor"]) if found.get("next_cursor") else "",
        },
    )


async def act(visit: Visit, path: str) -> Redirect | Shown:
    """Store a memory, or do something to those that were chosen. Raises AgentOSError."""
    what = visit.given("do")
    if what == "store":
        tags = [tag for tag in visit.given("tags").replace(",", " ").split() if tag]
        stored = await visit.call(
            "memory_store",
            content=visit.given("content"),
            memory_type=visit.given("memory_type") or "semantic",
            importance=visit.number("importance", 0.5),
            tags=tags or None,
            source="user",
        )
        return Redirect(f"/memory/{stored['id']}", {"done": "stored"})
    chosen = list(dict.fromkeys(visit.chosen("id")))[:MOST_AT_ONCE]
    if not chosen:
        raise InvalidInput("memories", "choose one at least")
    if what == "merge":
        memories = [await visit.call("memory_get", memory_id=one) for one in chosen]
        return Shown("merge.html", {"memories": memories})
    if what == "merged":
        stored = await visit.call("memory_store", content=visit.given("content"), supersedes=chosen, source="user")
        return Redirect(f"/memory/{stored['id']}", {"done": "merged"})
    if what == "erase" and not visit.given("sure"):
        memories = [await visit.call("memory_get", memory_id=one) for one in chosen]
        return Shown("erase.html", {"memories": memories, "back": "/memories"})
    for one in chosen:
        if what in ("archive", "forget", "erase"):
            await visit.call("memory_delete", memory_id=one, mode=what)
        elif what in ("confirm", "reject"):
            await visit.call("memory_feedback", memory_id=one, verdict=what)
        else:
            raise InvalidInput("do", visit.text("errors.unknown_action"))
    return Redirect("/memories", {"done": "many", "count": str(len(chosen))})
