"""The server under test, as an agent has it: started in a folder, called with the official client."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from ..home import command, plain_environment

DEADLINE_S = 120.0
TOOLSETS = "consolidation,context,graph,procedures,profile,tiers,turns"


class Agent:
    """Calls tools; raises if one fails."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the structured result of a tool. Raises RuntimeError with the tool's message."""
        return (await self.text(tool, **arguments))[1]

    async def text(self, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
        """Return the text that a tool gives a model, and the structured result. Raises RuntimeError."""
        result = await self._client.call_tool(tool, arguments)
        text = "\n".join(getattr(part, "text", "") for part in result.content)
        if result.is_error or not isinstance(result.structured_content, dict):
            raise RuntimeError(f"{tool}: {text}")
        return text, result.structured_content


class Server:
    """A home folder, and the processes that work on it."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self.folder = folder
        self.environment = {
            **plain_environment(),
            "AGENTOS_HOME": str(folder / "home"),
            "AGENTOS_DAEMON": "off",
            "AGENTOS_TOOLSETS": TOOLSETS,
            "AGENTOS_EMBEDDING_WAIT_S": "60",
            **settings,
        }

    async def run_jobs(self, names: Sequence[str]) -> None:
        """Run jobs of the daemon once, in order. Raises CalledProcessError."""
        for name in names:
            await anyio.run_process(
                [*command("agentos-daemon"), "--once", name], env=self.environment, cwd=self.folder, stderr=None
            )


@asynccontextmanager
async def serving(folder: Path, settings: Mapping[str, str] | None = None) -> AsyncIterator[tuple[Server, Agent]]:
    """Start a server on a new home in `folder`, with every toolset; its daemon's jobs run only when told to.

    Searches wait for pending embeddings: the measure is what is found, not how soon.
    """
    await anyio.Path(folder).mkdir(parents=True, exist_ok=True)
    server = Server(folder, settings or {})
    program, *arguments = command("agentos-server")
    parameters = StdioServerParameters(command=program, args=arguments, env=server.environment, cwd=folder)
    async with Client(parameters, mode="auto", read_timeout_seconds=DEADLINE_S) as client:
        agent = Agent(client)
        with anyio.fail_after(DEADLINE_S):
            while (await agent.call("memory_search", query="is the model loaded?")).get("mode") == "lexical":
                await anyio.sleep(0.2)
        yield server, agent
