"""LangChain: the history of a chat as the turns of a session. Needs the extra `langchain`."""

from collections.abc import Iterator, Mapping, Sequence

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    message_to_dict,
    messages_from_dict,
)

from .client import Client
from .transcript import MOST, Entry, Role, Transcript

_PLAIN: Mapping[Role, type[BaseMessage]] = {"user": HumanMessage, "assistant": AIMessage, "system": SystemMessage}
_ROLES: Mapping[str, Role] = {"human": "user", "ai": "assistant", "system": "system"}


class AgentOSChatMessageHistory(BaseChatMessageHistory):
    """The messages of a session, of which the last `limit` are returned. Its methods raise AgentOSError."""

    def __init__(self, client: Client, session: str, *, limit: int = MOST) -> None:
        self._transcript = Transcript(client, session)
        self._limit = limit

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """The last messages, in order; tool messages of other frameworks are left out."""
        return [message for entry in self._transcript.entries(self._limit) for message in _messages(entry)]

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages."""
        for message in messages:
            role, text = _ROLES.get(message.type, "tool"), str(message.text)
            is_plain = role in _PLAIN and message == _PLAIN[role](content=text)
            self._transcript.add(role, text, None if is_plain else message_to_dict(message))

    def clear(self) -> None:
        """Archive the messages."""
        self._transcript.clear()


def _messages(entry: Entry) -> Iterator[BaseMessage]:
    if entry.item is not None:
        yield from messages_from_dict([entry.item])
    elif entry.role in _PLAIN:
        yield _PLAIN[entry.role](content=entry.text)
