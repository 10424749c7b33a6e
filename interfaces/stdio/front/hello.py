"""The first line each way on the daemon's socket: who connects, and whether the daemon accepts."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from ....modules.system import door
from ....modules.version import VERSION

PROTOCOL = 1
"""Increased when a front and a daemon of different versions could misunderstand each other."""

STATUS_WAIT_S = 5.0


def ask(wants: str, settings: dict[str, str], **content: Any) -> bytes:
    """Return a first line; `wants` is `session`, `status`, `leave`, or a door as `hook`, with its `content`."""
    return _line({"wants": wants, "settings": settings, **content})


def answer(**content: Any) -> bytes:
    """Return the daemon's line, for example with `accepted=True`, or `accepted=False` and a `reason`."""
    return _line(content)


def read(line: bytes) -> dict[str, Any] | None:
    """Return the content of a first line; None when it is not one."""
    try:
        content = json.loads(line)["agentos"]
        return content if isinstance(content["protocol"], int) and isinstance(content["version"], str) else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def settings_in(content: dict[str, Any]) -> dict[str, str] | None:
    """Return the settings in a first line, none without any; None where one is no text that a setting can be."""
    given = content.get("settings")
    if not isinstance(given, dict):
        return {}
    if not all(isinstance(value, str) for value in given.values()):
        return None
    try:
        "".join((*given, *given.values())).encode()
    except UnicodeEncodeError:
        return None
    return given


def same_version(content: dict[str, Any]) -> bool:
    """Return whether the other side has our version: only then do both understand each other fully."""
    return (content["protocol"], content["version"]) == (PROTOCOL, VERSION)


def ask_status(path: Path, wait_s: float = STATUS_WAIT_S) -> dict[str, Any] | None:
    """Return what the daemon at `path` says about itself; None when none answers. Blocks up to `wait_s`."""
    return read(_asked(path, "status", wait_s))


def ask_to_leave(path: Path, wait_s: float) -> bool:
    """Ask the daemon at `path` to end, which it does when a front started it and nobody is served.

    Returns True when it has ended within `wait_s` seconds. Blocks until then.
    """
    reply = read(_asked(path, "leave", wait_s, to_the_end=True))
    return reply is not None and bool(reply.get("accepted"))


def _asked(path: Path, wants: str, wait_s: float, *, to_the_end: bool = False) -> bytes:
    """Return the answer of the daemon at `path`: one line, or all until its end; empty when none answers."""
    received, give_up_at = b"", time.monotonic() + wait_s
    try:
        with door.connect(path, wait_s) as connection:
            connection.sendall(ask(wants, {}))
            while (to_the_end or not received.endswith(b"\n")) and (chunk := connection.recv(2**16)):
                received += chunk
                connection.settimeout(max(0.001, give_up_at - time.monotonic()))
    except OSError:
        return b""
    return received


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps({"agentos": {"protocol": PROTOCOL, "version": VERSION, **content}}).encode() + b"\n"
