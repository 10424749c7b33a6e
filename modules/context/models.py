"""The snapshot: what an agent is told at the start of a session. Plain values, ready for JSON."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SnapshotMemory:
    """A memory worth knowing now; `content` may be cut (then it ends in an ellipsis). `status` is active, or says
    what speaks against it.
    """

    id: str
    memory_type: str
    content: str
    importance: float
    source: str
    stored: str
    status: str


@dataclass(frozen=True)
class SnapshotGoal:
    """An active goal with its composite score."""

    id: str
    title: str
    score: float
    progress: float
    deadline: str | None


@dataclass(frozen=True)
class SnapshotPattern:
    """Something that repeats, and what to do about it."""

    pattern_type: str
    description: str
    suggested_action: str
    frequency: int


@dataclass(frozen=True)
class SnapshotInsight:
    """Something found in the background; stays until insight_update changes its status."""

    id: str
    severity: str
    text: str
    status: str


@dataclass(frozen=True)
class SnapshotTask:
    """Something to do, suggested in the background; stays until insight_update changes its status."""

    id: str
    priority: float
    text: str
    status: str


@dataclass(frozen=True)
class DaemonView:
    """Whether anybody works in the background, and when it was last seen."""

    alive: bool
    status: str
    last_seen: str | None
    minutes_since_heartbeat: float | None


@dataclass(frozen=True)
class Performance:
    """How the agent is doing."""

    last_7_days_success_rate: float | None
    total_memories: int
    total_goals: int
    completed_goals: int


@dataclass(frozen=True)
class Snapshot:
    """One call's worth of context; `omitted` says how many entries the token budget left out."""

    agent_id: str
    top_memories: tuple[SnapshotMemory, ...]
    active_goals: tuple[SnapshotGoal, ...]
    recent_patterns: tuple[SnapshotPattern, ...]
    proactive_insights: tuple[SnapshotInsight, ...]
    autonomous_tasks: tuple[SnapshotTask, ...]
    performance_summary: Performance
    daemon_status: DaemonView
    omitted: int
    notes: tuple[str, ...]
