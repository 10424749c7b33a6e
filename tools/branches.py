"""The tools of the toolset `branches`: to see what a merge would do, and to propose it. None of them can merge."""

from typing import Annotated

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.principals.models import Caller
from ..modules.views import approvals, branches
from .tool import Tool

TOOLSET = "branches"


async def branch_preview(agentos: AgentOS, namespace: str, caller: Caller) -> branches.PlanView:
    """See what merging your branch into its origin would do: create, merge, conflict. Changes nothing."""
    return branches.plan(await agentos.branches.preview(caller, namespace))


async def branch_propose(
    agentos: AgentOS, namespace: str, caller: Caller, *, reason: Annotated[str, Field(description="one line")]
) -> approvals.ApprovalView:
    """Ask the origin's owners to merge your branch as it is now. Only an owner can; see approval_get."""
    return approvals.approval(await agentos.branches.propose(caller, namespace, reason))


BRANCH_TOOLS = (
    Tool(branch_preview, "What a merge would do", read_only=True, idempotent=True, toolset=TOOLSET, asks_who=True),
    Tool(branch_propose, "Propose a merge", idempotent=True, toolset=TOOLSET, asks_who=True),
)
