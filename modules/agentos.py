"""AgentOS: the services, wired over one store and one clock; the object that every door is handed."""

from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol

from ..config import Settings
from .backup.ports import BackupStorage
from .backup.service import BackupService
from .clock import Clock
from .context.service import ContextService
from .goals.ports import GoalRepository
from .goals.service import GoalService
from .insights.ports import InsightRepository
from .insights.service import InsightService
from .insights.triggers import Triggers
from .jobs.ports import JobRepository
from .jobs.service import JobService
from .memory.embedding import MemoryEmbedding
from .memory.gate import GateSettings
from .memory.models import Consistency
from .memory.ports import Embedder, EmbeddingBacklog, MemoryArchive, MemoryRepository, MemorySurroundings, Reranker
from .memory.ranking import Profile, ScoringSettings
from .memory.recall import RecallSettings
from .memory.reranking import RerankingSettings
from .memory.service import MemoryService, MemorySettings
from .reflection.ports import ReflectionRepository
from .reflection.service import ReflectionService, ReflectionSettings
from .sealed.ports import SealedRepository
from .sealed.service import SealedService


class Store(Protocol):
    """What a storage backend offers: one repository for each port."""

    @property
    def memories(self) -> MemoryRepository: ...
    @property
    def archive(self) -> MemoryArchive: ...
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
    def jobs(self) -> JobRepository: ...
    @property
    def sealed(self) -> SealedRepository: ...
    @property
    def backups(self) -> BackupStorage: ...


@dataclass(frozen=True)
class AgentOS:
    """Everything an agent can do."""

    memory: MemoryService
    archive: MemoryArchive
    embedding: MemoryEmbedding
    goals: GoalService
    reflection: ReflectionService
    insights: InsightService
    context: ContextService
    jobs: JobService
    sealed: SealedService
    backups: BackupService
    clock: Clock
    reranker: Reranker | None = None

    @classmethod
    def over(
        cls, store: Store, embedder: Embedder, settings: Settings, clock: Clock, reranker: Reranker | None = None
    ) -> "AgentOS":
        """Wire the services."""
        embedding = MemoryEmbedding(embedder, store.backlog)
        memory_settings = MemorySettings(
            max_content_bytes=settings.max_content_bytes,
            working_memory_hours=settings.working_memory_hours,
            recall=RecallSettings(
                settings.embedding_wait_s,
                Profile(settings.search_profile),
                ScoringSettings(
                    settings.memory_decay_rate, settings.search_weights, frozenset(settings.search_without)
                ),
                Consistency(settings.search_consistency),
                RerankingSettings(settings.reranker_depth, settings.reranker_weight, settings.reranker_wait_s),
                GateSettings(settings.search_gate, familiar=_is_familiar(settings)),
            ),
        )
        memory = MemoryService(
            store.memories, store.archive, store.surroundings, embedding, memory_settings, clock, reranker
        )
        insights = InsightService(store.insights, clock)
        triggers = Triggers(insights)
        goals = GoalService(store.goals, triggers, clock)
        reflection_settings = ReflectionSettings(settings.reflection_lookback_days, settings.pattern_min_frequency)
        reflection = ReflectionService(store.reflections, triggers, reflection_settings, clock)
        jobs = JobService(store.jobs, clock)
        context = ContextService(
            memory, store.archive, goals, reflection, insights, jobs, clock, settings.snapshot_max_tokens
        )
        backups = BackupService(store.backups, settings.backup_keep, clock)
        sealed = SealedService(store.sealed, settings.max_content_bytes, clock)
        return cls(
            memory,
            store.archive,
            embedding,
            goals,
            reflection,
            insights,
            context,
            jobs,
            sealed,
            backups,
            clock,
            reranker,
        )

    async def close(self) -> None:
        """Stop what works in the background of the services."""
        await self.embedding.close()
        if self.reranker is not None:
            self.reranker.close()


def _is_familiar(settings: Settings) -> bool:
    """Whether the embedding model is the default one, by its name: the gate's weights were made with that."""
    default = str(Settings.model_fields["embedding_model"].default)
    return not settings.embedding_url and PurePath(settings.embedding_model).name == default
