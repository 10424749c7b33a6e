"""The tool for other names: which are joined, which may be, and the decision about a pair."""

from typing import Annotated

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.errors import InvalidInput
from ..modules.views.graph import OtherNames, other_names
from .tool import Tool

TOOLSET = "graph"


async def graph_aliases(
    agentos: AgentOS,
    namespace: str,
    *,
    id: Annotated[str | None, Field(description="decide about this pair")] = None,
    accept: Annotated[bool | None, Field(description="false also undoes a join")] = None,
    limit: int = 50,
) -> OtherNames:
    """List names that are or may be aliases; with id and accept, decide."""
    if (id is None) != (accept is None):
        raise InvalidInput("accept", "needs id, the pair to decide about")
    if id is not None and accept is not None:
        await agentos.aliases.decide(namespace, id, accept=accept)
    return other_names(await agentos.aliases.listed(namespace, limit))


GRAPH_NAME_TOOLS = (Tool(graph_aliases, "Other names", idempotent=True, toolset=TOOLSET),)
