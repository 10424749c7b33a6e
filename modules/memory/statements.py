"""The statement in a memory when it is stored: by the caller's word, or where a template of `facts` surely reads it."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ..errors import InvalidInput
from ..facts import templates
from ..facts.slots import GIVEN, READ, canonical_slot
from .date_spans import names_date
from .dates import DateRange, dates_in
from .models import Kind, MemoryType, Slot
from .summarising import headline

MAX_CHARS = templates.MAX_CHARS
"""The longest text in which a statement or a date is read: a longer one states more than one thing."""

_SINCE = re.compile(
    r"\b(?:as of|since|effective(?: from)?|starting(?: from)?|from(?= [^,.]{3,30}?(?:,| on\b))|"
    r"(?<!.)from(?= [^,.]{0,20}?\b\d{4}\b))\s",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"\b(?:until|till)\s", re.IGNORECASE)
HALF_A_YEAR, A_YEAR = timedelta(days=183), timedelta(days=365)
PHRASE_CHARS = 40
"""The characters after an introducing word within which a date stands."""


@dataclass(frozen=True)
class Stated:
    """The slot that a text states, if that is known, its kind, and the dates that it gives for when it holds."""

    slot: Slot | None
    kind: Kind
    valid_from: datetime | None = None
    valid_to: datetime | None = None


async def stated(
    content: str,
    memory_type: MemoryType,
    occurred_at: datetime,
    given: Mapping[str, str],
    *,
    is_turn: bool = False,
) -> Stated:
    """Return what a text states; `given` are those of subject, attribute and value that the caller named.

    A turn of a conversation (`is_turn`) and a working memory are evidence: they have the slot that they are given, or
    none. Raises InvalidInput where the caller's part of a slot cannot be completed.
    """
    kind = Kind.PROCEDURE if memory_type is MemoryType.PROCEDURAL else Kind.NOTE
    if not given and (is_turn or memory_type is MemoryType.WORKING):
        return Stated(None, kind)
    slot = _slot(content, given)
    since = until = None
    if len(content) <= MAX_CHARS and names_date(content):
        since, until = await asyncio.to_thread(_dates, content, occurred_at)
    if slot is None:
        return Stated(None, kind, since)
    return Stated(slot, Kind.FACT, since, until)


def _slot(content: str, given: Mapping[str, str]) -> Slot | None:
    read = templates.read(content)
    if not given:
        return None if read is None else Slot(read.subject, read.attribute, read.value, READ, read.polarity)
    subject, attribute = given.get("subject"), given.get("attribute")
    if read is not None:
        subject, attribute = subject or read.subject, attribute or read.attribute
    if subject is None or attribute is None:
        missing = "subject" if subject is None else "attribute"
        raise InvalidInput(missing, f"is not clear from the text; give {missing} too, or leave the slot out")
    subject, attribute = canonical_slot(subject, attribute)
    same = read if read is not None and (read.subject, read.attribute) == (subject, attribute) else None
    value = given.get("value") or (headline(content) if same is None else same.value)
    denied = templates.denies(content, value) or (same is not None and not same.polarity)
    return Slot(subject, attribute, value, GIVEN, not denied)


def _dates(content: str, occurred_at: datetime) -> tuple[datetime | None, datetime | None]:
    """Return since when and until when a text says that it holds.

    A period in which it is told says nothing more exact than that it holds then.
    """
    since, until = _date_after(_SINCE, content, occurred_at), _date_after(_UNTIL, content, occurred_at)
    is_within = since is not None and since.begin <= occurred_at < since.end and "since" not in content.casefold()
    begin = None if since is None or is_within else since.begin
    end = None if until is None or until.end <= occurred_at else until.end
    return begin, end


def _date_after(words: re.Pattern[str], content: str, occurred_at: datetime) -> DateRange | None:
    match = words.search(content)
    if match is None:
        return None
    phrase = re.split(r"[,;]", content[match.end() : match.end() + PHRASE_CHARS])[0].removesuffix(" on")
    for text in (phrase, f"in {phrase}", f"on {phrase}"):
        try:
            found = dates_in(text, occurred_at)
        except ValueError:  # a 29th of February in another year
            return None
        if found:
            is_past = found[0].year_known or "since" in match[0].casefold()
            return found[0] if is_past else _nearest(found[0], occurred_at)
    return None


def _nearest(dates: DateRange, occurred_at: datetime) -> DateRange:
    """Return a day without its year in the nearest year: one that lies more than half a year back is the next one."""
    if occurred_at - dates.begin <= HALF_A_YEAR:
        return dates
    return replace(dates, begin=dates.begin + A_YEAR, end=dates.end + A_YEAR)
