"""The repositories that all engines share."""

from collections.abc import Mapping
from pathlib import Path

from ...modules.backup.ports import BackupStorage
from ...modules.clock import Clock
from ...modules.events.hints import Hints
from ...modules.memory.ports import MemoryRepository
from ...modules.principals.ports import EndedLogins
from ...modules.store import (
    ConversationRepositories,
    MemoryRepositories,
    RecordRepositories,
    SharingRepositories,
    WorkRepositories,
)
from ..bundles.bundles import Bundles
from ..engine.ports import Engine
from ..imports import plugged
from ..imports.formats import FileImports
from ..server_key import ServerKeyFile
from .approvals import ApprovalsRepository
from .archive import ArchiveRepository
from .audit_log import AuditLogRepository
from .backlog import BacklogRepository, LooksRepository
from .branches import BranchesRepository
from .consolidations import ConsolidationsRepository
from .counts import CountsRepository
from .deeds import DeedsRepository
from .events import EventsRepository
from .extraction import TurnReadingsRepository
from .forks import ForksRepository
from .goals import GoalsRepository
from .graph import GraphsRepository
from .graph_names import AliasesRepository
from .ids import IdsRepository
from .insights import InsightsRepository
from .jobs import JobsRepository
from .lifecycle import LifecycleRepository
from .principals import PrincipalsRepository
from .procedures import ProceduresRepository
from .profile import ProfilesRepository
from .projects import ProjectsRepository
from .questions import QuestionsRepository
from .queue import QueueRows
from .reflections import ReflectionsRepository
from .requests import RequestsRepository
from .scrub import ScrubRows
from .sealed import SealedMemoriesRepository
from .sessions import SessionsRepository
from .surroundings import SurroundingsRepository
from .teams import TeamsRepository
from .tiers import TiersRepository
from .trust import TrustRepository
from .turns import TurnsRepository
from .usage import UsagesRepository


class Repositories:
    """Implements `modules.store.Store`; an engine gives what it does its own way."""

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        home: Path,
        *,
        memories: MemoryRepository,
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
            procedures=ProceduresRepository(engine),
            turns=TurnsRepository(engine),
            turn_readings=TurnReadingsRepository(engine),
            profile=ProfilesRepository(engine),
            tiers=TiersRepository(engine),
            consolidations=ConsolidationsRepository(engine),
            graph=GraphsRepository(engine),
            aliases=AliasesRepository(engine),
        )
        self.records = RecordRepositories(
            usage=UsagesRepository(engine),
            deeds=DeedsRepository(engine),
            questions=QuestionsRepository(engine),
            sealed=SealedMemoriesRepository(engine),
            backups=backups,
            bundles=Bundles(engine, home),
            imports=FileImports(plugged.formats),
        )
        self.sharing = SharingRepositories(
            principals=PrincipalsRepository(engine),
            requests=RequestsRepository(engine),
            branches=BranchesRepository(engine),
            forks=ForksRepository(engine),
            teams=TeamsRepository(engine),
            audit=AuditLogRepository(engine, entry_hash),
            server_key=ServerKeyFile(home),
            ended_logins=ended_logins,
            served_as=served_as,
        )

    def measures(self) -> Mapping[str, float]:
        """Return what the connections to the database do now, by name; a file has none."""
        return {}
