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
_PROGRAM_PREFIXES = ("Caveat: The messages below", "[Request interrupted by user")
"""Beginnings of what the program writes in the user's place, beside elements."""
_NOBODY = "<synthetic>"
"""The model of what the program writes in the assistant's place."""


def is_here(path: Path) -> bool:
    return any(
        isinstance(one, tuple) and isinstance(one[1].get("sessionId"), str) and "message" in one[1]
        for file in turns.files(path, ".jsonl")[:LOOKED_AT]
        for one in islice(turns.lines(file, path), LOOKED_AT)
    )


def read(path: Path) -> Iterator[Record]:
    """Yield each line once: a resumed session repeats those of the earlier one, whose file is the older."""
    met = set[str]()
    for file in sorted(turns.files(path, ".jsonl"), key=_written):
        for one in turns.lines(file, path):
            if isinstance(one, Refused):
                yield one
                continue
            where, line = one
            uuid = _uuid(line)
            if isinstance(uuid, str) and uuid in met:
                continue
            if isinstance(uuid, str):
                met.add(uuid)
            if (record := _turn(where, line)) is not None:
                yield record


def _uuid(line: dict[str, Any]) -> Any:
    """Return the id of a message, which a forked session has anew."""
    origin = line.get("forkedFrom")
    return (origin.get("messageUuid") if isinstance(origin, dict) else None) or line.get("uuid")


def _written(file: Path) -> tuple[float, str]:
    try:
        return file.stat().st_mtime, str(file)
    except OSError:
        return 0.0, str(file)


def _turn(where: str, line: dict[str, Any]) -> Record | None:
    message, session = line.get("message"), line.get("sessionId")
    if not isinstance(message, dict) or not isinstance(session, str) or line.get("isMeta") or line.get("isSidechain"):
        return None
    if line.get("isCompactSummary") or line.get("isVisibleInTranscriptOnly"):  # the client wrote it, not the user
        return None
    if line.get("isApiErrorMessage") or message.get("model") == _NOBODY:
        return None
    role, content = str(message.get("role", line.get("type"))), message.get("content")
    if role == "user":
        content = turns.said(content)
        if content.startswith(_PROGRAM_PREFIXES):
            return None
    folder = line.get("cwd")
    return turns.turn(
        CLIENT,
        session,
        str(_uuid(line) or ""),
        role,
        content,
        line.get("timestamp"),
        where=where,
        project=Path(folder).name if isinstance(folder, str) else "",
        is_unique=True,
    )
