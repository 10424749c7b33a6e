"""Claude: an export's `conversations.json`, and the projects' instructions and documents beside it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....modules.portability.models import Record, Refused
from . import documents, turns

CLIENT = "claude"


def is_here(path: Path) -> bool:
    found = documents.exported(path)
    return isinstance(found, list) and any(isinstance(one, dict) and "chat_messages" in one for one in found[:1])


def read(path: Path) -> Iterator[Record]:
    found = documents.exported(path)
    if isinstance(found, Refused):
        yield found
        return
    for number, conversation in enumerate(found if isinstance(found, list) else (), start=1):
        messages = conversation.get("chat_messages") if isinstance(conversation, dict) else None
        if not isinstance(messages, list):
            yield Refused(f"conversation {number}", "is not a conversation")
            continue
        yield from _conversation(number, str(conversation.get("uuid") or number), messages)


def _conversation(number: int, session: str, messages: list[Any]) -> Iterator[Record]:
    for place, message in enumerate(messages, start=1):
        where = f"conversation {number}, message {place}"
        if not isinstance(message, dict):
            yield Refused(where, "is not a message")
            continue
        content = message.get("content") if turns.text_of(message.get("content")) else message.get("text")
        key, role = str(message.get("uuid") or place), str(message.get("sender"))
        record = turns.turn(CLIENT, session, key, role, content, message.get("created_at"), where=where)
        if record is not None:
            yield record
