"""The store on PostgreSQL: every repository over one engine, files of its own only for keys."""

from collections.abc import Mapping
from pathlib import Path

from ...modules.clock import Clock
from ..imports import plugged
from ..imports.formats import FileImports
from ..repositories.audit_log import AuditLogRepository
from ..repositories.every import Repositories
from ..server_key import ServerKeyFile
from .backups import ServersOwnBackups
from .bundles import NoBundles
from .database import Postgres
from .exact_vectors import ExactVectors
from .memories import PostgresMemories
from .vector_index import NothingToIndex

ENTRY_HASH = "entry_hash({})"


class PostgresStore(Repositories):
    """Implements `modules.agentos.Store` over one tenant of a schema; `home` holds the server key."""

    def __init__(self, postgres: Postgres, home: Path, clock: Clock) -> None:
        super().__init__(postgres, clock)
        self._postgres = postgres
        self.backups = ServersOwnBackups()
        self.bundles = NoBundles()
        self.server_key = ServerKeyFile(home)
        self.audit = AuditLogRepository(postgres, ENTRY_HASH)
        self.imports = FileImports(plugged.formats)
        self.memories = PostgresMemories(postgres, ExactVectors(postgres))

    @classmethod
    async def open(
        cls, home: Path, url: str, clock: Clock, *, schema: str = "agentos", tenant: str = "default"
    ) -> "PostgresStore":
        """Prepare the schema and connect. Raises StorageUnavailable or StorageRefused, each with its remedy."""
        postgres = Postgres(url, schema, tenant)
        await postgres.open()
        return cls(postgres, home, clock)

    def vector_index(self, folder: Path, environment: Mapping[str, str] | None = None) -> NothingToIndex:
        """Return the derived index, which is none: the database holds the vectors itself."""
        return NothingToIndex()

    async def close(self) -> None:
        """Finish running writes and close the connections."""
        await self._postgres.close()
