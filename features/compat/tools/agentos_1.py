"""The tools of AgentOS 1.0 whose names differ from today's: with `graph` and `approvals` all 31 of its tools answer."""

from typing import Annotated, Literal

from pydantic import Field

from ....modules import inputs
from ....modules.agentos import AgentOS
from ....modules.approvals.service import MAX_LIMIT
from ....modules.errors import PermissionDenied
from ....modules.views import approvals as views
from ....tools.tool import Tool

TOOLSET = "agentos-1"


async def approval_get_details(agentos: AgentOS, namespace: str, *, approval_id: str) -> views.ApprovalView:
    """See the state of a request: approval_get under its AgentOS 1.0 name."""
    return views.approval(await agentos.approvals.get(namespace, approval_id))


async def approval_history(
    agentos: AgentOS,
    namespace: str,
    *,
    status: Literal["approved", "rejected", "expired", "executing", "done", "failed"] | None = None,
    limit: Annotated[int, Field(description="1 to 200")] = 20,
) -> views.ApprovalHistory:
    """List decided and expired requests, latest first."""
    inputs.count("limit", limit, 1, MAX_LIMIT)
    past = await agentos.approvals.history(namespace, MAX_LIMIT)
    return views.history([one for one in past if status in (None, one.status)][:limit])


async def approval_decide(
    agentos: AgentOS,
    namespace: str,
    *,
    approval_id: str,
    decision: Literal["approved", "rejected"],
    notes: str = "",
) -> views.ApprovalView:
    """Explain that only the user decides, in a terminal; changes nothing."""
    asked = await agentos.approvals.get(namespace, approval_id)
    raise PermissionDenied(f"approval_id: {asked.id} can only be decided by the user, in a terminal: agentos approvals")


AGENTOS_1_TOOLS = (
    Tool(approval_get_details, "Status of a request", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(approval_history, "Decided requests", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(approval_decide, "Decide a request", read_only=True, idempotent=True, toolset=TOOLSET),
)
