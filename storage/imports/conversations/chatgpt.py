"""ChatGPT: an export's `conversations.json`; of a conversation that was edited, the path that was seen last."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....modules.portability.models import Record, Refused
from . import documents, turns

CLIENT = "chatgpt"
MOST_MESSAGES = 100_000


def is_here(path: Path) -> bool:
    found = documents.exported(path)
    return isinstance(found, list) and any(isinstance(one, dict) and "mapping" in one for one in found[:1])


def read(path: Path) -> Iterator[Record]:
    found = documents.exported(path)
    if isinstance(found, Refused):
        yield found
        return
    for number, conversation in enumerate(found if isinstance(found, list) else (), start=1):
        if not isinstance(conversation, dict) or not isinstance(conversation.get("mapping"), dict):
            yield Refused(f"conversation {number}", "is not a conversation")
            continue
        yield from _conversation(number, conversation)


def _conversation(number: int, conversation: dict[str, Any]) -> Iterator[Record]:
    session = str(conversation.get("conversation_id") or conversation.get("id") or number)
    for place, (key, message) in enumerate(_seen(conversation), start=1):
        content, author = message.get("content"), message.get("author")
        if not isinstance(content, dict) or content.get("content_type") not in ("text", "multimodal_text"):
            continue
        role = str(author.get("role")) if isinstance(author, dict) else ""
        where = f"conversation {number}, message {place}"
        record = turns.turn(CLIENT, session, key, role, content, message.get("create_time"), where=where)
        if record is not None:
            yield record


def _seen(conversation: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the messages from the first to the current one, without branches that were left."""
    mapping = conversation["mapping"]
    at, found, met = conversation.get("current_node"), [], set[str]()
    while isinstance(at, str) and at not in met and len(met) < MOST_MESSAGES:
        met.add(at)
        node = mapping.get(at)
        if not isinstance(node, dict):
            break
        if isinstance(node.get("message"), dict):
            found.append((at, node["message"]))
        at = node.get("parent")
    return found[::-1]
