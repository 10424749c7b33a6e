"""The branch service: forks, previews and proposals for writers; merges for owners, by their credential."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import identifiers, inputs
from ..approvals.models import MAX_REASON_CHARS, Approval, ApprovalRequest, ApprovalStatus, ApprovedAction
from ..approvals.risk import RiskInputs
from ..approvals.service import ApprovalService
from ..clock import Clock
from ..errors import Conflict, InvalidInput, NotFound, PermissionDenied
from ..framing import quote
from ..identifiers import EVERYWHERE
from ..insights.models import InsightDraft, InsightKey, InsightKind, InsightSeverity
from ..insights.service import InsightService
from ..principals.models import OWNER, Caller, Door, Right
from .learning import Returned
from .models import Branch, Demand, Governance, Merged, MergePlan, MergeStep, Review, StepKind, Watch, WatchKind

if TYPE_CHECKING:
    from ...storage.repositories.approvals import ApprovalsRepository
    from ...storage.repositories.branches import BranchesRepository
    from ...storage.repositories.forks import ForksRepository

MERGE = "branch.merge"
RISK = RiskInputs(impact=0.9, reversibility=0.6, sensitivity=0.8)
"""Always asked about: it changes what a whole team reads."""
MOST_FORKED, MOST_MERGED = 5_000, 1_000
"""The most memories of one fork, and of one merge: each is one transaction, for which others wait."""
MOST_WATCHES = 200
SHOWN, SHOWN_CHARS = 30, 200
BESIDE = ("memory_type", "tags", "importance", "metadata", "slot")
"""The fields whose change by a merge is shown beside the text, which may stay as it is."""


class BranchService:
    """Branches over one store. Who may do what follows from the caller's rights alone: owners administer the origin."""

    def __init__(
        self,
        repository: "BranchesRepository",
        forks: "ForksRepository",
        approvals: ApprovalService,
        verdicts: "ApprovalsRepository",
        insights: InsightService,
        clock: Clock,
    ) -> None:
        """Set up the service, and offer the action that carries out an approved merge."""
        self._repository = repository
        self._forks = forks
        self._approvals = approvals
        self._verdicts = verdicts
        self._insights = insights
        self._clock = clock
        approvals.offer(MERGE, ApprovedAction(self._run, idempotent=True, describe=self._describe))

    async def fork(self, caller: Caller, origin: str, name: str) -> tuple[Branch, int]:
        """Make a branch of a namespace; return it with the number of memories that were copied.

        Raises PermissionDenied, InvalidInput, Conflict.
        """
        origin, name = caller.reading(origin, "origin"), caller.writing(name, "branch")
        if name == origin:
            raise InvalidInput("branch", "must have a different name from its origin")
        branch = Branch(name, origin, self._clock(), _author(caller, name))
        return branch, await self._repository.fork(branch, MOST_FORKED)

    async def teach(self, caller: Caller, parent: str, child: str) -> int:
        """Give a new agent what another has learnt, less sure than it; return how many memories.

        What happened to the parent stays with it, and no person has confirmed the child's rules. Raises
        PermissionDenied, InvalidInput, NotFound, Conflict.
        """
        parent, child = caller.reading(parent, "parent"), caller.writing(child, "child")
        if parent == child:
            raise InvalidInput("child", "must have a different name from its parent")
        await self._require_memories(caller, parent=parent)
        fork = Branch(child, parent, self._clock(), _author(caller, child))
        return await self._forks.teach(fork, MOST_FORKED)

    async def take_back(self, caller: Caller, child: str, parent: str) -> Returned:
        """Give an agent what its fork is surer of, or has learnt anew; nothing where what changes needs a review.

        Raises PermissionDenied, InvalidInput, NotFound.
        """
        child, parent = caller.reading(child, "child"), caller.writing(parent, "parent")
        if parent == child:
            raise InvalidInput("child", "must have a different name from its parent")
        await self._require_memories(caller, child=child, parent=parent)
        now = self._clock()
        return await self._forks.take_back(Branch(child, parent, now, _author(caller, child)), now)

    async def branches(self, caller: Caller, origin: str) -> list[Branch]:
        """Return the branches of a namespace that the caller may read. Raises PermissionDenied."""
        found = await self._repository.branches(caller.reading(origin, "origin"))
        return [branch for branch in found if caller.right_over(branch.namespace) is not None]

    async def origin_of(self, caller: Caller, name: str) -> Branch | None:
        """Return the branch that a namespace is, with its origin; None where it is none. Raises PermissionDenied."""
        return await self._repository.branch(caller.reading(name, "branch"))

    async def made_of(self, caller: Caller, namespace: str, memory_ids: Sequence[str]) -> dict[str, str]:
        """Return, by id, which memory each is a copy of, or was copied to, by what forks and merges have noted.

        Raises PermissionDenied.
        """
        return await self._repository.made_of(caller.reading(namespace, "namespace"), memory_ids)

    async def preview(self, caller: Caller, name: str) -> MergePlan:
        """Return what a merge of a branch would do now; nothing is changed. Raises PermissionDenied, NotFound.

        An owner of the origin is shown a branch as it was proposed, whoever else may read it; Conflict where it has
        changed since.
        """
        proposed = None if caller.right_over(name) is not None else await self._proposed_to(caller, name)
        if proposed is None:
            caller.reading(name, "branch")
        branch = await self._branch(name)
        caller.reading(branch.origin, "origin")
        plan = await self._plan(branch)
        if proposed not in (None, plan.digest):
            raise Conflict(f"{name} or {branch.origin} has changed since it was proposed; ask for a new proposal")
        return plan

    async def propose(self, caller: Caller, name: str, reason: str) -> Approval:
        """Ask the owners of the origin to merge a branch as it is now; a proposal that waits is replaced.

        Raises PermissionDenied, NotFound, InvalidInput; Conflict where there is nothing to merge.
        """
        branch = await self._branch(caller.writing(name, "branch"))
        caller.reading(branch.origin, "origin")
        inputs.text("reason", reason, 4 * MAX_REASON_CHARS)
        plan = await self._plan(branch)
        if not plan.steps:
            raise Conflict(f"{name} has nothing that {branch.origin} lacks: there is nothing to merge")
        payload = {
            "branch": branch.namespace,
            "plan": plan.digest,
            "review": plan.needs_review,
            "watched": list(plan.watched)[:50],
        }
        full_reason = f"{reason} ({plan})"[:MAX_REASON_CHARS]
        subject = f"branch:{branch.namespace}"
        by = _author(caller, branch.namespace)
        return await self._approvals.request(
            ApprovalRequest(branch.origin, subject, MERGE, payload, RISK, full_reason, by)
        )

    async def merge(self, caller: Caller, proposal: str, note: str = "") -> Approval:
        """Merge what was proposed, exactly as it was, and return the proposal with its result.

        Raises PermissionDenied for who does not administer the origin, and for the author where it needs a review.
        """
        approval = await self._proposal(caller, proposal)
        plan = await self._plan(await self._branch(_branch_of(approval)))
        needs_review = bool(approval.payload.get("review")) or plan.needs_review
        authors = {approval.requested_by, *map(_of_principal, plan.authors)}
        if needs_review and _of_principal(caller.principal) in authors:
            raise PermissionDenied("this needs a review: an owner other than its author must merge it")
        return await self._settled(caller, approval, ApprovalStatus.APPROVED, note)

    async def refuse(self, caller: Caller, proposal: str, note: str = "") -> Approval:
        """Close a proposal; the branch stays as it is. Raises PermissionDenied, NotFound, Conflict."""
        return await self._settled(caller, await self._proposal(caller, proposal), ApprovalStatus.REJECTED, note)

    async def proposals(self, caller: Caller, origin: str) -> list[Approval]:
        """Return the proposals to a namespace that wait. Raises PermissionDenied."""
        waiting = await self._approvals.inbox(caller.reading(origin, "origin"))
        return [one for one in waiting.approvals if _is_proposal(one)]

    async def merges(self, caller: Caller, origin: str, limit: int = 50) -> list[Merged]:
        """Return what was merged into a namespace, the newest first. Raises PermissionDenied, InvalidInput."""
        return await self._repository.merges(caller.reading(origin, "origin"), inputs.count("limit", limit, 1, 200))

    async def governance(self, caller: Caller, namespace: str) -> Governance:
        """Return the rules of a namespace. Raises PermissionDenied."""
        return await self._repository.governance(caller.reading(namespace, "namespace"))

    async def govern(
        self,
        caller: Caller,
        namespace: str,
        review: Review | None = None,
        watch: Sequence[Watch] = (),
        unwatch: Sequence[str] = (),
    ) -> Governance:
        """Change the rules of a namespace; what is not named stays. Raises PermissionDenied, InvalidInput, NotFound."""
        rules = await self._repository.governance(caller.administering(namespace))
        watches = {str(one): one for one in rules.watches}
        for name in unwatch:
            if watches.pop(name, None) is None:
                raise NotFound(f"unwatch: {name[:60]!r} is not watched")
        stricter_last = sorted(watch, key=lambda one: one.demands is Demand.REVIEW)
        watches |= {str(one): one for one in stricter_last}
        if len(watches) > MOST_WATCHES:
            raise InvalidInput("watch", f"at most {MOST_WATCHES} entries can be watched")
        rules = replace(rules, review=review or rules.review, watches=tuple(watches.values()))
        await self._repository.govern(rules, self._clock())
        return rules

    async def _require_memories(self, caller: Caller, **named: str) -> None:
        """Raise NotFound for a namespace without memories; it names those with some that the caller may read."""
        there = await self._repository.named_everywhere()
        for argument, name in named.items():
            if name not in there:
                readable = [one for one in there if caller.right_over(one) is not None]
                others = f"; there are: {', '.join(readable[:SHOWN])}" if readable else ""
                raise NotFound(f"{argument}: {name[:60]!r} has no memories{others}")

    async def _settled(self, caller: Caller, approval: Approval, verdict: ApprovalStatus, note: str) -> Approval:
        inputs.text("note", note, MAX_REASON_CHARS, allow_empty=True)
        by = f"owner:{caller.principal}"
        settled = await self._verdicts.decide(approval, verdict, by, note, self._clock())
        if settled is None:
            raise Conflict(f"{approval.id} is no longer pending, or was proposed again; review it again")
        await self._approvals.executor.run_due()
        return await self._approvals.get(approval.namespace, approval.id)

    async def _proposal(self, caller: Caller, proposal: str) -> Approval:
        """Return a proposal to a namespace that the caller administers. Raises PermissionDenied, NotFound."""
        missing = NotFound(
            f"proposal: there is no proposal {proposal[:60]!r} to merge a branch; agentos branch list shows them"
        )
        try:
            approval = await self._approvals.get(EVERYWHERE, proposal)
        except NotFound:
            raise missing from None
        if not _is_proposal(approval) or caller.right_over(approval.namespace) is None:
            raise missing
        caller.administering(approval.namespace)
        return approval

    async def _proposed_to(self, caller: Caller, name: str) -> str | None:
        """Return the plan of a branch that waits for the decision of a caller, who owns its origin; None for none."""
        branch = await self._repository.branch(name)
        if branch is None or caller.right_over(branch.origin) != Right.ADMIN:
            return None
        waiting = (await self._approvals.inbox(branch.origin)).approvals
        found = [str(one.payload.get("plan")) for one in waiting if _is_proposal(one) and _branch_of(one) == name]
        return found[0] if found else None

    async def _branch(self, name: str) -> Branch:
        branch = await self._repository.branch(identifiers.agent("branch", name))
        if branch is None:
            raise NotFound(f"{name[:60]!r} is not a branch; agentos branch create makes one")
        return branch

    async def _plan(self, branch: Branch) -> MergePlan:
        return await self._repository.plan(branch, self._clock(), MOST_MERGED)

    async def _run(self, approval: Approval) -> str:
        """Carry out an approved merge; a second time it changes nothing and says the same."""
        branch = await self._branch(_branch_of(approval))
        digest, by = str(approval.payload.get("plan")), approval.decided_by or ""
        done = await self._repository.merge(branch, approval.id, digest, by, self._clock(), MOST_MERGED)
        if watched := approval.payload.get("watched"):
            key = InsightKey("branches", f"approval:{approval.id}", "watched")
            text = f"A merge of {branch.namespace} changed watched memories: {', '.join(map(str, watched))}."
            draft = InsightDraft(InsightKind.INSIGHT, key, InsightSeverity.INFO, text[:SHOWN_CHARS])
            await self._insights.record(branch.origin, [draft])
        return str(done)

    async def _describe(self, approval: Approval) -> Sequence[str]:
        plan = await self._plan(await self._branch(_branch_of(approval)))
        if plan.digest != approval.payload.get("plan"):
            return [f"{plan.branch.namespace} or {plan.branch.origin} has changed since: this would merge nothing"]
        shown = [step_line(step) for step in plan.steps[:SHOWN]]
        more = [f"and {len(plan.steps) - SHOWN} more"] if len(plan.steps) > SHOWN else []
        return [f"merges {plan.branch.namespace} into {plan.branch.origin}: {plan}", *shown, *more]


def step_line(step: MergeStep) -> str:
    """Return a step as one line for a person."""
    text = quote(step.memory.content, SHOWN_CHARS)
    if step.kind is StepKind.CREATE:
        line = f"create {step.memory.id}: {text}"
    else:
        others = "; ".join(f"{one.id}: {quote(one.content, SHOWN_CHARS)}" for one in step.concerns[:3])
        line = f"{step.kind} {step.memory.id}: {text} | there: {others}"
        beside = [
            name for name in BESIDE if any(getattr(step.memory, name) != getattr(one, name) for one in step.concerns)
        ]
        line += f" | other: {', '.join(beside)}" if step.revises and beside else ""
    line += f" | files: {len(step.files)}" if step.files else ""
    watched = ", ".join(sorted({str(watch) for watch in step.watches}))
    return f"{line} [watched: {watched}]" if watched else line


def watch(text: str, demands: Demand = Demand.REVIEW) -> Watch:
    """Return the watch that a text names, as tag:policy, slot:billing/owner or memory:mem_1a2b. Raises InvalidInput."""
    kind, _, value = text.partition(":")
    value = value.strip()
    if kind not in list(WatchKind) or not value or len(value) > 200:
        raise InvalidInput("watch", "must be tag:NAME, slot:SUBJECT/ATTRIBUTE, slot:SUBJECT or memory:ID")
    return Watch(WatchKind(kind), inputs.text("watch", value), demands)


def _is_proposal(approval: Approval) -> bool:
    """Return whether a request is a genuine proposal; agents may use any action name."""
    return approval.action == MERGE and approval.automatic


def _branch_of(approval: Approval) -> str:
    return str(approval.payload.get("branch", ""))


def _of_principal(principal: str) -> str:
    return f"principal:{principal}"


def _author(caller: Caller, namespace: str) -> str:
    """Return who proposes: the principal, or at standard input and output the agent, whom the local user serves."""
    is_agent = caller.principal == OWNER and caller.door in (Door.STDIO, Door.HOOK)
    return f"agent:{namespace}" if is_agent else _of_principal(caller.principal)
