"""The relay between an agent and what serves it: holds what comes too early, and repeats what may be repeated.

agent ──stdin──▶ answered from the snapshot, or ──▶ held until there is a link ──▶ the daemon, or this process
agent ◀─stdout────────────────────────────────────────────────────────────────────┘
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from collections import deque
from typing import Any

from ....modules.records import dataclass
from ....modules.system.pipes import CHUNK_BYTES, READ, WRITE, Input, Output, Waiter, signals_as_input
from ..wire import (
    LineSplitter,
    RequestId,
    answered_id,
    canonical_id,
    decoded,
    guessed_id,
    has_too_many_values,
    is_request_id,
    refusal_of,
)
from . import hello
from .batches import VERSION as BATCHES_OF
from .batches import Batches
from .handshake import REPLAYED_ID, Handshake
from .link import LEAVE_WITHIN_S, RETRY_S, FrontLink, InProcess, rest_of, wait_for_end
from .place import Place

LOOK_ROUND_S = 5.0
FINISH_WITHIN_S = 15.0
"""How long what was asked may take once the client says nothing more; a client that wants no answers sends SIGTERM."""

MAX_WAITING_BYTES = 2**24
MAX_PARSED_BYTES = 2**20
MAX_REPEATS = 2
SILENT_S = 30.0
"""How long a daemon may be silent while it owes an answer, before it is asked whether it lives."""

ALIVE_WITHIN_S = 5.0
READ_WITHIN_S = 0.5
"""How long a client may read nothing at the end, before the rest is dropped."""

INTERNAL_ERROR = -32603

LOST_CALL = (
    "the AgentOS daemon ended while it worked on this call (a new one is being started): it may or may not have been "
    "done; look before you repeat it"
)


@dataclass
class _Request:
    """A request that has no response yet."""

    id: RequestId
    line: bytes
    repeatable: bool
    message: dict[str, Any]
    sent: bool = False
    repeats: int = 0


@dataclass
class _Outgoing:
    """A line on its way to whatever serves the session."""

    rest: memoryview
    request: _Request | None


class Relay:
    """One session of one agent, on its client's file descriptors."""

    def __init__(self, place: Place, in_process: InProcess, client_in: Input, client_out: Output) -> None:
        self._link = FrontLink(place, in_process)
        home = place.home if place.is_private else None
        self._handshake = Handshake(
            place.toolsets, home, features=place.features, resources=place.resources, views=place.views
        )
        self._batches = Batches()
        self._client_in, self._client_out = client_in, client_out
        self._from_client, self._from_server = LineSplitter(), LineSplitter()
        self._to_client = bytearray()
        self._to_server: deque[_Outgoing] = deque()
        self._waiting_bytes = 0
        self._unanswered: dict[RequestId, _Request] = {}
        self._server: socket.socket | None = None
        self._parent = os.getppid()
        self._finish_by = 0.0
        self._active_at = 0.0

    def run(self) -> None:
        """Relay until the client closes its end or goes away, or until SIGTERM or SIGINT."""
        signalled = signals_as_input((signal.SIGTERM, signal.SIGINT))
        try:
            while self._turn(signalled.fileno()):
                pass
        except ConnectionError:  # the client does not listen any more
            pass
        self._leave()

    def _turn(self, signalled: int) -> bool:
        """Wait for something to do, and do it; return False when the session is over."""
        if self._server is None:
            self._connect()
        ready = self._ready(signalled)
        if signalled in ready or (not ready and os.getppid() != self._parent):
            return False
        if self._client_out.fileno() in ready:
            del self._to_client[: self._client_out.write(self._to_client)]
        if self._server is not None and self._server.fileno() in ready:
            self._exchange(self._server, ready[self._server.fileno()])
        if self._client_in.fileno() in ready:
            chunk = self._client_in.read()
            for line in self._from_client.feed(chunk):
                self._take(line)
            if not chunk:
                self._finish_by = time.monotonic() + FINISH_WITHIN_S
        if not ready and self._server is not None and self._is_hung():
            self._cut(self._server)
        self._link.reap()
        return not self._finish_by or self._has_to_finish()

    def _has_to_finish(self) -> bool:
        """Return whether the client, whose input has ended, still waits for requests that were not even passed on."""
        return bool(self._unanswered) and time.monotonic() < self._finish_by

    def _ready(self, signalled: int) -> dict[int, int]:
        waiter = Waiter()
        waiter.add(signalled, READ)
        if not self._finish_by and max(self._waiting_bytes, len(self._to_client)) < MAX_WAITING_BYTES:
            waiter.add(self._client_in.fileno(), READ)
        if self._to_client:
            waiter.add(self._client_out.fileno(), WRITE)
        if self._server is not None:
            reading = READ if len(self._to_client) < MAX_WAITING_BYTES else 0
            waiter.add(self._server.fileno(), reading | (WRITE if self._to_server else 0))
        return waiter.ready(LOOK_ROUND_S if self._server is not None else RETRY_S)

    # From the client.

    def _take(self, line: bytes) -> None:
        small = len(line) <= MAX_PARSED_BYTES
        message = decoded(line) if small or self._is_large_batch(line) else None
        if isinstance(message, list):
            messages, answer = self._batches.open(message, self._handshake.agreed)
            self._tell(answer)
            for one in messages:
                self._take_message(one, json.dumps(one).encode())
        elif isinstance(message, dict) and (is_request_id(message.get("id", "")) or "method" not in message):
            self._take_message(message, line)
        elif small and (refused := refusal_of(line)) is not None:
            self._tell(refused)
        elif line.strip():
            self._forward(line, self._large_request(line))

    def _is_large_batch(self, line: bytes) -> bool:
        begins = self._handshake.agreed == BATCHES_OF and line[:CHUNK_BYTES].lstrip().startswith(b"[")
        return begins and not has_too_many_values(line)

    def _take_message(self, message: dict[str, Any], line: bytes) -> None:
        result = self._handshake.result_of(message)
        if result is not None:
            self._answer({"jsonrpc": "2.0", "id": message["id"], "result": result})
            if message["method"] == "initialize" and self._server is not None:
                for replayed in self._handshake.replay():
                    self._forward(replayed, None)
        elif self._handshake.note(message, line):
            if self._server is not None:
                self._forward(line, None)
        else:
            self._forward(line, self._request(message, line))

    def _request(self, message: dict[str, Any], line: bytes) -> _Request | None:
        identifier = message.get("id")
        if "method" in message and is_request_id(identifier):
            return _Request(identifier, line, self._handshake.is_repeatable(message), message)
        if message.get("method") == "notifications/cancelled" and isinstance(message.get("params"), dict):
            cancelled = message["params"].get("requestId")
            if is_request_id(cancelled):  # a cancelled request must not be answered
                for taken in [one for one in self._unanswered if canonical_id(one) == canonical_id(cancelled)]:
                    del self._unanswered[taken]
                    self._tell(self._batches.cancelled(taken))
        return None

    def _large_request(self, line: bytes) -> _Request | None:
        """Return a request too large to parse here, never repeated; None if it is small or has no visible id."""
        if len(line) <= MAX_PARSED_BYTES:
            return None
        identifier = guessed_id(line.decode("utf-8", "replace"))
        return None if identifier is None else _Request(identifier, line, False, {"method": "tools/call"})

    def _forward(self, line: bytes, request: _Request | None) -> None:
        if request is not None:
            self._unanswered[request.id] = request
        self._to_server.append(_Outgoing(memoryview(line + b"\n"), request))
        self._waiting_bytes += len(line) + 1

    def _answer(self, message: dict[str, Any]) -> None:
        line = json.dumps(message, separators=(",", ":")).encode()
        self._tell(self._batches.answered(message["id"], line))

    def _tell(self, line: bytes | None) -> None:
        if line is not None:
            self._to_client += line + b"\n"

    # To and from whatever serves the session.

    def _connect(self) -> None:
        self._server = self._link.poll()
        if self._server is not None:
            self._from_server = LineSplitter()
            held, self._to_server = self._to_server, deque()
            for line in self._handshake.replay():
                self._forward(line, None)
            self._to_server += held

    def _exchange(self, server: socket.socket, events: int) -> None:
        try:
            if events & READ:
                self._active_at = time.monotonic()
                chunk = server.recv(CHUNK_BYTES)
                if not chunk:
                    raise ConnectionResetError
                for line in self._from_server.feed(chunk):
                    self._relay_back(line)
            if events & WRITE:
                self._send(server)
        except BlockingIOError:
            pass
        except OSError:
            for line in self._from_server.feed(rest_of(server)):  # what it said before it went
                self._relay_back(line)
            self._cut(server)

    def _send(self, server: socket.socket) -> None:
        while self._to_server:
            outgoing = self._to_server[0]
            written = server.send(outgoing.rest)
            self._waiting_bytes -= written
            outgoing.rest = outgoing.rest[written:]
            if outgoing.rest:
                return
            if outgoing.request is not None:
                outgoing.request.sent = True
                self._active_at = max(self._active_at, time.monotonic())
            self._to_server.popleft()

    def _relay_back(self, line: bytes) -> None:
        identifier = answered_id(line)
        if identifier == REPLAYED_ID:
            return
        if identifier is not None:
            self._unanswered.pop(identifier, None)
        self._tell(self._batches.answered(identifier, line))

    def _is_hung(self) -> bool:
        """Return whether the daemon owes an answer, has been silent for long, and does not even report its status."""
        if self._link.alone or not any(request.sent for request in self._unanswered.values()):
            return False
        now = time.monotonic()
        if now - self._active_at < SILENT_S:
            return False
        self._active_at = now  # it may only be busy: it is asked again after as long
        return hello.ask_status(self._link.path, ALIVE_WITHIN_S) is None

    def _cut(self, server: socket.socket) -> None:
        server.close()
        self._server = None
        self._lost()

    def _lost(self) -> None:
        """Handle the daemon's end: pass unsent requests to the next one; repeat sent ones, or answer with an error."""
        self._link.lost()
        self._to_server.clear()
        self._waiting_bytes = 0
        for request in list(self._unanswered.values()):
            if request.sent:
                request.repeats += 1
                if not request.repeatable or request.repeats > MAX_REPEATS:
                    del self._unanswered[request.id]
                    self._answer(self._failed(request))
                    continue
            request.sent = False
            self._forward(request.line, request)

    def _failed(self, request: _Request) -> dict[str, Any]:
        response: dict[str, Any] = {"jsonrpc": "2.0", "id": request.id}
        if request.message.get("method") == "tools/call":
            return {**response, "result": self._handshake.failure(request.message, LOST_CALL)}
        return {**response, "error": {"code": INTERNAL_ERROR, "message": LOST_CALL}}

    def _leave(self) -> None:
        if self._server is None:
            self._link.leave()
            return
        for line in self._from_server.feed(wait_for_end(self._server, LEAVE_WITHIN_S)):
            self._relay_back(line)
        waiter = Waiter()
        waiter.add(self._client_out.fileno(), WRITE)
        try:
            while self._to_client and waiter.ready(READ_WITHIN_S):
                del self._to_client[: self._client_out.write(self._to_client)]
            self._client_out.finish(READ_WITHIN_S)
        except OSError:
            return  # nobody is there to read it


def run(place: Place, in_process: InProcess) -> None:
    """Serve the agent on standard input and output; end the process afterwards.

    From here on descriptor 0 reads nothing and 1 leads to stderr: a stray print can never break the protocol.
    """
    client_in, client_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    Relay(place, in_process, Input(client_in), Output(client_out)).run()
    sys.stderr.flush()
    # Nothing is left to close: skip the slow teardown, and a model that may still be loading in its thread.
    os._exit(0)
