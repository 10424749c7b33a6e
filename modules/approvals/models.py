"""The domain types of approvals: a request, its status, and the key that a human types.

pending ─┬─▶ approved ──▶ executing (leased) ─┬─▶ done
         ├─▶ rejected                         └─▶ failed
         └─▶ expired
"""

import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from .. import identifiers, inputs
from ..errors import InvalidInput
from ..records import dataclass
from .risk import Course, RiskInputs

VALID_FOR = timedelta(days=7)
MAX_REASON_CHARS = 500
POLICY = "policy"
"""The decider of actions that were not risky enough to ask about."""

_ACTION = re.compile(r"[a-z][a-z0-9_.:-]{0,63}")
_KEY_LETTERS = "abcdefghjkmnpqrstuvwxyz"
"""No digits, so that no key looks like a position; no letters that are easily confused."""
_KEY_LENGTH = 6


class ApprovalStatus(StrEnum):
    """The status of an approval."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    EXECUTING = "executing"
    DONE = "done"
    FAILED = "failed"


MAY_BECOME: Mapping[ApprovalStatus, frozenset[ApprovalStatus]] = {
    ApprovalStatus.PENDING: frozenset({ApprovalStatus.APPROVED, ApprovalStatus.REJECTED, ApprovalStatus.EXPIRED}),
    ApprovalStatus.APPROVED: frozenset({ApprovalStatus.EXECUTING}),
    ApprovalStatus.EXECUTING: frozenset({ApprovalStatus.DONE, ApprovalStatus.FAILED}),
    ApprovalStatus.REJECTED: frozenset(),
    ApprovalStatus.EXPIRED: frozenset(),
    ApprovalStatus.DONE: frozenset(),
    ApprovalStatus.FAILED: frozenset(),
}
"""The only changes of status there are; a trigger of the database has them too, and a test compares the two."""


@dataclass(frozen=True)
class AskedAction:
    """An action that is asked for, and who asks why."""

    namespace: str
    subject: str
    action: str
    payload: Mapping[str, Any]
    inputs: RiskInputs
    reason: str
    requested_by: str


@dataclass(frozen=True)
class ApprovalRequest(AskedAction):
    """A request for an action. Raises InvalidInput if a part of it is not acceptable.

    `subject` is what the action is about; with namespace and action it identifies the request. `payload` is JSON of at
    most 16 KiB with ids in it, never a memory's text, which must be gone everywhere once it is erased; the same holds
    for `reason`, one line for the human. With `automatic`, AgentOS itself executes the action; else the requester does,
    once it is approved. What is `always_asked` waits for a human, whatever its risk.
    """

    automatic: bool = True
    always_asked: bool = False
    valid_for: timedelta = VALID_FOR

    def __post_init__(self) -> None:
        identifiers.namespace("agent_id", self.namespace)
        inputs.text("subject", self.subject, 400)
        if not _ACTION.fullmatch(self.action):
            raise InvalidInput("action", "must be a name of up to 64 characters, such as deploy_production")
        inputs.metadata("payload", dict(self.payload))
        inputs.text("reason", self.reason, 4 * MAX_REASON_CHARS)
        if len(self.reason) > MAX_REASON_CHARS:
            raise InvalidInput("reason", f"has {len(self.reason)} characters; the limit is {MAX_REASON_CHARS}")
        inputs.text("requested_by", self.requested_by, 400)

    @property
    def course(self) -> Course:
        """The course of action.

        What AgentOS does not execute itself is always asked: its risk is the requester's own claim.
        """
        return self.inputs.course if self.automatic and not self.always_asked else Course.ASK


@dataclass(frozen=True)
class Approval(AskedAction):
    """A request and its outcome. Times are aware, in UTC; `version` rises when what is asked for changes.

    `note` is the human's comment on the decision, `result` the outcome of the action.
    """

    id: str
    automatic: bool
    status: ApprovalStatus
    version: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    decided_at: datetime | None
    decided_by: str | None
    note: str | None
    attempts: int
    finished_at: datetime | None
    result: str | None

    @property
    def risk(self) -> float:
        """From 0 to 1."""
        return self.inputs.risk

    @property
    def key(self) -> str:
        """The key that a human types to decide: six letters for this version of this item and no other."""
        number = int.from_bytes(hashlib.sha256(f"{self.id}:{self.version}".encode()).digest()[:8])
        letters = []
        for _ in range(_KEY_LENGTH):
            number, letter = divmod(number, len(_KEY_LETTERS))
            letters.append(_KEY_LETTERS[letter])
        return "".join(letters)


@dataclass(frozen=True)
class ApprovalEvent:
    """One line of an approval's history."""

    at: datetime
    status: ApprovalStatus
    by: str
    note: str


@dataclass(frozen=True)
class Inbox:
    """The pending approvals, the riskiest first, with a name for this very list: positions hold in no other."""

    approvals: Sequence[Approval]

    @property
    def generation(self) -> str:
        """A digest that changes with each change of the listed approvals, or of their order."""
        listed = "\n".join(f"{approval.id}:{approval.version}" for approval in self.approvals)
        return hashlib.sha256(listed.encode()).hexdigest()[:8]


@dataclass(frozen=True)
class ApprovedAction:
    """An action of AgentOS, for once it is approved: `run` returns one line for the history, or raises AgentOSError.

    An `idempotent` action changes nothing the second time, and is run again if a process ended in the middle of it;
    others are not, since they may have run. `on_reject` is run if a human rejects it, and must be idempotent.
    `describe` returns lines about its subject or its effect, looked up at that moment.

    With a `risk` of its own, agents may propose it; `check` raises InvalidInput for a payload that it cannot do.
    """

    run: Callable[[Approval], Awaitable[str]]
    idempotent: bool = False
    on_reject: Callable[[Approval], Awaitable[str]] | None = None
    describe: Callable[[Approval], Awaitable[Sequence[str]]] | None = None
    risk: RiskInputs | None = None
    check: Callable[[Mapping[str, Any]], object] | None = None


Actions = Mapping[str, ApprovedAction]


@dataclass(frozen=True)
class Claimable:
    """The names of actions an executor may take: to run, to run again after a crash, to settle a rejection."""

    run: Sequence[str] = field(default=())
    run_again: Sequence[str] = field(default=())
    on_reject: Sequence[str] = field(default=())
