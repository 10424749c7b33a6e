"""A store, step by step: validated, redacted, stated, composed. Each step takes what the one before it gives.

What is written, and asked about, follows in `service.py`.
"""

import asyncio
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from .. import identifiers, inputs
from ..errors import InvalidInput
from ..facts import templates
from ..facts.slots import GIVEN, READ, USER, canonical_slot
from ..facts.sources import trust_of
from ..records import dataclass
from ..redactor import Redactor
from ..store_request import StoreRequest
from ..text.scripts import composed as composed_letters
from ..text.sentences import sentences
from . import dialogue, formulas, lifecycle
from .date_spans import names_date
from .dates import DateRange, dates_in
from .models import Kind, Memory, MemoryType, Slot, Status
from .summarising import headline, summary

MAX_SESSION_BYTES, MAX_SOURCE_BYTES, MAX_SLOT_BYTES = 200, 200, 400
MAX_SUPERSEDED = 50
STATING_CHARS = templates.MAX_CHARS
"""The longest text in which a statement or a date is read: a longer one states more than one thing."""

_SINCE = re.compile(
    r"\b(?:as of|since|effective(?: from)?|starting(?: from)?|from(?= [^,.]{3,30}?(?:,| on\b))|"
    r"(?<!.)from(?= [^,.]{0,20}?\b\d{4}\b))\s",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"\b(?:until|till)\s", re.IGNORECASE)
HALF_A_YEAR, A_YEAR, A_MOMENT = timedelta(days=183), timedelta(days=365), timedelta(seconds=1)
PHRASE_CHARS = 40
"""The characters after an introducing word within which a date stands."""


@dataclass(frozen=True)
class Draft:
    """A request that is acceptable, in the types of memory; what it states is not known yet."""

    content: str
    memory_type: MemoryType
    importance: float | None
    tags: Sequence[str]
    metadata: Mapping[str, Any]
    source: str
    occurred_at: datetime
    session: str | None
    given: Mapping[str, str]
    confidence: float
    supersedes: Sequence[str]
    kind: Kind | None
    place: Mapping[str, str] | None = None
    valid_until: datetime | None = None

    @property
    def speaker(self) -> str | None:
        """The speaker of a turn of a conversation, None for any other memory."""
        return None if self.session is None else dialogue.split_speaker(self.content)[0]


@dataclass(frozen=True)
class Stated:
    """The slot that a text states, if that is known, its kind, and the dates that it gives for when it holds."""

    slot: Slot | None
    kind: Kind
    valid_from: datetime | None = None
    valid_to: datetime | None = None


def validated(request: StoreRequest, max_content_bytes: int, now: datetime) -> Draft:
    """Return the request once each field is acceptable. Raises InvalidInput, which names the field."""
    inputs.count("supersedes", len(request.supersedes), 0, MAX_SUPERSEDED)
    slot = {"subject": request.subject, "attribute": request.attribute, "value": request.value}
    sure = lifecycle.EXPLICIT_CONFIDENCE if request.confidence is None else request.confidence
    session, rated = request.session, request.importance
    occurred_at = inputs.moment("occurred_at", request.occurred_at) or now
    valid_until = inputs.end_of_day_if_date_only("valid_until", request.valid_until)
    if valid_until is not None and valid_until <= occurred_at:
        raise InvalidInput(
            "valid_until", "is before the memory begins; give a later date, or say that the memory begins earlier"
        )
    return Draft(
        content=inputs.text("content", request.content, max_content_bytes),
        memory_type=inputs.choice("memory_type", request.memory_type, MemoryType),
        importance=None if rated is None else inputs.unit_interval("importance", rated),
        tags=inputs.tags("tags", request.tags),
        metadata=inputs.metadata("metadata", dict(request.metadata or {})),
        source=inputs.text("source", request.source, MAX_SOURCE_BYTES, allow_empty=True),
        occurred_at=occurred_at,
        session=None if session is None else inputs.text("session", session, MAX_SESSION_BYTES),
        given={name: inputs.text(name, text, MAX_SLOT_BYTES) for name, text in slot.items() if text is not None},
        confidence=inputs.unit_interval("confidence", sure),
        supersedes=tuple(dict.fromkeys(request.supersedes)),
        kind=None if request.kind is None else inputs.choice("kind", request.kind, Kind),
        place=request.place,
        valid_until=valid_until,
    )


async def redacted(draft: Draft, redactor: Redactor) -> Draft:
    """Return the draft without secrets."""
    given = {name: await redactor.text(text) for name, text in draft.given.items() if name != "value"}
    if "value" in draft.given:  # the attribute's name may tell that it is a secret
        given["value"] = await redactor.named(draft.given.get("attribute", ""), draft.given["value"])
    return replace(
        draft,
        content=await redactor.text(draft.content),
        tags=await redactor.tags(draft.tags),
        metadata=await redactor.json(dict(draft.metadata)),
        source=await redactor.text(draft.source),
        session=None if draft.session is None else await redactor.text(draft.session),
        given=given,
    )


async def stating(draft: Draft) -> Stated:
    """Return what the draft states; a turn, and a text of a given kind, state only what was given with them."""
    is_turn = draft.speaker is not None or draft.kind is not None
    return await stated(draft.content, draft.memory_type, draft.occurred_at, draft.given, is_turn=is_turn)


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
    if len(content) <= STATING_CHARS and names_date(content):
        since, until = await asyncio.to_thread(_dates, content, occurred_at)
    if slot is None:  # of several sentences "until" is about one
        return Stated(None, kind, since, until if len(sentences(content)) == 1 else None)
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
        raise InvalidInput(missing, "is not clear from the text; name both subject and attribute, or neither")
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
    end = None if until is None or until.end <= occurred_at else until.end - A_MOMENT  # on its last day
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


def composed(draft: Draft, states: Stated, namespace: str, now: datetime, working_hours: float) -> Memory:
    """Return the memory as it is to be written."""
    is_working = draft.memory_type is MemoryType.WORKING
    return Memory(
        id=identifiers.new_id("mem"),
        namespace=namespace,
        memory_type=draft.memory_type,
        content=draft.content,
        summary=summary(draft.content),
        tags=tuple(draft.tags),
        importance=formulas.importance(draft.content, draft.memory_type)
        if draft.importance is None
        else draft.importance,
        metadata={**draft.metadata, **(draft.place or {})} if not _is_personal(states) else dict(draft.metadata),
        source=draft.source,
        occurred_at=draft.occurred_at,
        created_at=now,
        updated_at=now,
        accessed_at=now,
        access_count=0,
        version=1,
        expires_at=now + timedelta(hours=working_hours) if is_working else None,
        session=draft.session,
        speaker=draft.speaker,
        kind=states.kind if draft.kind is None else draft.kind,
        status=Status.CANDIDATE if draft.confidence < lifecycle.CANDIDATE_BELOW else Status.ACTIVE,
        confidence=draft.confidence,
        trust=trust_of(draft.source),
        slot=states.slot,
        valid_from=states.valid_from,
        valid_to=draft.valid_until or states.valid_to,
    )


def _is_personal(states: Stated) -> bool:
    """Return whether a text is about the user, in every project."""
    return states.kind is Kind.PREFERENCE or (states.slot is not None and states.slot.subject == USER)


def other_spellings(content: str) -> list[str]:
    """Return the same text with one space between words, its first letter great or small, with and without a full stop.

    These are looked up by their hashes, so that none of them is stored beside another.
    """
    plain = " ".join(content.split()).removesuffix(".")
    begun = (plain, plain[:1].upper() + plain[1:], plain[:1].lower() + plain[1:])
    return [text for one in dict.fromkeys(begun) for text in (one, f"{one}.") if text != content]


def content_hash(content: str, session: str | None = None) -> str:
    """Return the hash by which two memories are exact duplicates: SHA-256 of the text, of a turn with its session.

    How a keyboard composes letters (NFC, NFD) makes no difference.
    """
    content = composed_letters(content)
    text = content if session is None else f"{session}\x00{content}"  # neither can hold a NUL
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
