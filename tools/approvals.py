"""The tools of the toolset `approvals`: to ask for the user's permission and to look. None of them can decide."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from pydantic import Field

from ..modules import inputs
from ..modules.agentos import AgentOS
from ..modules.approvals.models import Approval
from ..modules.approvals.risk import RiskInputs
from ..modules.approvals.service import MAX_LIMIT
from ..modules.framing import quote
from .tool import Tool

TOOLSET = "approvals"


@dataclass(frozen=True)
class ApprovalView:
    """A request and what became of it."""

    id: str
    status: str
    action: str
    subject: str
    reason: str
    risk: float
    requested_by: str
    created_at: datetime
    expires_at: datetime
    decided_at: datetime | None
    decided_by: str | None
    note: str | None
    result: str | None


@dataclass(frozen=True)
class ApprovalList:
    """What waits for the user, the riskiest first, and how much there is in all."""

    results: list[ApprovalView]
    total: int


def _view(approval: Approval) -> ApprovalView:
    return ApprovalView(
        approval.id,
        approval.status.value,
        approval.action,
        approval.subject,
        approval.reason,
        approval.risk,
        approval.requested_by,
        approval.created_at,
        approval.expires_at,
        approval.decided_at,
        approval.decided_by,
        approval.note,
        approval.result,
    )


async def approval_list(
    agentos: AgentOS, namespace: str, *, limit: Annotated[int, Field(description="1 to 200")] = 20
) -> ApprovalList:
    """List what waits for the user's decision. Only the user can decide, in a terminal: agentos approvals list."""
    waiting = (await agentos.approvals.inbox(namespace)).approvals
    shown = waiting[: inputs.count("limit", limit, 1, MAX_LIMIT)]
    return ApprovalList([_view(approval) for approval in shown], len(waiting))


async def approval_request(
    agentos: AgentOS,
    namespace: str,
    *,
    action: Annotated[str, Field(description="such as deploy_production")],
    subject: str,
    reason: Annotated[str, Field(description="one line for the user")],
    impact: Annotated[float, Field(description="0 to 1")],
    reversibility: float,
    sensitivity: float,
) -> ApprovalView:
    """Ask the user before you do something risky. Do it only once approval_get says approved."""
    risk = RiskInputs(impact, reversibility, sensitivity)
    return _view(await agentos.approvals.ask_permission(namespace, subject, action, risk, reason, f"agent:{namespace}"))


async def approval_get(agentos: AgentOS, namespace: str, *, approval_id: str) -> ApprovalView:
    """See whether a request was approved or rejected, by whom, and what came of it."""
    return _view(await agentos.approvals.get(namespace, approval_id))


def _text(view: ApprovalView) -> str:
    line = f"{view.id} {view.status}: {view.action} {quote(view.subject, 100)}, risk {view.risk:.2f}"
    line += f", asked by {quote(view.requested_by, 100)}: {quote(view.reason, 200)}"
    for label, told in (("decided by", view.decided_by), ("note", view.note), ("result", view.result)):
        line += f"; {label} {quote(told, 200)}" if told else ""
    if view.status == "pending":
        line += f"; until {view.expires_at:%Y-%m-%d %H:%M} UTC the user can decide: agentos approvals list"
    return line


def _list_text(result: ApprovalList) -> str:
    lines = [f"- {_text(view)}" for view in result.results]
    return "\n".join([*lines, f"{len(result.results)} of {result.total} wait for the user."])


APPROVAL_TOOLS = (
    Tool(approval_list, "What waits for the user", _list_text, read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(approval_request, "Ask for permission", _text, idempotent=True, toolset=TOOLSET),
    Tool(approval_get, "What became of a request", _text, read_only=True, idempotent=True, toolset=TOOLSET),
)
