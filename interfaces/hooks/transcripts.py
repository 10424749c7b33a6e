"""What only a client's transcript tells of a tool's run: the exit code of Codex's commands. Standard library only."""

from __future__ import annotations

import json
import os
import re
import stat
from typing import Any

from ...modules.system.files import AS_BYTES, CLOSED_IN_CHILDREN, NO_WAITING, read_at

MAX_TAIL_BYTES = 256 * 1024
"""How much of a transcript's end is read: the run that a hook reports is among its last lines."""
_EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,10})$", re.MULTILINE)
_HEAD_CHARS = 400


def with_exit_code(response: str, transcript: str, call: str) -> Any:
    """Return a command's response with the exit code that the transcript gives for its call, if it gives one."""
    code = _code_of(call, _tail(transcript)) if transcript and call else None
    return response if code is None else {"exit_code": code, "output": response}


def _tail(path: str) -> list[bytes]:
    """Return the last lines of a regular file; none if it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | NO_WAITING | CLOSED_IN_CHILDREN | AS_BYTES)
    except (OSError, ValueError):
        return []
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return []
        return read_at(descriptor, MAX_TAIL_BYTES, max(0, found.st_size - MAX_TAIL_BYTES)).splitlines()
    except OSError:
        return []
    finally:
        os.close(descriptor)


def _code_of(call: str, lines: list[bytes]) -> int | None:
    for line in reversed(lines):
        if call.encode() not in line:
            continue
        try:
            payload = json.loads(line).get("payload")
        except (ValueError, AttributeError, RecursionError):
            continue
        if isinstance(payload, dict) and (code := _code_in(payload, call)) is not None:
            return code
    return None


def _code_in(payload: dict[str, Any], call: str) -> int | None:
    """Return the exit code that an entry gives for a call: that of its run as an item, or in its output's head."""
    item = payload.get("item")
    if isinstance(item, dict) and item.get("id") == call:
        return code if isinstance(code := item.get("exit_code"), int) else None
    if payload.get("call_id") != call:
        return None
    if isinstance(code := payload.get("exit_code"), int):
        return code
    output = payload.get("output")
    said = _EXIT_CODE.search(output[:_HEAD_CHARS]) if isinstance(output, str) else None
    return None if said is None else int(said[1])
