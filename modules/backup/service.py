"""The backup service: when a backup is worth making, and which ones are kept."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from ..clock import Clock
from .models import Backup, Rehearsal, Restored
from .ports import BackupStorage

RETAINED_WEEKS = 4


class BackupService:
    """Backups of one store; `keep` is how many of the newest stay, 0 switches scheduled ones off."""

    def __init__(self, storage: BackupStorage, keep: int, clock: Clock) -> None:
        self._storage = storage
        self._keep = keep
        self._clock = clock

    @property
    def scheduled(self) -> bool:
        """Return whether backups are made without being asked for."""
        return self._keep > 0

    async def make(self, folder: Path | None = None) -> Backup:
        """Make a verified backup of this moment, in the store's own folder or another one."""
        return await self._storage.make(self._clock(), folder)

    async def make_when_changed(self) -> Backup | None:
        """Make a backup unless nothing changed since the newest one (then None), and delete superfluous ones."""
        newest = next((backup for backup in await self.all() if backup.problem is None), None)
        if newest is not None and newest.mark is not None and newest.mark == await self._storage.mark():
            return None
        made = await self.make()
        await self.prune()
        return made

    async def all(self, folder: Path | None = None) -> list[Backup]:
        """Return every backup, newest first."""
        return await self._storage.found(folder)

    async def prune(self) -> None:
        """Delete backups that are neither among the newest nor the newest of one of the last weeks."""
        # Backups made by a migration have no mark, and stay.
        backups = [backup for backup in await self.all() if backup.mark is not None]
        for backup in superfluous(backups, self._keep, self._clock()):
            await self._storage.remove(backup)

    async def require(self, source: Path | None) -> None:
        """Raise NotFound where there is no such backup to restore (None: no sound one)."""
        await self._storage.require(source)

    async def restore(self, source: Path | None = None) -> Restored:
        """Restore a backup (None: the newest sound one); the replaced file is kept aside."""
        return await self._storage.restore(source, self._clock())

    async def rehearse_migration(self) -> Rehearsal:
        """Return what opening the store with this version would change, tried on a copy."""
        return await self._storage.rehearse()

    async def holds_data(self) -> bool:
        """Return whether there is a store, or what is left of one."""
        return await self._storage.holds_data()


def superfluous(backups: Sequence[Backup], keep: int, now: datetime) -> list[Backup]:
    """Return the backups (given newest first) that need not be kept.

    Retained are the `keep` newest sound ones, and the newest of this week and of each of the RETAINED_WEEKS - 1 weeks
    before it.
    """
    sound = [backup for backup in backups if backup.problem is None]
    retained = set(sound[:keep])
    weeks = {(now - timedelta(weeks=ago)).isocalendar()[:2] for ago in range(RETAINED_WEEKS)}
    for backup in sound:
        week = backup.created_at.isocalendar()[:2]
        if week in weeks:
            weeks.remove(week)
            retained.add(backup)
    return [backup for backup in backups if backup not in retained]
