"""The tier service: the content of each tier, moves between them, and a recall over all of them."""

from collections.abc import Mapping, Sequence

from ...modules import inputs
from ...modules.agentos import AgentOS
from ...modules.clock import Clock
from ...modules.errors import NotFound
from . import formulas
from .describing import Describer
from .found import FoundMemories
from .models import HeatedSegment, RestoredSegment, Segment, Tier, TierRecall, TierSettings, TierStatus
from .promotion import Promotion
from .recall import BEST_PAGES, RecallOfTiers
from .rows import TierRows
from .settling import Settling
from .vocabulary import Vocabulary

MAX_QUERY_BYTES = 16 * 1024
MAX_SESSION_BYTES = 200
MAX_LIMIT = 50
MAX_LISTED = 200
HOTTEST = 5
RECALLED = (Tier.SHORT, Tier.MID, Tier.LONG)


class TierService:
    """Tiers over one store."""

    def __init__(
        self,
        repository: TierRows,
        settling: Settling,
        promotion: Promotion,
        recall: RecallOfTiers,
        settings: TierSettings,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._settling = settling
        self._recall = recall
        self._settings = settings
        self._clock = clock
        self._bounded: dict[str, int] = {}
        self.promote = promotion

    @classmethod
    def over(cls, rows: TierRows, agentos: AgentOS, holds: TierSettings, wait_s: float) -> "TierService":
        """Wire the service: `holds` says how much each tier does, `wait_s` how long a recall waits for the model."""
        clock, embedding = agentos.clock, agentos.embedding
        describer = Describer(rows, Vocabulary(agentos.memories), embedding)
        return cls(
            rows,
            Settling(rows, describer, holds, clock),
            Promotion(rows, agentos.lifecycle, agentos.extraction, holds, clock),
            RecallOfTiers(rows, describer, embedding, FoundMemories(agentos.memory), holds, wait_s, clock),
            holds,
            clock,
        )

    async def recall(
        self,
        namespace: str,
        query: str,
        session: str | None = None,
        limit: int = BEST_PAGES,
        tiers: Sequence[str] = RECALLED,
        *,
        include_assistant_knowledge: bool = True,
    ) -> TierRecall:
        """Return what every tier has for a query.

        That is the short-term pages of a session, the best pages of mid-term memory, and knowledge of the user and of
        the assistant with its evidence; only from the given `tiers`. What is shown counts as accessed, and its segments
        as visited. Raises InvalidInput.
        """
        wanted = {inputs.choice("tiers", tier, Tier) for tier in tiers}
        inputs.text("query", query, MAX_QUERY_BYTES)
        inputs.count("limit", limit, 1, MAX_LIMIT)
        if session is not None:
            inputs.text("session", session, MAX_SESSION_BYTES)
        return await self._recall(
            namespace, query, session, limit, wanted, include_assistant_knowledge=include_assistant_knowledge
        )

    async def status(self, namespace: str) -> TierStatus:
        """Return the counts per tier, the hottest segments, and what is pending."""
        now = self._clock()
        heated = [HeatedSegment(one, formulas.heat(one, now)) for one in await self._repository.segments(namespace)]
        heated.sort(key=lambda one: -one.heat)
        due, waiting, dead, evicted = await self._repository.waiting(namespace, self._settings.short_term_pages)
        return TierStatus(await self.counts(namespace), tuple(heated[:HOTTEST]), due, waiting, dead, evicted)

    async def counts(self, namespace: str) -> Mapping[Tier, int]:
        """Return the size of each tier: turns in working, pages in short-term, segments in mid-term, else memories."""
        return await self._repository.counts(namespace, self._settings, self._clock())

    async def listed(
        self, namespace: str, tier: str, limit: int = 20, before: int | None = None
    ) -> list[tuple[int, str]]:
        """Return numbers (below `before`) and ids of the memories of a tier, newest first. Raises InvalidInput."""
        inputs.count("limit", limit, 1, MAX_LISTED)
        chosen = inputs.choice("tier", tier, Tier)
        return await self._repository.listed(namespace, chosen, self._settings, self._clock(), limit, before)

    async def segments(self, namespace: str) -> list[Segment]:
        """Return the segments of mid-term memory, oldest first."""
        return await self._repository.segments(namespace)

    async def evicted(self, namespace: str, limit: int = 20) -> list[Segment]:
        """Return the segments that were archived to make room for others, the last one first. Raises InvalidInput."""
        inputs.count("evicted", limit, 1, MAX_LISTED)
        return await self._repository.evicted(namespace, limit)

    async def restore(self, namespace: str, segment_id: str) -> RestoredSegment:
        """Restore an evicted segment to mid-term memory. Idempotent. Raises InvalidInput, NotFound.

        If that is full, the least retrieved of the others (of several the oldest) is archived in its place.
        """
        inputs.text("segment", segment_id, 200)
        found = await self._repository.restore(
            namespace, segment_id, self._settings.mid_term_segments, self._clock()
        )  # fmt: skip
        if found is None:
            raise NotFound(f"segment: there is no segment {segment_id[:60]!r}; tiers_status lists those evicted")
        return found

    async def mature(self, namespace: str) -> int:
        """Run a background round and return how many pages moved; may be interrupted at any point.

        Pages move down, withdrawn descriptions are made anew, promotions of hot segments are queued, and knowledge is
        kept within its capacity.
        """
        moved = await self._settling.settle(namespace)
        await self._settling.describe_anew(namespace)
        await self._repository.hot(namespace, self._clock())
        newest = await self._repository.newest_memory(namespace)
        if newest != self._bounded.get(namespace):  # facts are found in turns without a promotion, too
            await self.promote.bound_knowledge(namespace)
            self._bounded[namespace] = newest
        return moved
