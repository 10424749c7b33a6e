"""The times that a question names, in English or in another language, and whether it asks for nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ..stop_words import STOP_WORDS
from .date_spans import DateSpan, date_spans
from .dates import DateRange, dates_of
from .foreign_dates import foreign_times, says_nothing_else
from .words import stem, tokens

LONGEST_QUESTION = 300
"""The longest question, in characters, that may ask for a time alone."""
_HAPPENING = frozenset(map(stem, ("happen", "occur", "event")))
"""What a question of a time says beside it."""


@dataclass(frozen=True)
class AskedTimes:
    """The spans of a question that name times, in English words; `alone` says that it asks for nothing else."""

    spans: Sequence[DateSpan] = ()
    alone: bool = False


def asked_times(text: str) -> AskedTimes:
    """Return the times that a question names: "March 2026", "was geschah letzte Woche?".

    The first call loads the words of other languages: make it outside the event loop.
    """
    spans = list(date_spans(text))
    named = [part for span in spans for part in (span.first, span.last, span.offset) if part is not None]
    foreign = foreign_times(text)
    if foreign is not None and foreign.covered > sum(map(len, named)):
        return AskedTimes(foreign.spans, foreign.alone)
    return AskedTimes(spans, bool(spans) and len(text) <= LONGEST_QUESTION and _says_no_more(text, named))


def times_asked_for(text: str, now: datetime) -> tuple[DateRange, ...]:
    """Return the ranges of the times that a question names; what `asked_times` says of the first call holds here."""
    return dates_of(asked_times(text).spans, now)


def times_asked_alone(text: str, now: datetime) -> tuple[DateRange, ...]:
    """Return the ranges of the times that a question asks for, if it asks for nothing else; else none."""
    asked = asked_times(text)
    return dates_of(asked.spans, now) if asked.alone else ()


def _says_no_more(text: str, named: Sequence[str]) -> bool:
    rest = " ".join(text.split())
    for part in named:
        rest = rest.replace(part, " ")
    words = {word for word in tokens(rest) if word not in STOP_WORDS}
    return {stem(word) for word in words} <= _HAPPENING or says_nothing_else(rest)
