"""The port of backups: storage."""

from datetime import datetime
from pathlib import Path
from typing import Protocol

from .models import Backup, Rehearsal, Restored


class BackupStorage(Protocol):
    """Copies of one store, and their restoration. Raises StorageUnavailable, StorageRefused, Conflict, NotFound."""

    async def make(self, at: datetime, folder: Path | None) -> Backup:
        """Copy a snapshot of the store while others write, verify the copy, then rename it into place."""

    async def found(self, folder: Path | None) -> list[Backup]:
        """Return every backup in a folder (None: the store's own), newest first."""

    async def remove(self, backup: Backup) -> None:
        """Delete a backup."""

    async def mark(self) -> str:
        """Return the state of the store; it changes with everything that an agent or the user changes."""

    async def require(self, source: Path | None) -> None:
        """Raises NotFound where there is no such backup (None: no sound one)."""

    async def restore(self, source: Path | None, at: datetime) -> Restored:
        """Replace the store by a verified copy of a backup (None: the newest sound one).

        Refused while any process has the store open. The replaced file is kept aside.
        """

    async def rehearse(self) -> Rehearsal:
        """Run the pending migrations on a private copy."""

    async def holds_data(self) -> bool:
        """Return whether there is a store, or what is left of one."""
