"""The connector `calendar`: appointments of a calendar file (iCalendar)."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from ....modules import foreign_files
from ....modules.errors import InvalidInput
from ....modules.installing import INSTALL_FILES_EXTRA
from ..models import Connector, Signal
from .texts import day, reference, title

MOST_BYTES = 32 * foreign_files.MiB
ZERO, ONE_DAY = timedelta(0), timedelta(days=1)
_EVERY = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}


def _places() -> Sequence[Path]:
    return []


def _read(path: Path, now: datetime) -> Iterable[Signal]:
    try:
        from icalendar import Calendar
    except ImportError as error:
        raise InvalidInput("file", f"calendars need icalendar: {INSTALL_FILES_EXTRA}") from error
    try:
        calendars = Calendar.from_ical(foreign_files.text(path, MOST_BYTES), multiple=True)
    except (ValueError, IndexError, KeyError) as error:
        raise InvalidInput("file", "is not a calendar (iCalendar)") from error
    events = [event for calendar in calendars for event in calendar.walk("VEVENT")]
    if not events:
        raise InvalidInput("file", "has no appointments, or is cut off")
    signals = [signal for event in events if (signal := _read_one(event, now)) is not None]
    return sorted(signals, key=lambda one: one.at, reverse=True)


def _read_one(event: Any, now: datetime) -> Signal | None:
    """Return what an appointment says; None for one that says nothing, or has a property that cannot be read."""
    try:
        return _signal(event, now)
    except (ValueError, TypeError, AttributeError, IndexError, KeyError):
        return None


def _signal(event: Any, now: datetime) -> Signal | None:
    begin, end = (getattr(event.get(name), "dt", None) for name in ("DTSTART", "DTEND"))
    name = title(str(event.get("SUMMARY", "")))
    if not isinstance(begin, date) or not name:
        return None
    begins = _moment(begin)
    if begins is None:
        return None
    where = title(str(event.get("LOCATION", "")))
    rule = event.get("RRULE")
    repeated = _repeated(rule) if isinstance(rule, dict) else ""
    clock = f" at {begin:%H:%M}{_zone(begin, event['DTSTART'])}" if isinstance(begin, datetime) else ""
    text = f"Calendar: {name}, {repeated + ' from ' if repeated else 'on '}{day(_local(begin))}{clock}"
    text += f", in {where}." if where else "."
    canceled = str(event.get("STATUS", "")).upper() == "CANCELLED"
    text = text.removesuffix(".") + ", cancelled." if canceled else text
    identity = (event.get("UID") or name, event.get("RECURRENCE-ID", ""))
    ends = _moment(end) if isinstance(end, date) else None
    last = day(max(begins, (ends or begins) - (ONE_DAY if ends and not isinstance(end, datetime) else ZERO)))
    until = last if not repeated and last >= day(now) else None
    at = now if repeated and _goes_on(rule, now) else begins
    return Signal(reference("event", *identity), text, at, is_event=not repeated, until=until)


def _zone(begin: datetime, written: Any) -> str:
    """Return the zone of a time, as its calendar names it; "" for a time without one."""
    name = title(str(written.params.get("TZID") or begin.tzinfo)) if begin.tzinfo else ""
    return f" {name}" if name else ""


def _repeated(rule: Any) -> str:
    """Return how often an appointment recurs, in words; "" for what has none."""
    unit = _EVERY.get(str((rule.get("FREQ") or [""])[0]).upper(), "")
    number = max(1, int((rule.get("INTERVAL") or [1])[0]))
    if not unit:
        return ""
    return f"every {unit}" if number == 1 else f"every {number} {unit}s"


def _goes_on(rule: Any, now: datetime) -> bool:
    """Return whether an appointment recurs after now, as far as its rule says so without being worked out."""
    last = (rule.get("UNTIL") or [None])[0]
    ends = _moment(last) if isinstance(last, date) else None
    return not rule.get("COUNT") and (ends is None or ends >= now)


def _local(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime.combine(value, time())


def _moment(value: date) -> datetime | None:
    """Return a date or date-time in UTC; one without a zone is taken as UTC. None beyond what a clock shows."""
    local = _local(value)
    try:
        return (local if local.tzinfo else local.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


CALENDAR = Connector("calendar", "calendar files (.ics)", _places, _read)
