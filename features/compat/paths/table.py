"""The tables of all systems, by the names that the setting AGENTOS_HTTP_COMPAT has for them."""

from collections.abc import Collection, Mapping, Sequence

from starlette.routing import BaseRoute

from ....interfaces.http.policy import CurrentPolicy
from ....interfaces.http.rest.operations import Behind, OfFunction
from ....interfaces.http.rest.resource import resources
from ....interfaces.http.rest.route import Route, Table
from ....tools.tool import Tool
from . import agent_memory, agentmem, memoryoss
from .answering import Answering

Entry = tuple[Route, Tool | OfFunction]
SYSTEMS: Mapping[str, Sequence[Entry]] = {
    "agentmem": agentmem.ROUTES,
    "agent-memory": agent_memory.ROUTES,
    "memoryoss": memoryoss.ROUTES,
    "memoryos": (),  # MCP alone: its toolset is listed, and `/` and `/health` are answered (health.py)
}


def table(systems: Collection[str]) -> Table:
    """Return the routes of some systems with what they do."""
    return [
        (route, Answering(system, does) if isinstance(does, Tool) else does)
        for system in SYSTEMS
        if system in systems
        for route, does in SYSTEMS[system]
    ]


def routes(systems: Collection[str], behind: Behind, _: CurrentPolicy) -> list[BaseRoute]:
    """Return the routes of some systems, under their own paths."""
    return resources(table(systems), behind, prefix="")
