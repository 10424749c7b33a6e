"""Gemini CLI: a JSON document (`session-….json`) for each session."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....modules.portability.models import Record, Refused
from . import documents, turns

CLIENT = "gemini-cli"
LOOKED_AT = 20


def is_here(path: Path) -> bool:
    return any(_is_session(documents.read(file, path)) for file in turns.files(path, ".json")[:LOOKED_AT])


def read(path: Path) -> Iterator[Record]:
    for file in turns.files(path, ".json"):
        document = documents.read(file, path)
        if isinstance(document, Refused):
            yield document
        elif _is_session(document):
            yield from _session(file.name, document)


def _is_session(document: Any) -> bool:
    return isinstance(document, dict) and "sessionId" in document and isinstance(document.get("messages"), list)


def _session(name: str, document: dict[str, Any]) -> Iterator[Record]:
    for number, message in enumerate(document["messages"]):
        where = f"{name}, message {number + 1}"
        if not isinstance(message, dict):
            yield Refused(where, "is not a message")
            continue
        key, role = str(message.get("id") or number), str(message.get("type"))
        session, when = str(document["sessionId"]), message.get("timestamp")
        if (record := turns.turn(CLIENT, session, key, role, message.get("content"), when, where=where)) is not None:
            yield record
