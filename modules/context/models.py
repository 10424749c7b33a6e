"""What an agent is told: at the start of a session the snapshot, else a context. Plain values, ready for JSON."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SnapshotMemory:
    """A memory worth knowing now; `content` may be cut (then it ends in an ellipsis). `status` is active, or says
    what speaks against it or when it begins to hold.
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


@dataclass(frozen=True)
class ContextEntry:
    """Something recalled; `label` says what it is and how old, `id` which memory, None where it is none.

    `text` of a long record is the stretch that matches.
    """

    text: str
    label: str
    id: str | None = None


@dataclass(frozen=True)
class ContextPart:
    """A part of a compiled context, by its name; entries in the order in which they are told."""

    name: str
    entries: tuple[ContextEntry, ...]


@dataclass(frozen=True)
class CompiledContext:
    """A context for a prompt, of parts in a stable order; `tokens` (estimated on the high side) are all that it costs.

    `intent` is what the query was taken for; `style` and `relationship` are the caller's hints for the answer.
    `omitted` says how many entries did not fit, `notes` what is degraded or was left out.
    """

    preset: str
    intent: str
    method: str
    style: str
    relationship: str
    parts: tuple[ContextPart, ...]
    tokens: int
    omitted: int
    notes: tuple[str, ...]

    def part(self, name: str) -> tuple[ContextEntry, ...]:
        """The entries of a part; none where there is no such part."""
        return next((part.entries for part in self.parts if part.name == name), ())
