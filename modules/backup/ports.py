"""What backups need of storage."""

from datetime import datetime
from pathlib import Path
from typing import Protocol

from .models import Backup, Rehearsal, Restored


class BackupStorage(Protocol):
    """Copies of one store, and bringing one back. Raises StorageUnavailable, StorageRefused, Conflict, NotFound."""

    async def make(self, at: datetime, folder: Path | None) -> Backup:
        """Copy the store as it is at this moment while others write, check the copy, then give it its name."""

    async def found(self, folder: Path | None) -> list[Backup]:
        """Every backup in a folder (None: the store's own), newest first."""

    async def remove(self, backup: Backup) -> None:
        """Delete one."""

    async def mark(self) -> str:
        """Where the store stands; changes with everything that an agent or the user changes."""

    async def restore(self, source: Path | None, at: datetime) -> Restored:
        """Put a checked copy of a backup (None: the newest sound one) in the place of the store.

        Refused while any process has the store open. What it replaces is kept aside.
        """

    async def rehearse(self) -> Rehearsal:
        """Try the migrations that are still to be made on a private copy."""

    async def holds_data(self) -> bool:
        """Whether there is a store, or what is left of one."""
