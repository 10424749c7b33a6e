"""What a context is told of summaries: what they were made of."""

from collections.abc import Sequence

from ...modules.context.ports import Material
from .service import ConsolidationService


async def material(
    consolidation: ConsolidationService, namespace: str, summaries: Sequence[str]
) -> dict[str, list[Material]]:
    """Return what summaries were made of, by their ids."""
    found = await consolidation.evidence(namespace, summaries)
    return {
        summary: [Material(one.text, f"{one.occurred_at:%Y-%m-%d} evidence of {summary}", one.id) for one in made_of]
        for summary, made_of in found.items()
    }
