"""The consolidation of a store's conversations, whose summaries contexts show with their sources."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...config import Settings
    from ...modules.agentos import AgentOS
    from ...modules.context.ports import Material
    from ...storage.engine.ports import Engine
    from .service import ConsolidationService

CONSOLIDATION = "consolidation"


def with_consolidation(agentos: "AgentOS", engine: "Engine", settings: "Settings") -> "AgentOS":
    """Return the services with consolidation; contexts are given the sources of summaries."""

    @cache
    def consolidation() -> "ConsolidationService":
        from ...modules.context.tokens import estimate
        from .rows import ConsolidationRows
        from .service import ConsolidationService, ConsolidationSettings

        holds = ConsolidationSettings(settings.consolidation_window_tokens, settings.consolidation_share)
        rows, vectors = ConsolidationRows(engine), agentos.vectors
        return ConsolidationService(rows, vectors, estimate, agentos.language, holds, agentos.clock)

    async def evidence(namespace: str, summaries: Sequence[str]) -> "Mapping[str, Sequence[Material]]":
        from .telling import material

        return await material(consolidation(), namespace, summaries)

    agentos.sources.evidence = evidence
    return replace(agentos, of_features={**agentos.of_features, CONSOLIDATION: consolidation})


def consolidation_service(agentos: "AgentOS") -> "ConsolidationService":
    """Return the consolidation of a store."""
    service: ConsolidationService = agentos.of_feature(CONSOLIDATION)
    return service
