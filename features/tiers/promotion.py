"""Promotion: the pages of a hot segment are read for long-term knowledge, each once."""

import logging
from collections.abc import Sequence

from ...modules.clock import Clock
from ...modules.errors import Conflict, NotFound
from ...modules.extraction.service import ExtractionService
from ...modules.memory.lifecycle_service import LifecycleService
from ...modules.queue.models import Task
from .models import Segment, Side, TierSettings
from .rows import TierRows

AT_ONCE = 20

log = logging.getLogger(__name__)


class Promotion:
    """Promotes segments."""

    def __init__(
        self,
        repository: TierRows,
        archiver: LifecycleService,
        analyst: ExtractionService,
        settings: TierSettings,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._archiver = archiver
        self._analyst = analyst
        self._settings = settings
        self._clock = clock

    async def __call__(self, task: Task) -> None:
        """Promote the segment that a task names.

        May be interrupted and repeated at any point, by anybody: a page that was read is not read again, and the
        promotion counts once.
        """
        namespace = task.namespace
        segment = await self._repository.segment(namespace, str(task.payload["segment"]))
        if segment is None or segment.promotions != task.payload["promotions"]:
            return  # it was promoted already, or is gone
        drawn = await self._read(namespace, segment)
        if await self._repository.promoted(segment, self._clock()):
            log.info("segment %s was promoted: %d memories", segment.id, len(drawn))
        await self.bound_knowledge(namespace, drawn)

    async def _read(self, namespace: str, segment: Segment) -> list[str]:
        """Read the pages that nobody has read, and return the ids of the memories drawn from them."""
        drawn: list[str] = []
        while pages := await self._repository.unanalysed(segment, AT_ONCE):
            for page in pages:
                drawn += await self._analyst.analyse(namespace, [turn.memory_id for turn in page.turns])
                await self._repository.analysed(namespace, page, self._clock())
        return drawn

    async def bound_knowledge(self, namespace: str, keep: Sequence[str] = ()) -> int:
        """Archive what each side knows beyond its capacity, never one of `keep`, and return how many were archived.

        The lowest access count × confidence goes first, of several the oldest. memory_revert restores one.
        """
        archived = 0
        for side in Side:
            over = await self._repository.knowledge_over(namespace, side, self._settings.knowledge_per_side, keep)
            for memory_id in over:
                try:
                    await self._archiver.archive(namespace, memory_id, "job")
                except (NotFound, Conflict):  # another process was faster
                    continue
                archived += 1
        return archived
