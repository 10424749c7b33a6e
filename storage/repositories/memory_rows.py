"""Conversion between rows of memories and domain objects."""

import json
from typing import Any

from ...modules.facts.models import BOTH_HOLD, MAY_SUPERSEDE, SAME_AS
from ...modules.memory.models import Kind, LikelySuccessor, Memory, MemoryType, Slot, Status
from ..engine.ports import Row
from ..engine.times import from_us, maybe_from_us, maybe_to_us, to_us

LIKELY_SUCCESSOR = (
    "(SELECT r.weight || ' ' || r.from_id FROM relations r JOIN memories n ON n.id = r.from_id "
    f"WHERE r.to_id = m.id AND r.type = '{MAY_SUPERSEDE}' "
    # It counts while it is active itself, and from the day that it names.
    f"AND n.status = '{Status.ACTIVE}' AND n.valid_to IS NULL "
    "AND coalesce(n.valid_from, n.occurred_at) <= greatest(n.created_at, n.occurred_at) "
    # So it is also with one whose end is known, and lay ahead when the newer one was told.
    "AND (m.valid_to IS NULL OR m.valid_to > n.occurred_at) "
    "AND NOT EXISTS (SELECT 1 FROM relations b "
    f"WHERE b.from_id = r.from_id AND b.type IN ('{BOTH_HOLD}', '{SAME_AS}') AND b.to_id = r.to_id) "
    "ORDER BY r.weight DESC, n.seq DESC LIMIT 1)"
)
"""The likely successor of a memory `m` that holds, unless both hold or tell the same: probability and id."""

CODE_MARK = (
    "(SELECT CASE count(*) WHEN 0 THEN NULL ELSE count(*) || ' ' || min(a.mark) END FROM anchors a "
    "WHERE a.memory_seq = m.seq AND a.mark <> '' AND a.confirmations >= m.confirmations)"
)
"""What became of the code that a memory `m` is about, unless it was confirmed since: how many marks, and the first."""

COLUMNS = (
    "m.seq, m.id, m.namespace, m.memory_type, m.content, m.summary, m.tags, m.importance, m.metadata, m.source, "
    "m.content_hash, m.occurred_at, m.created_at, m.updated_at, m.accessed_at, m.access_count, m.version, "
    "m.expires_at, m.session, m.place, m.speaker, m.kind, m.status, m.confidence, m.trust, m.subject, m.attribute, "
    "m.value, m.slot_confidence, m.polarity, m.valid_from, m.valid_to, m.confirmations, m.rejections, "
    f"{LIKELY_SUCCESSOR} AS likely_successor, {CODE_MARK} AS code_mark"
)
INSERTED = (
    "id, namespace, memory_type, content, summary, tags, importance, metadata, source, content_hash, "
    "occurred_at, created_at, updated_at, accessed_at, access_count, version, expires_at, "
    "session, place, speaker, kind, status, confidence, trust, subject, attribute, value, slot_confidence, polarity, "
    "valid_from, valid_to, confirmations, rejections"
)


def values(memory: Memory, content_hash: str) -> tuple[Any, ...]:
    """Return the columns INSERTED of a memory."""
    return (
        memory.id,
        memory.namespace,
        memory.memory_type.value,
        memory.content,
        memory.summary,
        as_json(memory.tags),
        memory.importance,
        as_json(memory.metadata),
        memory.source,
        content_hash,
        to_us(memory.occurred_at),
        to_us(memory.created_at),
        to_us(memory.updated_at),
        to_us(memory.accessed_at),
        memory.access_count,
        memory.version,
        maybe_to_us(memory.expires_at),
        memory.session,
        memory.place,
        memory.speaker,
        memory.kind.value,
        memory.status.value,
        memory.confidence,
        memory.trust,
        *slot_values(memory.slot),
        maybe_to_us(memory.valid_from),
        maybe_to_us(memory.valid_to),
        memory.confirmations,
        memory.rejections,
    )


def slot_values(slot: Slot | None) -> tuple[Any, ...]:
    """Return subject, attribute, value, slot_confidence and polarity as columns; all None without a slot."""
    if slot is None:
        return (None,) * 5
    return (slot.subject, slot.attribute, slot.value, slot.confidence, slot.polarity)


def to_memory(row: Row) -> Memory:
    """Return the domain object of a row with COLUMNS."""
    return Memory(
        id=row["id"],
        namespace=row["namespace"],
        memory_type=MemoryType(row["memory_type"]),
        content=row["content"],
        summary=row["summary"],
        tags=tuple(json.loads(row["tags"])),
        importance=row["importance"],
        metadata=json.loads(row["metadata"]),
        source=row["source"],
        occurred_at=from_us(row["occurred_at"]),
        created_at=from_us(row["created_at"]),
        updated_at=from_us(row["updated_at"]),
        accessed_at=from_us(row["accessed_at"]),
        access_count=row["access_count"],
        version=row["version"],
        expires_at=maybe_from_us(row["expires_at"]),
        session=row["session"],
        place=row["place"],
        speaker=row["speaker"],
        kind=Kind(row["kind"]),
        status=Status(row["status"]),
        confidence=row["confidence"],
        trust=row["trust"],
        slot=None if row["subject"] is None else _slot(row),
        valid_from=maybe_from_us(row["valid_from"]),
        valid_to=maybe_from_us(row["valid_to"]),
        confirmations=row["confirmations"],
        rejections=row["rejections"],
        may_be_outdated_by=likely_successor(row["likely_successor"]),
        code_mark=code_mark(row["code_mark"]),
    )


def likely_successor(found: str | None) -> LikelySuccessor | None:
    """Return the value of LIKELY_SUCCESSOR as a domain object; None where there is none."""
    if found is None:
        return None
    probability, memory_id = found.split(" ", 1)
    return LikelySuccessor(memory_id, round(float(probability), 3))


def code_mark(found: str | None) -> str:
    """Return the value of CODE_MARK as a text; "" where there is none."""
    if found is None:
        return ""
    count, mark = found.split(" ", 1)
    return mark if count == "1" else f"{mark} (and {int(count) - 1} more)"


def _slot(row: Row) -> Slot:
    return Slot(row["subject"], row["attribute"], row["value"], row["slot_confidence"], bool(row["polarity"]))


def as_json(value: Any) -> str:
    """Return a value as compact JSON, as the database keeps it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
