"""Dates that a text names or implies, as ranges relative to a reference time; dateparser resolves what is found.

dateparser costs a third of a second and 17 MB at its first use and a millisecond a span afterwards; a text without
a date imports nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import field, replace
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from typing import Any

from ..records import dataclass
from .date_spans import COUNT, MONTH, NUMBERS, SEASON, UNIT, WEEKDAY, YEAR, DateSpan, date_spans

MAX_RANGES = 8
_EACH_WEEK = re.compile(rf"on\s+{WEEKDAY}", re.IGNORECASE)
MAX_SPAN_CHARS = 60
"""The longest span that dateparser is given; no date is longer."""
DAY = timedelta(days=1)


@dataclass(frozen=True)
class DateRange:
    """The time from `begin` to `end` (exclusive), both aware and in UTC.

    Without `year_known` ("in May", "May 8th") it is the most recent one, and any other year may be meant; where it
    `recurs` ("on Friday"), it is the last one, and what is so in every week may be meant.
    """

    begin: datetime
    end: datetime
    year_known: bool = True
    recurs: bool = field(default=False, compare=False)


def distance_days(dates: DateRange, moment: datetime) -> float:
    """Return the days from a moment to the nearest edge of a range, 0 inside.

    Without `year_known` the range of the nearest year counts.
    """
    if dates.year_known:
        return _gap(dates.begin, dates.end, moment)
    years = range(moment.year - dates.begin.year - 1, moment.year - dates.begin.year + 2)
    return min(_gap(_later(dates.begin, years=n), _later(dates.end, years=n), moment) for n in years)


def dates_in(text: str, now: datetime) -> tuple[DateRange, ...]:
    """Return the ranges of the dates in a text, in its order, each once, at most MAX_RANGES.

    Days begin at midnight in the time zone of `now`, from which "yesterday" and the like count. The first call that
    finds a date loads dateparser: make it outside the event loop (`date_spans.names_date` tells).
    """
    return dates_of(list(date_spans(text)), now)


def dates_of(spans: Sequence[DateSpan], now: datetime) -> tuple[DateRange, ...]:
    """Return the ranges of the spans of a text, in their order, each once, at most MAX_RANGES."""
    spans = spans[:MAX_RANGES]
    found = {span: _resolved(span, now, now) for span in spans if not span.relative}
    dated = (dates for span, dates in found.items() if dates is not None and _YEAR.search(span.first))
    anchor = next((dates.begin.astimezone(now.tzinfo) for dates in dated), now)
    ranges = (found[span] if span in found else _resolved(span, now, anchor) for span in spans)
    return tuple(dict.fromkeys(dates for dates in ranges if dates is not None))


def _resolved(span: DateSpan, now: datetime, anchor: datetime) -> DateRange | None:
    """Return the range of a span, None if it is not a date; relative spans count from `anchor`."""
    begin = _range(span.first, anchor if span.relative else now)
    if begin is None:
        return None
    if span.offset is not None:
        shifted = _range(span.offset, begin.begin.astimezone(now.tzinfo))
        return replace(shifted, year_known=begin.year_known) if shifted else begin
    if span.since and begin.begin < now:
        return DateRange(begin.begin, now.astimezone(UTC))
    if span.last is None:
        return replace(begin, recurs=_EACH_WEEK.fullmatch(span.first) is not None)
    end = _range(span.last, now)
    if end is None:
        return None
    first = begin.begin
    if end.year_known and not begin.year_known:  # between March and May 2023
        first = _later(first, years=end.begin.year - first.year)
    if first > end.begin:  # between November and February
        first = _later(first, years=-1)
    return DateRange(first, end.end, end.year_known)


def _range(span: str, now: datetime) -> DateRange | None:
    """Return the range of one span; None where it turns out to be no date."""
    span = _CUE.sub("", " ".join(re.split(r"[\s’'-]+", span.lower())) if not _NUMERIC.fullmatch(span) else span)
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if match := _SEASON_SPAN.fullmatch(span):
        return _season(match["which"], match["season"], match["year"], today)
    if match := _WEEKEND_SPAN.fullmatch(span):
        return _weekend(match["which"], match["count"], today)
    if match := _STRETCH.fullmatch(span):
        began = _parsed(_digits(f"{match['count']} {match['unit']} ago"), today)
        return began and _utc(began[0], today + DAY)
    if match := _DOTTED.fullmatch(span):
        span = f"{match['year']}-{match['month']}-{match['day']}"
    named = _MONTH.search(span)
    found = _parsed(_SAME.get(span) or _digits(_WHICH_MONTH.sub("", span)), today)
    if found is None:
        return None
    day, period = found
    if _YEAR_MONTH.fullmatch(span):
        period = "month"
    if _WHICH_MONTH.match(span):
        if (day.year, day.month) == (today.year, today.month):
            day = _later(day, years=-1)
        return _utc(*_period(day, "month"))
    return _utc(*_period(day, period), year_known=named is None or _YEAR.search(span) is not None)


def _parsed(span: str, today: datetime) -> tuple[datetime, str] | None:
    """Return what dateparser makes of a span: a day at midnight and the period that it stands for; None for no date."""
    if len(span) > MAX_SPAN_CHARS:
        return None
    from dateparser.date import DateDataParser

    settings: dict[str, Any] = {"RELATIVE_BASE": today.replace(tzinfo=None), "PREFER_DATES_FROM": "past"}
    data = DateDataParser(languages=["en"], settings=settings).get_date_data(span)
    if data is None or data.date_obj is None:
        return None
    return data.date_obj.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=today.tzinfo), data.period


def _period(day: datetime, period: str) -> tuple[datetime, datetime]:
    """Return the begin and end of the week (from Monday), month or year that a day lies in, or of the day itself."""
    if period == "week":
        monday = day - day.weekday() * DAY
        return monday, monday + 7 * DAY
    if period == "month":
        first = day.replace(day=1)
        return first, (first + 32 * DAY).replace(day=1)
    if period == "year":
        first = day.replace(month=1, day=1)
        return first, first.replace(year=first.year + 1)
    return day, day + DAY


def _season(which: str | None, season: str, year: str | None, today: datetime) -> DateRange:
    """Return a season of the northern hemisphere, or a quarter; winter belongs to the year in which it begins."""
    first = today.replace(month=_SEASONS[season], day=1)
    over = (first + 95 * DAY).replace(day=1) <= today
    if year is not None:
        first = first.replace(year=int(year))
    elif which == "next":
        first = first if first > today else _later(first, years=1)
    elif which == "this":
        first = first if first - today < 183 * DAY else _later(first, years=-1)
    elif first > today or (which is not None and not over):
        first = _later(first, years=-1)
    return _utc(first, (first + 95 * DAY).replace(day=1), year_known=bool(year or which))


def _weekend(which: str | None, count: str | None, today: datetime) -> DateRange:
    saturday = today + (5 - today.weekday()) * DAY
    weeks = -int(_digits(count)) if count else {"this": 0, "next": 1}.get(which or "", -1)
    return _utc(saturday + 7 * weeks * DAY, saturday + (7 * weeks + 2) * DAY)


def _digits(text: str) -> str:
    return _NUMBER.sub(lambda match: str(NUMBERS[match.group()]), text)


def _later(moment: datetime, *, years: int) -> datetime:
    year = min(max(moment.year + years, MINYEAR), MAXYEAR)
    try:
        return moment.replace(year=year)
    except ValueError:  # the 29th of February
        return moment.replace(year=year, day=28)


def _utc(begin: datetime, end: datetime, *, year_known: bool = True) -> DateRange:
    return DateRange(begin.astimezone(UTC), end.astimezone(UTC), year_known)


def _gap(begin: datetime, end: datetime, moment: datetime) -> float:
    if begin <= moment < end:
        return 0.0
    return (begin - moment if moment < begin else moment - end) / DAY


_SAME = {
    "tonight": "today",
    "this morning": "today",
    "this afternoon": "today",
    "this evening": "today",
    "last night": "yesterday",
    "week before last": "2 weeks ago",
    "month before last": "2 months ago",
    "year before last": "2 years ago",
}
"""Spans that dateparser does not know, in words that it knows."""
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "q1": 1, "q2": 4, "q3": 7, "q4": 10}

_CUE = re.compile(
    r"^(?:(?:in|on|of|until|during|over|by|before|after|through|early|late|mid|the|our|their|his|her|my|s|year) )+"
)
_NUMBER = re.compile(rf"\b(?:{'|'.join(NUMBERS)})\b")
_MONTH = re.compile(rf"\b{MONTH}\b")
_YEAR = re.compile(rf"\b{YEAR}\b")
_NUMERIC = re.compile(r"[\d./-]+")
_YEAR_MONTH = re.compile(rf"{YEAR}[-/]\d{{1,2}}")
_DOTTED = re.compile(rf"(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.(?P<year>{YEAR})")
_WHICH_MONTH = re.compile(rf"^(?:last|past) (?={MONTH}$)")
_SEASON_SPAN = re.compile(
    rf"(?:(?P<which>last|past|previous|this|next) )?(?P<season>{SEASON})(?: (?:of )?(?P<year>{YEAR}))?"
)
_WEEKEND_SPAN = re.compile(rf"(?P<which>last|past|previous|this|next) weekend|(?P<count>{COUNT}) weekends? ago")
_STRETCH = re.compile(rf"(?:last|past) (?P<count>{COUNT}) (?P<unit>{UNIT}s?)")
