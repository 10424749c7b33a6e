"""Find: goals, things, sessions and memories that a few letters name, of all that one may see, for every page."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from ....modules.memory.models import MemoryFilter
from ....modules.principals.models import MOST_SOURCES
from ....modules.records import dataclass
from ....modules.text.scripts import normal_form
from ..visit import Shown, Visit, readable

MOST = 6
"""The most of each kind."""
SESSIONS_READ = 200
MAX_CHARS, MAX_LABEL_CHARS = 200, 60
"""The most characters of a text that are read, and those of them that the name of a thing may have."""


@dataclass(frozen=True)
class FoundEntry:
    """What was found: its title, its address, and whose it is if it is another's than is shown."""

    title: str
    href: str
    agent: str


async def show(visit: Visit, path: str) -> Shown:
    """Show what a text names, each kind by itself; nothing for no text."""
    query = visit.given("q")[:MAX_CHARS]
    found = await _found(visit, query) if query else {}
    return Shown("find.html", {"query": query, "found": found})


async def _found(visit: Visit, query: str) -> dict[str, list[FoundEntry]]:
    """Return entries by kind: memories the best first, others by namespace; kinds that have none are left out."""
    namespaces, _ = await readable(visit.agentos, visit.caller, visit.namespace)
    kinds = {"memories": await _memories(visit, query, namespaces)}
    for kind, look in KINDS.items():
        found: list[FoundEntry] = []
        for one in namespaces:
            if len(found) < MOST:
                found += await look(visit, one, query)
        kinds[kind] = found[:MOST]
    return {kind: entries for kind, entries in kinds.items() if entries}


async def _memories(visit: Visit, query: str, namespaces: Sequence[str]) -> list[FoundEntry]:
    sources = visit.caller.sources([one for one in namespaces if one != visit.namespace][:MOST_SOURCES], ())
    search = visit.agentos.memory.search
    result = await search(visit.namespace, query, MemoryFilter(), MOST, is_use=False, also=sources)
    found = [hit.memory for hit in (*result.hits, *result.doubted)][:MOST]
    return [_entry(visit, one.namespace, f"/memory/{one.id}", one.content) for one in found]


async def _goals(visit: Visit, namespace: str, query: str) -> list[FoundEntry]:
    goals = [goal for goal, _ in await visit.agentos.goals.tree(namespace) if _names(query, goal.title)]
    return [_entry(visit, namespace, f"/goals/{one.id}", one.title) for one in goals]


async def _nodes(visit: Visit, namespace: str, query: str) -> list[FoundEntry]:
    nodes, _ = await visit.agentos.graph.find(namespace, None, query[:MAX_LABEL_CHARS], MOST)
    return [_entry(visit, namespace, "/graph", one.label, q=one.label) for one in nodes]


async def _sessions(visit: Visit, namespace: str, query: str) -> list[FoundEntry]:
    found = await visit.agentos.sessions.page(namespace, limit=SESSIONS_READ)
    named = [one for one in found if _names(query, f"{one.title} {one.client} {one.project.name}")]
    return [_entry(visit, namespace, f"/sessions/{one.id}", one.title or one.client) for one in named]


KINDS: Mapping[str, Callable[[Visit, str, str], Awaitable[list[FoundEntry]]]] = {
    "goals": _goals,
    "graph": _nodes,
    "sessions": _sessions,
}
"""What looks for a text in a namespace, by kind."""


def _names(query: str, text: str) -> bool:
    return normal_form(query) in normal_form(text)


def _entry(visit: Visit, namespace: str, path: str, title: str, **query: str) -> FoundEntry:
    return FoundEntry(title, visit.at(namespace, path, **query), "" if namespace == visit.namespace else namespace)
