"""Claude: an export's conversations with what was attached to them, its memories, and the projects' documents."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....modules.portability.models import MemoryEntry, Record, Refused
from ..moments import iso
from . import documents, turns
from .left_out import LeftOut

CLIENT = "claude"
SOURCE = f"import: {CLIENT}"
LOOKED_AT = 20
MEMORIES = r"memories\.json"
PROJECTS = r"projects(?:-\d{1,6})?\.json|projects/[^/]+\.json"
"""A document of all projects, or a folder with one for each."""


def is_here(path: Path) -> bool:
    """Return whether there are its conversations, or none but its memories or projects."""
    chats = documents.exported(path)[:LOOKED_AT]
    if chats:
        return any(isinstance(one, dict) and "chat_messages" in one for one in chats)
    beside = [found for pattern in (MEMORIES, PROJECTS) for _, found in documents.documents(path, pattern)]
    entries = [one for found in beside for one in (found if isinstance(found, list) else [found])]
    return any(isinstance(one, dict) and one.keys() & {"conversations_memory", "prompt_template"} for one in entries)


def read(path: Path) -> Iterator[Record]:
    left_out = LeftOut()
    for number, conversation in documents.conversations(path, "chat_messages", list):
        if isinstance(conversation, Refused):
            yield conversation
            continue
        messages = conversation["chat_messages"]
        seen = _seen(conversation, messages)
        left_out.add("messages of abandoned branches", len(messages) - len(seen))
        yield from _conversation(number, str(conversation.get("uuid") or number), conversation, seen, left_out)
    yield from left_out.named()
    for name, found in documents.documents(path, MEMORIES):
        yield from _each(name, found, _memories)
    for name, found in documents.documents(path, PROJECTS):
        yield from _each(name, found, _project)


def _each(name: str, found: Any, of: Any) -> Iterator[Record]:
    if isinstance(found, Refused):
        yield found
        return
    for number, one in enumerate(found if isinstance(found, list) else [found], start=1):
        where = f"{name}, entry {number}"
        if isinstance(one, dict):
            yield from of(where, one)
        else:
            yield Refused(where, "is not an object")


def _memories(where: str, entry: dict[str, Any]) -> Iterator[Record]:
    by_project = entry.get("project_memories")
    texts = [entry.get("conversations_memory"), *(by_project.values() if isinstance(by_project, dict) else ())]
    for text in texts:
        if isinstance(text, str) and text.strip():
            yield MemoryEntry(text.strip(), tags=("claude-memory",), source=SOURCE, where=where)


def _project(where: str, project: dict[str, Any]) -> Iterator[Record]:
    name, instructions = str(project.get("name") or ""), project.get("prompt_template")
    about = {"claude_project": name[: turns.MAX_NAME_CHARS]} if name else {}
    when = iso(project.get("created_at"))
    if isinstance(instructions, str) and instructions.strip():
        yield MemoryEntry(
            instructions.strip(), tags=("instructions",), metadata=about, source=SOURCE, occurred_at=when, where=where
        )
    for document in _objects(project, "docs"):
        yield from _file(document.get("filename"), document.get("content"), about, document.get("created_at"), where)


def _file(name: Any, text: Any, about: dict[str, str], when: Any, where: str) -> Iterator[Record]:
    if not isinstance(text, str) or not text.strip():
        yield Refused(where, f"{name or 'a file'} has no text in the export, and was left out")
        return
    metadata = {**about, "file": str(name)[: turns.MAX_NAME_CHARS]} if name else about
    yield MemoryEntry(
        text.strip(), tags=("file",), metadata=metadata, source=SOURCE, occurred_at=iso(when), where=where
    )


def _objects(of: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = of.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _seen(conversation: dict[str, Any], messages: list[Any]) -> list[Any]:
    """Return the messages that lead to the current one, where an export says which follows which; else all."""
    by_id = {str(one["uuid"]): one for one in messages if isinstance(one, dict) and "uuid" in one}
    if len(by_id) < len(messages) or not all("parent_message_uuid" in one for one in messages):
        return messages
    parents = {str(one["parent_message_uuid"]) for one in messages}
    if len(parents - by_id.keys()) > 1:
        return messages  # one that is missing parts what are no branches
    leaves = [one for key, one in by_id.items() if key not in parents]
    at: Any = by_id.get(str(conversation.get("current_leaf_message_uuid")))
    at = at or max(leaves, key=lambda one: str(one.get("created_at")), default=None)
    found, met = [], set[int]()
    while at is not None and id(at) not in met:
        met.add(id(at))
        found.append(at)
        at = by_id.get(str(at["parent_message_uuid"]))
    return found[::-1]


def _conversation(
    number: int, session: str, conversation: dict[str, Any], messages: list[Any], left_out: LeftOut
) -> Iterator[Record]:
    for place, message in enumerate(messages, start=1):
        where = f"conversation {number}, message {place}"
        if not isinstance(message, dict):
            yield Refused(where, "is not a message")
            continue
        blocks = _objects(message, "content")
        for block in blocks:
            if not isinstance(block.get("text"), str):
                left_out.add(f"blocks of kind {block.get('type')}")
        left_out.add("attached files that the export has not as text", len(_objects(message, "files")))
        text = message.get("text") or message.get("content")  # which stands in for what has no blocks
        content = message["content"] if blocks else text
        key, role = str(message.get("uuid") or place), str(message.get("sender"))
        when = message.get("created_at") or conversation.get("created_at")
        record = turns.turn(CLIENT, session, key, role, content, when, where=where)
        if record is not None:
            yield record
        for attached in _objects(message, "attachments"):
            name, text = attached.get("file_name"), attached.get("extracted_content")
            yield from _file(name, text, {}, when, where)
