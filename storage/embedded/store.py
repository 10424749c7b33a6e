"""The embedded store: one SQLite file with every repository, and the vector index beside it."""

import asyncio
import sqlite3
from pathlib import Path

from ...modules.clock import Clock
from . import failures, folder, migrate
from .archive import SqliteArchive
from .backlog import SqliteBacklog
from .chroma_index import ChromaIndex
from .goals import SqliteGoals
from .insights import SqliteInsights
from .jobs import SqliteJobs
from .memories import SqliteMemories
from .reflections import SqliteReflections
from .sqlite import Sqlite
from .vectors import ExactVectors


class EmbeddedStore:
    """Implements `modules.agentos.Store` over one home folder."""

    def __init__(self, sqlite_: Sqlite, clock: Clock) -> None:
        self._sqlite = sqlite_
        self.memories = SqliteMemories(sqlite_, ExactVectors(sqlite_))
        self.archive = SqliteArchive(sqlite_)
        self.backlog = SqliteBacklog(sqlite_, clock)
        self.goals = SqliteGoals(sqlite_)
        self.reflections = SqliteReflections(sqlite_)
        self.insights = SqliteInsights(sqlite_)
        self.jobs = SqliteJobs(sqlite_)

    @classmethod
    async def open(
        cls, home: Path, database: Path, clock: Clock, *, allow_network_home: bool = False
    ) -> "EmbeddedStore":
        """Prepare the folder, bring the schema up to date and open the connections.

        Raises StorageUnavailable or StorageRefused, each with its remedy; nothing is ever replaced.
        """

        def prepare() -> None:
            folder.prepare_both(home, database, allow_network=allow_network_home)
            try:
                migrate.migrate(database, home / "backups", migrate.load())
            except sqlite3.Error as error:
                raise failures.translate(error) from error
            except OSError as error:
                raise failures.translate_os(error) from error

        await asyncio.to_thread(prepare)
        connection = Sqlite(database)
        await connection.open()
        return cls(connection, clock)

    def vector_index(self, home: Path) -> ChromaIndex:
        """The derived index in a folder; only the process that holds the daemon's lock may open it."""
        return ChromaIndex(self._sqlite, home)

    async def close(self) -> None:
        """Finish running writes and close the files."""
        await self._sqlite.close()
