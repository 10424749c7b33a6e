"""The portability service: a memory carried away whole, and brought in again."""

from collections.abc import Sequence
from pathlib import Path

from .models import Exported, Imported
from .ports import PortableStore


class PortabilityService:
    """Export and import of one store; nothing that is there is ever changed by an import."""

    def __init__(self, store: PortableStore) -> None:
        self._store = store

    async def export(self, path: Path, namespaces: Sequence[str] | None = None) -> Exported:
        """Write everything, or what belongs to some namespaces, to a new file that only its owner can read.

        What can be made again (text index, vectors) is left out. Raises Conflict when the file exists.
        """
        return await self._store.write_bundle(path, namespaces)

    async def import_bundle(self, path: Path, *, dry_run: bool = False) -> Imported:
        """Bring in what a bundle holds and the store does not; a dry run says what that would be. Twice is once.

        Raises InvalidInput, naming the line, and then nothing was changed.
        """
        return await self._store.read_bundle(path, dry_run=dry_run)

    async def canonical_hash(self, namespaces: Sequence[str] | None = None) -> str:
        """SHA-256 over everything that an export would hold: equal memories have equal ones."""
        return await self._store.canonical_hash(namespaces)
