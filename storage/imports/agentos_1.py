"""AgentOS 1.0: memories, goals and reflections of its database."""

import json
from collections.abc import Iterator
from pathlib import Path

from ...modules.portability.models import Entry, GoalEntry
from .sqlite_files import has_tables, opened

SOURCE = "import: agentos 1.0"
_TYPES = ("episodic", "semantic", "procedural", "working")


def is_here(path: Path) -> bool:
    return has_tables(path, "memories", "goals", "reflection_logs", "daemon_heartbeat")


def read(path: Path) -> Iterator[Entry]:
    with opened(path) as connection:
        for row in connection.execute("SELECT * FROM memories ORDER BY created_at, id"):
            kind = row["memory_type"] if row["memory_type"] in _TYPES else "semantic"
            yield Entry(
                row["content"],
                memory_type="episodic" if kind == "working" else kind,
                importance=row["importance"],
                tags=tuple(json.loads(row["tags"] or "[]")),
                metadata={"imported_id": row["id"]},
                source=SOURCE,
                occurred_at=row["created_at"],
                agent=row["agent_id"],
            )
        for row in connection.execute("SELECT * FROM reflection_logs ORDER BY created_at, id"):
            outcome = "worked" if row["success"] else "failed"
            yield Entry(
                f"{row['action']} {outcome}: {row['outcome']}",
                memory_type="episodic",
                tags=tuple(dict.fromkeys(["reflection", *json.loads(row["tags"] or "[]")])),
                metadata={"imported_id": row["id"]},
                source=SOURCE,
                occurred_at=row["created_at"],
                agent=row["agent_id"],
            )
        for row in connection.execute("SELECT * FROM goals ORDER BY created_at, id"):
            yield Entry(
                row["title"],
                source=SOURCE,
                agent=row["agent_id"],
                goal=GoalEntry(
                    row["id"],
                    row["description"] or row["title"],
                    row["priority"],
                    row["urgency"],
                    row["deadline"],
                    row["status"],
                    row["progress"],
                    row["completion_notes"],
                ),
            )
