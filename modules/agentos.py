"""AgentOS: the services, wired over one store and one clock; the object that every interface is given."""

import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import timedelta

from ..config import Settings
from . import package_files
from .abbreviations import Abbreviations
from .acts.service import TYPE as ACT
from .acts.service import Acts
from .acts.tracing_back import Traces
from .anchoring import OpensAnchors, no_anchors
from .approvals.service import ApprovalService
from .attaching import KeptHashes, OpenAttachments, no_attachments
from .audit.service import AuditService
from .backup.service import BackupService
from .branches.service import BranchService
from .clock import Clock
from .connecting import OpensConnections, no_connections
from .consolidation.service import ConsolidationService, ConsolidationSettings
from .context.briefing import BriefingService
from .context.compiler import ContextCompiler
from .context.lines import Lines
from .context.opening import Opening
from .context.phrases import phrases
from .context.ports import Sources
from .context.replaced import Replaced
from .context.service import ContextService
from .context.sources import chains_of, evidence_of, graph_of, inherited_of, procedures_of, profile_of, window_of
from .context.tokens import estimate
from .context.unanswered import Unanswered
from .context.unasked import Unasked
from .context.unconfirmed import Unconfirmed
from .deeds.service import DeedService
from .erasure.service import ErasureService
from .errors import StorageUnavailable, Suspended
from .events.hints import Hints
from .events.service import EventService
from .extraction.service import ExtractionService
from .gateway.ports import TokenCounters
from .gateway.service import GatewayService
from .goals.service import GoalService
from .graph.aliases import Aliases
from .graph.language_reader import LanguageReader
from .graph.service import GraphService
from .insights.service import InsightService
from .insights.triggers import Triggers
from .jobs.service import JobService
from .language.ports import LanguageModel, TalkingModel
from .language.service import LanguageService
from .memory import near_misses, support
from .memory.background import Foreground, LookAt, Looks
from .memory.browsing import Browsing
from .memory.bulk import Bulk
from .memory.calibration import Calibrator, KeptCalibrations
from .memory.earlier_model import OpenEmbedder
from .memory.embedding import MemoryEmbedding
from .memory.exact_terms import exact_terms
from .memory.found import FoundMemories
from .memory.gate import GateSettings
from .memory.lifecycle_service import LifecycleService
from .memory.models import Consistency
from .memory.near_duplicates import NearDuplicates
from .memory.ports import Embedder, MemoryArchive, PairJudge, UnembeddedText
from .memory.ranking import RankingProfile, ScoringSettings
from .memory.recall import RecallSettings
from .memory.reranking import BUNDLED_MEMORIES_MAX, RerankingSettings
from .memory.service import MemoryService, MemorySettings
from .memory.slot_channel import SlotChannel
from .memory.supersession import Supersession
from .memory.supersession_chance import bundled
from .memory.text_vectors import TextVectors
from .memory.upkeep import Upkeep, UpkeepSettings
from .memory.vocabulary import Vocabulary
from .own_actions import own_actions
from .portability.service import PortabilityService
from .portability.taking import Into
from .principals.acting import is_person
from .principals.requests import RequestService
from .principals.service import PrincipalService
from .procedures.service import ProcedureService
from .profile.service import ProfileService
from .projects.service import ProjectService
from .proving import Lessons, NoLessons
from .queue.control import QueueControl
from .queue.service import Handler, QueueService
from .records import dataclass
from .redaction.redactor import SecretRedactor
from .redactor import Redactor
from .reflection.service import ReflectionService, ReflectionSettings
from .sealed.service import SealedService
from .sessions.ports import CheckoutReader
from .sessions.service import SessionService
from .store import Store
from .syncing import Sync, no_sync
from .teams.service import TeamService
from .tiers.describing import Describer
from .tiers.models import PROMOTION, TierSettings
from .tiers.ports import PageAnalyst, TierRepository
from .tiers.promotion import Promotion
from .tiers.recall import RecallOfTiers
from .tiers.service import TierService
from .tiers.settling import Settling
from .trust.service import TrustService
from .turns.service import TurnService
from .usage.recalls import Recalls
from .usage.sealing import QuestionSeal
from .usage.service import UsageService


@dataclass(frozen=True, kw_only=True)
class AgentOS:
    """Everything an agent can do. `handlers` do the tasks of the queue, by type; `events` adds those that listen."""

    memory: MemoryService
    lifecycle: LifecycleService
    lessons: Lessons
    upkeep: Upkeep
    bulk: Bulk
    acts: Acts
    browsing: Browsing
    archive: MemoryArchive
    embedding: MemoryEmbedding
    goals: GoalService
    reflection: ReflectionService
    insights: InsightService
    context: ContextService
    jobs: JobService
    sealed: SealedService
    sessions: SessionService
    projects: ProjectService
    procedures: ProcedureService
    briefing: BriefingService
    unasked: Unasked
    gateway: GatewayService
    approvals: ApprovalService
    backups: BackupService
    portability: PortabilityService
    usage: UsageService
    recalls: Recalls
    deeds: DeedService
    turns: TurnService
    queue: QueueService
    queue_control: QueueControl
    events: EventService
    hints: Hints
    measures: Callable[[], Mapping[str, float]]
    handlers: dict[str, Handler]
    extraction: ExtractionService
    profile: ProfileService
    tiers: TierService
    consolidation: ConsolidationService
    graph: GraphService
    aliases: Aliases
    principals: PrincipalService
    requests: RequestService
    audit: AuditService
    branches: BranchService
    erasure: ErasureService
    teams: TeamService
    trust: TrustService
    redactor: Redactor
    abbreviations: Abbreviations
    clock: Clock
    reranker: PairJudge | None = None
    language: TalkingModel | None = None
    language_reader: LanguageReader | None = None
    supersession: Supersession | None = None
    features: frozenset[str] = frozenset()
    """The features that the settings name."""
    anchors: OpensAnchors = no_anchors
    """What ties notes to code; None where no folder is followed."""
    sync: Callable[[], Awaitable[Sync | None]] = no_sync
    """What keeps this memory the same as those of other devices; None where nobody wants that."""
    connectors: OpensConnections = no_connections
    """What programs of this machine have brought to a namespace; None where none is on or has brought anything."""
    attachments: OpenAttachments = no_attachments
    """Opens what keeps the files of memories."""

    @classmethod
    def over(
        cls,
        store: Store,
        embedder: Embedder,
        settings: Settings,
        clock: Clock,
        reranker: PairJudge | None = None,
        checkouts: CheckoutReader | None = None,
        language_model: LanguageModel | None = None,
        succession_model: PairJudge | None = None,
        redactor: Redactor | None = None,
        counters: TokenCounters | None = None,
        open_earlier: OpenEmbedder | None = None,
        calibrations: KeptCalibrations | None = None,
        lessons: Callable[[LifecycleService, MemoryArchive, Clock], Lessons] | None = None,
        kept_files: KeptHashes | None = None,
    ) -> "AgentOS":
        """Wire the services.

        Without a reader of checkouts a project is known by its folder alone; without a language model everything goes
        by rules; without a succession model nothing is asked about, or labelled as outdated; without a redactor secrets
        are taken out by the rules of `redaction`, if the settings say so; without counters tokens are estimated;
        without `open_earlier` searches go by words alone after a change of the embedding model, until all is embedded;
        without `calibrations` cosines count as those of the default model; without `lessons` none proves itself;
        without `kept_files` an erasure knows of no files.
        """
        package_files.read_all()
        is_measured = settings.has_default_embedder or calibrations is not None
        calibrator = Calibrator(embedder, None if settings.has_default_embedder else calibrations)
        near_duplicates = NearDuplicates(store.memories, store.surroundings, store.lifecycle, clock, calibrator)
        look_at: list[LookAt] = [near_duplicates.look]
        foreground = Foreground()
        looks = Looks(store.looks, look_at, calibrator.knows, foreground)
        embedding = MemoryEmbedding(embedder, store.backlog, looks, open_earlier, calibrator)
        supersession = None
        if succession_model is not None:
            asks = settings.ask_what_is_replaced
            supersession = Supersession(
                store.memories, store.lifecycle, embedding, succession_model, bundled(), clock, asks=asks
            )
            look_at.append(supersession.look)
        own = settings.own_secrets()
        redactor = redactor or SecretRedactor(enabled=settings.redact_secrets, emails=settings.redact_emails, own=own)
        # What leaves for a model is redacted even where what is stored is not.
        secretless = SecretRedactor(enabled=True, own=own)
        language = None if language_model is None else LanguageService(language_model, secretless)
        memory_settings = MemorySettings(
            max_content_bytes=settings.max_content_bytes,
            working_memory_hours=settings.working_memory_hours,
            recall=RecallSettings(
                settings.embedding_wait_s,
                RankingProfile(settings.search_profile),
                ScoringSettings(
                    settings.memory_decay_rate,
                    settings.search_weights,
                    frozenset(settings.search_without),
                ),
                Consistency(settings.search_consistency),
                _reranking(settings),
                GateSettings(settings.search_gate),
                support.bundled() if settings.search_gate and is_measured else None,
                near_misses.bundled() if settings.search_gate and settings.has_default_embedder else None,
            ),
        )
        slots = SlotChannel(store.memories, TextVectors(embedder, embedding)) if is_measured else None
        trust = TrustService(store.trust, clock)
        lifecycle = LifecycleService(store.memories, store.archive, store.lifecycle, clock)
        proving = NoLessons() if lessons is None else lessons(lifecycle, store.archive, clock)
        unasked = Unasked(trust)
        memory = MemoryService(
            store.memories,
            store.archive,
            store.surroundings,
            embedding,
            memory_settings,
            redactor,
            clock,
            foreground,
            is_person,
            reranker=reranker,
            supersession=supersession,
            slots=slots,
            trust=trust,
            tell=proving.told,
        )
        upkeep = Upkeep(
            store.memories,
            store.ageing,
            store.lifecycle,
            lifecycle,
            UpkeepSettings(
                settings.stale_days,
                settings.archive_days,
                settings.forgotten_days,
                capacity=settings.memories_per_namespace,
                decay_rate=settings.memory_decay_rate,
            ),
            clock,
        )
        bulk = Bulk(memory, lifecycle, store.memories, store.ageing, clock)
        insights = InsightService(store.insights, clock)
        triggers = Triggers(insights)
        goals = GoalService(store.goals, triggers, redactor, clock)
        reflection_settings = ReflectionSettings(settings.reflection_lookback_days, settings.pattern_min_frequency)
        reflection = ReflectionService(store.reflections, triggers, reflection_settings, redactor, clock)
        jobs = JobService(store.jobs, clock)
        backups = BackupService(store.backups, settings.backup_keep, clock)
        sealed = SealedService(store.sealed, settings.max_content_bytes, clock)
        event_retention = timedelta(days=settings.session_event_days) if settings.session_event_days else None
        procedures = ProcedureService(store.procedures, memory, redactor, clock)
        extraction = ExtractionService(store.turn_readings, memory, store.lifecycle, clock, language)
        statements = extraction if settings.hook_statements else None
        sessions = SessionService(
            store.sessions, checkouts, memory, reflection, redactor, clock, event_retention, statements
        )
        queue = QueueService(store.queue, clock)
        handlers: dict[str, Handler] = {}
        control = QueueControl(store.queue, clock)
        traces = Traces(store.memories, store.archive, store.lifecycle)
        acts = Acts(bulk, traces, queue, control, redactor, clock)
        handlers[ACT] = acts.carry_out
        webhook = settings.approval_webhook.get_secret_value()
        approvals = ApprovalService(
            store.approvals, own_actions(lifecycle, upkeep, bulk, acts, goals, jobs), triggers, redactor, clock, webhook
        )
        branches = BranchService(store.branches, store.forks, approvals, store.approvals, insights, clock)
        principals = PrincipalService(
            store.principals,
            store.principals,
            store.principals,
            store.server_key,
            store.ended_logins,
            clock,
            store.served_as,
        )
        unanswered = Unanswered(lifecycle, unasked, asks=settings.ask_what_is_replaced)
        said = phrases(settings.briefing_language)
        abbreviations, lines, replaced = Abbreviations(store.ids), Lines(clock, said), Replaced(lifecycle, unasked)
        opening = Opening(
            memory,
            goals,
            insights,
            reflection,
            approvals,
            unanswered,
            Unconfirmed(memory),
            unasked,
            replaced,
            abbreviations,
            lines,
            said,
        )
        briefing = BriefingService(
            memory, reflection, opening, unasked, replaced, abbreviations, lines, said, proving.standings
        )
        events = EventService(store.events, handlers.__setitem__, clock, store.hints, store.server_key)
        turns = TurnService(
            store.turns,
            lambda memory_id, text: embedding.embed_soon(UnembeddedText(memory_id, text)),
            embedding,
            estimate,
            redactor,
            clock,
            settings.max_content_bytes,
        )
        tiers = _tiers(
            store.tiers, Vocabulary(store.memories), embedding, memory, lifecycle, extraction, settings, clock
        )
        handlers[PROMOTION] = tiers.promote
        consolidation = ConsolidationService(
            store.consolidations,
            TextVectors(embedder, embedding),
            estimate,
            language,
            ConsolidationSettings(settings.consolidation_window_tokens, settings.consolidation_share),
            clock,
        )
        graph = GraphService(store.graph, redactor, exact_terms, estimate, clock)
        aliases = Aliases(store.aliases, TextVectors(embedder, embedding), clock)
        profile = ProfileService(store.profile, memory, redactor, clock)
        sources = Sources(
            window_of(turns),
            inherited_of(turns),
            graph_of(graph),
            procedures_of(procedures),
            profile_of(profile),
            turns.lineage,
            chains_of(turns),
            evidence_of(consolidation),
        )
        compiler = ContextCompiler(memory, store.surroundings, embedding, goals, sources, clock)
        context = ContextService(
            memory,
            goals,
            reflection,
            insights,
            jobs,
            approvals,
            compiler,
            unanswered,
            unasked,
            replaced,
            clock,
            settings.snapshot_max_tokens,
        )
        usage = UsageService(store.usage, clock)
        deeds = DeedService(store.deeds, clock)
        recalls = Recalls(store.questions, QuestionSeal(store.server_key), redactor, clock)
        reads_graph = language is not None and settings.llm_graph
        return cls(
            memory=memory,
            lifecycle=lifecycle,
            lessons=proving,
            features=frozenset(settings.features),
            upkeep=upkeep,
            bulk=bulk,
            acts=acts,
            browsing=Browsing(memory, store.memories, store.counts, store.surroundings, clock),
            archive=store.archive,
            embedding=embedding,
            goals=goals,
            reflection=reflection,
            insights=insights,
            context=context,
            jobs=jobs,
            sealed=sealed,
            sessions=sessions,
            projects=ProjectService(sessions, memory, store.projects, clock),
            procedures=procedures,
            briefing=briefing,
            unasked=unasked,
            approvals=approvals,
            backups=backups,
            portability=PortabilityService(
                store.bundles,
                store.imports,
                Into(memory, goals, reflection, graph, approvals, turns, redactor),
                unasked,
                clock,
            ),
            gateway=GatewayService(
                memory,
                lifecycle,
                turns,
                extraction,
                usage,
                unasked,
                store.gateway_blocks,
                store.held_exchanges,
                redactor,
                clock,
                counters,
            ),
            usage=usage,
            recalls=recalls,
            deeds=deeds,
            turns=turns,
            queue=queue,
            queue_control=control,
            events=events,
            hints=store.hints,
            measures=store.measures,
            handlers=handlers,
            extraction=extraction,
            profile=profile,
            tiers=tiers,
            consolidation=consolidation,
            graph=graph,
            aliases=aliases,
            principals=principals,
            requests=RequestService(store.requests, clock),
            audit=AuditService(store.audit),
            branches=branches,
            erasure=ErasureService(
                memory, branches, principals, store.held_exchanges, kept_files, (recalls.forget, deeds.forget), clock
            ),
            teams=TeamService(store.teams, principals, branches, memory, lifecycle, clock),
            trust=trust,
            redactor=redactor,
            abbreviations=abbreviations,
            clock=clock,
            reranker=reranker,
            language=language,
            language_reader=LanguageReader(store.graph, language, clock) if language and reads_graph else None,
            supersession=supersession,
        )

    async def close(self) -> None:
        """Stop what works in the background of the services; write what was counted, if that can be."""
        with contextlib.suppress(StorageUnavailable, Suspended):  # a statistic is not worth a failure at the end
            await self.usage.flush()
            await self.recalls.flush()
            await self.lessons.settled()
        await self.acts.close()
        await self.memory.settled()
        self.memory.close()
        await self.embedding.close()
        for reader in (self.reranker, self.supersession):
            if reader is not None:
                reader.close()
        if self.language is not None:
            await self.language.close()


def _tiers(
    repository: TierRepository,
    vocabulary: Vocabulary,
    embedding: MemoryEmbedding,
    memory: MemoryService,
    lifecycle: LifecycleService,
    analyst: PageAnalyst,
    settings: Settings,
    clock: Clock,
) -> TierService:
    holds = TierSettings(
        short_term_pages=settings.short_term_pages,
        mid_term_segments=settings.mid_term_segments,
        knowledge_per_side=settings.knowledge_per_side,
    )
    describer = Describer(repository, vocabulary, embedding)
    return TierService(
        repository,
        Settling(repository, describer, holds, clock),
        Promotion(repository, lifecycle, analyst, holds, clock),
        RecallOfTiers(repository, describer, embedding, FoundMemories(memory), holds, settings.embedding_wait_s, clock),
        holds,
        clock,
    )


def _reranking(settings: Settings) -> RerankingSettings:
    plain = RerankingSettings(settings.reranker_depth, settings.reranker_weight, settings.reranker_wait_s)
    if not settings.has_bundled_reranker:
        return plain
    english_only = not settings.has_default_embedder
    return replace(plain, memories_max=BUNDLED_MEMORIES_MAX, of_answers=True, english_only=english_only)
