"""AgentOS 1.0: its memories, goals, actions, patterns, thought graph and approvals."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...modules.portability.models import (
    ActionEntry,
    EdgeEntry,
    FoundPattern,
    GoalEntry,
    MemoryEntry,
    NodeEntry,
    Record,
    Refused,
    RequestEntry,
)
from .moments import iso
from .sqlite_files import columns, has_tables, opened, rows
from .tagging import tags_of

SOURCE = "import: agentos 1.0"
_TYPES = ("episodic", "semantic", "procedural", "working")
_OPTIONAL = "thought_nodes"
_NEEDED = {
    "memories": {"content", "agent_id"},
    "goals": {"id", "title"},
    "reflection_logs": {"id", "action", "outcome"},
    _OPTIONAL: {"id"},
}

_Row = Mapping[str, Any]


def is_here(path: Path) -> bool:
    return has_tables(path, "memories", "goals", "reflection_logs", "daemon_heartbeat")


def read(path: Path) -> Iterator[Record]:
    """Raises LookupError for a database of another shape."""
    with opened(path) as connection:
        for table, needed in _NEEDED.items():
            there = columns(connection, table)
            if (lacking := needed - there) and (there or table != _OPTIONAL):
                raise LookupError(f"{table} has no column {', '.join(sorted(lacking))}")
        for table, record in (
            ("memories", _memory),
            ("goals", _goal),
            ("reflection_logs", _action),
            ("patterns", _pattern),
            ("thought_nodes", _node),
            ("thought_edges", _edge),
            ("approval_queue", _approval),
        ):
            for row in rows(connection, table, "created_at", "id"):
                yield record(row)


def _memory(row: _Row) -> Record:
    kind = row["memory_type"] if row.get("memory_type") in _TYPES else "semantic"
    tags, more = _tags(row.get("tags"))
    return MemoryEntry(
        row["content"],
        memory_type="episodic" if kind == "working" else kind,
        importance=row.get("importance"),
        tags=tags,
        metadata={**_metadata(row), **more, "imported_id": row.get("id")},
        source=SOURCE,
        occurred_at=row.get("created_at"),
        agent=row.get("agent_id"),
        where=f"memory {row.get('id')}",
    )


def _goal(row: _Row) -> Record:
    tags, _ = _tags(row.get("tags"))
    return GoalEntry(
        id=row["id"],
        title=row["title"],
        description=row.get("description") or row["title"],
        priority=row.get("priority", 0.5),
        urgency=row.get("urgency", 0.5),
        deadline=row.get("deadline") or None,
        status=row.get("status") or "active",
        progress=row.get("progress") or 0.0,
        notes=row.get("completion_notes"),
        parent=row.get("parent_goal_id") or None,
        tags=tags,
        agent=row.get("agent_id"),
        where=f"goal {row.get('id')}",
    )


def _action(row: _Row) -> Record:
    tags, _ = _tags(row.get("tags"))
    return ActionEntry(
        id=row["id"],
        action=row["action"],
        outcome=row["outcome"],
        success=bool(row.get("success")),
        context=row.get("context") or "",
        occurred_at=iso(row.get("created_at")),
        goal=row.get("goal_id") or None,
        tags=tags,
        agent=row.get("agent_id"),
        where=f"reflection {row.get('id')}",
    )


def _pattern(row: _Row) -> Record:
    return FoundPattern(
        type=row.get("pattern_type", ""),
        description=row.get("description", ""),
        suggested_action=row.get("suggested_action") or "",
        frequency=row.get("frequency") or 1,
        last_seen=iso(row.get("last_seen")) or iso(row.get("created_at")),
        agent=row.get("agent_id"),
        where=f"pattern {row.get('id')}",
    )


def _node(row: _Row) -> Record:
    return NodeEntry(
        id=row["id"],
        type=row.get("node_type", ""),
        label=row.get("label", ""),
        description=row.get("description") or "",
        ref=row.get("ref_id") or None,
        agent=row.get("agent_id"),
        where=f"node {row.get('id')}",
    )


def _edge(row: _Row) -> Record:
    source, target = (row.get(f"{end}_node_id") or row.get(f"{end}_id") for end in ("source", "target"))
    return EdgeEntry(
        source=source or "",
        target=target or "",
        type=row.get("edge_type") or "relates_to",
        weight=row.get("weight", 0.8),
        description=row.get("description") or "",
        agent=row.get("agent_id"),
        where=f"edge {row.get('id')}",
    )


def _approval(row: _Row) -> Record:
    """Return a request that waits, or a decided one as an event, which decides nothing."""
    where, action = f"approval {row.get('id')}", row.get("action_type")
    if not isinstance(action, str) or not action:
        return Refused(where, "names no action")
    about = _line(row.get("description")) or _line(row.get("title")) or _line(row.get("action_payload")) or action
    status = _line(row.get("status")) or "pending"
    if status == "pending":
        risk = row.get("risk_score")
        return RequestEntry(
            action=action,
            subject=f"imported:{row.get('id')}",
            reason=about[:400],
            risk=min(1.0, max(0.0, risk)) if isinstance(risk, int | float) else 0.5,
            agent=row.get("agent_id"),
            where=where,
        )
    by, notes = _line(row.get("decided_by")), _line(row.get("notes") or row.get("decision_notes"))
    outcome = f"Approval of {action}: {_line(row.get('decision')) or status}{f' by {by}' if by else ''}: {about}"
    return MemoryEntry(
        f"{outcome}\nNotes: {notes}" if notes else outcome,
        memory_type="episodic",
        tags=("approval",),
        metadata={"imported_id": row.get("id")},
        source=SOURCE,
        occurred_at=iso(row.get("decided_at")) or iso(row.get("created_at")),
        agent=row.get("agent_id"),
        kind="note",
        where=where,
    )


def _tags(value: object) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Tags kept as JSON, or as a text with commas."""
    if not isinstance(value, str):
        return tags_of(value)
    try:
        return tags_of(json.loads(value)) if value else ((), {})
    except (ValueError, RecursionError):
        return tags_of(value.split(","))


def _metadata(row: _Row) -> dict[str, Any]:
    try:
        found = json.loads(row.get("metadata") or "{}")
    except (ValueError, RecursionError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def _line(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
