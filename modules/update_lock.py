"""The lock of an update: while a process replaces AgentOS, nobody else begins to work with what it replaces.

A lock of the operating system, which ends with its process: a file that is left behind holds nobody up. Standard
library only, since the front looks at it before it starts a daemon.
"""

import os
import time
from contextlib import suppress
from pathlib import Path

from . import private_files
from .errors import Conflict
from .system import locks
from .system.files import read_at, write_at

POLL_S = 0.1
UNKNOWN = 0
_LONGEST_PID = 20
_NAME = "update.lock"
_PACKAGES = Path(__file__).resolve().parents[2]


class UpdateLock:
    """Held from `take` until `release`: alone by an update, shared by what an update has to wait for."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def take(self, wait_s: float, *, alone: bool = True) -> None:
        """Take the lock, within so many seconds. Raises Conflict that names the holder; OSError. Blocks until then."""
        descriptor = private_files.open_own(self._path, os.O_CREAT | os.O_RDWR)
        give_up_at = time.monotonic() + wait_s
        while True:
            try:
                locks.hold(descriptor, alone=alone)
                break
            except BlockingIOError:
                if time.monotonic() > give_up_at:
                    owner = _owner(descriptor)
                    os.close(descriptor)
                    who = f"process {owner}" if owner != UNKNOWN else "another process"
                    raise Conflict(
                        f"{who} is updating or setting up AgentOS; run this again when it has finished"
                    ) from None
                time.sleep(POLL_S)
        self._descriptor = descriptor
        if alone:
            os.ftruncate(descriptor, 0)
            write_at(descriptor, str(os.getpid()).encode(), 0)

    def release(self) -> None:
        """Let go of the lock; its file stays, so that nobody takes another one of the same name."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with suppress(OSError):
                os.ftruncate(descriptor, 0)
            os.close(descriptor)


def home_lock(home: Path) -> UpdateLock:
    """Return the lock of a home's memory."""
    return UpdateLock(home / _NAME)


def installation_lock() -> UpdateLock | None:
    """Return the lock of the packages that this runs from; None in a checkout, which no command updates."""
    return UpdateLock(_PACKAGES / f".agentos-{_NAME}") if _is_installed() else None


def updater(home: Path) -> int | None:
    """Return the process that replaces this installation or works on a home for that; UNKNOWN where it says no name.

    None where there is none, and for what that process itself has started: it examines what it installed.
    """
    for path in (home / _NAME, *([_PACKAGES / f".agentos-{_NAME}"] if _is_installed() else ())):
        owner = _holder(path)
        if owner is not None and owner != os.getppid():
            return owner
    return None


def waiting_message(owner: int) -> str:
    """Return the message for a process that must wait for an update."""
    by = f" by process {owner}" if owner != UNKNOWN else ""
    return f"AgentOS is being updated{by}: try again when that has ended"


def _is_installed() -> bool:
    return _PACKAGES.name.endswith("-packages")  # above a checkout there is anybody's folder


def _holder(path: Path) -> int | None:
    """Return who holds a lock alone; UNKNOWN where that is not said, None where nobody does."""
    try:
        descriptor = private_files.open_own(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        return _owner(descriptor) if locks.is_held(descriptor) else None
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _owner(descriptor: int) -> int:
    try:
        return int(read_at(descriptor, _LONGEST_PID, 0))
    except (OSError, ValueError):
        return UNKNOWN
