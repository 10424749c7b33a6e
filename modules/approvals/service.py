"""The approval service, for agents and jobs: they ask and look; deciding is in `decisions`, not here."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from .. import inputs
from ..clock import Clock
from ..errors import InvalidInput, NotFound
from ..identifiers import Scope
from ..redactor import Redactor
from .executor import Executor
from .models import MAX_REASON_CHARS, Approval, ApprovalEvent, ApprovalRequest, ApprovedAction, Inbox
from .risk import Course, RiskInputs

if TYPE_CHECKING:
    from ...storage.repositories.approvals import ApprovalsRepository
    from ..insights.triggers import Triggers

MAX_PENDING = 200
"""Pending approvals per namespace, so that an agent that keeps asking does not fill the inbox."""
MAX_LIMIT = 200


class ApprovalService:
    """Requests and their history over one store, and the executor of what was approved."""

    def __init__(
        self,
        repository: "ApprovalsRepository",
        actions: Mapping[str, ApprovedAction],
        listener: "Triggers",
        redactor: Redactor,
        clock: Clock,
        webhook: str = "",
    ) -> None:
        """Set up the service; `webhook` is the address to which the daemon announces new approvals (empty: none)."""
        self._repository = repository
        self._actions = dict(actions)
        self._redactor = redactor
        self._clock = clock
        self.executor = Executor(repository, self._actions, listener, clock)
        self.webhook = webhook

    def offer(self, name: str, action: ApprovedAction) -> None:
        """Add an action that this process can do and others may not."""
        self._actions[name] = action

    async def request(self, asked: ApprovalRequest) -> Approval:
        """Request an action of AgentOS itself. A low risk is run at once; a medium one too, and reported.

        A pending request for the same is updated and stays one. Raises InvalidInput.
        """
        if asked.action not in self._actions:
            raise InvalidInput("action", f"must be one of {', '.join(self._actions) or 'none'}")
        request = await self._without_secrets(asked)
        approval = await self._repository.add(request, self._clock())
        if request.course is Course.ASK:
            return approval
        await self.executor.run_due()
        return await self.get(asked.namespace, approval.id)

    async def propose(
        self,
        namespace: str,
        subject: str,
        action: str,
        payload: Mapping[str, Any],
        risk: RiskInputs,
        reason: str,
        requested_by: str,
    ) -> Approval:
        """Ask a human whether AgentOS is to do something; always a human, whatever the stated risk.

        The risk is never less than the action's own. Raises InvalidInput for an action that nobody may propose, or a
        payload that it cannot do; Conflict if too many are pending already.
        """
        proposable = {name: known for name, known in self._actions.items() if known.risk is not None}
        known = proposable.get(action)
        if known is None or known.risk is None:
            raise InvalidInput("action", f"with a payload must be one of {', '.join(sorted(proposable))}")
        if known.check is not None:
            known.check(payload)
        request = ApprovalRequest(
            namespace, subject, action, payload, risk.at_least(known.risk), reason, requested_by, always_asked=True
        )
        return await self._repository.add(await self._without_secrets(request), self._clock(), MAX_PENDING)

    async def ask_permission(
        self, namespace: str, subject: str, action: str, risk: RiskInputs, reason: str, requested_by: str
    ) -> Approval:
        """Ask a human whether the requester may do something itself; always a human, whatever the stated risk.

        Raises InvalidInput, or Conflict if too many are pending already.
        """
        request = await self.draft(namespace, subject, action, risk, reason, requested_by)
        return await self._repository.add(request, self._clock(), MAX_PENDING)

    async def draft(
        self, namespace: str, subject: str, action: str, risk: RiskInputs, reason: str, requested_by: str
    ) -> ApprovalRequest:
        """Return a request as `ask_permission` would add it. Raises InvalidInput."""
        return await self._without_secrets(
            ApprovalRequest(namespace, subject, action, {}, risk, reason, requested_by, automatic=False)
        )

    async def _without_secrets(self, request: ApprovalRequest) -> ApprovalRequest:
        """Return the request without secrets; its reason is truncated again, since markers may make it longer."""
        clean = self._redactor
        return replace(
            request,
            subject=await clean.text(request.subject),
            payload=await clean.json(dict(request.payload)),
            reason=(await clean.text(request.reason))[:MAX_REASON_CHARS],
        )

    async def inbox(self, scope: Scope) -> Inbox:
        """Return the pending approvals, the riskiest first."""
        return Inbox(await self._repository.pending(scope, self._clock()))

    async def waiting(self, scope: Scope, action: str | None = None) -> int:
        """Count the pending approvals, of one action if it is given."""
        return await self._repository.waiting(scope, self._clock(), action)

    async def asks_about(self, namespace: str, action: str, memory_id: str) -> bool:
        """Return whether a human is asked about an action on a memory."""
        waiting = await self._repository.pending(namespace, self._clock())
        return any((one.action, one.subject) == (action, f"memory:{memory_id}") for one in waiting)

    async def get(self, scope: Scope, approval_id: str) -> Approval:
        """Return an approval in whatever status. Raises InvalidInput, NotFound."""
        inputs.text("approval_id", approval_id, 200)
        approval = await self._repository.get(scope, approval_id)
        if approval is None:
            raise NotFound(f"approval_id: there is no approval {approval_id[:60]!r}; approval_list gives those pending")
        return approval

    async def history(self, scope: Scope, limit: int) -> list[Approval]:
        """Return the approvals that are no longer pending, the last changed first. Raises InvalidInput."""
        return await self._repository.history(scope, inputs.count("limit", limit, 1, MAX_LIMIT))

    async def events(self, approval: Approval) -> list[ApprovalEvent]:
        """Return the history of one approval, from its beginning."""
        return await self._repository.events(approval.namespace, approval.id)

    async def description(self, approval: Approval) -> Sequence[str]:
        """Return lines about the subject of an action of AgentOS, looked up now."""
        action = self._actions.get(approval.action) if approval.automatic else None
        return [] if action is None or action.describe is None else await action.describe(approval)

    async def expire(self) -> int:
        """Expire approvals that nobody decided in time; return how many."""
        return await self._repository.expire_everywhere(self._clock())

    async def unannounced(self, limit: int) -> list[Approval]:
        """Return pending approvals that the webhook has not announced."""
        return await self._repository.unannounced_everywhere(self._clock(), limit)

    async def announced(self, approval: Approval, at: datetime | None = None) -> None:
        """Mark an approval as announced by the webhook."""
        await self._repository.announced(approval.namespace, approval.id, at or self._clock())
