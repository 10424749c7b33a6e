"""The ports of approvals: storage, and the listener."""

from datetime import datetime, timedelta
from typing import Protocol

from ..identifiers import Scope
from .models import Approval, ApprovalEvent, ApprovalRequest, ApprovalStatus, Claimable


class ApprovalReading(Protocol):
    """Approvals and their history."""

    async def get(self, scope: Scope, approval_id: str) -> Approval | None:
        """Return an approval; None if there is none."""

    async def pending(self, scope: Scope, now: datetime) -> list[Approval]:
        """Return pending, unexpired approvals, the riskiest first, then the oldest."""

    async def waiting(self, scope: Scope, now: datetime, action: str | None = None) -> int:
        """Count pending, unexpired approvals, of one action if it is given."""

    async def history(self, scope: Scope, limit: int) -> list[Approval]:
        """Return the approvals that are no longer pending, the last changed first."""

    async def events(self, namespace: str, approval_id: str) -> list[ApprovalEvent]:
        """Return the history of one approval, from its beginning."""


class ApprovalVerdicts(ApprovalReading, Protocol):
    """Approvals as a human must decide about them."""

    async def decide(
        self, approval: Approval, verdict: ApprovalStatus, decided_by: str, note: str, now: datetime
    ) -> Approval | None:
        """Approve or reject a pending approval; None if it is no longer pending in this version."""


class ApprovalRequests(ApprovalReading, Protocol):
    """Approvals as they are asked for, shown and expire. Each change is one transaction, with a line of history."""

    async def add(self, request: ApprovalRequest, now: datetime, most_pending: int | None = None) -> Approval:
        """Add a request, or update the pending one of the same namespace, subject and action.

        Raises Conflict if `most_pending` of the namespace are pending already.
        """

    async def expire_everywhere(self, now: datetime) -> int:
        """Expire approvals that nobody decided in time; return how many."""

    async def unannounced_everywhere(self, now: datetime, limit: int) -> list[Approval]:
        """Return pending approvals that no webhook has announced, oldest first."""

    async def announced(self, namespace: str, approval_id: str, now: datetime) -> None:
        """Mark an approval as announced by a webhook."""


class ApprovalExecution(Protocol):
    """Approved actions as they are carried out. Each change is one transaction, with a line of history."""

    async def claim_everywhere(
        self, actions: Claimable, owner: str, now: datetime, lease: timedelta, max_attempts: int
    ) -> Approval | None:
        """Take the lease of a due approval, in one statement; None if none is due."""

    async def finish(
        self, namespace: str, approval_id: str, owner: str, status: ApprovalStatus, result: str, now: datetime
    ) -> Approval | None:
        """Store the outcome and release the lease; None if somebody else has the lease by now."""

    async def abandon_everywhere(
        self, actions: Claimable, now: datetime, lease: timedelta, max_attempts: int, result: str
    ) -> list[Approval]:
        """Fail approvals whose executor ended in the middle and that may not be run again."""


class ApprovalRepository(ApprovalVerdicts, ApprovalRequests, ApprovalExecution, Protocol):
    """The whole of what a backend offers: all of these in one."""


class ApprovalListener(Protocol):
    """Receives what was done without asking."""

    async def approval_executed(self, approval: Approval) -> None:
        """Handle an action that was executed (or failed) without asking, and is to be reported."""
