"""Insights and tasks after an answer, as results."""

from ..insights.models import Insight
from ..records import dataclass


@dataclass(frozen=True)
class InsightView:
    """An insight or task after the change."""

    id: str
    status: str

    def as_text(self) -> str:
        """Return the status that it has now."""
        return f"{self.id} is {self.status}."


def insight(found: Insight) -> InsightView:
    """Return the view of an insight or a task after the change."""
    return InsightView(found.id, found.status.value)
