"""A store, step by step: validated, redacted, stated, composed. Each step takes what the one before it gives.

What is written, and asked about, follows in `service.py`.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from .. import identifiers, inputs
from ..facts.sources import trust_of
from ..redactor import Redactor
from ..store_request import StoreRequest
from ..text.scripts import composed as composed_letters
from . import dialogue, formulas, lifecycle
from .models import Kind, Memory, MemoryType, Status
from .statements import Stated, stated
from .summarising import summary

MAX_SESSION_BYTES, MAX_SOURCE_BYTES, MAX_SLOT_BYTES = 200, 200, 400
MAX_SUPERSEDED = 50


@dataclass(frozen=True)
class Draft:
    """A request that is acceptable, in the types of memory; what it states is not known yet."""

    content: str
    memory_type: MemoryType
    importance: float
    tags: Sequence[str]
    metadata: Mapping[str, Any]
    source: str
    occurred_at: datetime
    session: str | None
    given: Mapping[str, str]
    confidence: float
    supersedes: Sequence[str]
    kind: Kind | None
    is_rated: bool = False

    @property
    def speaker(self) -> str | None:
        """The speaker of a turn of a conversation, None for any other memory."""
        return None if self.session is None else dialogue.split_speaker(self.content)[0]


def validated(request: StoreRequest, max_content_bytes: int, now: datetime) -> Draft:
    """Return the request once each field is acceptable. Raises InvalidInput, which names the field."""
    inputs.count("supersedes", len(request.supersedes), 0, MAX_SUPERSEDED)
    slot = {"subject": request.subject, "attribute": request.attribute, "value": request.value}
    sure = lifecycle.EXPLICIT_CONFIDENCE if request.confidence is None else request.confidence
    session = request.session
    return Draft(
        content=inputs.text("content", request.content, max_content_bytes),
        memory_type=inputs.choice("memory_type", request.memory_type, MemoryType),
        importance=inputs.unit_interval("importance", request.importance),
        tags=inputs.tags("tags", request.tags),
        metadata=inputs.metadata("metadata", dict(request.metadata or {})),
        source=inputs.text("source", request.source, MAX_SOURCE_BYTES, allow_empty=True),
        occurred_at=inputs.moment("occurred_at", request.occurred_at) or now,
        session=None if session is None else inputs.text("session", session, MAX_SESSION_BYTES),
        given={name: inputs.text(name, text, MAX_SLOT_BYTES) for name, text in slot.items() if text is not None},
        confidence=inputs.unit_interval("confidence", sure),
        supersedes=tuple(dict.fromkeys(request.supersedes)),
        kind=None if request.kind is None else inputs.choice("kind", request.kind, Kind),
        is_rated=request.is_rated,
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


def composed(draft: Draft, states: Stated, namespace: str, now: datetime, working_hours: float) -> Memory:
    """Return the memory as it is to be written."""
    is_working = draft.memory_type is MemoryType.WORKING
    rated = draft.importance if draft.is_rated else None
    return Memory(
        id=identifiers.new_id("mem"),
        namespace=namespace,
        memory_type=draft.memory_type,
        content=draft.content,
        summary=summary(draft.content),
        tags=tuple(draft.tags),
        importance=formulas.importance(draft.importance, draft.content, draft.memory_type) if rated is None else rated,
        metadata=dict(draft.metadata),
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
        valid_to=states.valid_to,
    )


def content_hash(content: str, session: str | None = None) -> str:
    """Return the hash by which two memories are exact duplicates: SHA-256 of the text, of a turn with its session.

    How a keyboard composes letters (NFC, NFD) makes no difference.
    """
    content = composed_letters(content)
    text = content if session is None else f"{session}\x00{content}"  # neither can hold a NUL
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
