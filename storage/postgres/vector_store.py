"""The store on PostgreSQL with pgvector, where the server has it: vectors are compared and indexed in the database."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from ...modules.clock import Clock
from ...modules.memory.ports import VectorIndex
from .database import Postgres
from .dumps import Dumps
from .memories import PostgresMemories
from .store import PostgresStore
from .vector_search import DirectionSearch
from .vectors import DirectionIndex, prepare


class VectorStore(PostgresStore):
    """A store whose memories are found by pgvector; one without the extension compares vectors itself."""

    def __init__(self, postgres: Postgres, home: Path, clock: Clock, extension: str | None = None) -> None:
        super().__init__(postgres, home, clock)
        self._extension = extension
        self.backups = Dumps(home, postgres.url, postgres.schema)  # type: ignore[assignment]  # any BackupStorage does
        if extension is not None:
            self.memories = PostgresMemories(postgres, DirectionSearch(postgres, extension))

    @classmethod
    async def open(
        cls, home: Path, url: str, clock: Clock, *, schema: str = "agentos", tenant: str = "default"
    ) -> "VectorStore":
        """Prepare schema and vectors, and connect. Raises StorageUnavailable or StorageRefused, with its remedy."""
        postgres = Postgres(url, schema, tenant)
        await postgres.open()
        return cls(postgres, home, clock, await asyncio.to_thread(prepare, url, schema))

    def vector_index(self, folder: Path, environment: Mapping[str, str] | None = None) -> VectorIndex:  # type: ignore[override]
        """Return the upkeep of the index in the database, where there can be one."""
        if self._extension is None:
            return super().vector_index(folder, environment)
        return DirectionIndex(self._postgres)
