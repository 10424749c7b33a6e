"""Namespaces: those of agents that the caller may read, and the projects in one, to choose what other pages show."""

from ...rest import credentials
from ..visit import Shown, Visit


async def show(visit: Visit, path: str) -> Shown:
    """Show the namespaces, the largest first, and the projects of the one that is shown."""
    found = (await visit.ask(credentials.list_namespaces)).results
    projects = await visit.agentos.sessions.projects(visit.namespace)
    by_size = sorted(found, key=lambda one: (-one.memories, one.name))
    return Shown("namespaces.html", {"found": by_size, "projects": sorted(projects, key=lambda one: one.name)})
