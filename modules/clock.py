"""The clock: a parameter everywhere, so that time can be frozen."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Returns the current moment as an aware datetime in UTC."""


def system_clock() -> datetime:
    """Return the current moment in UTC."""
    return datetime.now(UTC)
