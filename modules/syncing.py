"""Sync between devices as other parts of AgentOS see it: what it tells, and the exchange that a job begins."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from .records import dataclass


@dataclass(frozen=True)
class SyncedDevice:
    """One device of a group: how many segments of it are in the folder, and how many of these were taken here.

    `state` is "", "left" or "revoked"; `waits` says why the next segment is not taken.
    """

    id: str
    name: str
    is_this: bool
    told: int
    taken: int
    state: str
    waits: str


@dataclass(frozen=True)
class SyncStatus:
    """Where this home stands in its group; `problem` says what keeps it from exchanging anything."""

    group: str
    folder: str
    problem: str
    devices: Sequence[SyncedDevice]
    records: Mapping[str, int]


@dataclass(frozen=True)
class Exchanged:
    """What one exchange did: how many changes were told and segments taken; by device what is not taken, and why."""

    told: int
    taken: int
    words: Mapping[str, str]


class Sync(Protocol):
    """The sync of a home that is in a group."""

    async def now(self) -> Exchanged:
        """Tell the other devices what changed here, and take what they told.

        Raises StorageUnavailable where the folder is not there, Conflict while another process does it or where this
        device was revoked.
        """

    async def names(self, subject: str) -> bool:
        """Return whether what sync keeps names a subject: the other devices are told of an erasure at an exchange."""

    async def status(self) -> SyncStatus:
        """Return where this home stands."""


async def no_sync() -> Sync | None:
    """Return that nothing is synced."""
    return None
