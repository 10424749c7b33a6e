"""The daemon's log: a file that rotates, readable by its owner only."""

import logging
import logging.handlers
import os
from pathlib import Path

MAX_BYTES = 1_000_000
BACKUPS = 5


def to_file(home: Path, level: str) -> Path:
    """Send the log of this process to `<home>/logs/daemon.log`; returns that path."""
    folder = home / "logs"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / "daemon.log"
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=MAX_BYTES, backupCount=BACKUPS, encoding="utf-8")
    os.chmod(path, 0o600)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])
    logging.getLogger("apscheduler").setLevel(logging.WARNING)
    return path
