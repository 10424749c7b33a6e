"""The consolidation tools: long conversations as summaries, previewed before they are made, and undone."""

from typing import Annotated, Literal

from pydantic import Field

from ...modules.agentos import AgentOS
from ...modules.errors import InvalidInput
from ...tools.tool import Tool
from . import views
from .models import SummaryLevel
from .service import WINDOW_TURNS
from .wiring import consolidation_service

TOOLSET = "consolidation"

Keep = Annotated[int, Field(description="last turns to leave out")]


async def consolidate(
    agentos: AgentOS,
    namespace: str,
    *,
    session: str | None = None,
    action: Literal["preview", "apply", "undo"] = "preview",
    consolidation: Annotated[str | None, Field(description="id, for undo")] = None,
    keep: Keep = WINDOW_TURNS,
) -> views.Consolidated:
    """Summarise the older turns of a session by topic; the turns stay. Preview changes nothing and shows exactly what
    apply does; undo removes a consolidation's summaries."""
    if (action == "undo") != (consolidation is not None):
        raise InvalidInput("consolidation", "names the consolidation to undo; give it only with undo")
    if consolidation is not None:
        return views.undone(await consolidation_service(agentos).undo(namespace, consolidation))
    if session is None:
        raise InvalidInput("session", "is required: the name of the session to summarise")
    if action == "preview":
        return views.consolidated(await consolidation_service(agentos).preview(namespace, session, keep), None)
    done = await consolidation_service(agentos).consolidate(namespace, session, keep)
    return views.consolidated(done.plan, done.consolidation, done.summaries)


async def consolidation_list(
    agentos: AgentOS,
    namespace: str,
    *,
    session: str | None = None,
    level: Annotated[int | None, Field(description="1 episodes, 2 patterns, 3 principles")] = None,
    limit: int = 10,
) -> views.Consolidations:
    """List summaries with their sources, and the consolidations that made them."""
    if level is not None and level not in list(SummaryLevel):
        raise InvalidInput("level", "must be 1 (episodes), 2 (patterns) or 3 (principles)")
    chosen = None if level is None else SummaryLevel(level)
    made = await consolidation_service(agentos).consolidations(namespace, session, limit)
    summaries = await consolidation_service(agentos).summaries(namespace, session, chosen, limit)
    return views.consolidations(made, summaries)


TOOLS = (
    Tool(consolidate, "Consolidate a session", toolset=TOOLSET),
    Tool(consolidation_list, "List summaries", read_only=True, toolset=TOOLSET),
)
