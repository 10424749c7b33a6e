"""Times as the database stores them: whole microseconds since 1970-01-01 UTC."""

from datetime import UTC, date, datetime, timedelta, tzinfo

from ...modules.errors import StorageRefused

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
MICROSECONDS_A_DAY = 86_400_000_000


def to_us(moment: datetime) -> int:
    """Return the microseconds since the epoch of an aware time; exact."""
    return (moment - _EPOCH) // _MICROSECOND


def from_us(value: int) -> datetime:
    """Return the aware time in UTC. Raises StorageRefused out of range: AgentOS never wrote that."""
    try:
        return _EPOCH + timedelta(microseconds=value)
    except OverflowError:
        raise StorageRefused(
            "the database has a moment that no clock says: restore a backup (agentos restore); agentos doctor has more"
        ) from None


def day_of(number: int) -> date:
    """Return the day that is so many days after that of the epoch."""
    return (_EPOCH + timedelta(days=number)).date()


def maybe_to_us(moment: datetime | None) -> int | None:
    """Return `to_us`, or None for None."""
    return None if moment is None else to_us(moment)


def maybe_from_us(value: int | None) -> datetime | None:
    """Return `from_us`, or None for None."""
    return None if value is None else from_us(value)


def day_in(zone: tzinfo, column: str, since: datetime, until: datetime) -> str:
    """Return as SQL the number of the day, in a zone, on which a moment of a span falls that a column holds.

    The zone's changes of its clocks within the span are part of it.
    """
    shifts = _shifts(zone, since, until)
    if len(shifts) == 1:
        return f"({column} + {shifts[0][1] // _MICROSECOND}) / {MICROSECONDS_A_DAY}"
    cases = " ".join(
        f"WHEN {column} >= {to_us(begin)} THEN {offset // _MICROSECOND}" for begin, offset in reversed(shifts[1:])
    )
    return f"({column} + CASE {cases} ELSE {shifts[0][1] // _MICROSECOND} END) / {MICROSECONDS_A_DAY}"


def _shifts(zone: tzinfo, since: datetime, until: datetime) -> list[tuple[datetime, timedelta]]:
    """Return how far a zone is from UTC at the begin of a span, and from each of the moments on when that changes."""
    found = [(since, _offset(zone, since))]
    while since < until:
        later = min(since + timedelta(days=1), until)
        while since < later and (offset := _offset(zone, later)) != found[-1][1]:
            found.append(_change(zone, since, later, offset))
            since = found[-1][0]
        since = later
    return found


def _change(zone: tzinfo, before: datetime, after: datetime, offset: timedelta) -> tuple[datetime, timedelta]:
    """Return the minute between two moments from which on a zone has an offset that it has at the second."""
    while after - before > timedelta(minutes=1):
        middle = before + (after - before) / 2
        before, after = (before, middle) if _offset(zone, middle) == offset else (middle, after)
    return after.replace(second=0, microsecond=0), offset


def _offset(zone: tzinfo, moment: datetime) -> timedelta:
    return moment.astimezone(zone).utcoffset() or timedelta(0)
