"""ChatGPT: an export's chats; of an edited one, the path seen last, and what a user told or let it remember."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....modules.portability.models import CANDIDATE_CONFIDENCE, MemoryEntry, Record, Refused
from . import documents, turns
from .left_out import LeftOut

CLIENT = "chatgpt"
SOURCE = f"import: {CLIENT}"
MOST_MESSAGES = 100_000
LOOKED_AT = 20
EVERYONE, MEMORY = "all", "bio"
"""Whom the assistant writes to: the user, or the tool that keeps memories; else another tool."""
GROUPS = r"group_chats\.json"
_MARK = re.compile("\ue200([^\ue200\ue201]{0,4000})\ue201")
"""What the client draws in place of a part of a text, as a source or the name of something."""


def is_here(path: Path) -> bool:
    return any(isinstance(one, dict) and "mapping" in one for one in documents.exported(path)[:LOOKED_AT])


def read(path: Path) -> Iterator[Record]:
    left_out = LeftOut()
    for number, found in documents.conversations(path, "mapping", dict):
        yield from [found] if isinstance(found, Refused) else _conversation(number, found, left_out)
    for _, found in documents.documents(path, GROUPS):
        chats = found.get("chats") if isinstance(found, dict) else found
        left_out.add("chats of groups", len(chats) if isinstance(chats, list) else 0)
    yield from left_out.named()


def _conversation(number: int, conversation: dict[str, Any], left_out: LeftOut) -> Iterator[Record]:
    session = str(conversation.get("conversation_id") or conversation.get("id") or number)
    seen = _seen(conversation)
    if not seen:
        yield Refused(f"conversation {number}", "has no messages that can be read")
    on_path = {key for key, _ in seen}
    for key, node in conversation["mapping"].items():
        if key not in on_path and isinstance(node, dict) and _is_said(node.get("message")):
            left_out.add("messages of abandoned branches")
    for place, (key, message) in enumerate(seen, start=1):
        where = f"conversation {number}, message {place}"
        when = message.get("create_time") or conversation.get("create_time")
        if _is_said(message):
            _count_attached(message, left_out)
            content = _MARK.sub(_drawn, turns.text_of(message["content"]))
            record = turns.turn(CLIENT, session, key, _role(message), content, when, where=where)
            if record is not None:
                yield record
        else:
            yield from _told(message, where, left_out)


def _role(message: dict[str, Any]) -> str:
    author = message.get("author")
    return str(author.get("role")) if isinstance(author, dict) else ""


def _recipient(message: dict[str, Any]) -> str:
    return str(message.get("recipient") or EVERYONE)


def _is_said(message: Any) -> bool:
    """Return whether the user or the assistant says something to the other."""
    if not isinstance(message, dict) or _role(message) not in turns.ROLES or _is_hidden(message):
        return False
    content = message.get("content")
    is_text = isinstance(content, dict) and content.get("content_type") in ("text", "multimodal_text")
    return is_text and _recipient(message) == EVERYONE


def _is_hidden(message: dict[str, Any]) -> bool:
    metadata = message.get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("is_visually_hidden_from_conversation"))


def _count_attached(message: dict[str, Any], left_out: LeftOut) -> None:
    parts, metadata = message["content"].get("parts"), message.get("metadata")
    shown = [one for one in (parts if isinstance(parts, list) else ()) if isinstance(one, dict) and "text" not in one]
    attached = metadata.get("attachments") if isinstance(metadata, dict) else None
    images = sum("image" in str(one.get("mime_type")) for one in attached or () if isinstance(one, dict))
    left_out.add("images or sounds", len(shown))
    left_out.add("attached files", len(attached) - images if isinstance(attached, list) else 0)


def _told(message: dict[str, Any], where: str, left_out: LeftOut) -> Iterator[Record]:
    """Yield custom instructions and what was to be remembered; count everything else that nobody said."""
    content = message.get("content")
    content = content if isinstance(content, dict) else {}
    kind, role = str(content.get("content_type", "unknown")), _role(message)
    if kind == "user_editable_context":
        for name in ("user_profile", "user_instructions"):
            if text := _fenced(content.get(name)):
                yield MemoryEntry(text, tags=("instructions",), source=SOURCE, where=where)
    elif kind == "model_editable_context" or (role == "assistant" and _recipient(message) == MEMORY):
        text = turns.text_of(content.get("model_set_context") or content)
        if text:
            tags = ("chatgpt-memory",)
            yield MemoryEntry(text, tags=tags, source=SOURCE, confidence=CANDIDATE_CONFIDENCE, where=where)
    elif role in turns.ROLES and _recipient(message) != EVERYONE:
        left_out.add(f"calls of {_recipient(message).partition('.')[0]}")
    elif kind not in ("text", "multimodal_text"):
        left_out.add(f"messages of kind {kind}")
    elif turns.text_of(content):
        left_out.add("results of tools" if role == "tool" else "messages that the program wrote")


def _fenced(value: Any) -> str:
    """Return the user's own words, which stand between fences behind an explanation to the model."""
    text = value if isinstance(value, str) else ""
    first, last = text.find("```"), text.rfind("```")
    return text[first + 3 : last].strip() if 0 <= first < last else text.strip()


def _drawn(mark: re.Match[str]) -> str:
    """Return the words that a reader sees in place of a mark."""
    kind, _, rest = mark[1].partition("\ue202")
    if kind != "entity":
        return ""
    try:
        entity = json.loads(rest)
    except (ValueError, RecursionError):
        return ""
    return str(entity[1]) if isinstance(entity, list) and len(entity) > 1 else ""


def _seen(conversation: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the messages from the first to the current one, without branches that were left."""
    mapping = conversation["mapping"]
    current = conversation.get("current_node")
    at = current if isinstance(current, str) and current in mapping else _last(mapping)
    found, met = [], set[str]()
    while isinstance(at, str) and at not in met and len(met) < MOST_MESSAGES:
        met.add(at)
        node = mapping.get(at)
        if not isinstance(node, dict):
            break
        if isinstance(node.get("message"), dict):
            found.append((at, node["message"]))
        at = node.get("parent")
    return found[::-1]


def _last(mapping: dict[str, Any]) -> str | None:
    """Return the node of the latest message, where an export does not say which one is current."""
    with_message = [key for key, node in mapping.items() if isinstance(node, dict) and node.get("message")]
    return max(reversed(with_message), key=lambda key: _time(mapping[key]), default=None)


def _time(node: dict[str, Any]) -> float:
    message = node["message"]
    when = message.get("create_time") if isinstance(message, dict) else None
    return float(when) if isinstance(when, int | float) else 0.0
