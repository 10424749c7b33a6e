"""What approvals need of storage, and who hears of them."""

from datetime import datetime, timedelta
from typing import Protocol

from .models import Approval, ApprovalEvent, ApprovalRequest, ApprovalStatus, Claimable


class ApprovalRepository(Protocol):
    """The table of approvals and their history. Each change is one transaction that leaves one line of history."""

    async def add(self, request: ApprovalRequest, now: datetime, most_pending: int | None = None) -> Approval:
        """Add a request, or bring the pending one of the same namespace, subject and action up to date.

        Raises Conflict when `most_pending` of the namespace wait already.
        """

    async def get(self, approval_id: str) -> Approval | None:
        """One approval of any namespace."""

    async def pending(self, namespace: str | None, now: datetime) -> list[Approval]:
        """Those that wait and have not expired, the riskiest first, then the oldest; None: of every namespace."""

    async def history(self, namespace: str | None, limit: int) -> list[Approval]:
        """Those that wait no more, what changed last first."""

    async def events(self, approval_id: str) -> list[ApprovalEvent]:
        """The history of one approval, from its beginning."""

    async def decide(
        self, approval_id: str, version: int, verdict: ApprovalStatus, decided_by: str, note: str, now: datetime
    ) -> Approval | None:
        """Approve or reject a pending approval; None when it is not pending in that version any more."""

    async def expire(self, now: datetime) -> int:
        """Close those that nobody decided in time; how many."""

    async def claim(
        self, actions: Claimable, owner: str, now: datetime, lease: timedelta, max_attempts: int
    ) -> Approval | None:
        """Take the lease of one that is due, in one statement."""

    async def finish(
        self, approval_id: str, owner: str, status: ApprovalStatus, result: str, now: datetime
    ) -> Approval | None:
        """Note what came of it and give the lease back; None when the lease is somebody else's by now."""

    async def abandon(
        self, actions: Claimable, now: datetime, lease: timedelta, max_attempts: int, result: str
    ) -> list[Approval]:
        """Fail those whose executor ended in the middle and that may not be run again."""

    async def unannounced(self, now: datetime, limit: int) -> list[Approval]:
        """Pending ones that no webhook has told of, oldest first."""

    async def announced(self, approval_id: str, now: datetime) -> None:
        """Note that a webhook has told of it."""


class ApprovalListener(Protocol):
    """Hears what was done without asking."""

    async def approval_executed(self, approval: Approval) -> None:
        """An action that was told to be done without asking has been done, or has failed."""
