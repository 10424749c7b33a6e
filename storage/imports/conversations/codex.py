"""Codex: a file of JSON lines (`rollout-….jsonl`) for each session, in folders by date."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ....modules.portability.models import Record, Refused
from . import turns

CLIENT = "codex"
LOOKED_AT = 20
_PROGRAM_PREFIXES = ("<environment_context>", "<user_instructions>", "<permissions", "# AGENTS.md instructions")
"""Beginnings of what the program writes in the user's place."""


def is_here(path: Path) -> bool:
    return any(
        isinstance(one, tuple) and one[1].get("type") == "session_meta"
        for file in turns.files(path, ".jsonl")[:LOOKED_AT]
        for one in islice(turns.lines(file, path), 1)
    )


def read(path: Path) -> Iterator[Record]:
    for file in turns.files(path, ".jsonl"):
        session, project = file.stem, ""
        for number, one in enumerate(turns.lines(file, path)):
            if isinstance(one, Refused):
                yield one
                continue
            where, line = one
            payload = line.get("payload")
            if not isinstance(payload, dict):
                continue
            if line.get("type") == "session_meta":
                session, folder = str(payload.get("id") or session), payload.get("cwd")
                project = Path(folder).name if isinstance(folder, str) else ""
            elif (record := _turn(where, session, project, number, line, payload)) is not None:
                yield record


def _turn(
    where: str, session: str, project: str, number: int, line: dict[str, Any], payload: dict[str, Any]
) -> Record | None:
    if payload.get("type") != "message" or turns.text_of(payload.get("content")).startswith(_PROGRAM_PREFIXES):
        return None
    role, when = str(payload.get("role")), line.get("timestamp")
    key = str(payload.get("id") or f"{number}")
    return turns.turn(CLIENT, session, key, role, payload.get("content"), when, where=where, project=project)
