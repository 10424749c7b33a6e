"""The store on PostgreSQL: every repository over one engine; of its own it has files only for keys and dumps."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from ...modules.backup.ports import BackupStorage
from ...modules.clock import Clock
from ...modules.memory.ports import VectorIndex
from ..embedding.private_file import make_private_folder
from ..repositories.memories import MemoriesRepository
from ..sqlite.scratch import remove_left_over
from ..store import Repositories
from . import identifier_search, text_search
from .database import Postgres
from .dumps import Dumps
from .ended_logins import EndedLoginRows
from .exact_vectors import PostgresExactVectors
from .examination import ENTRY_HASH
from .one_store import StoreCopies
from .replica import Replica
from .tenants import TenantDirectory
from .vector_search import DirectionSearch
from .vectors import DirectionIndex


class PostgresStore(Repositories):
    """Implements `modules.store.Store` over one tenant of a schema; `home` holds the server key and the dumps."""

    def __init__(
        self,
        postgres: Postgres,
        home: Path,
        clock: Clock,
        backups: BackupStorage | None = None,
        served_as: str = "",
    ) -> None:
        pgvector = postgres.prepared.pgvector
        vectors = PostgresExactVectors(postgres) if pgvector is None else DirectionSearch(postgres, pgvector)
        super().__init__(
            postgres,
            clock,
            home,
            memories=MemoriesRepository(postgres, text_search, identifier_search, vectors),
            backups=backups or Dumps(home, postgres.direct, postgres.schema),
            entry_hash=ENTRY_HASH,
            ended_logins=EndedLoginRows(postgres),
            hints=postgres.hints,
            served_as=served_as,
        )
        self._postgres = postgres
        self._home = home
        self._clock = clock

    @classmethod
    async def open(
        cls,
        home: Path,
        url: str,
        clock: Clock,
        *,
        schema: str = "agentos",
        tenant: str = "default",
        backup: bool = True,
        direct: str = "",
        replica: tuple[str, float] = ("", 0.0),
    ) -> "PostgresStore":
        """Prepare schema and vectors, and connect; an older schema is migrated, after a `backup`.

        `direct` leads to the server itself where `url` leads to a pooler; a `replica` is a standby's address, if there
        is one, with the seconds that it may be behind.

        Raises StorageUnavailable or StorageRefused, with its remedy.
        """

        def keep_a_copy() -> None:
            if backup:
                Dumps(home, direct or url, schema).keep_before_migration(clock())

        standby = Replica(*replica) if replica[0] else None
        postgres = Postgres(url, schema, tenant, keep_a_copy, direct, replica=standby)
        await postgres.open()
        await asyncio.to_thread(make_private_folder, home)
        await asyncio.to_thread(remove_left_over, home)
        return cls(postgres, home, clock)

    @property
    def tenants(self) -> TenantDirectory:
        """All stores of the schema."""
        return TenantDirectory(self._postgres)

    async def beside(self, tenant: str) -> "PostgresStore":
        """Return another store of the schema over the same connections; its backups are of itself alone.

        Raises NotFound, StorageUnavailable.
        """
        number = await self.tenants.number(tenant)
        copies = StoreCopies(self._home, self._postgres.direct, self._postgres.schema, tenant, self._clock)
        return PostgresStore(self._postgres.beside(number), self._home, self._clock, copies, tenant)

    def vector_index(self, folder: Path | None = None, environment: Mapping[str, str] | None = None) -> VectorIndex:
        """Return the upkeep of the index in the database."""
        return DirectionIndex(self._postgres)

    def measures(self) -> Mapping[str, float]:
        return self._postgres.measures()

    async def close(self) -> None:
        """Finish running writes and close the connections."""
        await self._postgres.close()
