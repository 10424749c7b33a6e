"""The store that all engines share: the repositories of each subject, over an engine."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..modules.backup.ports import BackupStorage
from ..modules.clock import Clock
from ..modules.events.hints import Hints
from ..modules.principals.ports import EndedLogins
from ..modules.store import (
    ConversationRepositories,
    MemoryRepositories,
    RecordRepositories,
    SharingRepositories,
    WorkRepositories,
)
from .bundles.bundles import Bundles
from .engine.ports import Engine
from .imports import plugged
from .imports.formats import FileImports
from .repositories.approvals import ApprovalsRepository
from .repositories.archive import ArchiveRepository
from .repositories.audit_log import AuditLogRepository
from .repositories.backlog import BacklogRepository, LooksRepository
from .repositories.branches import BranchesRepository
from .repositories.counts import CountsRepository
from .repositories.deeds import DeedsRepository
from .repositories.events import EventsRepository
from .repositories.extraction import TurnReadingsRepository
from .repositories.forks import ForksRepository
from .repositories.goals import GoalsRepository
from .repositories.graph import GraphsRepository
from .repositories.graph_names import AliasesRepository
from .repositories.ids import IdsRepository
from .repositories.insights import InsightsRepository
from .repositories.jobs import JobsRepository
from .repositories.lifecycle import LifecycleRepository
from .repositories.principals import PrincipalsRepository
from .repositories.projects import ProjectsRepository
from .repositories.questions import QuestionsRepository
from .repositories.queue import QueueRows
from .repositories.reflections import ReflectionsRepository
from .repositories.requests import RequestsRepository
from .repositories.scrub import ScrubRows
from .repositories.sessions import SessionsRepository
from .repositories.surroundings import SurroundingsRepository
from .repositories.trust import TrustRepository
from .repositories.turns import TurnsRepository
from .repositories.usage import UsagesRepository
from .server_key import ServerKeyFile

if TYPE_CHECKING:
    from ..storage.repositories.memories import MemoriesRepository


class Repositories:
    """Implements `modules.store.Store`; an engine gives what it does its own way."""

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        home: Path,
        *,
        memories: "MemoriesRepository[Any]",
        backups: BackupStorage,
        entry_hash: str,
        ended_logins: EndedLogins,
        hints: Hints,
        served_as: str = "",
    ) -> None:
        """Set up the repositories; `entry_hash` is the engine's SQL for the digest of an audit entry."""
        self.engine = engine
        self.scrub = ScrubRows(engine)
        archive = ArchiveRepository(engine)
        self.memory = MemoryRepositories(
            memories=memories,
            archive=archive,
            ageing=archive,
            lifecycle=LifecycleRepository(engine),
            surroundings=SurroundingsRepository(engine),
            counts=CountsRepository(engine),
            backlog=BacklogRepository(engine, clock),
            looks=LooksRepository(engine),
            trust=TrustRepository(engine),
            ids=IdsRepository(engine),
        )
        self.work = WorkRepositories(
            goals=GoalsRepository(engine),
            reflections=ReflectionsRepository(engine),
            insights=InsightsRepository(engine),
            jobs=JobsRepository(engine),
            queue=QueueRows(engine),
            approvals=ApprovalsRepository(engine),
            events=EventsRepository(engine),
            hints=hints,
        )
        self.conversation = ConversationRepositories(
            sessions=SessionsRepository(engine),
            projects=ProjectsRepository(engine),
            turns=TurnsRepository(engine),
            turn_readings=TurnReadingsRepository(engine),
            graph=GraphsRepository(engine),
            aliases=AliasesRepository(engine),
        )
        self.records = RecordRepositories(
            usage=UsagesRepository(engine),
            deeds=DeedsRepository(engine),
            questions=QuestionsRepository(engine),
            backups=backups,
            bundles=Bundles(engine, home),
            imports=FileImports(plugged.formats),
        )
        self.sharing = SharingRepositories(
            principals=PrincipalsRepository(engine),
            requests=RequestsRepository(engine),
            branches=BranchesRepository(engine),
            forks=ForksRepository(engine),
            audit=AuditLogRepository(engine, entry_hash),
            server_key=ServerKeyFile(home),
            ended_logins=ended_logins,
            served_as=served_as,
        )

    def measures(self) -> Mapping[str, float]:
        """Return what the connections to the database do now, by name; a file has none."""
        return {}
