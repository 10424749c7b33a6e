"""The tier tools: a recall over every tier, the state of the tiers, and the restoration of evicted segments."""

from typing import Annotated, Literal

from pydantic import Field

from ...modules.agentos import AgentOS
from ...tools.tool import Tool
from . import views
from .service import RECALLED
from .wiring import tier_service

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
    found = await tier_service(agentos).recall(
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
    status = await tier_service(agentos).status(namespace)
    archived = await tier_service(agentos).evicted(namespace, evicted) if evicted else []
    return views.status(status, archived)


async def tiers_restore(agentos: AgentOS, namespace: str, *, segment: str) -> views.RestoredView:
    """Restore an evicted segment; if mid-term memory is full, the least retrieved one is evicted."""
    return views.restored(await tier_service(agentos).restore(namespace, segment))


TOOLS = (
    Tool(tiers_recall, "Recall by tier", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(tiers_status, "State of the tiers", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(tiers_restore, "Bring a segment back", idempotent=True, toolset=TOOLSET),
)
