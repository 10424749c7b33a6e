"""AgentOS: the services, wired over one store and one clock; the object that every interface is given."""

import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from ..config import Settings
from . import package_files
from .anchoring import OpensAnchors, no_anchors
from .attaching import OpenAttachments, no_attachments
from .clock import Clock
from .connecting import OpensConnections, no_connections
from .errors import NotFound, StorageUnavailable, Suspended
from .installing import switched_off
from .language.ports import LanguageModel
from .memory.calibration import KeptCalibrations
from .memory.earlier_model import OpenEmbedder
from .memory.ports import Embedder, PairJudge
from .model_gateway import NoGateway, OpensGateway
from .records import dataclass
from .redaction.redactor import SecretRedactor
from .redactor import Redactor
from .sealed_texts import NoSealedMemories, SealedMemories
from .sessions.ports import CheckoutReader
from .store import Store
from .syncing import Sync, no_sync
from .wiring import (
    ContextServices,
    ConversationServices,
    Foundation,
    MemoryServices,
    OpenLessons,
    RecordServices,
    SharingServices,
    WorkServices,
    wire_context,
    wire_conversations,
    wire_memories,
    wire_records,
    wire_sharing,
    wire_work,
)

if TYPE_CHECKING:
    from ..storage.repositories.kept_by_gateway import KeptByGateway
    from ..storage.repositories.kept_files import KeptFiles


@dataclass(frozen=True, kw_only=True)
class AgentOS(MemoryServices, WorkServices, ConversationServices, ContextServices, RecordServices, SharingServices):
    """Everything an agent can do."""

    redactor: Redactor
    clock: Clock
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
    gateway: OpensGateway
    """Opens what answers and learns where a model is asked with memory."""
    sealed: SealedMemories = NoSealedMemories()
    """Texts that only their owner can read."""
    of_features: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    """What opens the services that only the features themselves know, by name."""

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
        open_earlier: OpenEmbedder | None = None,
        calibrations: KeptCalibrations | None = None,
        lessons: OpenLessons | None = None,
        kept_files: "KeptFiles | None" = None,
        left_by_gateway: "KeptByGateway | None" = None,
    ) -> "AgentOS":
        """Wire the services.

        Without a reader of checkouts a project is known by its folder alone; without a language model everything goes
        by rules; without a succession model nothing is asked about, or labelled as outdated; without a redactor secrets
        are taken out by the rules of `redaction`, if the settings say so; without `open_earlier` searches go by words
        alone after a change of the embedding model, until all is embedded; without `calibrations` cosines count as
        those of the default model; without `lessons` none proves itself; without `kept_files` an erasure knows of no
        files, without `left_by_gateway` of no exchanges that the gateway holds.
        """
        package_files.read_all()
        own = settings.own_secrets()
        redactor = redactor or SecretRedactor(enabled=settings.redact_secrets, emails=settings.redact_emails, own=own)
        base = Foundation(store, embedder, settings, clock, redactor)
        of_memory = wire_memories(base, reranker, succession_model, open_earlier, calibrations, lessons)
        of_work = wire_work(base, of_memory)
        of_conversations = wire_conversations(base, checkouts, language_model, of_memory, of_work)
        of_context = wire_context(base, of_memory, of_work, of_conversations)
        of_records = wire_records(base, of_memory, of_work, of_conversations)
        of_sharing = wire_sharing(base, kept_files, left_by_gateway, of_memory, of_work, of_records)
        return cls(
            **vars(of_memory),
            **vars(of_work),
            **vars(of_conversations),
            **vars(of_context),
            **vars(of_records),
            **vars(of_sharing),
            gateway=lambda: NoGateway(left_by_gateway, clock),
            redactor=redactor,
            clock=clock,
            features=frozenset(settings.features),
        )

    def of_feature(self, name: str) -> Any:
        """Return the services that only a feature itself knows. Raises NotFound where it is off."""
        opened = self.of_features.get(name)
        if opened is None:
            raise NotFound(switched_off(name))
        return opened()

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
