"""One daemon per database: a lock of the operating system, which ends with its process."""

from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from ..modules.errors import Conflict


class DaemonLock:
    """Held while a process is the daemon of a database and may open its vector index."""

    def __init__(self, database: Path, wait_s: float = 0.0) -> None:
        """Prepare the lock of a database; `wait_s` is for a daemon that is about to end."""
        self._folder = database.parent
        self._lock = FileLock(self._folder / "daemon.lock", timeout=wait_s, mode=0o600)

    def __enter__(self) -> "DaemonLock":
        """Take the lock. Raises Conflict when another process has it."""
        try:
            self._lock.acquire()
        except Timeout:
            raise Conflict(
                f"a daemon is already running for {self._folder}; agentos-daemon --status shows its pid"
            ) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release the lock."""
        self._lock.release()
