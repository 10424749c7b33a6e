"""The embedded store: one SQLite file with every repository, and the vector index beside it."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from ...modules.clock import Clock
from ..imports.formats import FileImports
from .access import Access
from .approvals import SqliteApprovals
from .archive import SqliteArchive
from .backlog import SqliteBacklog
from .backup import EmbeddedBackups
from .bundle import Bundles
from .chroma_index import ChromaIndex
from .consolidations import SqliteConsolidations
from .extraction import SqliteTurnReadings
from .goals import SqliteGoals
from .graph import SqliteGraph
from .graph_names import SqliteAliases
from .ids import SqliteIds
from .insights import SqliteInsights
from .jobs import SqliteJobs
from .memories import SqliteMemories
from .procedures import SqliteProcedures
from .profile import SqliteProfile
from .queue import SqliteQueue
from .reflections import SqliteReflections
from .scratch import remove_left_over
from .scrub import SqliteScrub
from .sealed import SqliteSealed
from .sessions import SqliteSessions
from .sqlite import Sqlite
from .standings import SqliteStandings
from .surroundings import SqliteSurroundings
from .tiers import SqliteTiers
from .turns import SqliteTurns
from .usage import SqliteUsage
from .vector_search import VectorSearch
from .vectors import ExactVectors


class EmbeddedStore:
    """Implements `modules.agentos.Store` over one home folder."""

    def __init__(self, sqlite: Sqlite, clock: Clock, backups: EmbeddedBackups, bundles: Bundles) -> None:
        self._sqlite = sqlite
        self.backups = backups
        self.bundles = bundles
        self.usage = SqliteUsage(sqlite)
        self.ids = SqliteIds(sqlite)
        self.imports = FileImports()
        self._vectors = VectorSearch(sqlite, ExactVectors(sqlite))
        self.memories = SqliteMemories(sqlite, self._vectors)
        self.standings = SqliteStandings(sqlite)
        self.surroundings = SqliteSurroundings(sqlite)
        self.archive = SqliteArchive(sqlite)
        self.backlog = SqliteBacklog(sqlite, clock)
        self.goals = SqliteGoals(sqlite)
        self.reflections = SqliteReflections(sqlite)
        self.insights = SqliteInsights(sqlite)
        self.jobs = SqliteJobs(sqlite)
        self.sealed = SqliteSealed(sqlite)
        self.sessions = SqliteSessions(sqlite)
        self.procedures = SqliteProcedures(sqlite)
        self.approvals = SqliteApprovals(sqlite)
        self.turns = SqliteTurns(sqlite)
        self.queue = SqliteQueue(sqlite)
        self.tiers = SqliteTiers(sqlite)
        self.consolidations = SqliteConsolidations(sqlite)
        self.graph = SqliteGraph(sqlite)
        self.aliases = SqliteAliases(sqlite)
        self.scrub = SqliteScrub(sqlite)
        self.turn_readings = SqliteTurnReadings(sqlite)
        self.profile = SqliteProfile(sqlite)

    @classmethod
    async def open(
        cls, home: Path, database: Path, clock: Clock, *, allow_network_home: bool = False
    ) -> "EmbeddedStore":
        """Prepare the folder, migrate the schema and open the connections.

        Where nothing can be written, the store is opened for reading.

        Raises StorageUnavailable or StorageRefused, each with its remedy; existing data is never replaced.
        """

        connection = Sqlite(Access(home, database, allow_network_home=allow_network_home))
        await connection.open()
        await asyncio.to_thread(remove_left_over, home)
        return cls(connection, clock, EmbeddedBackups(home, database), Bundles(connection, home, database))

    def vector_index(self, folder: Path, environment: Mapping[str, str] | None = None) -> ChromaIndex:
        """Return the derived index in a folder; searches use it while it is open.

        Only the process that holds the daemon's lock may open it. `environment` is that of its child process.
        """
        index = ChromaIndex(self._sqlite, folder, environment)
        self._vectors.use(index)
        return index

    async def close(self) -> None:
        """Finish running writes and close the files."""
        await self._sqlite.close()
