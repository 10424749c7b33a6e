"""The browsers' sessions that were signed out, in a private file of the home: a line each, until they would expire."""

import asyncio
import hashlib
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from ..modules import foreign_files
from ..modules.errors import StorageUnavailable
from .embedding.private_file import write_private

log = logging.getLogger(__name__)

NAME = "ended-logins"
MOST_BYTES = 4 * foreign_files.MiB


class EndedLoginsFile:
    """Implements `modules.principals.ports.EndedLogins`; it is no part of backups, as the server key is none."""

    def __init__(self, home: Path, store: str = "") -> None:
        """Prepare the file of a home, or of one `store` among those that a process serves from it."""
        digest = f"-{hashlib.sha256(store.encode()).hexdigest()[:16]}" if store else ""
        self._path = home / f"{NAME}{digest}"

    async def read(self) -> Mapping[str, datetime] | None:
        """Return the names with when each expires; None where the file is damaged. Raises StorageUnavailable."""
        return await asyncio.to_thread(self._read)

    async def write(self, ended: Mapping[str, datetime]) -> None:
        """Keep these and no others. Raises StorageUnavailable."""
        await asyncio.to_thread(self._write, ended)

    def _read(self) -> Mapping[str, datetime] | None:
        try:
            lines = foreign_files.text(self._path, MOST_BYTES).split("\n")
            pairs = [line.split(" ") for line in lines if line]
            return {name: datetime.fromtimestamp(float(until), UTC) for name, until in pairs}
        except FileNotFoundError:
            return {}
        except (foreign_files.Unfit, ValueError, OverflowError):
            log.warning("%s is damaged: all sessions of browsers have ended; sign in again", self._path)
            return None
        except OSError as error:
            raise StorageUnavailable(f"{self._path}: {error.strerror or error}") from error

    def _write(self, ended: Mapping[str, datetime]) -> None:
        text = "".join(f"{name} {until.timestamp()}\n" for name, until in ended.items())
        try:
            write_private(self._path, text.encode("ascii"))
        except OSError as error:
            raise StorageUnavailable(f"{self._path}: {error.strerror or error}") from error
