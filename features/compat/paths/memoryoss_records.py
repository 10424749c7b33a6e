"""memoryOSS's core answers: memories as its records, and recall results."""

from collections.abc import Sequence
from typing import Any

from ....modules.facts.models import Relation
from ....modules.memory.lifecycle import TRUSTED
from ....modules.memory.models import Memory, MemoryVersion, SearchHit, SearchResult, Status
from ....modules.sealed_texts import SealedHit

SUMMARY_CHARS = 140
PREVIEW_CHARS = 120


def record(memory: Memory) -> dict[str, Any]:
    """Return a memory as a record."""
    return {
        "id": memory.id,
        "content": memory.content,
        "tags": memory.tags,
        "agent": memory.source or None,
        "session": memory.session,
        "namespace": memory.namespace,
        "memory_type": memory.memory_type.value,
        "status": memory.status.value,
        "archived": memory.status is Status.ARCHIVED,
        "version": memory.version,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "confidence": round(memory.confidence, 4),
        "evidence_count": 1 + memory.confirmations,
        "confirm_count": memory.confirmations,
        "reject_count": memory.rejections,
        "trust_score": round(memory.trust, 4),
        "low_trust": memory.trust < TRUSTED,
    }


def found(result: SearchResult, limit: int) -> dict[str, Any]:
    """Return what a recall found, at most `limit` of it, as memories and as summaries."""
    hits = result.hits[:limit]
    return {
        "memories": [_scored(hit) for hit in hits],
        "summaries": [_summarised(hit) for hit in hits],
        "next_cursor": result.next_cursor,
        "cursor": result.next_cursor,
    }


def sealed_found(hits: Sequence[SealedHit]) -> dict[str, Any]:
    """Return what was found among the texts that the server cannot read: no summaries of them."""
    memories = [
        {
            "memory": {
                "id": hit.memory.id,
                "content": hit.memory.content,
                "namespace": hit.memory.namespace,
                "version": 1,
                "created_at": hit.memory.created_at,
                "zero_knowledge": True,
            },
            "score": round(hit.similarity, 4),
            "provenance": ["vector"],
        }
        for hit in hits
    ]
    return {"memories": memories, "summaries": [], "next_cursor": None, "cursor": None}


def looked_at(
    memory: Memory, versions: Sequence[MemoryVersion], relations: Sequence[Relation], superseded_by: str | None
) -> dict[str, Any]:
    """Return a memory whole, with its earlier versions, and the relations that it has."""
    return {
        **record(memory),
        "superseded_by": superseded_by,
        "relations": [{"from": one.from_id, "to": one.to_id, "type": one.type} for one in relations],
        "versions": [
            {
                "version": one.version,
                "content": one.content,
                "tags": one.tags,
                "memory_type": one.memory_type.value,
                "replaced_at": one.replaced_at,
            }
            for one in versions
        ],
    }


def _scored(hit: SearchHit) -> dict[str, Any]:
    row = record(hit.memory)
    return {
        "memory": row,
        "score": round(hit.score, 4),
        "provenance": _channels(hit),
        "trust_score": row["trust_score"],
        "low_trust": row["low_trust"],
    }


def _summarised(hit: SearchHit) -> dict[str, Any]:
    row = record(hit.memory)
    return {
        "memory_id": hit.memory.id,
        "summary": hit.memory.summary[:SUMMARY_CHARS],
        "score": round(hit.score, 4),
        **{name: row[name] for name in ("trust_score", "low_trust", "status", "tags")},
        "provenance": _channels(hit),
        "evidence": [{"preview": hit.memory.content[:PREVIEW_CHARS], "provenance": _channels(hit)}],
    }


def _channels(hit: SearchHit) -> list[str]:
    """Return the named parts of a score that count for the memory."""
    return [name for name, part in hit.parts.items() if part > 0]
