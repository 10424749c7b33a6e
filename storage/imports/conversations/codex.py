"""Codex: a file of JSON lines (`rollout-….jsonl`) for each session, in folders by date."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from ....modules.portability.models import Record, Refused, TurnEntry
from . import turns

CLIENT = "codex"
LOOKED_AT = 20
SHORTEST_SUMMARY = 20
"""The characters of the shortest text that is known again as a summary."""
_PROGRAM_PREFIX = "# AGENTS.md instructions"
"""The beginning of what the program writes in the user's place, beside elements."""
_REQUEST = "\n## My request for Codex:\n"
"""Parts what an editor adds to a message from what the user wrote."""

_Said = tuple[bytes, bytes]
"""The digests of a message: of its words, and of its words with their time (empty where that is unknown)."""


def is_here(path: Path) -> bool:
    return any(
        isinstance(one, tuple) and _begins(one[1])
        for file in turns.files(path, ".jsonl")[:LOOKED_AT]
        for one in islice(turns.lines(file, path), 1)
    )


def _begins(line: dict[str, Any]) -> bool:
    """Return whether a line begins a session; before the autumn of 2025 it named no type."""
    return line.get("type") == "session_meta" or (
        "type" not in line and {"id", "timestamp", "instructions"} <= line.keys()
    )


def read(path: Path) -> Iterator[Record]:
    """Yield each message once: a resumed or forked session begins with those of an earlier one, whose file is older."""
    earlier: list[list[_Said]] = []
    for file in sorted(turns.files(path, ".jsonl"), key=lambda file: (file.name, str(file))):
        yield from _session(file, path, earlier)


def _session(file: Path, path: Path, earlier: list[list[_Said]]) -> Iterator[Record]:
    summaries = frozenset(_summaries(file, path))
    session, project, is_fork, said = "", "", False, list[_Said]()
    started: Any = None
    alike = [*earlier]
    waiting: TurnEntry | None = None
    for number, one in enumerate(turns.lines(file, path)):
        if isinstance(one, Refused):
            yield one
            continue
        where, line = one
        payload = line.get("payload", line)
        if not isinstance(payload, dict):
            continue
        if _begins(line):
            is_fork = is_fork or bool(session) or bool(payload.get("forked_from_id"))
            if not session:
                started = line.get("timestamp")
                session, folder = str(payload.get("id") or ""), payload.get("cwd")
                project = Path(folder).name if isinstance(folder, str) else ""
            continue
        record = _turn(where, session or file.stem, project, number, line.get("timestamp") or started, payload)
        if record is None:
            continue
        digests = _said(record)
        alike = [one for one in alike if _begins_alike(one, len(said), digests, is_fork=is_fork)]
        said.append(digests)
        if alike:
            continue
        is_summary = record.role == "assistant" and record.content in summaries
        if waiting is not None and not (is_summary and waiting.role == "user"):  # the program asks for its summary
            yield waiting
        waiting = None if is_summary else _without(record, summaries)
    if waiting is not None:
        yield waiting
    earlier.append(said)


def _summaries(file: Path, path: Path) -> Iterator[str]:
    """Yield what compactions made of the conversation: it comes back in the user's place."""
    for one in turns.lines(file, path):
        if isinstance(one, tuple) and one[1].get("type") == "compacted" and isinstance(one[1].get("payload"), dict):
            text = turns.text_of(one[1]["payload"].get("message"))
            if len(text) >= SHORTEST_SUMMARY:
                yield text


def _without(turn: TurnEntry, summaries: frozenset[str]) -> TurnEntry | None:
    """Return a turn without the summaries in it; None where nothing but the program's lead-in is left."""
    text = turn.content
    for summary in sorted(summaries, key=len, reverse=True) if turn.role == "user" else ():
        before, found, after = text.partition(summary)
        if (
            found
            and not after.strip()
            and (not before.strip() or (before.rstrip(" \n").endswith(":") and before[-1] == "\n"))
        ):
            return None
        text = f"{before.rstrip()} {after.lstrip()}".strip() if found else text
    return replace(turn, content=text) if text != turn.content else turn


def _said(turn: TurnEntry) -> _Said:
    plain = hashlib.sha256(f"{turn.role}\x00{turn.content}".encode("utf-8", "surrogatepass"))
    dated = plain.copy()
    dated.update(str(turn.occurred_at).encode())
    return plain.digest(), dated.digest() if turn.occurred_at is not None else b""


def _begins_alike(other: list[_Said], place: int, said: _Said, *, is_fork: bool) -> bool:
    """Return whether a message stands at its place in another session: with its time, where nothing tells of a fork."""
    if place >= len(other):
        return False
    plain, dated = other[place]
    return plain == said[0] if is_fork else dated == said[1] != b""


def _turn(where: str, session: str, project: str, number: int, when: Any, payload: dict[str, Any]) -> TurnEntry | None:
    if payload.get("type") != "message":
        return None
    role, content = str(payload.get("role")), payload.get("content")
    if role == "user":
        content = turns.said(content)
        if content.startswith(_PROGRAM_PREFIX):
            return None
        content = content.rpartition(_REQUEST)[2]
    key = str(payload.get("id") or f"{number}")
    return turns.turn(CLIENT, session, key, role, content, when, where=where, project=project)
