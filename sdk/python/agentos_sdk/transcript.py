"""A conversation as the turns of a session: its messages as text, and beside it what only one framework knows.

A message that its role and its text describe fully is kept as that text. Of another one, such as the call of a tool, the
rest follows the text as JSON in a comment (`<!-- agentos: {…} -->`), so that it comes back as it was.
"""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from .async_client import AsyncClient
from .client import Client
from .generated.types import TurnView

Role = Literal["user", "assistant", "system", "tool"]
MOST = 1_000
"""The turns that are read at once; of a longer session, the last ones."""
_BEGIN, _END = "\n<!-- agentos: ", " -->"
_TEXT = {"$agentos": "text"}
"""Stands in the rest of a message for its text."""


@dataclass(frozen=True)
class Entry:
    """A message. `item` is the message as its framework has it, where role and text do not describe it fully."""

    id: str
    role: Role
    text: str
    item: Any


class Transcript:
    """The turns of a session."""

    def __init__(self, client: Client, session: str) -> None:
        self._client = client
        self.session = session

    def add(self, role: Role, text: str, item: Any = None) -> None:
        """Add a message. Raises AgentOSError."""
        self._client.turns.add(self.session, written(text, item), role=role, key=str(uuid.uuid4()))

    def entries(self, limit: int = MOST) -> list[Entry]:
        """Return the last messages, in order. Raises AgentOSError."""
        return [_entry(one) for one in self._client.turns.window(self.session, limit=limit)["results"]]

    def remove(self, entry: Entry) -> None:
        """Archive a message: neither histories nor searches return it any more. Raises AgentOSError."""
        self._client.memories.delete(entry.id, mode="archive")

    def clear(self) -> None:
        """Archive every message. Raises AgentOSError."""
        while found := self.entries():
            for entry in found:
                self.remove(entry)


class AsyncTranscript:
    """The turns of a session, for `async` programs."""

    def __init__(self, client: AsyncClient, session: str) -> None:
        self._client = client
        self.session = session

    async def add(self, role: Role, text: str, item: Any = None) -> None:
        """Add a message. Raises AgentOSError."""
        await self._client.turns.add(self.session, written(text, item), role=role, key=str(uuid.uuid4()))

    async def entries(self, limit: int = MOST) -> list[Entry]:
        """Return the last messages, in order. Raises AgentOSError."""
        return [_entry(one) for one in (await self._client.turns.window(self.session, limit=limit))["results"]]

    async def remove(self, entry: Entry) -> None:
        """Archive a message: neither histories nor searches return it any more. Raises AgentOSError."""
        await self._client.memories.delete(entry.id, mode="archive")

    async def clear(self) -> None:
        """Archive every message. Raises AgentOSError."""
        while found := await self.entries():
            for entry in found:
                await self.remove(entry)


def written(text: str, item: Any = None) -> str:
    """Return the content of a turn: the text, and the item where it is needed."""
    if item is None and text.strip() and _BEGIN not in text:
        return text
    rest = {"whole": item} if not text or _holds_mark(item) else {"rest": _swapped(item, text, _TEXT)}
    return text + _BEGIN + json.dumps(rest, ensure_ascii=False).replace("-->", "--\\u003e") + _END


def read(content: str) -> tuple[str, Any]:
    """Return text and item of a turn's content. What cannot be read, as after a redaction, is text."""
    text, begin, rest = content.rpartition(_BEGIN)
    if not begin or not rest.endswith(_END):
        return content, None
    try:
        stored = json.loads(rest.removesuffix(_END))
        return text, stored["whole"] if "whole" in stored else _swapped(stored["rest"], _TEXT, text)
    except (ValueError, KeyError, TypeError):
        return text, None


def _entry(turn: TurnView) -> Entry:
    text, item = read(turn["text"])
    return Entry(turn["id"], cast(Role, turn["role"]), text, item)


def _swapped(value: Any, old: Any, new: Any) -> Any:
    """Return a value with `new` wherever `old` is in it."""
    if value == old:
        return new
    if isinstance(value, Mapping):
        return {name: _swapped(one, old, new) for name, one in value.items()}
    if isinstance(value, list):
        return [_swapped(one, old, new) for one in value]
    return value


def _holds_mark(value: Any) -> bool:
    if isinstance(value, Mapping):
        return value == _TEXT or any(map(_holds_mark, value.values()))
    return isinstance(value, list) and any(map(_holds_mark, value))
