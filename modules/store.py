"""The store as the services see it: one repository for each port, whichever engine is under it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .abbreviations import IdIndex
    from .approvals.ports import ApprovalRepository
    from .audit.ports import AuditLog
    from .backup.ports import BackupStorage
    from .consolidation.ports import ConsolidationRepository
    from .events.ports import EventRepository
    from .extraction.ports import TurnReadings
    from .goals.ports import GoalRepository
    from .graph.ports import AliasRepository, GraphRepository
    from .insights.ports import InsightRepository
    from .jobs.ports import JobStorage
    from .memory.ports import (
        EmbeddingBacklog,
        MemoryAgeing,
        MemoryArchive,
        MemoryChanges,
        MemoryRepository,
        MemorySurroundings,
    )
    from .portability.ports import ImportSource, PortableStore
    from .principals.ports import PrincipalRepository, ServerKey
    from .procedures.ports import ProcedureRepository
    from .profile.ports import ProfileRepository
    from .queue.ports import QueueStorage
    from .reflection.ports import ReflectionRepository
    from .sealed.ports import SealedRepository
    from .sessions.ports import SessionRepository
    from .tiers.ports import TierRepository
    from .trust.ports import TrustReading
    from .turns.ports import TurnRepository
    from .usage.ports import UsageRepository


class Store(Protocol):
    """A storage backend: one repository for each port."""

    @property
    def memories(self) -> MemoryRepository: ...
    @property
    def archive(self) -> MemoryArchive: ...
    @property
    def ageing(self) -> MemoryAgeing: ...
    @property
    def lifecycle(self) -> MemoryChanges: ...
    @property
    def surroundings(self) -> MemorySurroundings: ...
    @property
    def backlog(self) -> EmbeddingBacklog: ...
    @property
    def goals(self) -> GoalRepository: ...
    @property
    def reflections(self) -> ReflectionRepository: ...
    @property
    def insights(self) -> InsightRepository: ...
    @property
    def jobs(self) -> JobStorage: ...
    @property
    def sealed(self) -> SealedRepository: ...
    @property
    def sessions(self) -> SessionRepository: ...
    @property
    def procedures(self) -> ProcedureRepository: ...
    @property
    def approvals(self) -> ApprovalRepository: ...
    @property
    def graph(self) -> GraphRepository: ...
    @property
    def aliases(self) -> AliasRepository: ...
    @property
    def backups(self) -> BackupStorage: ...
    @property
    def usage(self) -> UsageRepository: ...
    @property
    def ids(self) -> IdIndex: ...
    @property
    def bundles(self) -> PortableStore: ...
    @property
    def imports(self) -> ImportSource: ...
    @property
    def turns(self) -> TurnRepository: ...
    @property
    def queue(self) -> QueueStorage: ...
    @property
    def events(self) -> EventRepository: ...
    @property
    def turn_readings(self) -> TurnReadings: ...
    @property
    def profile(self) -> ProfileRepository: ...
    @property
    def tiers(self) -> TierRepository: ...
    @property
    def consolidations(self) -> ConsolidationRepository: ...
    @property
    def principals(self) -> PrincipalRepository: ...
    @property
    def audit(self) -> AuditLog: ...
    @property
    def trust(self) -> TrustReading: ...
    @property
    def server_key(self) -> ServerKey: ...
