"""ChatGPT: an export's `conversations.json`, or its numbered files; of an edited conversation, the path seen last."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....modules.portability.models import Record, Refused
from . import documents, turns

CLIENT = "chatgpt"
MOST_MESSAGES = 100_000
LOOKED_AT = 20


def is_here(path: Path) -> bool:
    return any(isinstance(one, dict) and "mapping" in one for one in documents.exported(path)[:LOOKED_AT])


def read(path: Path) -> Iterator[Record]:
    left_out: Counter[str] = Counter()
    for number, conversation in enumerate(documents.exported(path), start=1):
        if isinstance(conversation, Refused):
            yield conversation
            continue
        if not isinstance(conversation, dict) or not isinstance(conversation.get("mapping"), dict):
            yield Refused(f"conversation {number}", "is not a conversation")
            continue
        yield from _conversation(number, conversation, left_out)
    for kind, count in sorted((+left_out).items()):
        yield Refused("messages", f"{count} {kind} left out: they are no text of the user or the assistant")


def _conversation(number: int, conversation: dict[str, Any], left_out: Counter[str]) -> Iterator[Record]:
    session = str(conversation.get("conversation_id") or conversation.get("id") or number)
    seen = _seen(conversation)
    if not seen:
        yield Refused(f"conversation {number}", "has no messages that can be read")
    for place, (key, message) in enumerate(seen, start=1):
        content, author = message.get("content"), message.get("author")
        role = str(author.get("role")) if isinstance(author, dict) else ""
        kind = str(content.get("content_type")) if isinstance(content, dict) else "unknown"
        if not isinstance(content, dict) or kind not in ("text", "multimodal_text"):
            left_out[f"of kind {kind[:40]}"] += 1
            continue
        parts = content.get("parts")
        left_out["images or sounds"] += sum(
            isinstance(one, dict) and "text" not in one for one in (parts if isinstance(parts, list) else ())
        )
        where = f"conversation {number}, message {place}"
        record = turns.turn(CLIENT, session, key, role, content, message.get("create_time"), where=where)
        if record is not None:
            yield record


def _seen(conversation: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the messages from the first to the current one, without branches that were left."""
    mapping = conversation["mapping"]
    current = conversation.get("current_node")
    at = current if current in mapping else _last(mapping)
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
    times = {key: _time(node) for key, node in mapping.items() if isinstance(node, dict) and node.get("message")}
    return max(times, key=lambda key: times[key], default=None)


def _time(node: dict[str, Any]) -> float:
    message = node["message"]
    when = message.get("create_time") if isinstance(message, dict) else None
    return float(when) if isinstance(when, int | float) else 0.0
