"""Claude Code: a file of JSON lines for each session, in a folder for each project."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ....modules.portability.models import Record, Refused
from . import turns

CLIENT = "claude-code"
LOOKED_AT = 20
"""Lines of a file that are looked at to recognise it."""
_PROGRAM_PREFIXES = ("<command-", "<local-command-", "Caveat: The messages below")
"""Beginnings of what the program writes in the user's place."""


def is_here(path: Path) -> bool:
    return any(
        isinstance(one, tuple) and isinstance(one[1].get("sessionId"), str) and "message" in one[1]
        for file in turns.files(path, ".jsonl")[:LOOKED_AT]
        for one in islice(turns.lines(file, path), LOOKED_AT)
    )


def read(path: Path) -> Iterator[Record]:
    for file in turns.files(path, ".jsonl"):
        for one in turns.lines(file, path):
            if isinstance(one, Refused):
                yield one
            elif (record := _turn(*one)) is not None:
                yield record


def _turn(where: str, line: dict[str, Any]) -> Record | None:
    message, session = line.get("message"), line.get("sessionId")
    if not isinstance(message, dict) or not isinstance(session, str) or line.get("isMeta") or line.get("isSidechain"):
        return None
    if turns.text_of(message.get("content")).startswith(_PROGRAM_PREFIXES):
        return None
    folder = line.get("cwd")
    return turns.turn(
        CLIENT,
        session,
        str(line.get("uuid") or ""),
        str(message.get("role", line.get("type"))),
        message.get("content"),
        line.get("timestamp"),
        where=where,
        project=Path(folder).name if isinstance(folder, str) else "",
    )
