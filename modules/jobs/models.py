"""The domain types of background work."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from ..records import dataclass

ALIVE_WITHIN = timedelta(minutes=3)
"""How long a daemon may be silent and still count as running: it writes its record each minute."""
MOST_SKEW = timedelta(minutes=1)
"""How far the clock of a daemon's machine may be from the database's."""


@dataclass(frozen=True)
class JobRun:
    """The state of one scheduled job: when it is due, how it last went. Times are aware, in UTC."""

    name: str
    interval: timedelta
    next_due_at: datetime
    last_started_at: datetime | None
    last_finished_at: datetime | None
    last_status: str | None
    last_error: str | None
    runs: int
    failures: int
    lease_until: datetime | None


@dataclass
class Round:
    """One round of a job through the namespaces: those to visit, and those to visit `again` in the next one.

    All are in `again` until they are done, as a round may be cut off.
    `before` and `reached` are the last entries of the log that the round before and this one knew, `full_at` when all
    namespaces were visited last.
    """

    namespaces: Sequence[str]
    before: int
    reached: int
    full_at: datetime

    def __post_init__(self) -> None:
        self.again = set(self.namespaces)


class DaemonState(StrEnum):
    """The state of the daemon. `dead` is one that ended without saying so."""

    RUNNING = "running"
    STOPPED = "stopped"
    DEAD = "dead"
    NEVER_STARTED = "never_started"


@dataclass(frozen=True)
class DaemonRecord:
    """The last record that a daemon wrote about itself; `skew` is how far its machine's clock is ahead."""

    id: int
    host: str
    pid: int
    version: str
    started_at: datetime
    heartbeat_at: datetime
    stopped_at: datetime | None
    skew: timedelta = timedelta(0)

    def state(self, now: datetime) -> DaemonState:
        """Return its state; a heartbeat from the future was written under a wrong clock, and proves nothing."""
        if self.stopped_at is not None:
            return DaemonState.STOPPED
        return DaemonState.RUNNING if abs(now - self.heartbeat_at) < ALIVE_WITHIN else DaemonState.DEAD


@dataclass(frozen=True)
class DaemonStatus:
    """The state of the daemon that was heard of last, derived from its heartbeat."""

    state: DaemonState
    pid: int | None
    last_seen: datetime | None
    minutes_since_heartbeat: float | None
