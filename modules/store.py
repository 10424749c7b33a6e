"""The store as the services see it: repositories by subject, whichever engine is under them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from .records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..storage.bundles.bundles import Bundles
    from ..storage.repositories.approvals import ApprovalsRepository
    from ..storage.repositories.archive import ArchiveRepository
    from ..storage.repositories.audit_log import AuditLogRepository
    from ..storage.repositories.backlog import BacklogRepository, LooksRepository
    from ..storage.repositories.branches import BranchesRepository
    from ..storage.repositories.counts import CountsRepository
    from ..storage.repositories.deeds import DeedsRepository
    from ..storage.repositories.events import EventsRepository
    from ..storage.repositories.extraction import TurnReadingsRepository
    from ..storage.repositories.forks import ForksRepository
    from ..storage.repositories.goals import GoalsRepository
    from ..storage.repositories.graph import GraphsRepository
    from ..storage.repositories.graph_names import AliasesRepository
    from ..storage.repositories.ids import IdsRepository
    from ..storage.repositories.insights import InsightsRepository
    from ..storage.repositories.jobs import JobsRepository
    from ..storage.repositories.lifecycle import LifecycleRepository
    from ..storage.repositories.memories import MemoriesRepository
    from ..storage.repositories.principals import PrincipalsRepository
    from ..storage.repositories.projects import ProjectsRepository
    from ..storage.repositories.questions import QuestionsRepository
    from ..storage.repositories.queue import QueueRows
    from ..storage.repositories.reflections import ReflectionsRepository
    from ..storage.repositories.requests import RequestsRepository
    from ..storage.repositories.sessions import SessionsRepository
    from ..storage.repositories.surroundings import SurroundingsRepository
    from ..storage.repositories.trust import TrustRepository
    from ..storage.repositories.turns import TurnsRepository
    from ..storage.repositories.usage import UsagesRepository
    from .backup.ports import BackupStorage
    from .events.hints import Hints
    from .portability.ports import ImportSource
    from .principals.ports import EndedLogins, ServerKey


@dataclass(frozen=True, kw_only=True)
class MemoryRepositories:
    """What is remembered, what is judged and counted of it, and what it still waits for."""

    memories: MemoriesRepository[Any]
    archive: ArchiveRepository
    ageing: ArchiveRepository
    lifecycle: LifecycleRepository
    surroundings: SurroundingsRepository
    counts: CountsRepository
    backlog: BacklogRepository
    looks: LooksRepository
    trust: TrustRepository
    ids: IdsRepository


@dataclass(frozen=True, kw_only=True)
class WorkRepositories:
    """Goals, reflections and insights, and the work that goes on by itself."""

    goals: GoalsRepository
    reflections: ReflectionsRepository
    insights: InsightsRepository
    jobs: JobsRepository
    queue: QueueRows
    approvals: ApprovalsRepository
    events: EventsRepository
    hints: Hints


@dataclass(frozen=True, kw_only=True)
class ConversationRepositories:
    """Sessions and turns, and what is learnt from them."""

    sessions: SessionsRepository
    projects: ProjectsRepository
    turns: TurnsRepository
    turn_readings: TurnReadingsRepository
    graph: GraphsRepository
    aliases: AliasesRepository


@dataclass(frozen=True, kw_only=True)
class RecordRepositories:
    """What is noted of the use of memories, and what leaves and enters a store whole."""

    usage: UsagesRepository
    deeds: DeedsRepository
    questions: QuestionsRepository
    backups: BackupStorage
    bundles: Bundles
    imports: ImportSource


@dataclass(frozen=True, kw_only=True)
class SharingRepositories:
    """Who may do what, and what several share."""

    principals: PrincipalsRepository
    requests: RequestsRepository
    branches: BranchesRepository
    forks: ForksRepository
    audit: AuditLogRepository
    server_key: ServerKey
    ended_logins: EndedLogins
    served_as: str = ""
    """The name of the store among those of a database; empty where it is the only one."""


class Store(Protocol):
    """A storage backend: the repositories of five subjects."""

    @property
    def memory(self) -> MemoryRepositories: ...
    @property
    def work(self) -> WorkRepositories: ...
    @property
    def conversation(self) -> ConversationRepositories: ...
    @property
    def records(self) -> RecordRepositories: ...
    @property
    def sharing(self) -> SharingRepositories: ...
    def measures(self) -> Mapping[str, float]:
        """Return what the connections to the database do now, by name."""
