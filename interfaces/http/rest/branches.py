"""Branches of namespaces: created and proposed by writers, merged by owners of the origin."""

from typing import Annotated, Literal

from pydantic import Field

from ....modules.branches import service
from ....modules.branches.models import Demand, Review
from ....modules.views import approvals, branches
from .operations import OperationRequest

Watches = Annotated[list[str], Field(description="as tag:policy, slot:billing/owner or memory:mem_1a2b")]
Note = Annotated[str, Field(max_length=500)]


async def list_branches(asked: OperationRequest, *, namespace: str) -> branches.Overview:
    """List the branches of a namespace, the proposals that wait, what was merged, and the rules."""
    found = (await asked.agentos()).branches
    return branches.overview(
        await found.governance(asked.caller, namespace),
        await found.branches(asked.caller, namespace),
        await found.proposals(asked.caller, namespace),
        await found.merges(asked.caller, namespace),
    )


async def create_branch(asked: OperationRequest, *, namespace: str, name: str) -> branches.BranchView:
    """Make a branch: what holds in the namespace is copied into another that has no memories yet."""
    made, count = await (await asked.agentos()).branches.fork(asked.caller, namespace, name)
    return branches.branch(made, count)


async def preview_branch(asked: OperationRequest, *, name: str) -> branches.PlanView:
    """Tell what a merge of a branch would do. Nothing is changed."""
    return branches.plan(await (await asked.agentos()).branches.preview(asked.caller, name))


async def propose_branch(asked: OperationRequest, *, name: str, reason: str) -> approvals.ApprovalView:
    """Ask the owners of the origin to merge a branch as it is now."""
    return approvals.approval(await (await asked.agentos()).branches.propose(asked.caller, name, reason))


async def merge_proposal(asked: OperationRequest, *, proposal: str, note: Note = "") -> approvals.ApprovalView:
    """Merge what was proposed. It needs a key that administers the origin; for a review, not its author's."""
    return approvals.approval(await (await asked.agentos()).branches.merge(asked.caller, proposal, note))


async def refuse_proposal(asked: OperationRequest, *, proposal: str, note: Note = "") -> approvals.ApprovalView:
    """Close a proposal. The branch stays as it is."""
    return approvals.approval(await (await asked.agentos()).branches.refuse(asked.caller, proposal, note))


async def govern_namespace(
    asked: OperationRequest,
    *,
    name: str,
    review: Literal["always", "watched"] | None = None,
    watch: Watches = [],  # noqa: B006 - never changed
    notify: Watches = [],  # noqa: B006
    unwatch: Watches = [],  # noqa: B006
) -> branches.GovernanceView:
    """Say which merges into a namespace need a review, and what is watched. What is left out stays."""
    entries = [service.watch(one) for one in watch] + [service.watch(one, Demand.NOTIFY) for one in notify]
    wanted = None if review is None else Review(review)
    rules = await (await asked.agentos()).branches.govern(asked.caller, name, wanted, entries, unwatch)
    return branches.governance(rules)
