"""Structured results that several tools share: frozen dataclasses, dumped to JSON by the door."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.goals.models import Goal
from ..modules.memory.ages import age
from ..modules.memory.models import Memory
from ..modules.suspicion import is_suspicious

MAX_TEXT_CHARS = 500
"""A text in the compact form is cut here; the structured form has it whole."""


@dataclass(frozen=True)
class MemoryView:
    """A memory: what it states (`value` is the `attribute` of `subject`), how far it is believed, and when it holds.

    `valid_to` is null while it holds; `superseded_by` is what has replaced it. One that is `upcoming` holds only from
    `valid_from` on.
    """

    id: str
    agent_id: str
    memory_type: str
    content: str
    summary: str
    importance: float
    tags: list[str]
    metadata: dict[str, Any]
    source: str
    occurred_at: datetime
    created_at: datetime
    updated_at: datetime
    last_accessed: datetime
    access_count: int
    version: int
    expires_at: datetime | None
    session: str | None
    kind: str
    status: str
    confidence: float
    subject: str | None
    attribute: str | None
    value: str | None
    valid_from: datetime
    upcoming: Annotated[bool, Field(exclude_if=operator.not_)]
    valid_to: datetime | None
    superseded_by: str | None
    age: str


async def fields_of(agentos: AgentOS, namespace: str, memories: Sequence[Memory]) -> list[dict[str, Any]]:
    """The fields of MemoryView of each memory, for it and for the views that extend it."""
    successors = await agentos.judgements.successors(namespace, memories)
    now = agentos.clock()
    return [_memory_fields(memory, successors.get(memory.id), now) for memory in memories]


def _memory_fields(memory: Memory, successor: str | None, now: datetime) -> dict[str, Any]:
    slot = memory.slot
    return {
        "id": memory.id,
        "agent_id": memory.namespace,
        "memory_type": memory.memory_type.value,
        "content": memory.content,
        "summary": memory.summary,
        "importance": round(memory.importance, 6),
        "tags": list(memory.tags),
        "metadata": memory.metadata,
        "source": memory.source,
        "occurred_at": memory.occurred_at,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "last_accessed": memory.accessed_at,
        "access_count": memory.access_count,
        "version": memory.version,
        "expires_at": memory.expires_at,
        "session": memory.session,
        "kind": memory.kind.value,
        "status": memory.status.value,
        "confidence": round(memory.confidence, 6),
        "subject": None if slot is None else slot.subject,
        "attribute": None if slot is None else slot.attribute,
        "value": None if slot is None else slot.value,
        "valid_from": memory.holds_from,
        "upcoming": memory.holds_from > now,
        "valid_to": memory.valid_to,
        "superseded_by": successor,
        "age": age(memory.occurred_at, now),
    }


def label(memory: MemoryView) -> str:
    """What a reader must know of a memory that is not simply active; empty for all others.

    `suspicious` is one that looks like an instruction to its reader.
    """
    words = ["suspicious"] if is_suspicious(memory.content) else []
    words += [] if memory.status == "active" else [memory.status]
    words += [f"from {memory.valid_from:%Y-%m-%d}"] if memory.upcoming else []
    if memory.superseded_by is not None:
        words.append(f"superseded by {memory.superseded_by}")
    elif memory.valid_to is not None:
        words.append(f"valid until {memory.valid_to:%Y-%m-%d}")
    return ", ".join(words)


@dataclass(frozen=True)
class NoteView:
    """A remark that came with a change of a goal."""

    at: datetime
    text: str


@dataclass(frozen=True)
class GoalView:
    """A goal with its composite score: .5·priority + .3·urgency + .2·pressure of the deadline."""

    id: str
    agent_id: str
    title: str
    description: str
    status: str
    progress: float
    priority: float
    urgency: float
    score: float
    deadline: datetime | None
    parent_goal_id: str | None
    tags: list[str]
    notes: list[NoteView]
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None


def goal_view(goal: Goal, score: float) -> GoalView:
    """The view of a goal."""
    return GoalView(
        id=goal.id,
        agent_id=goal.namespace,
        title=goal.title,
        description=goal.description,
        status=goal.status.value,
        progress=goal.progress,
        priority=goal.priority,
        urgency=goal.urgency,
        score=round(score, 6),
        deadline=goal.deadline,
        parent_goal_id=goal.parent_goal_id,
        tags=list(goal.tags),
        notes=[NoteView(note.at, note.text) for note in goal.notes],
        created_at=goal.created_at,
        updated_at=goal.updated_at,
        completed_at=goal.completed_at,
    )
