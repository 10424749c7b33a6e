"""Namespaces: those of agents that the caller may read, and the projects in one, by name: what other pages can show."""

from itertools import groupby

from ....interfaces.http.rest import credentials
from ..visit import Shown, Visit


async def show(visit: Visit, path: str) -> Shown:
    """Show the namespaces, the largest first, and the projects of the one that is shown."""
    found = (await visit.ask(credentials.list_namespaces)).results
    projects = await visit.agentos.sessions.projects(visit.namespace)
    by_size = sorted(found, key=lambda one: (-one.memories, one.name))
    named = groupby(sorted(projects, key=lambda one: one.name), key=lambda one: one.name)
    return Shown("namespaces.html", {"found": by_size, "projects": {name: list(same) for name, same in named}})
