"""Pydantic AI: memory as a toolset. Needs the extra `pydantic-ai`."""

from typing import Any

from pydantic_ai import FunctionToolset, ModelRetry

from . import agent_tools
from .async_client import AsyncClient
from .errors import InvalidInput, NotFound


def memory_toolset(client: AsyncClient, *, read_only: bool = False, limit: int = 5) -> FunctionToolset[Any]:
    """Return the tools `search_memory`, `remember` and `forget`, or the first alone.

    What a model gave wrongly it is asked to give anew; other failures are AgentOSErrors of the run.
    """
    toolset: FunctionToolset[Any] = FunctionToolset(id="agentos", instructions=agent_tools.NOTICE)

    async def search_memory(query: str) -> str:
        return agent_tools.render_hits((await client.search(query, limit=limit))["results"])

    async def remember(content: str, tags: list[str] | None = None) -> str:
        try:
            return agent_tools.render_stored(await client.memories.store(content, tags=tags))
        except InvalidInput as error:
            raise ModelRetry(error.detail) from error

    async def forget(memory_id: str) -> str:
        try:
            await client.memories.delete(memory_id, mode="forget")
        except (InvalidInput, NotFound) as error:
            raise ModelRetry(error.detail) from error
        return f"Forgotten: {memory_id}"

    toolset.add_function(search_memory, description=agent_tools.SEARCH)
    if not read_only:
        toolset.add_function(remember, description=agent_tools.REMEMBER)
        toolset.add_function(forget, description=agent_tools.FORGET)
    return toolset
