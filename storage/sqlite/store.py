"""The embedded store: one SQLite file with every repository, and the vector index beside it."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from ...modules.clock import Clock
from ...modules.events.hints import Hints
from ...modules.memory.ports import VectorIndex
from ..ended_logins import EndedLoginsFile
from ..engine.no_index import NoIndex
from ..repositories.memories import MemoriesRepository
from ..store import Repositories
from . import identifier_search, text_search
from .access import Access
from .audit_log import ENTRY_HASH
from .backup import SqliteBackups
from .chroma_index import ChromaIndex
from .chroma_process import ChromaProcess
from .chroma_server import ChromaAddress, ChromaServer
from .database import Sqlite
from .encryption import home_of
from .scratch import remove_left_over
from .vector_search import ExactVectors, VectorSearch


class SqliteStore(Repositories):
    """Implements `modules.store.Store` over one home folder."""

    def __init__(
        self,
        sqlite: Sqlite,
        clock: Clock,
        home: Path,
        database: Path,
        chroma: ChromaAddress | None = None,
        *,
        is_encrypted: bool = False,
    ) -> None:
        vectors = VectorSearch(sqlite, ExactVectors(sqlite))
        super().__init__(
            sqlite,
            clock,
            home,
            memories=MemoriesRepository(sqlite, text_search, identifier_search, vectors),
            backups=SqliteBackups(home, database),
            entry_hash=ENTRY_HASH,
            ended_logins=EndedLoginsFile(home),
            hints=Hints(),
        )
        self._sqlite = sqlite
        self._chroma = chroma
        self._is_encrypted = is_encrypted
        self._vectors = vectors

    @classmethod
    async def open(
        cls,
        home: Path,
        database: Path,
        clock: Clock,
        *,
        allow_network_home: bool = False,
        chroma: ChromaAddress | None = None,
    ) -> "SqliteStore":
        """Prepare the folder, migrate the schema and open the connections; `chroma` keeps the index where it is given.

        Where nothing can be written, the store is opened for reading.

        Raises StorageUnavailable or StorageRefused, each with its remedy; existing data is never replaced.
        """

        connection = Sqlite(Access(home, database, allow_network_home=allow_network_home))
        await connection.open()
        await asyncio.to_thread(remove_left_over, home)
        return cls(connection, clock, home, database, chroma, is_encrypted=home_of(database) is not None)

    def vector_index(self, folder: Path, environment: Mapping[str, str] | None = None) -> VectorIndex:
        """Return the derived index in a folder, or on a server and noted there; searches use it while it is open.

        Only the process that holds the daemon's lock may open it. `environment` is that of its child process.
        """
        if self._is_encrypted:
            return NoIndex()
        if self._chroma is None:
            index = ChromaIndex(self._sqlite, ChromaProcess(folder, environment))
        else:
            index = ChromaIndex(self._sqlite, ChromaServer(self._chroma, folder), "chroma-server")
        self._vectors.use(index)
        return index

    async def close(self) -> None:
        """Finish running writes and close the files."""
        await self._sqlite.close()
