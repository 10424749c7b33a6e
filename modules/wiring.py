"""The services of AgentOS, wired subject by subject over one store and one clock: each group takes those before it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from ..config import Settings
from .abbreviations import Abbreviations
from .acts.service import TYPE as ACT
from .acts.service import Acts
from .acts.tracing_back import Traces
from .approvals.service import ApprovalService
from .audit.service import AuditService
from .backup.service import BackupService
from .branches.service import BranchService
from .clock import Clock
from .context.briefing import BriefingService
from .context.compiler import ContextCompiler
from .context.lines import Lines
from .context.opening import Opening
from .context.phrases import phrases
from .context.ports import Sources
from .context.replaced import Replaced
from .context.service import ContextService
from .context.sources import chains_of, graph_of, inherited_of, window_of
from .context.tokens import estimate
from .context.unanswered import Unanswered
from .context.unasked import Unasked
from .context.unconfirmed import Unconfirmed
from .deeds.service import DeedService
from .erasure.service import ErasureService
from .events.hints import Hints
from .events.service import EventService
from .extraction.service import ExtractionService
from .goals.service import GoalService
from .graph.aliases import Aliases
from .graph.language_reader import LanguageReader
from .graph.service import GraphService
from .insights.service import InsightService
from .insights.triggers import Triggers
from .jobs.service import JobService
from .language.ports import LanguageModel
from .language.service import LanguageService
from .memory import near_misses, support
from .memory.background import Foreground, LookAt, Looks
from .memory.browsing import Browsing
from .memory.bulk import Bulk
from .memory.calibration import Calibrator, KeptCalibrations
from .memory.earlier_model import OpenEmbedder
from .memory.embedding import MemoryEmbedding
from .memory.exact_terms import exact_terms
from .memory.gate import GateSettings
from .memory.lifecycle_service import LifecycleService
from .memory.models import Consistency
from .memory.near_duplicates import NearDuplicates
from .memory.ports import Embedder, PairJudge, UnembeddedText
from .memory.ranking import RankingProfile, ScoringSettings
from .memory.recall import RecallSettings
from .memory.reranking import BUNDLED_MEMORIES_MAX, RerankingSettings
from .memory.service import MemoryService, MemorySettings
from .memory.slot_channel import SlotChannel
from .memory.supersession import Supersession
from .memory.supersession_chance import bundled
from .memory.text_vectors import TextVectors
from .memory.upkeep import Upkeep, UpkeepSettings
from .own_actions import own_actions
from .portability.service import PortabilityService
from .portability.taking import Into
from .principals.acting import is_person
from .principals.requests import RequestService
from .principals.service import PrincipalService
from .projects.service import ProjectService
from .proving import Lessons, NoLessons
from .queue.control import QueueControl
from .queue.service import Handler, QueueService
from .records import dataclass
from .redaction.redactor import SecretRedactor
from .redactor import Redactor
from .reflection.service import ReflectionService, ReflectionSettings
from .rules.service import RuleService
from .sessions.ports import CheckoutReader
from .sessions.service import SessionService
from .store import Store
from .trust.service import TrustService
from .turns.service import TurnService
from .usage.recalls import Recalls
from .usage.sealing import QuestionSeal
from .usage.service import UsageService

if TYPE_CHECKING:
    from ..storage.repositories.archive import ArchiveRepository
    from ..storage.repositories.kept_by_gateway import KeptByGateway
    from ..storage.repositories.kept_files import KeptFiles
    from ..storage.repositories.memories import MemoriesRepository, Visit

OpenLessons = Callable[[LifecycleService, "ArchiveRepository", Clock], Lessons]


@dataclass(frozen=True)
class Foundation:
    """What all services stand on."""

    store: Store
    embedder: Embedder
    settings: Settings
    clock: Clock
    redactor: Redactor


@dataclass(frozen=True, kw_only=True)
class MemoryServices:
    """What stores, finds, judges and ages memories.

    `visits` are done with the memories of each answer, in the transaction that counts them; features add to them.
    """

    memory: MemoryService
    memories: "MemoriesRepository[Any]"
    visits: "list[Visit]"
    lifecycle: LifecycleService
    lessons: Lessons
    upkeep: Upkeep
    bulk: Bulk
    browsing: Browsing
    archive: "ArchiveRepository"
    embedding: MemoryEmbedding
    trust: TrustService
    unasked: Unasked
    reranker: PairJudge | None = None
    supersession: Supersession | None = None


def wire_memories(
    base: Foundation,
    reranker: PairJudge | None,
    succession_model: PairJudge | None,
    open_earlier: OpenEmbedder | None,
    calibrations: KeptCalibrations | None,
    open_lessons: OpenLessons | None,
) -> MemoryServices:
    """Return the services of memories."""
    rows, settings, clock = base.store.memory, base.settings, base.clock
    is_measured = settings.has_default_embedder or calibrations is not None
    foreground = Foreground()
    visits: list[Visit] = []
    embedding, supersession = _wire_embedding(base, foreground, succession_model, open_earlier, calibrations)
    trust = TrustService(rows.trust, clock)
    lifecycle = LifecycleService(rows.memories, rows.archive, rows.lifecycle, clock)
    lessons = NoLessons() if open_lessons is None else open_lessons(lifecycle, rows.archive, clock)
    memory = MemoryService(
        rows.memories,
        rows.archive,
        rows.surroundings,
        embedding,
        _memory_settings(settings, is_measured),
        base.redactor,
        clock,
        foreground,
        is_person,
        reranker=reranker,
        supersession=supersession,
        slots=SlotChannel(rows.memories, TextVectors(base.embedder, embedding)) if is_measured else None,
        trust=trust,
        tell=lessons.told,
        visits=visits,
    )
    upkeep_settings = UpkeepSettings(
        settings.stale_days,
        settings.archive_days,
        settings.forgotten_days,
        capacity=settings.memories_per_namespace,
        decay_rate=settings.memory_decay_rate,
    )
    return MemoryServices(
        memory=memory,
        memories=rows.memories,
        visits=visits,
        lifecycle=lifecycle,
        lessons=lessons,
        upkeep=Upkeep(rows.memories, rows.ageing, rows.lifecycle, lifecycle, upkeep_settings, clock),
        bulk=Bulk(memory, lifecycle, rows.memories, rows.ageing, clock),
        browsing=Browsing(memory, rows.memories, rows.counts, rows.surroundings, clock),
        archive=rows.archive,
        embedding=embedding,
        trust=trust,
        unasked=Unasked(trust),
        reranker=reranker,
        supersession=supersession,
    )


def _wire_embedding(
    base: Foundation,
    foreground: Foreground,
    succession_model: PairJudge | None,
    open_earlier: OpenEmbedder | None,
    calibrations: KeptCalibrations | None,
) -> tuple[MemoryEmbedding, Supersession | None]:
    """Return what embeds memories, and what judges, with such a model, which of them replace others."""
    rows, settings, clock = base.store.memory, base.settings, base.clock
    calibrator = Calibrator(base.embedder, None if settings.has_default_embedder else calibrations)
    near_duplicates = NearDuplicates(rows.memories, rows.surroundings, rows.lifecycle, clock, calibrator)
    look_at: list[LookAt] = [near_duplicates.look]
    looks = Looks(rows.looks, look_at, calibrator.knows, foreground)
    embedding = MemoryEmbedding(base.embedder, rows.backlog, looks, open_earlier, calibrator)
    if succession_model is None:
        return embedding, None
    asks = settings.ask_what_is_replaced
    supersession = Supersession(rows.memories, rows.lifecycle, embedding, succession_model, bundled(), clock, asks=asks)
    look_at.append(supersession.look)
    return embedding, supersession


def _memory_settings(settings: Settings, is_measured: bool) -> MemorySettings:
    return MemorySettings(
        max_content_bytes=settings.max_content_bytes,
        working_memory_hours=settings.working_memory_hours,
        recall=RecallSettings(
            settings.embedding_wait_s,
            RankingProfile(settings.search_profile),
            ScoringSettings(settings.memory_decay_rate, settings.search_weights, frozenset(settings.search_without)),
            Consistency(settings.search_consistency),
            _reranking(settings),
            GateSettings(settings.search_gate),
            support.bundled() if settings.search_gate and is_measured else None,
            near_misses.bundled() if settings.search_gate and settings.has_default_embedder else None,
        ),
    )


def _reranking(settings: Settings) -> RerankingSettings:
    plain = RerankingSettings(settings.reranker_depth, settings.reranker_weight, settings.reranker_wait_s)
    if not settings.has_bundled_reranker:
        return plain
    english_only = not settings.has_default_embedder
    return replace(plain, memories_max=BUNDLED_MEMORIES_MAX, of_answers=True, english_only=english_only)


@dataclass(frozen=True, kw_only=True)
class WorkServices:
    """What plans, does and reports: goals and outcomes, and what waits for a person or a daemon.

    `handlers` do the tasks of the queue, by type; `events` adds those that listen.
    """

    insights: InsightService
    goals: GoalService
    reflection: ReflectionService
    jobs: JobService
    queue: QueueService
    queue_control: QueueControl
    handlers: dict[str, Handler]
    acts: Acts
    approvals: ApprovalService
    events: EventService
    hints: Hints


def wire_work(base: Foundation, of_memory: MemoryServices) -> WorkServices:
    """Return the services of work."""
    rows, memories, settings = base.store.work, base.store.memory, base.settings
    redactor, clock = base.redactor, base.clock
    lifecycle, upkeep, bulk = of_memory.lifecycle, of_memory.upkeep, of_memory.bulk
    insights = InsightService(rows.insights, clock)
    triggers = Triggers(insights)
    goals = GoalService(rows.goals, triggers, redactor, clock)
    reflection_settings = ReflectionSettings(settings.reflection_lookback_days, settings.pattern_min_frequency)
    jobs = JobService(rows.jobs, clock)
    queue, control = QueueService(rows.queue, clock), QueueControl(rows.queue, clock)
    traces = Traces(memories.memories, memories.archive, memories.lifecycle)
    acts = Acts(bulk, traces, queue, control, redactor, clock)
    handlers: dict[str, Handler] = {ACT: acts.carry_out}
    actions = own_actions(lifecycle, upkeep, bulk, acts, goals, jobs)
    webhook = settings.approval_webhook.get_secret_value()
    return WorkServices(
        insights=insights,
        goals=goals,
        reflection=ReflectionService(rows.reflections, triggers, reflection_settings, redactor, clock),
        jobs=jobs,
        queue=queue,
        queue_control=control,
        handlers=handlers,
        acts=acts,
        approvals=ApprovalService(rows.approvals, actions, triggers, redactor, clock, webhook),
        events=EventService(rows.events, handlers.__setitem__, clock, rows.hints, base.store.sharing.server_key),
        hints=rows.hints,
    )


@dataclass(frozen=True, kw_only=True)
class ConversationServices:
    """What follows sessions and conversations, and what is read out of them; `vectors` are of texts that are none."""

    extraction: ExtractionService
    sessions: SessionService
    projects: ProjectService
    turns: TurnService
    graph: GraphService
    aliases: Aliases
    vectors: TextVectors
    language: "LanguageService | None" = None
    language_reader: LanguageReader | None = None


def wire_conversations(
    base: Foundation,
    checkouts: CheckoutReader | None,
    language_model: LanguageModel | None,
    of_memory: MemoryServices,
    of_work: WorkServices,
) -> ConversationServices:
    """Return the services of conversations."""
    rows, settings, redactor, clock = base.store.conversation, base.settings, base.redactor, base.clock
    memory, embedding = of_memory.memory, of_memory.embedding
    # What leaves for a model is redacted even where what is stored is not.
    secretless = SecretRedactor(enabled=True, own=settings.own_secrets())
    language = None if language_model is None else LanguageService(language_model, secretless)
    extraction = ExtractionService(rows.turn_readings, memory, base.store.memory.lifecycle, clock, language)
    event_retention = timedelta(days=settings.session_event_days) if settings.session_event_days else None
    statements = extraction if settings.hook_statements else None
    sessions = SessionService(
        rows.sessions, checkouts, memory, of_work.reflection, redactor, clock, event_retention, statements
    )
    vectors = TextVectors(base.embedder, embedding)
    return ConversationServices(
        extraction=extraction,
        sessions=sessions,
        projects=ProjectService(sessions, memory, rows.projects, clock),
        turns=TurnService(
            rows.turns,
            lambda memory_id, text: embedding.embed_soon(UnembeddedText(memory_id, text)),
            embedding,
            estimate,
            redactor,
            clock,
            settings.max_content_bytes,
        ),
        graph=GraphService(rows.graph, redactor, exact_terms, estimate, clock),
        aliases=Aliases(rows.aliases, vectors, clock),
        vectors=vectors,
        language=language,
        language_reader=LanguageReader(rows.graph, language, clock) if language and settings.llm_graph else None,
    )


@dataclass(frozen=True, kw_only=True)
class ContextServices:
    """What tells an agent what it should know: when asked, when a session starts, and with a prompt."""

    context: ContextService
    sources: Sources
    briefing: BriefingService
    abbreviations: Abbreviations
    rules: RuleService


def wire_context(
    base: Foundation, of_memory: MemoryServices, of_work: WorkServices, of_conversations: ConversationServices
) -> ContextServices:
    """Return the services of context."""
    store, settings, clock = base.store, base.settings, base.clock
    memory, unasked, lifecycle = of_memory.memory, of_memory.unasked, of_memory.lifecycle
    goals, insights, reflection, approvals = of_work.goals, of_work.insights, of_work.reflection, of_work.approvals
    jobs, turns, most = of_work.jobs, of_conversations.turns, settings.snapshot_max_tokens
    said = phrases(settings.briefing_language)
    short, lines, replaced = Abbreviations(store.memory.ids), Lines(clock, said), Replaced(lifecycle, unasked)
    unanswered = Unanswered(lifecycle, unasked, asks=settings.ask_what_is_replaced)
    unconfirmed = Unconfirmed(memory)
    opening = Opening(
        memory, goals, insights, reflection, approvals, unanswered, unconfirmed, unasked, replaced, short, lines, said
    )
    sources = Sources(
        window_of(turns),
        inherited_of(turns),
        graph=graph_of(of_conversations.graph),
        lineage=turns.lineage,
        chains=chains_of(turns),
    )
    compiler = ContextCompiler(memory, store.memory.surroundings, of_memory.embedding, goals, sources, clock)
    return ContextServices(
        context=ContextService(
            memory, goals, reflection, insights, jobs, approvals, compiler, unanswered, unasked, replaced, clock, most
        ),
        sources=sources,
        briefing=BriefingService(
            memory, reflection, opening, unasked, replaced, short, lines, said, of_memory.lessons.standings
        ),
        abbreviations=short,
        rules=RuleService(memory),
    )


@dataclass(frozen=True, kw_only=True)
class RecordServices:
    """What is counted of all that is done, what is kept beside the memories, and what carries everything elsewhere."""

    usage: UsageService
    recalls: Recalls
    deeds: DeedService
    backups: BackupService
    portability: PortabilityService
    measures: Callable[[], Mapping[str, float]]


def wire_records(
    base: Foundation,
    of_memory: MemoryServices,
    of_work: WorkServices,
    of_conversations: ConversationServices,
) -> RecordServices:
    """Return the services of records."""
    rows, settings, redactor, clock = base.store.records, base.settings, base.redactor, base.clock
    memory, unasked, turns = of_memory.memory, of_memory.unasked, of_conversations.turns
    into = Into(memory, of_work.goals, of_work.reflection, of_conversations.graph, of_work.approvals, turns, redactor)
    return RecordServices(
        usage=UsageService(rows.usage, clock),
        recalls=Recalls(rows.questions, QuestionSeal(base.store.sharing.server_key), redactor, clock),
        deeds=DeedService(rows.deeds, clock),
        backups=BackupService(rows.backups, settings.backup_keep, clock),
        portability=PortabilityService(rows.bundles, rows.imports, into, unasked, clock),
        measures=base.store.measures,
    )


@dataclass(frozen=True, kw_only=True)
class SharingServices:
    """Who may do what, what several share, and what is gone for good."""

    principals: PrincipalService
    requests: RequestService
    audit: AuditService
    branches: BranchService
    erasure: ErasureService


def wire_sharing(
    base: Foundation,
    kept_files: "KeptFiles | None",
    left_by_gateway: "KeptByGateway | None",
    of_memory: MemoryServices,
    of_work: WorkServices,
    of_records: RecordServices,
) -> SharingServices:
    """Return the services of sharing."""
    store, rows, clock = base.store, base.store.sharing, base.clock
    who = rows.principals
    principals = PrincipalService(who, rows.server_key, rows.ended_logins, clock, rows.served_as)
    asked = store.work.approvals
    branches = BranchService(rows.branches, rows.forks, of_work.approvals, asked, of_work.insights, clock)
    forget = [of_records.recalls.forget, of_records.deeds.forget]
    if left_by_gateway is not None:
        forget.insert(0, left_by_gateway.forget)
    memory = of_memory.memory
    return SharingServices(
        principals=principals,
        requests=RequestService(rows.requests, clock),
        audit=AuditService(rows.audit),
        branches=branches,
        erasure=ErasureService(memory, branches, principals, kept_files, forget),
    )
