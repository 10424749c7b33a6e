"""The tier tools: a recall over every tier, the state of the tiers, and the restoration of evicted segments."""

from typing import Annotated, Literal

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.tiers.service import RECALLED
from ..modules.views import tiers as views
from .tool import Tool

TOOLSET = "tiers"


async def tiers_recall(
    agentos: AgentOS,
    namespace: str,
    *,
    query: str,
    session: Annotated[str | None, Field(description="also its last pages")] = None,
    limit: int = 7,
    tiers: list[Literal["short", "mid", "long"]] | None = None,
    include_assistant_knowledge: bool = True,
) -> views.TierRecallView:
    """Recall from conversations by tier: last pages, pages on the topic, knowledge of user and assistant."""
    found = await agentos.tiers.recall(
        namespace, query, session, limit, tiers or RECALLED, include_assistant_knowledge=include_assistant_knowledge
    )
    return views.recalled(found)


async def tiers_status(
    agentos: AgentOS,
    namespace: str,
    *,
    evicted: Annotated[int, Field(description="how many evicted segments to list")] = 0,
) -> views.TierStatusView:
    """Show each memory tier's contents, the hottest topics, and pending promotions."""
    status = await agentos.tiers.status(namespace)
    archived = await agentos.tiers.evicted(namespace, evicted) if evicted else []
    return views.status(status, archived)


async def tiers_restore(agentos: AgentOS, namespace: str, *, segment: str) -> views.RestoredView:
    """Restore an evicted segment; if mid-term memory is full, the least retrieved one is evicted."""
    return views.restored(await agentos.tiers.restore(namespace, segment))


TIER_TOOLS = (
    Tool(tiers_recall, "Recall by tier", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(tiers_status, "State of the tiers", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(tiers_restore, "Bring a segment back", idempotent=True, toolset=TOOLSET),
)
