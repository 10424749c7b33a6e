"""The browsers' sessions and links that ended, in a private file of the home: a line each, until they would expire."""

import asyncio
import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ..modules import foreign_files
from ..modules.errors import StorageUnavailable
from ..modules.principals.logins import SESSION_LASTS
from .embedding.private_file import write_private

log = logging.getLogger(__name__)

NAME = "ended-logins"
MOST_BYTES = 4 * foreign_files.MiB
MOST = 10_000
"""The most that are remembered: each ends by itself in time."""
EVERY = "*"
"""The name for all that expire before it: which ones have ended is not known any more."""


class EndedLoginsFile:
    """Implements `modules.principals.ports.EndedLogins`; it is no part of backups, as the server key is none."""

    def __init__(self, home: Path) -> None:
        self._path = home / NAME
        self._known: dict[str, datetime] | None = None
        self._adding = asyncio.Lock()

    async def has(self, name: str, until: datetime, now: datetime) -> bool:
        known = await self._all(now)
        return name in known or (EVERY in known and until < known[EVERY])

    async def add(self, name: str, until: datetime, now: datetime) -> bool:
        async with self._adding:
            known = await self._all(now)
            if name in known:
                return False
            self._known = _remembered({**known, name: until}, now)
            await asyncio.to_thread(self._write, self._known)
            return True

    async def _all(self, now: datetime) -> dict[str, datetime]:
        if self._known is None:
            self._known = await asyncio.to_thread(self._read, now)
        return self._known

    def _read(self, now: datetime) -> dict[str, datetime]:
        try:
            lines = foreign_files.text(self._path, MOST_BYTES).split("\n")
            pairs = [line.split(" ") for line in lines if line]
            return {name: datetime.fromtimestamp(float(until), UTC) for name, until in pairs}
        except FileNotFoundError:
            return {}
        except (foreign_files.Unfit, ValueError, OverflowError):
            log.warning("%s is damaged: all sessions of browsers have ended; sign in again", self._path)
            ended = {EVERY: now + SESSION_LASTS}
            self._write(ended)
            return ended
        except OSError as error:
            raise StorageUnavailable(f"{self._path}: {error.strerror or error}") from error

    def _write(self, ended: dict[str, datetime]) -> None:
        text = "".join(f"{name} {until.timestamp()}\n" for name, until in ended.items())
        try:
            write_private(self._path, text.encode("ascii"))
        except OSError as error:
            raise StorageUnavailable(f"{self._path}: {error.strerror or error}") from error


def _remembered(ended: dict[str, datetime], now: datetime) -> dict[str, datetime]:
    """Return what could hold yet; beyond MOST, EVERY ends what expires first."""
    latest = sorted(((until, name) for name, until in ended.items() if until > now), reverse=True)
    kept = {name: until for until, name in latest[:MOST]}
    if rest := latest[MOST:]:
        kept[EVERY] = max(rest[0][0] + timedelta(microseconds=1), ended.get(EVERY, now))
    return kept
