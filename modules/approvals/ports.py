"""The ports of approvals: storage, and the listener."""

from typing import Protocol

from .models import Approval


class ApprovalListener(Protocol):
    """Receives what was done without asking."""

    async def approval_executed(self, approval: Approval) -> None:
        """Handle an action that was executed (or failed) without asking, and is to be reported."""
