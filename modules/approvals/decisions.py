"""The human's side of approvals. No interface of an agent gets this: only the command line makes one."""

from typing import TYPE_CHECKING

from ..clock import Clock
from ..errors import Conflict, InvalidInput, NotFound, PermissionDenied
from ..identifiers import EVERYWHERE, Scope
from .models import Approval, ApprovalStatus, Inbox

if TYPE_CHECKING:
    from ...storage.repositories.approvals import ApprovalsRepository

HUMAN = "human:"
MAX_NOTE_CHARS = 500
LOCAL_OWNER = "principal:owner"
"""Who asked, where the local user did it by hand: whoever decides at a terminal, or in the dashboard, is the same."""
MOST_NAMED = 5
SHORTEST_BEGINNING = len("apr_") + 4


class Decisions:
    """Finds the approval that a human refers to, and records the decision."""

    def __init__(self, repository: "ApprovalsRepository", clock: Clock) -> None:
        self._repository = repository
        self._clock = clock

    async def find(self, reference: str, generation: str | None = None, scope: Scope = EVERYWHERE) -> Approval:
        """Return the approval named by a key, an id, or a position in the list `generation` of a scope.

        Raises Conflict for a position in a list that has changed or an ambiguous key, InvalidInput for a position
        without a list, NotFound if there is no match.
        """
        inbox = Inbox(await self._repository.pending(scope, self._clock()))
        if reference.isdecimal():
            return _at(inbox, int(reference), generation)
        meant = [one for one in inbox.approvals if reference == one.key or _is_beginning(reference, one.id)]
        if len(meant) > 1:
            ids = ", ".join(one.id for one in meant[:MOST_NAMED])
            raise Conflict(f"{reference!r} is the key of more than one item; name it by its id: {ids}")
        if meant:
            return meant[0]
        known = await self._repository.get(scope, reference)
        if known is None:
            raise NotFound(
                f"no pending item has the key or id {reference[:60]!r}: it was decided, has expired, or has changed "
                "since; agentos approvals list shows what is pending"
            )
        return known

    async def decide(self, approval: Approval, verdict: ApprovalStatus, human: str, note: str = "") -> Approval:
        """Approve or reject an approval exactly as it was shown. Raises Conflict if it has changed since.

        `human` says who decides. Raises InvalidInput, and PermissionDenied if that is who asked.
        """
        if verdict not in (ApprovalStatus.APPROVED, ApprovalStatus.REJECTED):
            raise InvalidInput("verdict", "must be approved or rejected")
        if len(note) > MAX_NOTE_CHARS:
            raise InvalidInput("note", f"has {len(note)} characters; the limit is {MAX_NOTE_CHARS}")
        decided_by = f"{HUMAN}{human}"
        if approval.requested_by in (decided_by, LOCAL_OWNER):
            raise PermissionDenied("the requester cannot decide; somebody else must")
        decided = await self._repository.decide(approval, verdict, decided_by, note, self._clock())
        if decided is None:
            raise Conflict(f"{approval.id} has changed since it was shown, or is no longer pending; review it again")
        return decided


def _at(inbox: Inbox, position: int, generation: str | None) -> Approval:
    if generation is None:
        raise InvalidInput("position", "is valid in one list only: add --list and the list's name, or use the key")
    if generation != inbox.generation:
        raise Conflict(f"the list {generation[:20]} has changed since it was shown; review it again")
    if not 1 <= position <= len(inbox.approvals):
        raise NotFound(f"the list has no position {position}")
    return inbox.approvals[position - 1]


def _is_beginning(reference: str, approval_id: str) -> bool:
    """Return whether a reference is an id, or a prefix of it that is long enough."""
    return reference == approval_id or (len(reference) >= SHORTEST_BEGINNING and approval_id.startswith(reference))
