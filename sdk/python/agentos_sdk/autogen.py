"""AutoGen (AgentChat): memory of an agent, recalled before it answers. Needs the extra `autogen`."""

import json
from typing import Any

from autogen_core import CancellationToken
from autogen_core.memory import Memory, MemoryContent, MemoryMimeType, MemoryQueryResult, UpdateContextResult
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import UserMessage

from . import agent_tools
from .async_client import AsyncClient

SOURCE = "agentos"
"""The source of messages that tell what was recalled, and the tag of what an agent adds."""


class AgentOSMemory(Memory):
    """The memory of an agent: what its last question recalls, at most `limit`, comes as data in a user message.

    Its methods raise AgentOSError.
    """

    def __init__(self, client: AsyncClient, *, limit: int = 5) -> None:
        self._client = client
        self._limit = limit

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Add what the last question recalls, unless this context was told it before."""
        messages = [one for one in await model_context.get_messages() if isinstance(one, UserMessage)]
        told = "\n".join(str(one.content) for one in messages if one.source == SOURCE)
        asked = [one.content for one in messages if one.source != SOURCE and isinstance(one.content, str)]
        hits = []
        if asked and asked[-1].strip():
            found = await self._client.search(asked[-1], limit=self._limit)
            hits = [hit for hit in found["results"] if hit["id"] not in told]
        if hits:
            await model_context.add_message(UserMessage(content=agent_tools.render_hits(hits), source=SOURCE))
        return UpdateContextResult(memories=MemoryQueryResult(results=[_content(hit) for hit in hits]))

    async def query(
        self, query: str | MemoryContent, cancellation_token: CancellationToken | None = None, **_: Any
    ) -> MemoryQueryResult:
        """Return what a query recalls."""
        text = query if isinstance(query, str) else _text(query)
        found = await self._client.search(text, limit=self._limit)
        return MemoryQueryResult(results=[_content(hit) for hit in found["results"]])

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        """Store a text or a JSON value. Raises ValueError for images and bytes."""
        await self._client.memories.store(_text(content), tags=[SOURCE], metadata=content.metadata)

    async def clear(self) -> None:
        """Archive what agents added through this class."""
        added = [one["id"] async for one in self._client.memories.list_all(tags=[SOURCE])]
        for memory_id in added:
            await self._client.memories.delete(memory_id, mode="archive")

    async def close(self) -> None:
        """Leave the client open: whoever made it closes it."""


def _text(content: MemoryContent) -> str:
    if isinstance(content.content, str):
        return content.content
    if isinstance(content.content, dict):
        return json.dumps(content.content, ensure_ascii=False)
    raise ValueError("AgentOS stores texts and JSON values only")


def _content(hit: Any) -> MemoryContent:
    about = {"id": hit["id"], "occurred_at": hit["occurred_at"], "label": hit["label"]}
    return MemoryContent(content=hit["content"], mime_type=MemoryMimeType.TEXT, metadata=about)
