"""Namespaces: those that the caller may read, to choose the one that the other pages show."""

from .....modules.errors import InvalidInput
from ...rest import credentials
from ..visit import Redirect, Shown, Visit


async def show(visit: Visit, path: str) -> Shown:
    """Show the namespaces, the largest first."""
    found = (await visit.ask(credentials.list_namespaces)).results
    return Shown("namespaces.html", {"found": sorted(found, key=lambda one: (-one.memories, one.name))})


async def act(visit: Visit, path: str) -> Redirect:
    """Refuse every form: nothing is changed here. Raises InvalidInput."""
    raise InvalidInput("do", visit.text("errors.nothing_here"))
