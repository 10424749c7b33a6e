"""Executes approved actions once: under a lease, so that one process of many does it, and a crash is reported."""

import asyncio
import logging
import os
import secrets
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from ..clock import Clock
from ..errors import AgentOSError, StorageUnavailable
from .models import POLICY, Actions, Approval, ApprovalStatus, Claimable
from .risk import Course

if TYPE_CHECKING:
    from ...storage.repositories.approvals import ApprovalsRepository
    from ..insights.triggers import Triggers

LEASE = timedelta(minutes=10)
WITHIN_S = 480.0
"""Timeout of an action, in seconds: well before its lease ends."""
MAX_ATTEMPTS = 3
MAX_RESULT_CHARS = 500
MAY_HAVE_RUN = "the process ended before reporting the result: it may have run; check before asking again"

log = logging.getLogger(__name__)


class Executor:
    """Runs registered actions, each at most once; an idempotent one again if a process ended in the middle."""

    def __init__(self, repository: "ApprovalsRepository", actions: Actions, listener: "Triggers", clock: Clock) -> None:
        self._repository = repository
        self._actions = actions
        self._listener = listener
        self._clock = clock
        self._owner = f"{os.getpid()}-{secrets.token_hex(4)}"

    @property
    def _claimable(self) -> Claimable:
        """The actions of this process, as they are now: what another process alone can do is left to it."""
        return Claimable(
            run=tuple(self._actions),
            run_again=tuple(name for name, action in self._actions.items() if action.idempotent),
            on_reject=tuple(name for name, action in self._actions.items() if action.on_reject is not None),
        )

    async def run_due(self) -> list[Approval]:
        """Run everything that is approved and not leased; return what was finished, with its result."""
        finished = await self._repository.abandon_everywhere(
            self._claimable, self._clock(), LEASE, MAX_ATTEMPTS, MAY_HAVE_RUN
        )
        while approval := await self._repository.claim_everywhere(
            self._claimable, self._owner, self._clock(), LEASE, MAX_ATTEMPTS
        ):
            done = await self._do(approval)
            if done is not None:
                finished.append(done)
        return finished

    async def _do(self, approval: Approval) -> Approval | None:
        """Run one action that is leased to this process; None if it is left to the end of the lease."""
        action = self._actions[approval.action]
        rejected = approval.status is ApprovalStatus.REJECTED
        work = action.on_reject if rejected else action.run
        assert work is not None
        try:
            succeeded, result = await _outcome(work, approval)
        except StorageUnavailable as error:
            if not (rejected or action.idempotent):
                return await self._finish(approval, ApprovalStatus.FAILED, str(error))
            log.warning("%s is tried again when its lease is over: %s", approval.id, error)
            return None
        if rejected:
            return await self._finish(approval, ApprovalStatus.REJECTED, result)
        return await self._finish(approval, ApprovalStatus.DONE if succeeded else ApprovalStatus.FAILED, result)

    async def _finish(self, approval: Approval, status: ApprovalStatus, result: str) -> Approval | None:
        short = result[:MAX_RESULT_CHARS]
        done = await self._repository.finish(approval.namespace, approval.id, self._owner, status, short, self._clock())
        if done is None:
            log.warning("%s took longer than its lease: %s", approval.id, short)
        elif done.decided_by == POLICY and done.inputs.course is Course.NOTIFY:
            await self._listener.approval_executed(done)
        return done


async def _outcome(work: Callable[[Approval], Awaitable[str]], approval: Approval) -> tuple[bool, str]:
    """Run the work; return whether it succeeded, and one line about it. Raises StorageUnavailable."""
    try:
        async with asyncio.timeout(WITHIN_S):
            return True, await work(approval)
    except StorageUnavailable:
        raise
    except AgentOSError as error:
        return False, str(error)
    except TimeoutError:
        return False, f"it took longer than {WITHIN_S:.0f} s: it may have run; check before asking again"
    except Exception as error:
        log.exception("%s of %s failed", approval.action, approval.id)
        return False, f"internal error ({type(error).__name__}): it may have run in part; the details are in the log"
