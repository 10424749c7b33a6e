"""CrewAI: memory as tools. Needs the extra `crewai`."""

from crewai.tools import BaseTool
from pydantic import BaseModel, Field, PrivateAttr

from . import agent_tools
from .client import Client


class _Query(BaseModel):
    query: str = Field(description="what you want to know, in words")


class _Fact(BaseModel):
    content: str = Field(description="one self-contained sentence")


class SearchMemory(BaseTool):
    """Searches memory."""

    name: str = "search_memory"
    description: str = f"{agent_tools.SEARCH} {agent_tools.NOTICE}"
    args_schema: type[BaseModel] = _Query
    limit: int = 5
    _client: Client = PrivateAttr()

    def __init__(self, client: Client, limit: int = 5) -> None:
        super().__init__(limit=limit)
        self._client = client

    def _run(self, query: str) -> str:
        return agent_tools.render_hits(self._client.search(query, limit=self.limit)["results"])


class Remember(BaseTool):
    """Keeps a fact."""

    name: str = "remember"
    description: str = agent_tools.REMEMBER
    args_schema: type[BaseModel] = _Fact
    _client: Client = PrivateAttr()

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client

    def _run(self, content: str) -> str:
        return agent_tools.render_stored(self._client.memories.store(content))


def memory_tools(client: Client, *, read_only: bool = False, limit: int = 5) -> list[BaseTool]:
    """Return the tools `search_memory` and `remember`, or the first alone. They raise AgentOSError."""
    search = SearchMemory(client, limit)
    return [search] if read_only else [search, Remember(client)]
