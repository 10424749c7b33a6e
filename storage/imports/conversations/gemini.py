"""Gemini CLI: a JSON document (`session-….json`) for each session, or of late a file of JSON lines."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ....modules.portability.models import Record, Refused
from . import documents, turns
from .left_out import LeftOut

CLIENT = "gemini-cli"
LOOKED_AT = 20
_SET, _REWIND = "$set", "$rewindTo"


def is_here(path: Path) -> bool:
    return any(_is_session(documents.read(file, path)) for file in turns.files(path, ".json")[:LOOKED_AT]) or any(
        isinstance(one, tuple) and {"sessionId", "startTime"} <= one[1].keys()
        for file in turns.files(path, ".jsonl")[:LOOKED_AT]
        for one in islice(turns.lines(file, path), 1)
    )


def read(path: Path) -> Iterator[Record]:
    left_out = LeftOut()
    for file in turns.files(path, ".json"):
        document = documents.read(file, path)
        if isinstance(document, Refused):
            yield document
        elif _is_session(document):
            yield from _session(file.name, document["sessionId"], document["messages"])
    for file in turns.files(path, ".jsonl"):
        yield from _recorded(file, path, left_out)
    yield from left_out.named()


def _is_session(document: Any) -> bool:
    return isinstance(document, dict) and "sessionId" in document and isinstance(document.get("messages"), list)


def _recorded(file: Path, path: Path, left_out: LeftOut) -> Iterator[Record]:
    """Yield the turns of a file of lines: of a message that is written again the last, without what was taken back."""
    session: Any = None
    messages: dict[str, Any] = {}
    for one in turns.lines(file, path):
        if isinstance(one, Refused):
            yield one
            continue
        _, line = one
        session = session or line.get("sessionId")
        patch = line.get(_SET) if isinstance(line.get(_SET), dict) else line
        if isinstance(line.get(_REWIND), str):
            kept = list(messages)
            for key in kept[kept.index(line[_REWIND]) :] if line[_REWIND] in messages else ():
                del messages[key]
                left_out.add("messages that were taken back")
        elif isinstance(line.get("id"), str):
            messages[line["id"]] = line
        elif isinstance(patch, dict) and isinstance(patch.get("messages"), list):
            listed = [one for one in patch["messages"] if isinstance(one, dict)]
            messages |= {str(each.get("id") or f"message {number}"): each for number, each in enumerate(listed)}
    if session is not None:
        yield from _session(file.name, session, list(messages.values()))


def _session(name: str, session: Any, messages: list[Any]) -> Iterator[Record]:
    for number, message in enumerate(messages):
        where = f"{name}, message {number + 1}"
        if not isinstance(message, dict):
            yield Refused(where, "is not a message")
            continue
        key, role = str(message.get("id") or number), str(message.get("type"))
        content = message.get("displayContent") or message.get("content")  # without the files that it names
        content = turns.said(content) if role == "user" else content
        record = turns.turn(CLIENT, str(session), key, role, content, message.get("timestamp"), where=where)
        if record is not None:
            yield record
