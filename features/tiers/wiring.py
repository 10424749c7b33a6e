"""The tiers of a store's conversations."""

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from .models import PROMOTION, TierSettings

if TYPE_CHECKING:
    from ...config import Settings
    from ...modules.agentos import AgentOS
    from ...modules.queue.models import Task
    from ...storage.engine.ports import Engine
    from .service import TierService

TIERS = "tiers"


def with_tiers(agentos: "AgentOS", engine: "Engine", settings: "Settings") -> "AgentOS":
    """Return the services with the tiers of their store; a promotion is a task of the queue."""
    from .rows import visited

    @cache
    def tiers() -> "TierService":
        from .rows import TierRows
        from .service import TierService

        holds = TierSettings(
            short_term_pages=settings.short_term_pages,
            mid_term_segments=settings.mid_term_segments,
            knowledge_per_side=settings.knowledge_per_side,
        )
        return TierService.over(TierRows(engine), agentos, holds, settings.embedding_wait_s)

    async def promote(task: "Task") -> None:
        await tiers().promote(task)

    agentos.handlers[PROMOTION] = promote
    agentos.visits.append(visited)
    return replace(agentos, of_features={**agentos.of_features, TIERS: tiers})


def tier_service(agentos: "AgentOS") -> "TierService":
    """Return the tiers of a store."""
    service: TierService = agentos.of_feature(TIERS)
    return service
