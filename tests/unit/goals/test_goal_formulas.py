"""The numbers of goals: pressure and composite score."""

from datetime import UTC, datetime, timedelta

import pytest

from agentos.modules.goals import formulas
from tests.tables import every

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@every(
    ("left", "expected"),
    [
        (None, 0.0),
        (timedelta(days=-3), 1.0),
        (timedelta(0), 1.0),
        (timedelta(hours=5), 1 - 5 / 168),  # due soon, not overdue: hours count
        (timedelta(days=3.5), 0.5),
        (timedelta(days=7), 0.0),
        (timedelta(days=70), 0.0),
        (timedelta(microseconds=1), 1 - 1 / (7 * 86_400e6)),
    ],
)
def test_a_deadline_presses_more_as_it_nears(left: timedelta | None, expected: float) -> None:
    deadline = None if left is None else NOW + left
    assert formulas.pressure(deadline, NOW) == pytest.approx(expected, abs=1e-12)


@every(
    ("priority", "urgency", "left", "expected"),
    [
        (0.5, 0.5, None, 0.4),
        (1.0, 1.0, timedelta(days=-1), 1.0),
        (0.0, 0.0, None, 0.0),
        (0.8, 0.2, timedelta(days=3.5), 0.56),
        (0.2, 0.9, timedelta(hours=5), 0.1 + 0.27 + 0.2 * (1 - 5 / 168)),
    ],
)
def test_the_score_weighs_priority_urgency_and_pressure(
    priority: float, urgency: float, left: timedelta | None, expected: float
) -> None:
    deadline = None if left is None else NOW + left
    assert formulas.score(priority, urgency, deadline, NOW) == pytest.approx(expected, abs=1e-9)
