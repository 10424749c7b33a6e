"""The ports of portability: storage, and files of other systems."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from ..redactor import Redactor
from .models import Exported, Imported, Progress, Record


class ImportSource(Protocol):
    """Reads files and folders of other systems."""

    def entries(self, path: Path, name: str | None) -> tuple[str, list[Record]]:
        """The format (found out where no `name` is given) and what is there. Blocks. Raises InvalidInput."""


class PortableStore(Protocol):
    """A store that can be exported and imported."""

    async def write_bundle(self, path: Path, namespaces: Sequence[str] | None) -> Exported:
        """Write everything but derived data (indexes, vectors) to a new private file, one row per line.

        Only what belongs to `namespaces`, if given. Raises StorageUnavailable, Conflict if the file exists.
        """

    async def write_text(self, path: Path, text: str) -> None:
        """Write a text to a new private file. Raises StorageUnavailable, Conflict if the file exists."""

    async def read_bundle(
        self, path: Path, redactor: Redactor, now: datetime, *, dry_run: bool, progress: Progress
    ) -> Imported:
        """Import the rows of a bundle that the store lacks, without their secrets; existing ones stay. Idempotent.

        Raises InvalidInput, naming the line, before anything is changed; StorageRefused for a newer schema.
        """

    async def canonical_hash(self, namespaces: Sequence[str] | None) -> str:
        """Return the SHA-256 of everything that a bundle would hold, in any order: equal stores have equal hashes."""
