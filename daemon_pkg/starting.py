"""The lock for starting: of daemons that fronts start at the same moment one goes on, the others end at little cost."""

import os
from contextlib import suppress
from pathlib import Path

from ..modules import private_files
from ..modules.system import locks

PRIVATE_FOLDER = 0o700


class StartingLock:
    """Held from the first moment of a daemon until others can see it by its socket. Standard library only."""

    def __init__(self, home: Path) -> None:
        self._path = home / "starting.lock"
        self._descriptor: int | None = None

    def acquire(self) -> bool:
        """Take it without waiting; return False if another daemon is starting. Raises OSError without such a file."""
        self._path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        descriptor = private_files.open_own(self._path, os.O_CREAT | os.O_RDWR)
        with suppress(BlockingIOError):
            locks.hold(descriptor, alone=True)
            self._descriptor = descriptor
            return True
        os.close(descriptor)
        return False

    def release(self) -> None:
        """Release the lock."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
