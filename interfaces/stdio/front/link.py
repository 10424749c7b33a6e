"""The link to the daemon: found at its socket, started when there is none, replaced by a session in this process."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from ....modules import update_lock
from ....modules.system import door, processes
from ....modules.system.door import Approach, Foreign
from . import hello
from .place import Place

RETRY_S = 0.02
START_WITHIN_S = 20.0
ANSWER_WITHIN_S = 15.0
APPROACH_WITHIN_S = 5.0
START_AGAIN_AFTER_S = 1.0
MAX_STARTS = 4
MAX_EARLY_LOSSES = 5
MAX_LOSSES = 50
"""The most lost daemons in a session's life: none ends so often unless something ends it."""
HOPELESS = 3
"""The daemon's exit code when starting it again is useless: a wrong setting, or the database has another daemon."""

LEAVE_WITHIN_S = 1.5
STEADY_S = 2.0
"""A daemon that has served so long works: that it ended does not count against the next one."""
_DAEMON = Path(__file__).resolve().parents[3] / "daemon.py"

InProcess = Callable[[socket.socket], None]
"""Serves one session on a connected socket until its other end closes; blocks."""


class FrontLink:
    """A connection to whatever serves this session. `poll` advances it and never blocks."""

    def __init__(self, place: Place, in_process: InProcess, clock: Callable[[], float] = time.monotonic) -> None:
        """Prepare a link; `clock` returns seconds."""
        self._clock = clock
        self._place = place
        self._in_process = in_process
        self._daemon: subprocess.Popen[bytes] | None = None
        self._starts = 0
        self._spawn_at = 0.0
        self._give_up_at = 0.0
        self._served_since = 0.0
        self._losses = self._early_losses = 0
        self._approach: Approach | None = None
        self._greeting: socket.socket | None = None
        self._greeted_at = 0.0
        self._answer = b""
        self._alone = not place.daemon

    def poll(self) -> socket.socket | None:
        """Return the connected socket once there is one; until then, call it again after RETRY_S."""
        if self._alone:
            return self._served_in_process()
        if self._greeting is not None:
            return self._hear()
        now = self._clock()
        if not self._give_up_at:
            self._give_up_at = now + START_WITHIN_S
        is_known, connection = self._approached()
        if connection is not None:
            self._greet(connection)
        elif self._alone or not is_known:
            return None
        elif now > self._give_up_at:
            self._give_up("the daemon did not start in time")
        else:
            self._start_daemon(now)
        return None

    def lost(self) -> None:
        """Note that the connection ended unexpectedly: `poll` makes another."""
        was_steady = self._clock() - self._served_since >= STEADY_S
        self._early_losses = 0 if was_steady else self._early_losses + 1
        self._losses += 1
        if self._early_losses > MAX_EARLY_LOSSES or self._losses > MAX_LOSSES:
            self._give_up("the daemon ended again and again")
        self._starts, self._spawn_at, self._give_up_at = 0, 0.0, 0.0

    @property
    def alone(self) -> bool:
        """Return whether the session is served in this process."""
        return self._alone

    @property
    def path(self) -> Path:
        """The path at which the daemon listens."""
        return self._place.socket

    def reap(self) -> None:
        """Collect the exit of a daemon that was started here, so that it does not stay as a zombie."""
        if self._daemon is not None:
            self._daemon.poll()

    def leave(self) -> None:
        """End a daemon that was started for this session alone and is still starting."""
        if self._daemon is not None and self._greeting is None:
            with contextlib.suppress(OSError):
                self._greet(door.connect(self._place.socket, RETRY_S))  # it has started by now, and may serve others
        if self._greeting is not None:
            wait_for_end(self._greeting, LEAVE_WITHIN_S)  # it leaves when it sees that nobody is there
        elif self._daemon is not None and self._daemon.poll() is None:
            # Before its socket is there it holds nothing; others that wait for it start their own.
            self._daemon.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._daemon.wait(LEAVE_WITHIN_S)

    def _approached(self) -> tuple[bool, socket.socket | None]:
        """Return whether it is known by now if somebody listens, and the connection if somebody does."""
        approach = self._approach or Approach(self._place.socket, APPROACH_WITHIN_S)
        self._approach = None
        try:
            connection = approach.poll()
        except Foreign:
            self._give_up(f"another user listens on {self._place.socket}")
            return True, None
        except OSError:  # nobody listens there, or its queue is full: try again
            return True, None
        if connection is None:
            self._approach = approach
            return False, None
        connection.setblocking(False)
        return True, connection

    def _greet(self, connection: socket.socket) -> None:
        self._greeting, self._greeted_at, self._answer = connection, self._clock(), b""
        try:
            connection.sendall(hello.ask("session", self._place.settings))
        except OSError:
            self._drop_greeting()

    def _hear(self) -> socket.socket | None:
        """Read the daemon's answer to the hello; return the connection once it accepts us."""
        connection = self._greeting
        assert connection is not None
        try:
            chunk = connection.recv(2**16)  # nothing follows the answer before we send a message
        except BlockingIOError:
            if self._clock() - self._greeted_at > ANSWER_WITHIN_S:
                self._drop_greeting()
                self._give_up("the daemon does not answer")
            return None
        except OSError:
            chunk = b""
        self._answer += chunk
        if not chunk:  # it was about to end
            self._drop_greeting()
            return None
        if not self._answer.endswith(b"\n"):
            return None
        reply = hello.read(self._answer)
        if reply is not None and reply.get("accepted") and hello.same_version(reply):
            self._greeting, self._served_since = None, self._clock()
            return connection
        self._drop_greeting()
        reason = reply and reply.get("reason")
        self._give_up(f"the daemon cannot serve this session: {reason or 'it is of another version'}")
        return None

    def _drop_greeting(self) -> None:
        if self._greeting is not None:
            self._greeting.close()
            self._greeting = None

    def _start_daemon(self, now: float) -> None:
        if self._daemon is not None:
            code = self._daemon.poll()
            if code is None:
                return  # on its way
            self._daemon = None
            self._starts += bool(code)
            if code == HOPELESS or self._starts >= MAX_STARTS:
                self._give_up(f"the daemon cannot be started (exit code {code}); its log tells more")
                return
            # With exit code 0 another one was quicker: it only needs time.
            self._spawn_at = now + (RETRY_S if code else START_AGAIN_AFTER_S)
        if now < self._spawn_at:
            return
        if update_lock.updater(self._place.home) is not None:  # what a daemon would be started from is being replaced
            self._spawn_at = now + START_AGAIN_AFTER_S
            return
        self._daemon = spawn_daemon(self._place.home)

    def _give_up(self, reason: str) -> None:
        sys.stderr.write(f"agentos-server: serving in process: {reason}\n")
        self._alone = True

    def _served_in_process(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        threading.Thread(target=self._in_process, args=(theirs,), daemon=True, name="session").start()
        return ours


def spawn_daemon(home: Path) -> subprocess.Popen[bytes]:
    """Start a daemon for a home, detached, and return its process; it ends by itself when nobody comes."""
    nothing = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, "-P", os.fspath(_DAEMON), "--until-idle", os.fspath(home)],
        stdin=nothing,
        stdout=nothing,
        stderr=nothing,  # a client waits for the end of its server's standard error
        cwd=os.path.abspath(os.sep),
        **processes.apart(),
        umask=0o077,
    )


def rest_of(connection: socket.socket) -> bytes:
    """Return what the other end had sent before it went, without waiting."""
    received = b""
    with contextlib.suppress(OSError):
        while chunk := connection.recv(2**16):
            received += chunk
    return received


def wait_for_end(connection: socket.socket, wait_s: float) -> bytes:
    """Tell the other end that nothing more comes, and wait for its end; return what it still sends."""
    received = b""
    give_up_at = time.monotonic() + wait_s
    try:
        connection.shutdown(socket.SHUT_WR)
        while (left := give_up_at - time.monotonic()) > 0:
            connection.settimeout(left)
            chunk = connection.recv(2**16)
            if not chunk:
                break
            received += chunk
    except OSError:  # it is gone, or it takes too long
        pass
    connection.close()
    return received
