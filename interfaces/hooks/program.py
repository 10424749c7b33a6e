"""The hook program: standard input's JSON to the daemon, its answer to standard output. Standard library only.

It never stands in an agent's way: whatever goes wrong, it says nothing, ends with code 0 and within its time. What it
cannot tell the daemon it leaves in the spool; where no daemon runs it starts one, for the next hook, without waiting.
Only the start of a session waits a moment for it, since that is what the agent's knowledge of its past comes with, and
the hook before a tool that has just started one: a lesson that comes after its tool is none.
A client that ends before its hooks have ended terminates them: what such a one was told goes to the spool.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from typing import Any, NamedTuple

from ...modules.system import door, pipes, processes
from ...modules.version import SIGNATURE, VERSION
from ..stdio.front import hello, place
from . import clients
from .occurrence import HOLDING_TEXT, NAMING, REDACTED_BY, Occurrence, bounded
from .spool import Spool

READ_WITHIN_S = 2.0
MAX_INPUT_BYTES = 16 * 2**20
RETRY_S = 0.02
_CONNECTED_WITHIN_S = 0.2
START_AGAIN_AFTER_S = 10.0

_WAITS = {
    "session-start": 4.0,
    "prompt": 3.0,
    "pre-tool": 1.0,
    "post-tool": 1.0,
    "pre-compact": 3.0,
    "stop": 2.0,
    "session-end": 1.0,  # a client ends it soon after
}
"""How long to wait for the daemon's answer, in seconds."""

_START_WAIT_S = 2.5
_FIRST_ANSWER_WAIT_S = 2.5
"""For the answer of a daemon that has just been started."""
_LEAVES_SOMETHING = ("prompt", "post-tool", "pre-compact", "stop", "session-end")
_USAGE = (
    f"usage: agentos hook {{{','.join(clients.EVENTS)}}} [--client {{{','.join(clients.CLIENTS)}}}] [--home DIR] "
    "[--agent NAME]\n"
)


class HookRequest(NamedTuple):
    """The command line's request."""

    event: str
    client: str
    given: dict[str, str]


_NOTHING = ("", "", "")


class _Terminated(BaseException):
    """The client does not wait any longer."""


class _NoReport(Exception):
    """What a client sent is no report of a hook."""


def main(arguments: list[str] | None = None) -> None:
    """Run one hook and end the process, always with code 0."""
    words = sys.argv[1:] if arguments is None else arguments
    printed = "{}"
    os.umask(0o077)
    try:
        processes.hold_termination()  # until the report is read, to be spooled
        wish = _wish(words)
        if words == ["--version"]:
            printed = SIGNATURE
        elif wish is None:
            sys.stderr.write(_USAGE)
        else:
            printed = clients.answer(wish.client, wish.event, "")
            printed = clients.answer(wish.client, wish.event, *_answered(wish))
    except BaseException as error:  # noqa: BLE001 - an agent must not suffer from its memory
        _complain(error)
    _write(printed)
    os._exit(0)  # nothing is left to close: skip the teardown


def _wish(words: list[str]) -> HookRequest | None:
    options = {"--client": "claude-code", "--home": "", "--agent": ""}
    event, rest = (words[0], words[1:]) if words else ("", [])
    while len(rest) >= 2 and rest[0] in options:
        options[rest[0]] = rest[1]
        rest = rest[2:]
    if rest or event not in clients.EVENTS or options["--client"] not in clients.CLIENTS:
        return None
    given = {"AGENTOS_HOME": options["--home"], "AGENTOS_AGENT_ID": options["--agent"]}
    return HookRequest(event, options["--client"], {name: value for name, value in given.items() if value})


def _answered(wish: HookRequest) -> tuple[str, str, str]:
    """Return what the daemon wants the agent to know now, and its ruling on a tool with the reason; "" for nothing."""
    here = place.of_environment(wish.given)
    payload = _payload()
    if not here.hooks or not here.home.is_absolute() or not here.is_private:
        return _NOTHING
    hook = clients.read(wish.client, wish.event, payload, here.settings.get("AGENTOS_AGENT_ID", ""), _folder())
    if hook is None:
        return _NOTHING
    fields = bounded(hook)
    answered = _asked_until_terminated(here, fields, hook)
    if answered is None:
        if hook.event in _LEAVES_SOMETHING:
            Spool(here.home).put(_redacted(fields))
        return _NOTHING
    context, ruling, reason = (
        value if isinstance(value := answered.get(name), str) else "" for name in ("context", "ruling", "reason")
    )
    return context, ruling, reason


def _asked_until_terminated(here: place.Place, fields: dict[str, Any], hook: Occurrence) -> dict[str, Any] | None:
    """Return the daemon's answer; None also if the client ends this hook before."""

    def terminate(*_: object) -> None:
        raise _Terminated

    signal.signal(signal.SIGTERM, terminate)
    try:
        processes.admit_termination()
        try:
            return _asked(here, fields, hook)
        finally:
            processes.hold_termination()
    except _Terminated:
        return None


def _asked(here: place.Place, fields: dict[str, Any], hook: Occurrence) -> dict[str, Any] | None:
    """Return the daemon's answer; None when it did not take the report, as far as can be seen."""
    connection, wait_s = _connected(here), _WAITS[hook.event]
    give_up_at = time.monotonic() + max(_WAITS.values())
    if connection is None:
        is_starting = _start_daemon(here)
        waits = here.daemon and (hook.event == "session-start" or (hook.event == "pre-tool" and is_starting))
        started_by = time.monotonic() + (_START_WAIT_S if waits else 0.0)
        while connection is None and time.monotonic() < started_by:
            time.sleep(RETRY_S)
            connection = _connected(here)
        if connection is None:
            return None
        wait_s = max(wait_s, _FIRST_ANSWER_WAIT_S)  # it opens the store first
    with connection:
        return _exchange(
            connection, hello.ask("hook", {}, hook=fields), min(wait_s, max(0.1, give_up_at - time.monotonic()))
        )


def _exchange(connection: socket.socket, line: bytes, wait_s: float) -> dict[str, Any] | None:
    give_up_at = time.monotonic() + wait_s
    received = b""
    try:
        connection.settimeout(wait_s)
        connection.sendall(line)
        while not received.endswith(b"\n"):
            connection.settimeout(max(0.001, give_up_at - time.monotonic()))
            chunk = connection.recv(2**16)
            if not chunk:
                return None
            received += chunk
    except OSError:
        return None
    reply = hello.read(received)
    return reply if reply is not None and reply.get("accepted") is True else None


def _connected(here: place.Place) -> socket.socket | None:
    try:
        return door.connect(here.socket, _CONNECTED_WITHIN_S)
    except OSError:  # nobody listens there
        return None


def _start_daemon(here: place.Place) -> bool:
    """Start a daemon, unless another hook has just done so; whether this one has."""
    if not here.daemon or not Spool(here.home).claim_start(START_AGAIN_AFTER_S):
        return False
    from ..stdio.front.link import spawn_daemon

    spawn_daemon(here.home)
    return True


def _payload() -> dict[str, Any]:
    """Return the client's report. Raises _NoReport."""
    try:
        payload = json.loads(_input())
    except (ValueError, RecursionError) as error:
        raise _NoReport(f"standard input is not JSON: {error}") from error
    if not isinstance(payload, dict):
        raise _NoReport("standard input is no JSON object")
    return payload


def _redacted(fields: dict[str, Any]) -> dict[str, Any]:
    """Return a report without secrets, as it goes to disk: the daemon, which usually redacts it, is not there.

    It names the version of the rules, so that a daemon with the same version need not redact again.
    """
    from ...modules.redaction.rules import ValueWalk

    clean = ValueWalk().value({name: fields[name] for name in HOLDING_TEXT})
    named = {name: ValueWalk().value(fields[name]) for name in NAMING}
    return {**fields, **clean, **named, REDACTED_BY: VERSION}


def _input() -> bytes:
    """Return all of standard input, which the client closes; waits at most READ_WITHIN_S."""
    return pipes.read_all(0, READ_WITHIN_S, MAX_INPUT_BYTES)


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return "/"


def _complain(error: BaseException) -> None:
    kind = "" if isinstance(error, (_NoReport, OSError)) else f"{type(error).__name__}: "
    try:
        sys.stderr.write(f"agentos hook: {kind}{error}\n")
    except (OSError, ValueError, AttributeError):
        return


def _write(text: str) -> None:
    try:
        os.write(1, text.encode() + b"\n")
    except OSError:
        return
