"""The daemon's log: a file that rotates, readable by its owner only."""

import contextlib
import logging
import logging.handlers
import os
from io import TextIOWrapper
from pathlib import Path

from ..modules import log_lines, private_files

MAX_BYTES = 1_000_000
BACKUPS = 5


class PrivateRotatingFileHandler(logging.handlers.RotatingFileHandler):
    """Rotates; each new file is readable by its owner only."""

    def _open(self) -> TextIOWrapper:
        descriptor = private_files.open_own(Path(self.baseFilename), os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        return open(descriptor, "a", encoding=self.encoding, errors=self.errors)

    def reopen(self) -> None:
        """Continue in the file that has the name now."""
        with self.lock or contextlib.nullcontext():
            old, self.stream = self.stream, self._open()
            if old is not None:
                old.close()


def reopen(level: str) -> None:
    """Continue at another level, and in a new file where somebody has moved the old one away."""
    set_level(level)
    for handler in logging.getLogger().handlers:
        if isinstance(handler, PrivateRotatingFileHandler):
            handler.reopen()


def to_file(home: Path, level: str, form: str = "text") -> Path:
    """Send the log of this process to `<home>/logs/daemon.log`, and return that path."""
    folder = home / "logs"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / "daemon.log"
    handler = PrivateRotatingFileHandler(path, maxBytes=MAX_BYTES, backupCount=BACKUPS, encoding="utf-8")
    handler.setFormatter(log_lines.formatter(form))
    logging.basicConfig(handlers=[handler])
    set_level(level)
    # A tick that is skipped while the one before still works is normal.
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    logging.getLogger("httpx2").setLevel(logging.WARNING)  # a line for each request
    return path


def set_level(level: str) -> None:
    """Log our own messages from a level on; those of libraries only from warnings on, as others hold users' texts."""
    logging.getLogger(__name__.partition(".")[0]).setLevel(level)
    logging.getLogger().setLevel(max(logging.WARNING, logging.getLevelName(level)))
