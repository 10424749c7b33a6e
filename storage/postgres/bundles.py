"""Export and import of a store on PostgreSQL: not yet."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from ...modules.errors import StorageRefused
from ...modules.portability.models import Exported, Imported, Progress
from ...modules.redactor import Redactor

_NOT_YET = "the store is on PostgreSQL, from which bundles cannot be made yet"


class NoBundles:
    """Implements `modules.portability.ports.PortableStore`."""

    async def write_bundle(self, path: Path, namespaces: Sequence[str] | None) -> Exported:
        raise StorageRefused(_NOT_YET)

    async def write_text(self, path: Path, text: str) -> None:
        raise StorageRefused(_NOT_YET)

    async def read_bundle(
        self, path: Path, redactor: Redactor, now: datetime, *, dry_run: bool, progress: Progress
    ) -> Imported:
        raise StorageRefused(_NOT_YET)

    async def canonical_hash(self, namespaces: Sequence[str] | None) -> str:
        raise StorageRefused(_NOT_YET)
