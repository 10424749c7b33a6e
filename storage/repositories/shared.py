"""The repositories that all engines share."""

from collections.abc import Mapping

from ...modules.clock import Clock
from ...modules.events.hints import Hints
from ..engine.ports import Engine
from .approvals import ApprovalsRepository
from .archive import ArchiveRepository
from .backlog import BacklogRepository, LooksRepository
from .branches import BranchesRepository
from .consolidations import ConsolidationsRepository
from .counts import CountsRepository
from .deeds import DeedsRepository
from .events import EventsRepository
from .extraction import TurnReadingsRepository
from .forks import ForksRepository
from .gateway_blocks import GatewayBlocksRepository
from .goals import GoalsRepository
from .graph import GraphsRepository
from .graph_names import AliasesRepository
from .held_exchanges import HeldExchangesRepository
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
from .sessions import SessionsRepository
from .surroundings import SurroundingsRepository
from .tiers import TiersRepository
from .trust import TrustRepository
from .turns import TurnsRepository
from .usage import UsagesRepository


class Repositories:
    """Implements `modules.agentos.Store`, but for what an engine does its own way: memories, backups and bundles."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self.engine = engine
        self.hints = Hints()
        self.usage = UsagesRepository(engine)
        self.principals = PrincipalsRepository(engine)
        self.requests = RequestsRepository(engine)
        self.ids = IdsRepository(engine)
        self.lifecycle = LifecycleRepository(engine)
        self.counts = CountsRepository(engine)
        self.surroundings = SurroundingsRepository(engine)
        self.archive = self.ageing = ArchiveRepository(engine)
        self.backlog = BacklogRepository(engine, clock)
        self.looks = LooksRepository(engine)
        self.goals = GoalsRepository(engine)
        self.reflections = ReflectionsRepository(engine)
        self.insights = InsightsRepository(engine)
        self.jobs = JobsRepository(engine)
        self.sessions = SessionsRepository(engine)
        self.projects = ProjectsRepository(engine)
        self.procedures = ProceduresRepository(engine)
        self.approvals = ApprovalsRepository(engine)
        self.turns = TurnsRepository(engine)
        self.queue = QueueRows(engine)
        self.events = EventsRepository(engine)
        self.tiers = TiersRepository(engine)
        self.consolidations = ConsolidationsRepository(engine)
        self.graph = GraphsRepository(engine)
        self.aliases = AliasesRepository(engine)
        self.scrub = ScrubRows(engine)
        self.turn_readings = TurnReadingsRepository(engine)
        self.profile = ProfilesRepository(engine)
        self.trust = TrustRepository(engine)
        self.branches = BranchesRepository(engine)
        self.forks = ForksRepository(engine)
        self.gateway_blocks = GatewayBlocksRepository(engine)
        self.deeds = DeedsRepository(engine)
        self.questions = QuestionsRepository(engine)
        self.held_exchanges = HeldExchangesRepository(engine)

    def measures(self) -> Mapping[str, float]:
        """Return what the connections to the database do now, by name; a file has none."""
        return {}
