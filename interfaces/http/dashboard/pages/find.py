"""Find: pages, goals, things, sessions and memories that a few letters name, for the palette of every page."""

from typing import Any

from .....modules.text.scripts import normal_form
from ..visit import Shown, Visit

MOST = 6
"""The most of each kind."""
SESSIONS_READ = 200
MAX_CHARS, MAX_LABEL_CHARS = 200, 60
"""The most characters of a text that are read, and those of them that the name of a thing may have."""


async def show(visit: Visit, path: str) -> Shown:
    """Show what a text names, each kind by itself; nothing for no text."""
    query = visit.given("q")[:MAX_CHARS]
    found = await _found(visit, query) if query else {}
    return Shown("find.html", {"query": query, "found": found})


async def _found(visit: Visit, query: str) -> dict[str, list[dict[str, str]]]:
    """Return entries of a title and an address by kind; kinds that have none are left out."""
    wanted = normal_form(query)

    def names(text: str) -> bool:
        return wanted in normal_form(text)

    goals = [goal for goal, _ in await visit.agentos.goals.tree(visit.namespace) if names(goal.title)]
    nodes, _ = await visit.agentos.graph.find(visit.namespace, None, query[:MAX_LABEL_CHARS], MOST)
    sessions = await visit.agentos.sessions.page(visit.namespace, limit=SESSIONS_READ)
    named = [one for one in sessions if names(f"{one.title} {one.client} {one.project.name}")]
    memories = await visit.call("memory_search", query=query, limit=MOST, detail="full")
    kinds: dict[str, list[dict[str, str]]] = {
        "memories": [_entry(visit, f"/memory/{one['id']}", one["content"]) for one in _hits(memories)],
        "goals": [_entry(visit, f"/goals/{goal.id}", goal.title) for goal in goals[:MOST]],
        "graph": [_entry(visit, "/graph", node.label, q=node.label) for node in nodes[:MOST]],
        "sessions": [_entry(visit, f"/sessions/{one.id}", one.title or one.client) for one in named[:MOST]],
    }
    return {kind: entries for kind, entries in kinds.items() if entries}


def _hits(found: dict[str, Any]) -> list[dict[str, Any]]:
    hits: list[dict[str, Any]] = found["results"]
    return hits


def _entry(visit: Visit, path: str, title: str, **query: str) -> dict[str, str]:
    return {"title": title, "href": visit.url(path, **query)}
