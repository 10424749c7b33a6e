"""Standard streams that can be waited for together with sockets; where pipes cannot, threads carry them to sockets."""

from __future__ import annotations

import os
import select
import selectors
import signal
import socket
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading

CAN_WAIT_FOR_PIPES = hasattr(select, "poll")
CHUNK_BYTES = 2**16
PIPE_BYTES = 2**12
"""The bytes that a writable pipe takes without blocking."""
READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class Input:
    """The reading end of a pipe."""

    def __init__(self, descriptor: int) -> None:
        self._socket: socket.socket | None = None
        self._descriptor = descriptor
        if not CAN_WAIT_FOR_PIPES:
            import threading

            self._socket, theirs = socket.socketpair()
            threading.Thread(target=_carry_in, args=(descriptor, theirs), daemon=True, name="input").start()

    def fileno(self) -> int:
        """Return what to wait for."""
        return self._descriptor if self._socket is None else self._socket.fileno()

    def read(self) -> bytes:
        """Return what has come; empty at the end. Blocks unless there is something to read."""
        if self._socket is None:
            return os.read(self._descriptor, CHUNK_BYTES)
        return self._socket.recv(CHUNK_BYTES)


class Output:
    """The writing end of a pipe."""

    def __init__(self, descriptor: int) -> None:
        self._socket: socket.socket | None = None
        self._descriptor = descriptor
        self._carrier: threading.Thread | None = None
        if not CAN_WAIT_FOR_PIPES:
            import threading

            self._socket, theirs = socket.socketpair()
            self._carrier = threading.Thread(target=_carry_out, args=(theirs, descriptor), daemon=True, name="output")
            self._carrier.start()

    def fileno(self) -> int:
        """Return what to wait for."""
        return self._descriptor if self._socket is None else self._socket.fileno()

    def write(self, content: bytes | bytearray) -> int:
        """Write a beginning of the content; return how much. Raises OSError where nobody reads."""
        if self._socket is None:
            return os.write(self._descriptor, content[:PIPE_BYTES])
        return self._socket.send(content[:PIPE_BYTES])

    def finish(self, within_s: float) -> None:
        """Wait for what was written to be on its way."""
        if self._socket is not None and self._carrier is not None:
            self._socket.shutdown(socket.SHUT_WR)
            self._carrier.join(within_s)


class Waiter:
    """Waits for several ends at once: `add` each, then `ready`. For one turn."""

    def __init__(self) -> None:
        self._selector = (getattr(selectors, "PollSelector", None) or selectors.SelectSelector)()

    def add(self, end: int, events: int) -> None:
        """Wait for READ, WRITE or both of a descriptor; for nothing with 0."""
        if events:
            self._selector.register(end, events)

    def ready(self, within_s: float) -> dict[int, int]:
        """Return the descriptors that are ready, with what for; empty after so many seconds."""
        return {key.fd: events for key, events in self._selector.select(within_s)}


def read_all(descriptor: int, within_s: float, most: int) -> bytes:
    """Return all that comes until the end, within so many seconds and to a little more than `most` bytes."""
    import time

    source, received = Input(descriptor), bytearray()
    give_up_at = time.monotonic() + within_s
    while (left := give_up_at - time.monotonic()) > 0 and len(received) <= most:
        waiter = Waiter()
        waiter.add(source.fileno(), READ)
        if not waiter.ready(left):
            break
        chunk = source.read()
        received += chunk
        if not chunk:
            break
    return bytes(received)


def signals_as_input(numbers: tuple[int, ...]) -> socket.socket:
    """Return a socket that becomes readable at these signals, which end nothing any more."""
    readable, writable = socket.socketpair()
    writable.setblocking(False)
    signal.set_wakeup_fd(writable.detach())
    for number in numbers:
        signal.signal(number, lambda *_: None)
    return readable


def _carry_in(descriptor: int, target: socket.socket) -> None:
    try:
        while chunk := os.read(descriptor, CHUNK_BYTES):
            target.sendall(chunk)
    except OSError as error:
        sys.stderr.write(f"standard input ended: {error}\n")
    target.close()


def _carry_out(source: socket.socket, descriptor: int) -> None:
    try:
        while chunk := source.recv(CHUNK_BYTES):
            rest = memoryview(chunk)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
    except OSError:  # nobody reads
        pass
    source.close()
