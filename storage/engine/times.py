"""Times as the database stores them: whole microseconds since 1970-01-01 UTC."""

from datetime import UTC, date, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
MICROSECONDS_A_DAY = 86_400_000_000


def to_us(moment: datetime) -> int:
    """Return the microseconds since the epoch of an aware time; exact."""
    return (moment - _EPOCH) // _MICROSECOND


def from_us(value: int) -> datetime:
    """Return the aware time in UTC. Raises OverflowError out of range."""
    return _EPOCH + timedelta(microseconds=value)


def day_of(number: int) -> date:
    """Return the day (UTC) that is so many days after the epoch."""
    return (_EPOCH + timedelta(days=number)).date()


def maybe_to_us(moment: datetime | None) -> int | None:
    """Return `to_us`, or None for None."""
    return None if moment is None else to_us(moment)


def maybe_from_us(value: int | None) -> datetime | None:
    """Return `from_us`, or None for None."""
    return None if value is None else from_us(value)
