"""Backups of a store on PostgreSQL, which are the server's."""

from datetime import datetime
from pathlib import Path

from ...modules.backup.models import Backup, Rehearsal, Restored
from ...modules.errors import StorageRefused

_OTHERS = "the store is on PostgreSQL: make and restore its backups there, with pg_dump and pg_restore"


class ServersOwnBackups:
    """Implements `modules.backup.ports.BackupStorage`: there are none of ours."""

    async def make(self, at: datetime, folder: Path | None) -> Backup:
        raise StorageRefused(_OTHERS)

    async def found(self, folder: Path | None) -> list[Backup]:
        return []

    async def remove(self, backup: Backup) -> None:
        raise StorageRefused(_OTHERS)

    async def mark(self) -> str:
        raise StorageRefused(_OTHERS)

    async def require(self, source: Path | None) -> None:
        raise StorageRefused(_OTHERS)

    async def restore(self, source: Path | None, at: datetime) -> Restored:
        raise StorageRefused(_OTHERS)

    async def rehearse(self) -> Rehearsal:
        raise StorageRefused(_OTHERS)

    async def holds_data(self) -> bool:
        return True
