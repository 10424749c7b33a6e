"""Sync between devices as other parts of AgentOS see it: what it tells, and the exchange that a job begins."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Protocol

from .records import dataclass

LONGEST_CARRIED = 64 << 20
"""The bytes of the largest file that a device writes for the others."""


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


@dataclass(frozen=True)
class CarriedEntry:
    """A file or folder that is carried, with the bytes of a file."""

    name: str
    is_folder: bool
    size: int


class Carried(Protocol):
    """What a server carries for devices that are synced through it, by namespace and path. All calls block.

    Each raises InvalidInput for a path that no device writes to, NotFound where nothing is, StorageUnavailable.
    """

    def most(self, path: str) -> int:
        """Return how many bytes the file at a path may have."""

    def entry(self, namespace: str, path: str) -> CarriedEntry:
        """Return what is at a path."""

    def entries(self, namespace: str, path: str) -> Sequence[CarriedEntry]:
        """Return what is in the folder at a path."""

    def open(self, namespace: str, path: str) -> tuple[BinaryIO, int]:
        """Open a file to be read; return it with its bytes."""

    def keep(self, file: Path, namespace: str, path: str) -> None:
        """Move a file that was received to its path. Raises Conflict where its folder is missing, QuotaExceeded."""

    def make_folder(self, namespace: str, path: str) -> bool:
        """Make a folder; return whether it is new. Raises QuotaExceeded, Conflict where the one above is missing."""

    def remove(self, namespace: str, path: str) -> None:
        """Remove a file."""


async def no_sync() -> Sync | None:
    """Return that nothing is synced."""
    return None
