"""The domain types of background work."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


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


class DaemonState(StrEnum):
    """The state of the daemon. `dead` is one that ended without saying so."""

    RUNNING = "running"
    STOPPED = "stopped"
    DEAD = "dead"
    NEVER_STARTED = "never_started"


@dataclass(frozen=True)
class DaemonRecord:
    """The last record that a daemon wrote about itself."""

    pid: int
    version: str
    started_at: datetime
    heartbeat_at: datetime
    stopped_at: datetime | None


@dataclass(frozen=True)
class DaemonStatus:
    """The daemon's current state, derived from its last heartbeat."""

    state: DaemonState
    pid: int | None
    last_seen: datetime | None
    minutes_since_heartbeat: float | None
