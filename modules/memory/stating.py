"""What a memory states when it is stored: by the caller's word, and for the rest by the rules of `truth`."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

from .. import inputs
from ..errors import InvalidInput
from . import formulas
from .models import Kind, MemoryType, Slot

MAX_SLOT_BYTES = 400
MAX_STATEMENT_CHARS = 400
"""A longer text states more than one thing: the rules are not asked."""


@dataclass(frozen=True)
class Stated:
    """What a text is about, if that is known, what it is, and the dates that it gives for when it holds."""

    slot: Slot | None
    kind: Kind
    valid_from: datetime | None = None
    valid_to: datetime | None = None


async def stated(
    content: str,
    memory_type: MemoryType,
    occurred_at: datetime,
    *,
    is_turn: bool = False,
    subject: str | None = None,
    attribute: str | None = None,
    value: str | None = None,
) -> Stated:
    """What a text states. A turn of a conversation (`is_turn`) is evidence: it has the slot that it is given, or none.

    So has a working memory. Raises InvalidInput where the caller's part of a slot cannot be completed.
    """
    given = {
        field: inputs.text(field, text, MAX_SLOT_BYTES)
        for field, text in (("subject", subject), ("attribute", attribute), ("value", value))
        if text is not None
    }
    kind = Kind.PROCEDURE if memory_type is MemoryType.PROCEDURAL else Kind.NOTE
    if not given and (is_turn or memory_type is MemoryType.WORKING or len(content) > MAX_STATEMENT_CHARS):
        return Stated(None, kind)
    return await asyncio.to_thread(
        _read, content, occurred_at, kind, given
    )  # a millisecond or two, the first time more


def _read(content: str, occurred_at: datetime, kind: Kind, given: dict[str, str]) -> Stated:
    from ..truth.attributes import canonical_slot
    from ..truth.statements import read_statement

    found = read_statement(content, occurred_at) if len(content) <= MAX_STATEMENT_CHARS else None
    if not given:
        if found is None:
            return Stated(None, kind)
        slot = Slot(found.subject, found.attribute, found.value, found.confidence, found.polarity)
        return Stated(slot, Kind(found.kind), found.since, found.until)
    subject, attribute = given.get("subject"), given.get("attribute")
    if found is not None:
        subject, attribute = subject or found.subject, attribute or found.attribute
    if subject is None or attribute is None:
        missing = "subject" if subject is None else "attribute"
        raise InvalidInput(missing, f"is not clear from the text; give {missing} too, or none of the slot")
    subject, attribute = canonical_slot(subject, attribute)
    same = found is not None and (found.subject, found.attribute) == (subject, attribute)
    if found is None or not same:
        return Stated(Slot(subject, attribute, given.get("value") or formulas.summary(content)), Kind.FACT)
    slot = Slot(subject, attribute, given.get("value") or found.value, 1.0, found.polarity)
    return Stated(slot, Kind(found.kind), found.since, found.until)
