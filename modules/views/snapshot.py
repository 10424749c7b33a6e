"""The snapshot for the start of a session: stable parts come first, so that prompt caches hit."""

from collections.abc import Sequence
from typing import Protocol

from ..framing import named, quote
from ..records import dataclass
from ..text.counting import counted, memories_counted
from .questions import SETTLE, OpenQuestion
from .texts import SOURCE_CHARS


class SnapshotEntry(Protocol):
    """An entry of a section."""

    def line(self) -> str:
        """Return the entry as one line."""
        ...


@dataclass(frozen=True)
class SnapshotMemory:
    """A memory worth knowing now; a long `content` ends in an ellipsis. `label` is what to know before believing it.

    `was` is what it has probably replaced.
    """

    id: str
    content: str
    date: str
    label: str = ""
    source: str = ""
    was: str = ""

    def line(self) -> str:
        """Return the memory as one line."""
        label = f", {self.label}" if self.label else ""
        source = f" by {quote(self.source, SOURCE_CHARS)}" if self.source else ""
        was = f" (was: {quote(self.was)})" if self.was else ""
        return f"- {self.id} {self.date}{label}{source}: {quote(self.content)}{was}"


@dataclass(frozen=True)
class SnapshotGoal:
    """An active goal; the most pressing comes first."""

    id: str
    title: str
    progress: float = 0.0
    deadline: str | None = None

    def line(self) -> str:
        """Return the goal as one line."""
        due = f", due {self.deadline}" if self.deadline else ""
        return f"- {self.id} {quote(self.title)} {self.progress:.0%} done{due}"


@dataclass(frozen=True)
class SnapshotPattern:
    """A repeated pattern, how often, and what to do about it."""

    pattern_type: str
    frequency: int
    description: str
    suggested_action: str

    def line(self) -> str:
        """Return the pattern as one line."""
        advice = f"{quote(self.description)} → {quote(self.suggested_action)}"
        return f"- {self.pattern_type} ×{self.frequency}: {advice}"


@dataclass(frozen=True)
class SnapshotInsight:
    """An insight found in the background; it stays until insight_update changes its status."""

    id: str
    severity: str
    text: str
    status: str = "open"

    def line(self) -> str:
        """Return the insight as one line."""
        return f"- {self.id} [{self.severity}] {quote(self.text)}{_seen(self.status)}"


@dataclass(frozen=True)
class SnapshotTask:
    """A task suggested in the background; it stays until insight_update changes its status."""

    id: str
    text: str
    status: str = "open"

    def line(self) -> str:
        """Return the task as one line."""
        return f"- {self.id} {quote(self.text)}{_seen(self.status)}"


@dataclass(frozen=True)
class SnapshotApproval:
    """A request that waits for the user's decision, and until when."""

    id: str
    action: str
    subject: str
    until: str | None = None

    def line(self) -> str:
        """Return the request as one line."""
        until = f", until {self.until}" if self.until else ""
        return f"- {self.id} {named(self.action)} {quote(self.subject)}{until}"


@dataclass(frozen=True)
class Performance:
    """Counts of memories and goals, and the rate of success."""

    total_memories: int
    total_goals: int
    completed_goals: int
    last_7_days_success_rate: float | None = None

    def line(self) -> str:
        """Return the performance as one line."""
        rate = self.last_7_days_success_rate
        success = "no actions in 7 days" if rate is None else f"{rate:.0%} of actions in 7 days succeeded"
        goals = f"{self.completed_goals} of {counted(self.total_goals, 'goal')} completed"
        return f"{memories_counted(self.total_memories)}, {goals}, {success}."


@dataclass(frozen=True)
class DaemonView:
    """The state of the daemon, and when it was last seen."""

    alive: bool
    status: str
    last_seen: str | None = None

    def line(self) -> str:
        """Return the state of the daemon as one line."""
        if self.last_seen is None:
            return "Daemon: never started; agentos-daemon runs the background jobs."
        return f"Daemon: {self.status}, last seen {self.last_seen}."


@dataclass(frozen=True)
class Snapshot:
    """The context of a session's start. `empty` says why a section shows nothing though there is something.

    `omitted` says how many entries the token budget left out, `not_shown` how many memories there are beside those
    shown, `notes` what is degraded. With `only_new` it leaves out what the session's briefing has told.
    """

    agent_id: str
    notice: str
    top_memories: tuple[SnapshotMemory, ...]
    active_goals: tuple[SnapshotGoal, ...]
    recent_patterns: tuple[SnapshotPattern, ...]
    proactive_insights: tuple[SnapshotInsight, ...]
    autonomous_tasks: tuple[SnapshotTask, ...]
    performance_summary: Performance
    daemon_status: DaemonView
    empty: dict[str, str] | None = None
    omitted: int = 0
    hints: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    pending_approvals: tuple[SnapshotApproval, ...] = ()
    questions: tuple[OpenQuestion, ...] = ()
    only_new: bool = False
    not_shown: int = 0

    def as_text(self) -> str:
        """Return the snapshot for a model to read: recalled text is quoted, with its source and date."""
        lines = [f"# Context for agent {quote(self.agent_id)}", self.notice]
        lines += [ONLY_NEW] if self.only_new else []
        for name, title, nothing in SECTIONS:
            entries: Sequence[SnapshotEntry] = getattr(self, name)
            if not entries and (self.only_new or not nothing):
                continue
            lines += ["", f"## {title}", *(entry.line() for entry in entries)]
            lines += [] if entries else [f"({(self.empty or {}).get(name, nothing)})"]
        lines += ["", "## State", self.performance_summary.line(), self.daemon_status.line()]
        noun = "memory is" if self.not_shown == 1 else "memories are"
        lines += [f"{self.not_shown} {noun} not shown here: memory_search."] if self.not_shown else []
        lines += [f"{self.omitted} more did not fit."] if self.omitted else []
        return "\n".join([*lines, *self.hints, *(f"Note: {note}" for note in self.notes)])


SECTIONS = (
    ("pending_approvals", "Waiting for the user (agentos approvals list)", ""),
    ("questions", f"Asked, not answered: {SETTLE}", ""),
    ("top_memories", "Memories", "none yet: memory_store keeps what you learn"),
    ("active_goals", "Active goals", "none: goal_add"),
    ("recent_patterns", "Patterns", "none yet: reflection_log feeds them"),
    ("proactive_insights", "Insights", "none open"),
    ("autonomous_tasks", "Suggested tasks", "none open"),
)
"""The sections in their order, with what is said of an empty one; "": an empty section is left out."""

ONLY_NEW = "Only what is new since this session's briefing; full=true for all."
MORE = "raise max_tokens, or use the list tools"
"""The hint that tells how to see what did not fit."""


def _seen(status: str) -> str:
    return "" if status == "open" else f" ({status})"
