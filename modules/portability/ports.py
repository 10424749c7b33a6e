"""What portability needs of storage."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from ..redactor import Redactor
from .models import Exported, Imported, Progress, Record


class ImportSource(Protocol):
    """Files and folders of other systems."""

    def entries(self, path: Path, name: str | None) -> tuple[str, list[Record]]:
        """The format (found out where no `name` is given) and what is there. Blocks. Raises InvalidInput."""


class PortableStore(Protocol):
    """A store that can be written out whole, and read in again."""

    async def write_bundle(self, path: Path, namespaces: Sequence[str] | None) -> Exported:
        """Write everything but what can be made again (indexes, vectors) to a new private file, one row a line.

        Only what belongs to `namespaces`, if given. Raises StorageUnavailable, Conflict when the file exists.
        """

    async def write_text(self, path: Path, text: str) -> None:
        """Write a text to a new private file. Raises StorageUnavailable, Conflict when the file exists."""

    async def read_bundle(
        self, path: Path, redactor: Redactor, now: datetime, *, dry_run: bool, progress: Progress
    ) -> Imported:
        """Bring in what a bundle holds and the store does not, without its secrets; what is there stays as it is.

        Twice is once.

        Raises InvalidInput, naming the line, before anything is changed; StorageRefused for a newer schema.
        """

    async def canonical_hash(self, namespaces: Sequence[str] | None) -> str:
        """SHA-256 over everything that a bundle would hold, whatever its order: equal stores have equal ones."""
