"""The ports of branches and forks."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from .learning import Returned
from .models import Branch, Governance, Merged, MergePlan


class BranchRepository(Protocol):
    """Branches and their merges; each change is one transaction, with its entry in the audit log."""

    async def fork(self, branch: Branch, most: int) -> int:
        """Copy what holds in the origin into a new branch; return how many memories.

        Raises Conflict where the branch has memories already or is one, or the origin has more than `most` of them.
        """

    async def named_everywhere(self) -> list[str]:
        """Return the namespaces that hold memories, by name."""

    async def branch(self, namespace: str) -> Branch | None:
        """Return the branch that a namespace is; None where it is none."""

    async def branches(self, namespace: str) -> list[Branch]:
        """Return the branches of a namespace, the oldest first."""

    async def made_of(self, namespace: str, memory_ids: Sequence[str]) -> dict[str, str]:
        """Return, by id, which memory each is a copy of, or was copied to, as forks and merges have noted."""

    async def plan(self, branch: Branch, now: datetime, most: int) -> MergePlan:
        """Return what a merge would do now. Raises Conflict for more than `most` steps."""

    async def merge(self, branch: Branch, approval: str, digest: str, by: str, now: datetime, most: int) -> Merged:
        """Carry out the plan of that digest, once for each approval; return what was done, now or before.

        Raises Conflict where the plan is another by now; then nothing is changed.
        """

    async def merges(self, namespace: str, limit: int) -> list[Merged]:
        """Return what was merged into a namespace, the newest first."""

    async def governance(self, namespace: str) -> Governance:
        """Return the rules of a namespace."""

    async def govern(self, governance: Governance, now: datetime) -> None:
        """Put rules in the place of a namespace's former ones."""


class ForkRepository(Protocol):
    """What an agent and its fork, which is no branch, learn of each other; each change is one transaction."""

    async def teach(self, fork: Branch, most: int) -> int:
        """Copy what the origin has learnt into a fork; return how many memories.

        Raises Conflict where the fork has memories already, or the origin has learnt more than `most` of them.
        """

    async def take_back(self, fork: Branch, now: datetime) -> Returned:
        """Give the origin what its fork is surer of or has learnt anew; what contradicts it waits for a human.

        Raises PermissionDenied, and then nothing is changed, where a watch of what would change demands a review.
        """
