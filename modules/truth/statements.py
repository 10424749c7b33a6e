"""Statements: what a text states of record, read by rules."""

from calendar import isleap
from dataclasses import replace
from datetime import datetime, timedelta

from ..memory.dates import DateRange, dates_in
from .lexicon import by_name
from .main_statement import main_reading
from .models import Statement
from .reading import Reading

MAX_TEXT = 600
"""Longer texts are notes on many things: they get no slot."""
_HALF_YEAR = timedelta(days=183)
_WEEK = timedelta(days=7)


def read_statement(text: str, occurred_at: datetime) -> Statement | None:
    """What a text states about one attribute of one subject; None where it states nothing or the rules are unsure.

    Dates in the text count from `occurred_at`. The first text that names a date loads dateparser (a third of a
    second): call it outside the event loop.
    """
    reading = _reading(text, with_gist=False)
    return None if reading is None else _statement(reading, occurred_at)


def read_gist(text: str, occurred_at: datetime) -> Statement | None:
    """The same, and where that is None what the text states by its gist, which may be compared and asked about.

    It must end nothing: in wordings that the rules do not know one of four such readings is wrong.
    """
    reading = _reading(text, with_gist=True)
    return None if reading is None else _statement(reading, occurred_at)


def _reading(text: str, *, with_gist: bool) -> Reading | None:
    return main_reading(text, with_gist=with_gist) if text.strip() and len(text) <= MAX_TEXT else None


def _statement(reading: Reading, occurred_at: datetime) -> Statement | None:
    clause = reading.clause
    known = by_name().get(reading.attribute)
    dated = known is not None and known.type in ("moment", "date", "year")
    aspect = reading.attribute.rsplit(" ", 1)[-1] in ("date", "time", "day")
    since = None if dated or aspect else _since(clause.since, occurred_at)
    until = None if dated or aspect else _until(clause.until, occurred_at)
    if (
        clause.future
        and not clause.since.startswith("from ")
        and not (dated or aspect)
        and (since is None or since <= occurred_at)
        and not clause.marks_change
    ):
        return None
    if until is not None and until <= occurred_at:
        return None  # it tells of the past
    return Statement(
        subject=reading.subject,
        attribute=reading.attribute,
        value=reading.value,
        polarity=reading.polarity,
        kind=reading.kind,
        confidence=reading.confidence,
        marks_change=clause.marks_change,
        is_correction=clause.is_correction,
        since=since,
        until=until,
        changeable=known is None or known.holds != "fixed",
    )


def _since(phrase: str, occurred_at: datetime) -> datetime | None:
    """The beginning that a phrase names; None where it lies within the time that the phrase names itself ("in May",
    said in May)."""
    if not phrase:
        return None
    ahead = phrase.startswith("from ")
    dates = _dates(phrase.removeprefix("from "), occurred_at)
    if dates is None:
        return None
    begin = dates.begin
    if ahead and not dates.year_known and occurred_at - begin > _HALF_YEAR:
        begin = _a_year_later(begin)
    elif (
        ahead
        and dates.end - begin <= timedelta(days=1)
        and "day" in phrase
        and "last" not in phrase
        and begin < occurred_at - timedelta(days=1)
        and dates.year_known
        and occurred_at - begin <= _WEEK
        and not any(sign.isdigit() for sign in phrase)
        and "yesterday" not in phrase
    ):
        begin += _WEEK
    if begin <= occurred_at < dates.end:
        return None
    return begin


def _a_year_later(moment: datetime) -> datetime:
    """The same day of the next year that has it: of a 29th of February the next leap year."""
    year = moment.year + 1
    while (moment.month, moment.day) == (2, 29) and not isleap(year):
        year += 1
    return moment.replace(year=year)


def _until(phrase: str, occurred_at: datetime) -> datetime | None:
    dates = _dates(phrase, occurred_at) if phrase else None
    if dates is None:
        return None
    end = dates.end
    if end < occurred_at and "day" in phrase.lower() and not any(sign.isdigit() for sign in phrase):
        end += _WEEK
    if end < occurred_at and not dates.year_known:
        end = _a_year_later(end)
    return end


def _dates(phrase: str, occurred_at: datetime) -> DateRange | None:
    text = phrase.removeprefix("the ")
    for candidate in (text, f"in {text}", f"on {text}"):
        try:
            found = dates_in(candidate, occurred_at)
        except ValueError:  # a 29th of February in another year
            return None
        if found:
            return replace(found[0])
    return None
