"""The daemon's door: a socket in the home, or, where the system has no such sockets, a port of this machine.

Whoever can open the home can come in, and nobody else. The file of a port holds a secret with which both sides prove
that they can read it, without sending it: a front's settings and messages never reach another listener on that port.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .. import private_files
from . import users
from .files import AS_BYTES

if TYPE_CHECKING:
    import threading
    from asyncio import StreamReader, StreamWriter

HAS_UNIX_SOCKETS = hasattr(socket, "AF_UNIX")
BACKLOG = 1_024
PRIVATE_FOLDER = 0o700
MAX_SOCKET_PATH_BYTES = 100
"""The longest path of a socket in a home; kernels allow 104 to 108 bytes."""
PROVEN_WITHIN_S = 3.0
"""How long a daemon may take to prove itself, which it does between other work."""
_LOOPBACK, _PORTS = "127.0.0.1", 65_536
_NONCE_BYTES = 32
_LINE_BYTES = 256
_MAX_FILE_BYTES = 1_024
_DAEMON, _CALLER = b"daemon", b"caller"


class Foreign(OSError):
    """Another user listens at the door."""


def path_in(home: Path) -> Path:
    """Return the file of a home's door: the socket, in the home or under a short name, or what tells the port."""
    if not HAS_UNIX_SOCKETS:
        return home / "daemon.port"
    path = home / "daemon.sock"
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES:
        return path
    import hashlib
    import tempfile

    digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"agentos-{users.number()}" / f"{digest}.sock"


def is_one(path: Path) -> bool:
    """Return whether a file is what a daemon leaves at its door, living or not."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    return stat.S_ISSOCK(mode) if HAS_UNIX_SOCKETS else stat.S_ISREG(mode)


def connect(path: Path, within_s: float) -> socket.socket:
    """Return a connection to the daemon behind a door; blocks for so many seconds, on a port for PROVEN_WITHIN_S more.

    Raises Foreign where another user listens, OSError where no daemon does.
    """
    if HAS_UNIX_SOCKETS:
        return _connected(path, within_s)
    port, secret = _read(path)
    connection = socket.socket()
    try:
        connection.settimeout(within_s)
        connection.connect((_LOOPBACK, port))
        connection.settimeout(max(within_s, PROVEN_WITHIN_S))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        own = os.urandom(_NONCE_BYTES).hex().encode()
        connection.sendall(own + b"\n")
        proof, _, theirs = _line(connection).partition(b" ")
        if not _is_proof(proof, secret, _DAEMON, own):  # the port is another program's by now: no daemon is there
            raise ConnectionRefusedError(None, "another program listens there", str(path))
        connection.sendall(_proof(secret, _CALLER, theirs) + b"\n")
    except BaseException:
        connection.close()
        raise
    return connection


class Approach:
    """A connection in the making, which never blocks its owner."""

    def __init__(self, path: Path, within_s: float) -> None:
        """Begin to connect."""
        self._made: socket.socket | None = None
        self._failed: OSError | None = None
        self._path, self._within_s = path, within_s
        self._thread: threading.Thread | None = None
        if HAS_UNIX_SOCKETS:
            self._try()  # the kernel answers at once
        else:
            import threading

            self._thread = threading.Thread(target=self._try, daemon=True, name="door")
            self._thread.start()

    def poll(self) -> socket.socket | None:
        """Return the connection; None while it is in the making. Raises OSError as `connect` does."""
        if self._thread is not None and self._thread.is_alive():
            return None
        if self._failed is not None:
            raise self._failed
        return self._made

    def _try(self) -> None:
        try:
            self._made = connect(self._path, self._within_s)
        except OSError as error:
            self._failed = error


class Listener:
    """A daemon's end of its door."""

    def __init__(self, listening: socket.socket, path: Path, secret: bytes = b"") -> None:
        self.socket, self.path, self.secret = listening, path, secret
        self._inode = path.stat().st_ino

    def withdraw(self) -> None:
        """Remove the door's file, unless it now belongs to the next daemon."""
        try:
            if self.path.stat().st_ino == self._inode:
                self.path.unlink()
        except OSError:  # it is gone
            return

    def close(self) -> None:
        """Listen no more, and remove the door's file."""
        self.socket.close()
        self.withdraw()


def listen(path: Path) -> Listener:
    """Listen behind a door that only its owner opens. The caller holds the daemon's lock.

    Raises OSError when it cannot be created there, or when its folder belongs to somebody else.
    """
    path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    folder = path.parent.lstat()  # not stat: in a folder open to all, anybody may have made a link
    if not stat.S_ISDIR(folder.st_mode) or not users.owns(folder) or (users.HAS_MODES and folder.st_mode & 0o022):
        raise PermissionError(f"{path.parent} is accessible to other users")
    path.unlink(missing_ok=True)  # of a daemon that was killed: the lock says that none lives
    return Listener(_listening_at(path), path) if HAS_UNIX_SOCKETS else _listening_on_a_port(path)


async def admits(listener: Listener, reader: StreamReader, writer: StreamWriter) -> bool:
    """Return whether who has just connected may come in, once that is proven. Raises OSError, ValueError."""
    connection: socket.socket = writer.get_extra_info("socket")
    if HAS_UNIX_SOCKETS:
        return is_same_user(connection)
    secret, own = listener.secret, os.urandom(_NONCE_BYTES).hex().encode()
    theirs = (await reader.readline()).strip()
    if len(theirs) != len(own):
        return False
    writer.write(_proof(secret, _DAEMON, theirs) + b" " + own + b"\n")
    return _is_proof((await reader.readline()).strip(), secret, _CALLER, own)


def _connected(path: Path, within_s: float) -> socket.socket:
    connection = socket.socket(_family(), socket.SOCK_STREAM)
    try:
        connection.settimeout(within_s)
        connection.connect(os.fspath(path))
        if not is_same_user(connection):  # in a folder that others can write to, anybody can listen
            raise Foreign(None, "another user listens there", str(path))
    except BaseException:
        connection.close()
        raise
    return connection


def _listening_at(path: Path) -> socket.socket:
    listener = socket.socket(_family(), socket.SOCK_STREAM)
    old = os.umask(0o177)
    try:
        listener.bind(os.fspath(path))
    finally:
        os.umask(old)
    os.chmod(path, private_files.PRIVATE_FILE)
    listener.listen(BACKLOG)
    return listener


def _listening_on_a_port(path: Path) -> Listener:
    secret, listener = os.urandom(_NONCE_BYTES), socket.socket()
    listener.bind((_LOOPBACK, 0))
    listener.listen(BACKLOG)
    port = listener.getsockname()[1]
    content = json.dumps({"port": port, "secret": secret.hex()})
    with private_files.appearing(path) as file:
        file.write(content.encode())
    return Listener(listener, path, secret)


def _family() -> int:
    return int(getattr(socket, "AF_UNIX"))  # noqa: B009 - which a type checker for Windows does not know


def is_same_user(connection: socket.socket) -> bool:
    """Return whether the process at the other end is this user's or root's; True where only file modes protect."""
    if sys.platform != "linux":
        return True  # the socket's own mode and that of its folder keep others out
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    user: int = struct.unpack("3i", credentials)[1]
    return user in (os.getuid(), 0)


def _read(path: Path) -> tuple[int, bytes]:
    """Return the port and the secret of a door. Raises OSError, also where the file is none of ours."""
    descriptor = private_files.open_own(path, os.O_RDONLY | AS_BYTES)
    try:
        content = json.loads(os.read(descriptor, _MAX_FILE_BYTES))
        port = int(content["port"])
        if not 0 < port < _PORTS:
            raise ValueError("no port")
        return port, bytes.fromhex(content["secret"])
    except (ValueError, KeyError, TypeError):
        raise ConnectionRefusedError(None, "it tells no port", str(path)) from None
    finally:
        os.close(descriptor)


def _line(connection: socket.socket) -> bytes:
    received = b""
    while not received.endswith(b"\n"):
        chunk = connection.recv(1)  # nothing beyond the line is ours to read
        if not chunk or len(received) > _LINE_BYTES:
            raise ConnectionResetError(None, "it proves nothing")
        received += chunk
    return received.strip()


def _proof(secret: bytes, side: bytes, nonce: bytes) -> bytes:
    import hmac

    return hmac.digest(secret, side + b":" + nonce, "sha256").hex().encode()


def _is_proof(proof: bytes, secret: bytes, side: bytes, nonce: bytes) -> bool:
    import hmac

    return hmac.compare_digest(proof, _proof(secret, side, nonce))
