"""Settling: a page beyond the short-term pages of its session moves, in order and once, into a segment."""

from collections.abc import Sequence

from ...modules.clock import Clock
from . import topics
from .describing import DESCRIBED_BY, Describer
from .models import Outline, Placing, TierPage, TierSettings, Topic
from .rows import TierRows

AT_ONCE = 50
ATTEMPTS = 5


class Settling:
    """Moves pages into segments, and describes segments anew whose description was withdrawn."""

    def __init__(self, repository: TierRows, describer: Describer, settings: TierSettings, clock: Clock) -> None:
        self._repository = repository
        self._describer = describer
        self._settings = settings
        self._clock = clock

    async def settle(self, namespace: str) -> int:
        """Move every page that is due and return how many moved. Each move is one transaction; may be interrupted.

        Does nothing while the model is still loading.
        """
        moved = 0
        while pages := await self._repository.due(namespace, self._settings.short_term_pages, AT_ONCE):
            if not await self._describer.is_ready():
                return moved
            for page in pages:
                if not await self._settle(namespace, page):
                    return moved  # another process is moving pages
                moved += 1
        return moved

    async def _settle(self, namespace: str, page: TierPage) -> bool:
        own = await self._describer.pages(namespace, [page])
        for _ in range(ATTEMPTS):
            newest = await self._repository.newest(namespace)
            known = await self._repository.outlines(namespace)
            segment, topic = await self._choice(namespace, page, own, known)
            placing = Placing(page.id, segment, newest, topic)
            if await self._repository.place(namespace, placing, self._settings.mid_term_segments, self._clock()):
                return True
        return False

    async def _choice(
        self, namespace: str, page: TierPage, own: Topic, known: Sequence[Outline]
    ) -> tuple[str | None, Topic]:
        """Return the segment that a page goes into (None: a new one), and the topic of that segment with it."""
        scores = await self._describer.scores(own, await self._describer.segments(namespace, known))
        best = max(range(len(known)), key=lambda index: scores[index], default=None)
        if best is None or scores[best] < topics.SAME_TOPIC:
            return None, own
        before = await self._repository.pages(namespace, [known[best].id], DESCRIBED_BY - 1)
        return known[best].id, await self._describer.pages(namespace, [*before, page])

    async def describe_anew(self, namespace: str) -> int:
        """Describe segments whose description was withdrawn, by their visible pages; return how many."""
        described = 0
        for segment in await self._repository.undescribed(namespace, AT_ONCE):
            pages = await self._repository.pages(namespace, [segment.id], DESCRIBED_BY)
            described += await self._repository.describe(segment, await self._describer.pages(namespace, pages))
        return described
