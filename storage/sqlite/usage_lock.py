"""The lock that tells whether a database is in use: shared by every process that uses it, exclusive for a restore.

A lock of the operating system, beside the database, so that it ends with its process and holds whatever happens to the
database itself.
"""

import os
import time
from pathlib import Path

from ...modules.errors import Conflict, StorageRefused, StorageUnavailable
from ...modules.system import locks
from . import folder

WAIT_S = 10.0
POLL_S = 0.05


class UsageLock:
    """The lock `<database>.lock`; held from `share` or `take_alone` until `release`. Blocks."""

    def __init__(self, database: Path) -> None:
        self._path = database.with_name(database.name + ".lock")
        self._descriptor: int | None = None
        self.held = False

    def share(self) -> None:
        """Register this process as a user of the database. Raises StorageUnavailable while it is being restored."""
        give_up_at = time.monotonic() + WAIT_S
        while not self._lock(alone=False):
            if time.monotonic() > give_up_at:
                raise StorageUnavailable("the database is being restored from a backup; try again in a minute")
            time.sleep(POLL_S)

    def take_alone(self) -> None:
        """Take the lock exclusively. Raises Conflict when another process has the database open."""
        if not self._lock(alone=True):
            raise Conflict(
                "a server or daemon has this database open: nothing was changed; end the agents that use it, "
                "then the daemon (agentos stop), and try again"
            )

    def _lock(self, *, alone: bool) -> bool:
        self.held = self._try(alone)
        return self.held

    def _try(self, alone: bool) -> bool:
        if self._descriptor is not None:
            return True
        if self._path.is_symlink():  # its target would be made private, and may be anybody's
            raise StorageRefused(f"{self._path} is a link: remove it; it is made anew")
        try:
            folder.make_private(self._path)
            descriptor = os.open(self._path, os.O_RDWR)
        except OSError:
            if alone or not self._path.exists():
                if alone:
                    raise
                return True  # a folder that cannot be written to: nothing can be restored into it either
            descriptor = os.open(self._path, os.O_RDONLY)
        try:
            locks.hold(descriptor, alone=alone)
        except OSError as error:
            os.close(descriptor)
            if isinstance(error, BlockingIOError):
                return False
            if alone:
                raise
            return True  # a file system without locks: the restore, which needs one, says so
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Release the lock."""
        descriptor, self._descriptor, self.held = self._descriptor, None, False
        if descriptor is not None:
            os.close(descriptor)
