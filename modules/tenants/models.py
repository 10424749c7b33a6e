"""The domain types of tenants: the stores that share a database."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from ..records import dataclass


@dataclass(frozen=True)
class Tenant:
    """A store as one that serves many knows it: its name, whether it may be used, how often it may be called.

    It is paused while it is restored or moved. Another `number` under its name is another store: the first was removed.
    """

    name: str
    number: int
    is_suspended: bool = False
    is_paused: bool = False
    calls_per_minute: int | None = None


@dataclass(frozen=True)
class Quota:
    """What a store may hold, sealed memories included, and how often each process may be asked for it; None: as much
    as there is room for."""

    memories: int | None = None
    bytes: int | None = None
    calls_per_minute: int | None = None


@dataclass(frozen=True)
class KnownTenant:
    """A store as its operator sees it: what it holds and may hold, how many keys it has, and which logins it is bound
    to, if to any."""

    name: str
    created_at: datetime
    suspended_at: datetime | None
    paused_at: datetime | None
    memories: int
    bytes: int
    keys: int
    logins: tuple[str, ...] | None
    quota: Quota

    @property
    def state(self) -> str:
        """Return whether it can be used."""
        return "suspended" if self.suspended_at else "paused" if self.paused_at else "active"

    @property
    def is_full(self) -> bool:
        """Return whether it holds as much as it may."""
        most, most_bytes = self.quota.memories, self.quota.bytes
        return (most is not None and self.memories >= most) or (most_bytes is not None and self.bytes >= most_bytes)


@dataclass(frozen=True)
class RemovedTenant:
    """What a removal took away: the ids of the memories, and how many rows of each table; what names the store still.

    `tables` are those that hold rows of it still, `copies` the backups of this home that do.
    """

    memories: tuple[str, ...]
    rows: Mapping[str, int]
    tables: tuple[str, ...]
    copies: tuple[Path, ...]
