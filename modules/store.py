"""The store as the services see it: repositories by subject, one for each port, whichever engine is under them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .abbreviations import IdIndex
    from .approvals.ports import ApprovalRepository
    from .audit.ports import AuditLog
    from .backup.ports import BackupStorage
    from .branches.ports import BranchRepository, ForkRepository
    from .consolidation.ports import ConsolidationRepository
    from .deeds.ports import DeedRepository
    from .events.hints import Hints
    from .events.ports import EventRepository
    from .extraction.ports import TurnReadings
    from .goals.ports import GoalRepository
    from .graph.ports import AliasRepository, GraphRepository
    from .insights.ports import InsightRepository
    from .jobs.ports import JobStorage
    from .memory.facets import MemoryCounts
    from .memory.ports import (
        EmbeddingBacklog,
        MemoryAgeing,
        MemoryArchive,
        MemoryJudgements,
        MemoryRepository,
        MemorySurroundings,
        OwedLooks,
    )
    from .portability.ports import ImportSource, PortableStore
    from .principals.ports import EndedLogins, PrincipalRepository, RequestRepository, ServerKey
    from .procedures.ports import ProcedureRepository
    from .profile.ports import ProfileRepository
    from .projects.ports import ProjectRepository
    from .queue.ports import QueueStorage
    from .reflection.ports import ReflectionRepository
    from .sessions.ports import SessionRepository
    from .tiers.ports import TierRepository
    from .trust.ports import TrustReading
    from .turns.ports import TurnRepository
    from .usage.ports import QuestionRepository, UsageRepository


@dataclass(frozen=True, kw_only=True)
class MemoryRepositories:
    """What is remembered, what is judged and counted of it, and what it still waits for."""

    memories: MemoryRepository
    archive: MemoryArchive
    ageing: MemoryAgeing
    lifecycle: MemoryJudgements
    surroundings: MemorySurroundings
    counts: MemoryCounts
    backlog: EmbeddingBacklog
    looks: OwedLooks
    trust: TrustReading
    ids: IdIndex


@dataclass(frozen=True, kw_only=True)
class WorkRepositories:
    """Goals, reflections and insights, and the work that goes on by itself."""

    goals: GoalRepository
    reflections: ReflectionRepository
    insights: InsightRepository
    jobs: JobStorage
    queue: QueueStorage
    approvals: ApprovalRepository
    events: EventRepository
    hints: Hints


@dataclass(frozen=True, kw_only=True)
class ConversationRepositories:
    """Sessions and turns, and what is learnt from them."""

    sessions: SessionRepository
    projects: ProjectRepository
    procedures: ProcedureRepository
    turns: TurnRepository
    turn_readings: TurnReadings
    profile: ProfileRepository
    tiers: TierRepository
    consolidations: ConsolidationRepository
    graph: GraphRepository
    aliases: AliasRepository


@dataclass(frozen=True, kw_only=True)
class RecordRepositories:
    """What is noted of the use of memories, and what leaves and enters a store whole."""

    usage: UsageRepository
    deeds: DeedRepository
    questions: QuestionRepository
    backups: BackupStorage
    bundles: PortableStore
    imports: ImportSource


@dataclass(frozen=True, kw_only=True)
class SharingRepositories:
    """Who may do what, and what several share."""

    principals: PrincipalRepository
    requests: RequestRepository
    branches: BranchRepository
    forks: ForkRepository
    audit: AuditLog
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
