"""The procedure tools: what is usually done when, and lessons from failures."""

from typing import Annotated

from pydantic import Field

from ...modules.agentos import AgentOS
from ...tools.tool import Tool
from . import views
from .service import MIN_CONFIDENCE, PROMOTED_FROM
from .wiring import procedure_service

TOOLSET = "procedures"


async def procedures_mine(agentos: AgentOS, namespace: str) -> views.MinedProcedures:
    """Find habits (what usually follows a bug report, a question …) and lessons from repeated failures in past turns
    and actions. The daemon does it too."""
    return views.mined(await procedure_service(agentos).mine(namespace))


async def procedures_relevant(
    agentos: AgentOS, namespace: str, *, query: str, limit: int = 3, min_confidence: float = MIN_CONFIDENCE
) -> views.RelevantProcedures:
    """Find the usual actions for a request like this, and lessons about the actions it names."""
    return views.relevant(await procedure_service(agentos).relevant(namespace, query, limit, min_confidence))


async def procedure_promote(
    agentos: AgentOS,
    namespace: str,
    *,
    id: Annotated[str, Field(description=f"a procedure of confidence ≥ {PROMOTED_FROM}")],
) -> views.Promoted:
    """Share a habit with every agent of this store."""
    return views.promoted(await procedure_service(agentos).promote(namespace, id))


TOOLS = (
    Tool(procedures_mine, "Find habits", idempotent=True, toolset=TOOLSET),
    Tool(procedures_relevant, "Relevant habits", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(procedure_promote, "Promote a habit", idempotent=True, toolset=TOOLSET, shares=True),
)
