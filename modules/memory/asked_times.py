"""The times that a question names, in English or in another language, and whether it asks for nothing else."""

import re
from collections.abc import Sequence
from datetime import datetime

from ..records import dataclass
from ..stop_words import STOP_WORDS
from .date_spans import YEAR, DateSpan, date_spans
from .dates import DateRange, dates_of
from .foreign_dates import foreign_times, says_nothing_else
from .words import stem, tokens

LONGEST_QUESTION = 300
"""The longest question, in characters, that may ask for a time alone."""
_BESIDE = frozenset(
    """a all am an and any are at be been did do does doing during had has have having i in is it just me my of on our
    so that the there these this those to us was we were what which with you your""".split()
) | frozenset(map(stem, ("happen", "occur", "event")))
"""What a question of a time alone says beside it, as stems; "who", "not", "more" or "before" ask for something else."""
_PAST = frozenset("did had happened occurred was were".split())
_RANGE = frozenset("between from through till until".split())
_BOUNDS = frozenset("after before by through until".split())
"""What says that another time is meant than the one that is named."""
_A_YEAR = re.compile(YEAR)


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
    if foreign is not None and (foreign.covered, _is_open(foreign.spans)) > (sum(map(len, named)), _is_open(spans)):
        return AskedTimes(foreign.spans, foreign.alone and (foreign.past or not _may_be_planned(foreign.spans)))
    return AskedTimes(spans, bool(spans) and len(text) <= LONGEST_QUESTION and _says_no_more(text, spans, named))


def times_asked_for(text: str, now: datetime) -> tuple[DateRange, ...]:
    """Return the ranges of the times that a question names; what `asked_times` says of the first call holds here."""
    return dates_of(asked_times(text).spans, now)


def times_asked_alone(text: str, now: datetime) -> tuple[DateRange, ...]:
    """Return the ranges of the times that a question asks for, if it asks for nothing else; else none."""
    asked = asked_times(text)
    return dates_of(asked.spans, now) if asked.alone else ()


def _says_no_more(text: str, spans: Sequence[DateSpan], named: Sequence[str]) -> bool:
    if any(not span.relative and not _BOUNDS.isdisjoint(tokens(span.first)) for span in spans):
        return False
    rest = " ".join(text.split())
    for part in named:
        rest = rest.replace(part, " ")
    words = set(tokens(rest))
    if _may_be_planned(spans) and words.isdisjoint(_PAST):
        return False
    if _is_open(spans):
        words.discard("since")
    if any(span.last is not None for span in spans):
        words -= _RANGE
    others = {word for word in words if _BESIDE.isdisjoint((word, stem(word)))}
    return not others or (others.isdisjoint(STOP_WORDS) and says_nothing_else(rest))


def _may_be_planned(spans: Sequence[DateSpan]) -> bool:
    """Return whether a span has no year ("on Monday", "in May"): what is planned for the next one may be meant."""
    return not _is_open(spans) and not any(
        span.relative or _A_YEAR.search(f"{span.first} {span.last}") for span in spans
    )


def _is_open(spans: Sequence[DateSpan]) -> bool:
    return any(span.since for span in spans)
