"""Google ADK: a memory service whose sessions are conversations. Needs the extra `google-adk`."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from google.adk.memory import BaseMemoryService
from google.adk.memory.base_memory_service import SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from .async_client import AsyncClient

if TYPE_CHECKING:
    from google.adk.events import Event
    from google.adk.sessions import Session

AT_ONCE = 500
"""Messages that the server takes in a call."""


class AgentOSMemoryService(BaseMemoryService):
    """Stores sessions and searches them, each user's in a namespace: by default the one called as the user is.

    `limit` is how many memories a search returns at most. Its methods raise AgentOSError.
    """

    def __init__(
        self,
        client: AsyncClient,
        *,
        limit: int = 5,
        namespace: Callable[[str, str], str] = lambda app_name, user_id: user_id,
    ) -> None:
        self._client = client
        self._limit = limit
        self._namespace = namespace

    async def add_session_to_memory(self, session: "Session") -> None:
        """Store the events of a session that have text, each once, and the facts in them."""
        await self.add_events_to_memory(
            app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: "Sequence[Event]",
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store events that have text, each once, and the facts in them."""
        messages = [_message(event) for event in events if event.content and event.content.parts]
        client = self._client.with_options(namespace=self._namespace(app_name, user_id))
        for begin in range(0, len(messages), AT_ONCE):
            await client.add(messages[begin : begin + AT_ONCE], session=session_id)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Return the user's memories that answer a query."""
        client = self._client.with_options(namespace=self._namespace(app_name, user_id))
        found = await client.search(query, limit=self._limit)
        return SearchMemoryResponse(
            memories=[
                MemoryEntry(
                    id=hit["id"],
                    content=types.Content(role="user", parts=[types.Part(text=hit["content"])]),
                    author="memory",
                    timestamp=hit["occurred_at"],
                )
                for hit in found["results"]
            ]
        )


def _message(event: "Event") -> dict[str, Any]:
    return {
        "role": "user" if event.author == "user" else "assistant",
        "content": [{"text": part.text} for part in event.content.parts or () if not part.thought],
        "occurred_at": datetime.fromtimestamp(event.timestamp, UTC).isoformat(),
    }
