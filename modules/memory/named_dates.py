"""Arguments that name a time in words, as "last week" or "friday", written as ISO 8601 before they are checked."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from .date_spans import COUNT, NUMBERS, DateSpan, date_spans
from .dates import DateRange, dates_of
from .foreign_dates import foreign_times

BEGIN, END, AHEAD = "begin", "end", "ahead"
OF_TIMES: Mapping[str, str] = {
    "since": BEGIN,
    "until": END,
    "as_of": END,
    "deadline": AHEAD,
    "valid_until": AHEAD,
}
"""The arguments that hold a time, in every tool, and which end of a day or a week they mean; two of them lie ahead."""
MAX_CHARS = 60
A_MOMENT = timedelta(seconds=1)
DAY, WEEK, YEAR = timedelta(days=1), timedelta(days=7), timedelta(days=366)
_PREPOSITION = re.compile(r"(?:by|on|at the end of|end of|before|until|since) ", re.IGNORECASE)
_HENCE = re.compile(rf"in (an?|{COUNT}) (day|week)s?")
_LETTERS = re.compile(r"[^\W\d_]{3}|[^\W\d_a-z]{2}", re.IGNORECASE)


async def spelled_out(given: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Return arguments with the times that they name in words as ISO 8601; what is no time stays as it is."""
    named = {name: OF_TIMES[name] for name, value in given.items() if name in OF_TIMES and _is_in_words(value)}
    found = {name: await asyncio.to_thread(iso_of, given[name], meant, now) for name, meant in named.items()}
    return {**given, **{name: moment for name, moment in found.items() if moment is not None}}


def iso_of(text: str, meant: str, now: datetime) -> str | None:
    """Return the moment that a text as a whole names, as ISO 8601; None where it names none, or more than one.

    The first call loads dateparser: make it outside the event loop.
    """
    words = _PREPOSITION.sub("", " ".join(text.split()), count=1)
    if hence := _HENCE.fullmatch(words.casefold()):
        count = 1 if hence[1] in ("a", "an") else int(NUMBERS.get(hence[1], hence[1]))
        begin = now.replace(hour=0, minute=0, second=0, microsecond=0) + count * (WEEK if hence[2] == "week" else DAY)
        found: DateRange | None = DateRange(begin, begin + DAY)
    else:
        found = _one(words, now, ahead=meant == AHEAD)
    if found is None:
        return None
    return (found.begin if meant == BEGIN else found.end - A_MOMENT).astimezone(UTC).isoformat()


def _one(words: str, now: datetime, *, ahead: bool) -> DateRange | None:
    """Return the only time in a text that is nothing else, as "friday"; `ahead`, the next one instead of the last."""
    for text in (words, f"on {words}", f"in {words}"):
        spans = list(date_spans(text))
        if [span.first.casefold() for span in spans] != [text.casefold()]:
            continue
        return _nearest(spans, now, ahead=ahead)
    foreign = foreign_times(words, is_time=True)
    if foreign is None or not foreign.alone or len(foreign.spans) > 1:
        return None
    return _nearest(foreign.spans, now, ahead=ahead)


def _nearest(spans: Sequence[DateSpan], now: datetime, *, ahead: bool) -> DateRange | None:
    moments = (now, now + WEEK, now + YEAR) if ahead and not spans[0].relative else (now,)
    found = [one for moment in moments for one in dates_of(spans, moment)]
    return next((one for one in found if one.end > now), found[0]) if found else None


def _is_in_words(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_CHARS and _LETTERS.search(value) is not None
