"""The port of branches."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from .models import Branch, Governance, Merged, Plan


class BranchRepository(Protocol):
    """Branches and their merges; each change is one transaction, with its entry in the audit log."""

    async def fork(self, branch: Branch, most: int) -> int:
        """Copy what holds in the origin into a new branch; return how many memories.

        Raises Conflict where the branch has memories already or is one, or the origin has more than `most` of them.
        """

    async def teach(self, branch: Branch, most: int) -> int:
        """Copy what the origin has learnt into a fork, which is no branch; return how many memories.

        Raises Conflict where the fork has memories already, or the origin has learnt more than `most` of them.
        """

    async def take_back(self, branch: Branch, memory_ids: Sequence[str], now: datetime) -> int:
        """Copy memories of a fork into its origin; what contradicts what is known there waits for a human."""

    async def branch(self, namespace: str) -> Branch | None:
        """Return the branch that a namespace is; None where it is none."""

    async def branches(self, namespace: str) -> list[Branch]:
        """Return the branches of a namespace, the oldest first."""

    async def plan(self, branch: Branch, now: datetime, most: int) -> Plan:
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
