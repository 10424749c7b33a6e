"""The contents and state of a store in numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime

from ..records import dataclass


@dataclass(frozen=True)
class AgentOverview:
    """The contents of one namespace.

    `memories` are counted by type, `goals` by status; bytes are those of the contents.
    """

    agent_id: str
    memories: Mapping[str, int]
    memory_bytes: int
    expired: int
    goals: Mapping[str, int]
    reflections: int
    open_insights: int
    pending_approvals: int
    last_stored_at: datetime | None


@dataclass(frozen=True)
class JobOverview:
    """The state of one job; `failures` are the consecutive ones."""

    name: str
    last_finished_at: datetime | None
    next_due_at: datetime
    last_error: str | None
    failures: int


@dataclass(frozen=True)
class VectorOverview:
    """Vectors of the newest model in the database, memories that wait for one, and the progress of the index."""

    model: str | None
    dimension: int | None
    count: int
    waiting: int
    index_applied: int
    newest_change: int


@dataclass(frozen=True)
class DaemonOverview:
    """What a daemon recorded of itself; `skew_s` is how far its machine's clock is ahead of the database's."""

    state: str
    host: str
    pid: int
    version: str
    started_at: datetime
    last_seen_at: datetime
    stopped_at: datetime | None
    skew_s: float


@dataclass(frozen=True)
class BackupOverview:
    """The newest backup that can be used."""

    name: str
    made_at: datetime
    bytes: int


@dataclass(frozen=True)
class StoreOverview:
    """A store in numbers. `problem` says why its database could not be read; `schema` is None if there is none yet."""

    sizes: Mapping[str, int]
    backup: BackupOverview | None
    problem: str | None = None
    schema: int | None = None
    agents: Sequence[AgentOverview] = ()
    jobs: Sequence[JobOverview] = ()
    vectors: VectorOverview = field(default_factory=lambda: VectorOverview(None, None, 0, 0, 0, 0))
    daemons: Sequence[DaemonOverview] = ()
    """Those heard of in the last week, the last one first."""
    standby: str | None = None
    """How the standby does that answers reads; None where none is named."""
