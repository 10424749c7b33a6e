"""The domain types of insights and tasks: one table, two kinds."""

from datetime import datetime
from enum import StrEnum

from ..records import dataclass


class InsightKind(StrEnum):
    """The kind: an insight informs; a task asks for something to be done."""

    INSIGHT = "insight"
    TASK = "task"


class InsightSeverity(StrEnum):
    """The severity of an insight."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the most severe."""
        return list(InsightSeverity).index(self)


class InsightStatus(StrEnum):
    """The status: open → acknowledged → done | dismissed. Reading never changes it."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    DONE = "done"
    DISMISSED = "dismissed"

    @property
    def is_open(self) -> bool:
        """Return whether it still asks for attention."""
        return self in (InsightStatus.OPEN, InsightStatus.ACKNOWLEDGED)


@dataclass(frozen=True)
class InsightKey:
    """The identity of an insight: who found it, about what, by which rule. No counts, no dates."""

    job: str
    subject: str
    rule: str


@dataclass(frozen=True)
class InsightDraft:
    """An insight or task to be recorded. `priority` (0..1) orders tasks."""

    kind: InsightKind
    key: InsightKey
    severity: InsightSeverity
    text: str
    priority: float = 0.5


@dataclass(frozen=True)
class Insight:
    """An insight or task as it is stored; times are aware, in UTC."""

    id: str
    namespace: str
    kind: InsightKind
    key: InsightKey
    severity: InsightSeverity
    text: str
    priority: float
    status: InsightStatus
    created_at: datetime
    updated_at: datetime
