"""Branches, and what a merge of one would do, as results."""

from collections.abc import Sequence
from datetime import datetime

from ..approvals.models import Approval
from ..branches.models import Branch, Governance, Merged, MergePlan, MergeStep, StepKind
from ..branches.service import step_line
from ..records import dataclass
from .approvals import ApprovalView
from .approvals import approval as approval_view
from .texts import Text

MOST_STEPS = 50


@dataclass(frozen=True)
class There:
    """A memory of the origin that a step concerns."""

    id: str
    content: Text


@dataclass(frozen=True)
class StepView:
    """One memory of a branch: created in the origin, merged in place of what it concerns, or in conflict with it."""

    step: str
    memory_id: str
    content: Text
    concerns: tuple[There, ...] = ()
    watched: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlanView:
    """The plan of a merge, at most 50 of its steps. What is `known` is there already; what is `left` stays as it is.

    Where `needs_review`, another owner of the origin than its author has to merge it.
    """

    branch: str
    origin: str
    create: int
    merge: int
    conflict: int
    known: int
    left: int
    needs_review: bool
    lines: tuple[str, ...]
    steps: tuple[StepView, ...] = ()
    watched: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return the plan as lines."""
        review = "; another owner has to review it" if self.needs_review else ""
        head = (
            f"{self.branch} into {self.origin}: {self.create} to create, {self.merge} to merge, {self.conflict} in "
            f"conflict, {self.known} known already, {self.left} left out{review}"
        )
        return "\n".join([head, *(f"- {line}" for line in self.lines)])


@dataclass(frozen=True)
class BranchView:
    """A branch, its creation time and creator; `memories` were copied when it was created."""

    branch: str
    origin: str
    created_at: datetime
    created_by: str
    memories: int | None = None


@dataclass(frozen=True)
class MergedView:
    """A merge that was carried out."""

    branch: str
    proposal: str
    at: datetime
    decided_by: str
    created: int
    changed: int
    contested: int


@dataclass(frozen=True)
class WatchView:
    """An entry of a watchlist, as `tag:policy`, and what a change of it demands: review or notify."""

    watch: str
    demands: str


@dataclass(frozen=True)
class GovernanceView:
    """The review rules for merges into a namespace: always, or if they change something watched."""

    namespace: str
    review: str
    watches: tuple[WatchView, ...] = ()


@dataclass(frozen=True)
class Overview:
    """The branches of a namespace, the proposals that wait, what was merged, and the rules."""

    origin: str
    governance: GovernanceView
    branches: tuple[BranchView, ...] = ()
    proposals: tuple[ApprovalView, ...] = ()
    merges: tuple[MergedView, ...] = ()


def plan(found: MergePlan) -> PlanView:
    """Return the view of a plan."""
    shown = found.steps[:MOST_STEPS]
    return PlanView(
        branch=found.branch.namespace,
        origin=found.branch.origin,
        create=found.count(StepKind.CREATE),
        merge=found.count(StepKind.MERGE),
        conflict=found.count(StepKind.CONFLICT),
        known=len(found.known),
        left=found.left,
        needs_review=found.needs_review,
        lines=tuple(map(step_line, shown)),
        steps=tuple(map(_step, shown)),
        watched=found.watched,
    )


def branch(found: Branch, memories: int | None = None) -> BranchView:
    """Return the view of a branch."""
    return BranchView(found.namespace, found.origin, found.created_at, found.created_by, memories)


def governance(found: Governance) -> GovernanceView:
    """Return the view of a namespace's rules."""
    watches = tuple(WatchView(str(one), one.demands.value) for one in found.watches)
    return GovernanceView(found.namespace, found.review.value, watches)


def overview(
    rules: Governance, branches: Sequence[Branch], proposals: Sequence[Approval], merges: Sequence[Merged]
) -> Overview:
    """Return the view of all that concerns the branches of a namespace."""
    return Overview(
        rules.namespace,
        governance(rules),
        tuple(map(branch, branches)),
        tuple(map(approval_view, proposals)),
        tuple(map(_merged, merges)),
    )


def _step(step: MergeStep) -> StepView:
    there = tuple(There(one.id, one.content) for one in step.concerns)
    watched = tuple(sorted({str(watch) for watch in step.watches}))
    return StepView(step.kind.value, step.memory.id, step.memory.content, there, watched)


def _merged(one: Merged) -> MergedView:
    return MergedView(one.branch, one.approval, one.at, one.decided_by, one.created, one.changed, one.contested)
