"""OpenAI Agents SDK: a session that keeps its items as turns. Needs the extra `openai-agents`."""

import json
from collections.abc import Mapping
from typing import Any

from agents import SessionSettings, TResponseInputItem
from agents.memory import SessionABC

from .async_client import AsyncClient
from .transcript import MOST, AsyncTranscript, Entry, Role

_ROLES: Mapping[Any, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


class AgentOSSession(SessionABC):
    """A session of the SDK in AgentOS. Its methods raise AgentOSError."""

    def __init__(
        self, client: AsyncClient, session_id: str, *, session_settings: SessionSettings | None = None
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._transcript = AsyncTranscript(client, session_id)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the last items, in order, at most 1,000; tool messages of other frameworks are left out."""
        wanted = limit if limit is not None else getattr(self.session_settings, "limit", None)
        if wanted is not None and wanted <= 0:
            return []
        entries = await self._transcript.entries(MOST if wanted is None else min(wanted, MOST))
        return [_item(entry) for entry in entries if _is_item(entry)]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items, in order."""
        for given in items:
            item: Any = json.loads(json.dumps(given, default=_plain))
            role = _ROLES.get(item.get("role"), "tool")
            text = _text(item)
            await self._transcript.add(role, text, None if item == {"role": role, "content": text} else item)

    async def pop_item(self) -> TResponseInputItem | None:
        """Archive the last item, and return it; None where there is none."""
        for entry in reversed(await self._transcript.entries()):
            if _is_item(entry):
                await self._transcript.remove(entry)
                return _item(entry)
        return None

    async def clear_session(self) -> None:
        """Archive every item."""
        await self._transcript.clear()


def _is_item(entry: Entry) -> bool:
    return entry.item is not None or entry.role != "tool"


def _item(entry: Entry) -> Any:
    return {"role": entry.role, "content": entry.text} if entry.item is None else entry.item


def _text(item: Mapping[str, Any]) -> str:
    """Return the text of an item, if it has any."""
    content = item.get("content", item.get("output"))
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(str(part["text"]) for part in content if isinstance(part, Mapping) and part.get("text"))
    return f"{item['name']}({item.get('arguments', '')})" if "name" in item else str(item.get("type", ""))


def _plain(value: Any) -> Any:
    """Return what is no JSON as JSON: items may be models of pydantic."""
    return value.model_dump(mode="json", exclude_unset=True)
