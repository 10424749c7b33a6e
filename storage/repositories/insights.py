"""Insights and tasks: one row for each (namespace, kind, job, subject, rule)."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ...modules.insights.models import Insight, InsightDraft, InsightKey, InsightKind, InsightSeverity, InsightStatus
from ..engine.ports import Connection, Engine, Row
from ..engine.times import from_us, to_us
from .audit import record_change, register_namespace

_SEVERITY_RANK = "CASE severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END"


class InsightsRepository:
    """Storage of insights: one row for each (namespace, kind, key)."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def record(
        self, namespace: str, draft: InsightDraft, new_id: str, now: datetime, reopen_before: datetime
    ) -> Insight:
        """Insert a row, or update the one of the same key.

        A closed row opens again if it was closed before `reopen_before`, or if the draft is more severe than it was;
        otherwise it stays closed.
        """
        return await self._engine.write(
            lambda connection: note(connection, namespace, draft, new_id, now, reopen_before)
        )

    async def set_status(self, namespace: str, insight_id: str, status: InsightStatus, now: datetime) -> Insight | None:
        """Change the status of a row; None if there is no such row."""

        async def work(connection: Connection) -> Insight | None:
            rows = await connection.fetch_all(
                "UPDATE insights SET status = ?, updated_at = ? WHERE namespace = ? AND id = ? RETURNING *",
                (status.value, to_us(now), namespace, insight_id),
            )
            if not rows:
                return None
            await record_change(connection, now, namespace, "insight.update", insight_id, status=status.value)
            return _insight(rows[0])

        return await self._engine.write(work)

    async def get(self, namespace: str, insight_id: str) -> Insight | None:
        """Return an insight or task."""
        rows = await self._engine.read("SELECT * FROM insights WHERE namespace = ? AND id = ?", (namespace, insight_id))
        return _insight(rows[0]) if rows else None

    async def open_ones(self, namespace: str, kind: InsightKind, limit: int) -> list[Insight]:
        """Return open and acknowledged rows: insights by severity, tasks by priority, then the newest first."""
        order = "priority DESC" if kind is InsightKind.TASK else _SEVERITY_RANK
        rows = await self._engine.read(
            "SELECT * FROM insights WHERE namespace = ? AND kind = ? AND status IN ('open', 'acknowledged') "
            f"ORDER BY {order}, updated_at DESC, seq DESC LIMIT ?",
            (namespace, kind.value, limit),
        )
        return [_insight(row) for row in rows]

    async def open_everywhere(self, job: str) -> list[str]:
        """Return the namespaces in which a job's findings are open, by name."""
        rows = await self._engine.read(
            "SELECT DISTINCT namespace FROM insights WHERE job = ? AND status IN ('open', 'acknowledged') "
            "ORDER BY namespace",
            (job,),
        )
        return [row["namespace"] for row in rows]

    async def resolve_subject(self, namespace: str, subject: str, now: datetime) -> int:
        """Mark everything open about a subject as done; return how many."""
        return await self._resolve(namespace, now, "subject = ?", subject)

    async def resolve_others(self, namespace: str, job: str, rule: str, subjects: Sequence[str], now: datetime) -> int:
        """Mark as done what a rule of a job found open, except about `subjects`; return how many."""
        return await self._resolve(
            namespace,
            now,
            "job = ? AND rule = ? AND subject NOT IN (SELECT value FROM json_texts(?))",
            job,
            rule,
            json.dumps(list(subjects), ensure_ascii=False),
        )

    async def _resolve(self, namespace: str, now: datetime, condition: str, *parameters: Any) -> int:
        within = f"namespace = ? AND status IN ('open', 'acknowledged') AND {condition}"
        if not await self._engine.read(f"SELECT 1 FROM insights WHERE {within} LIMIT 1", (namespace, *parameters)):
            return 0

        async def work(connection: Connection) -> int:
            rows = await connection.fetch_all(
                f"UPDATE insights SET status = 'done', updated_at = ? WHERE {within} RETURNING id",
                (to_us(now), namespace, *parameters),
            )
            closed = [row["id"] for row in rows]
            for insight_id in closed:
                await record_change(connection, now, namespace, "insight.update", insight_id, status="done")
            return len(closed)

        return await self._engine.write(work)


async def note(
    connection: Connection, namespace: str, draft: InsightDraft, new_id: str, now: datetime, reopen_before: datetime
) -> Insight:
    """Record a finding within the caller's transaction, once for each key; return it as it stands then."""
    await register_namespace(connection, namespace, to_us(now))
    key = (namespace, draft.kind.value, draft.key.job, draft.key.subject, draft.key.rule)
    known = await connection.fetch_all(
        "SELECT * FROM insights WHERE namespace = ? AND kind = ? AND job = ? AND subject = ? AND rule = ?", key
    )
    if not known:
        [row] = await connection.fetch_all(
            "INSERT INTO insights (id, namespace, kind, job, subject, rule, severity, text, priority, "
            "status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, ?) RETURNING *",
            (new_id, *key, draft.severity.value, draft.text, draft.priority, to_us(now), to_us(now)),
        )
        await record_change(connection, now, namespace, "insight.add", new_id, status="open")
        return _insight(row)
    stored = _insight(known[0])
    status = _status_after(stored, draft, reopen_before)
    if status is None:
        return stored
    [row] = await connection.fetch_all(
        "UPDATE insights SET severity = ?, text = ?, priority = ?, status = ?, updated_at = ? WHERE id = ? RETURNING *",
        (draft.severity.value, draft.text, draft.priority, status.value, to_us(now), stored.id),
    )
    await record_change(connection, now, namespace, "insight.update", stored.id, status=status.value)
    return _insight(row)


def _status_after(stored: Insight, draft: InsightDraft, reopen_before: datetime) -> InsightStatus | None:
    """Return the status of a known finding that was found again; None when it is to stay as it is."""
    worse = draft.severity.rank < stored.severity.rank
    if stored.status.is_open:
        same = (draft.severity, draft.text, draft.priority) == (stored.severity, stored.text, stored.priority)
        if same:
            return None
        return InsightStatus.OPEN if worse else stored.status
    return InsightStatus.OPEN if worse or stored.updated_at < reopen_before else None


def _insight(row: Row) -> Insight:
    return Insight(
        id=row["id"],
        namespace=row["namespace"],
        kind=InsightKind(row["kind"]),
        key=InsightKey(row["job"], row["subject"], row["rule"]),
        severity=InsightSeverity(row["severity"]),
        text=row["text"],
        priority=row["priority"],
        status=InsightStatus(row["status"]),
        created_at=from_us(row["created_at"]),
        updated_at=from_us(row["updated_at"]),
    )
