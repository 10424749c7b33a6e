"""The server under test, as an agent has it: started for a folder, asked by the official client."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, get_args

import anyio
from mcp import Client, StdioServerParameters

from agentos import config

from ..home import command, plain_environment

DEADLINE_S = 120.0
TOOLSETS = ",".join(get_args(config.Toolset))


class Agent:
    """Calls tools; a failure of one is raised."""

    def __init__(self, client: Client, tools: frozenset[str]) -> None:
        self._client = client
        self.tools = tools

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured result of a tool. Raises RuntimeError with what the tool said."""
        result = await self._client.call_tool(tool, arguments)
        if result.is_error or not isinstance(result.structured_content, dict):
            raise RuntimeError(f"{tool}: {' '.join(getattr(part, 'text', '') for part in result.content)}")
        return result.structured_content

    async def text(self, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
        """What a tool gives a model to read, and the structured result."""
        result = await self._client.call_tool(tool, arguments)
        if result.is_error or not isinstance(result.structured_content, dict):
            raise RuntimeError(f"{tool}: {' '.join(getattr(part, 'text', '') for part in result.content)}")
        return "\n".join(getattr(part, "text", "") for part in result.content), result.structured_content


@asynccontextmanager
async def serving(folder: Path, settings: Mapping[str, str] | None = None) -> AsyncIterator[Agent]:
    """A server of its own on a new home in `folder`, with every toolset, and no daemon.

    Searches wait for what is owed: what is measured is what is found, not how soon.
    """
    await anyio.Path(folder).mkdir(parents=True, exist_ok=True)
    program, *arguments = command("agentos-server")
    environment = {
        **plain_environment(),
        "AGENTOS_HOME": str(folder / "home"),
        "AGENTOS_DAEMON": "off",
        "AGENTOS_TOOLSETS": TOOLSETS,
        "AGENTOS_EMBEDDING_WAIT_S": "60",
        **(settings or {}),
    }
    parameters = StdioServerParameters(command=program, args=arguments, env=environment, cwd=folder)
    async with Client(parameters, mode="auto", read_timeout_seconds=DEADLINE_S) as client:
        tools = frozenset(tool.name for tool in (await client.list_tools()).tools)
        agent = Agent(client, tools)
        with anyio.fail_after(DEADLINE_S):
            while (await agent.call("memory_search", query="is the model loaded?"))["mode"] != "hybrid":
                await anyio.sleep(0.2)
        yield agent
