"""The formulas of goals: pure functions of stored values and a clock."""

from datetime import datetime, timedelta

PRESSURE_WINDOW = timedelta(days=7)


def pressure(deadline: datetime | None, now: datetime) -> float:
    """Return the pressure of a deadline (0..1): 0 without one, 1 when past, else max(0, 1 − time left / 7 days)."""
    if deadline is None:
        return 0.0
    if deadline <= now:
        return 1.0
    return max(0.0, 1.0 - (deadline - now) / PRESSURE_WINDOW)


def score(priority: float, urgency: float, deadline: datetime | None, now: datetime) -> float:
    """Return the composite priority: .5·priority + .3·urgency + .2·pressure."""
    return 0.5 * priority + 0.3 * urgency + 0.2 * pressure(deadline, now)
