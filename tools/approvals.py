"""The tools of the toolset `approvals`: to ask for the user's permission and to look. None of them can decide."""

from typing import Annotated, Any

from pydantic import Field

from ..modules import inputs
from ..modules.agentos import AgentOS
from ..modules.approvals.risk import RiskInputs
from ..modules.approvals.service import MAX_LIMIT
from ..modules.principals.models import OWNER, Caller
from ..modules.views import approvals as views
from .tool import Tool

TOOLSET = "approvals"
MAX_CLIENT_BYTES = 100


async def approval_list(
    agentos: AgentOS, namespace: str, *, limit: Annotated[int, Field(description="1 to 200")] = 20
) -> views.ApprovalList:
    """List requests pending for the user. Only the user can decide, in a terminal: agentos approvals list."""
    waiting = (await agentos.approvals.inbox(namespace)).approvals
    shown = waiting[: inputs.count("limit", limit, 1, MAX_LIMIT)]
    return views.approvals(shown, len(waiting))


async def approval_request(
    agentos: AgentOS,
    namespace: str,
    caller: Caller,
    *,
    action: Annotated[str, Field(description="such as deploy_production")],
    subject: str,
    reason: Annotated[str, Field(description="one line")],
    impact: Annotated[float, Field(description="0 to 1")],
    reversibility: float,
    sensitivity: float,
    payload: dict[str, Any] | None = None,
) -> views.ApprovalView:
    """Ask the user before something risky, and do it once it is approved. With a payload, AgentOS does it."""
    risk, by = RiskInputs(impact, reversibility, sensitivity), _asker(namespace, caller)
    if payload is not None:
        return views.approval(await agentos.approvals.propose(namespace, subject, action, payload, risk, reason, by))
    return views.approval(await agentos.approvals.ask_permission(namespace, subject, action, risk, reason, by))


def _asker(namespace: str, caller: Caller) -> str:
    """Return who asks: the agent, the name that its program gives itself, quoted, and whose key it came with."""
    name = "".join(letter for letter in caller.client if letter.isprintable() and letter not in "\"',“”")
    name = name.encode("utf-8", "ignore")[:MAX_CLIENT_BYTES].decode("utf-8", "ignore").strip()
    client = f'client "{name}"' if name else ""
    key = "" if caller.principal == OWNER else f"key of {caller.principal}"
    return ", ".join(part for part in (f"agent:{namespace}", client, key) if part)


async def approval_get(agentos: AgentOS, namespace: str, *, approval_id: str) -> views.ApprovalView:
    """See whether a request was approved or rejected, by whom, and its result."""
    return views.approval(await agentos.approvals.get(namespace, approval_id))


APPROVAL_TOOLS = (
    Tool(approval_list, "Pending requests", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(approval_request, "Ask for permission", idempotent=True, toolset=TOOLSET, asks_who=True),
    Tool(approval_get, "Status of a request", read_only=True, idempotent=True, toolset=TOOLSET),
)
