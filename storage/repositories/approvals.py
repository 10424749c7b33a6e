"""Approvals: one pending row for each (namespace, subject, action), leases, and a record of every step."""

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from ...modules import identifiers
from ...modules.approvals.models import POLICY, Approval, ApprovalEvent, ApprovalRequest, ApprovalStatus, Claimable
from ...modules.approvals.risk import Course, RiskInputs
from ...modules.errors import Conflict
from ...modules.identifiers import Everywhere, Scope
from ..engine.ports import Connection, Engine, Row
from ..engine.times import from_us, maybe_from_us, to_us
from .audit import record_change, register_namespace

CLOCK = "agentos"
"""The name under which steps are recorded that nobody decides: expiry and execution."""

_SAME = "namespace = ? AND subject = ? AND action = ? AND automatic = ?"
# A time further ahead than a lease can be was written under a wrong clock: it does not hold.
_ENDED = "(lease_until IS NULL OR lease_until <= :now OR lease_until > :now + :lease)"


class ApprovalsRepository:
    """Approvals, as they are asked for, decided and carried out, and their history."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def add(self, request: ApprovalRequest, now: datetime, most_pending: int | None = None) -> Approval:
        """Add a request, or update the pending one of the same namespace, subject and action.

        Raises Conflict if `most_pending` of the namespace are pending already.
        """

        async def work(connection: Connection) -> Approval:
            return await write_request(connection, request, now, most_pending)

        return await self._engine.write(work)

    async def get(self, scope: Scope, approval_id: str) -> Approval | None:
        """Return an approval; None if there is none."""
        within, given = _within(scope)
        rows = await self._engine.read(f"SELECT * FROM approvals WHERE {within} AND id = ?", (*given, approval_id))
        return _approval(rows[0]) if rows else None

    async def pending(self, scope: Scope, now: datetime) -> list[Approval]:
        """Return pending, unexpired approvals, the riskiest first, then the oldest."""
        within, given = _within(scope)
        rows = await self._engine.read(
            f"SELECT * FROM approvals WHERE {within} AND status = 'pending' AND expires_at > ? ORDER BY seq",
            (*given, to_us(now)),
        )
        return sorted(map(_approval, rows), key=lambda approval: -approval.risk)

    async def waiting(self, scope: Scope, now: datetime, action: str | None = None) -> int:
        """Count pending, unexpired approvals, of one action if it is given."""
        within, given = _within(scope)
        rows = await self._engine.read(
            f"SELECT count(*) FROM approvals WHERE {within} AND status = 'pending' AND expires_at > ? "
            "AND action = coalesce(?, action)",
            (*given, to_us(now), action),
        )
        return int(rows[0][0])

    async def history(self, scope: Scope, limit: int) -> list[Approval]:
        """Return the approvals that are no longer pending, the last changed first."""
        within, given = _within(scope)
        rows = await self._engine.read(
            f"SELECT * FROM approvals WHERE {within} AND status <> 'pending' "
            "ORDER BY updated_at DESC, seq DESC LIMIT ?",
            (*given, limit),
        )
        return [_approval(row) for row in rows]

    async def events(self, namespace: str, approval_id: str) -> list[ApprovalEvent]:
        """Return the history of one approval, from its beginning."""
        rows = await self._engine.read(
            "SELECT e.* FROM approval_events e JOIN approvals a ON a.seq = e.approval "
            "WHERE a.namespace = ? AND a.id = ? ORDER BY e.seq",
            (namespace, approval_id),
        )
        return [
            ApprovalEvent(from_us(row["at"]), ApprovalStatus(row["status"]), row["by"], row["note"]) for row in rows
        ]

    async def decide(
        self, approval: Approval, verdict: ApprovalStatus, decided_by: str, note: str, now: datetime
    ) -> Approval | None:
        """Approve or reject a pending approval; None if it is no longer pending in this version."""

        async def work(connection: Connection) -> Approval | None:
            rows = await connection.fetch_all(
                "UPDATE approvals SET status = :status, decided_at = :now, decided_by = :by, note = :note, "
                "updated_at = :now "
                "WHERE namespace = :namespace AND id = :id AND version = :version AND status = 'pending' "
                "AND expires_at > :now RETURNING *",
                {
                    "namespace": approval.namespace,
                    "status": verdict.value,
                    "now": to_us(now),
                    "by": decided_by,
                    "note": note or None,
                    "id": approval.id,
                    "version": approval.version,
                },
            )
            return await _noted(connection, rows, now, decided_by, note)

        return await self._engine.write(work)

    async def expire_everywhere(self, now: datetime) -> int:
        """Expire approvals that nobody decided in time; return how many."""
        due = "status = 'pending' AND expires_at <= ?"
        if not await self._engine.read(f"SELECT 1 FROM approvals WHERE {due} LIMIT 1", (to_us(now),)):
            return 0

        async def work(connection: Connection) -> int:
            return await _expire(connection, due, (to_us(now),), "nobody decided in time", now)

        return await self._engine.write(work)

    async def claim_everywhere(
        self, actions: Claimable, owner: str, now: datetime, lease: timedelta, max_attempts: int
    ) -> Approval | None:
        """Take the lease of a due approval, in one statement; None if none is due."""
        due = (
            "automatic AND ("
            "(status = 'approved' AND action IN (SELECT value FROM json_texts(:run))) OR "
            "(status = 'executing' AND action IN (SELECT value FROM json_texts(:run_again)) "
            f"AND attempts < :most AND {_ENDED}) OR "
            "(status = 'rejected' AND finished_at IS NULL AND action IN (SELECT value FROM json_texts(:on_reject)) "
            f"AND attempts < :most AND {_ENDED}))"
        )
        given = _given(actions, now, lease, max_attempts)
        if not await self._engine.read(f"SELECT 1 FROM approvals WHERE {due} LIMIT 1", given):
            return None

        async def work(connection: Connection) -> Approval | None:
            rows = await connection.fetch_all(
                "UPDATE approvals SET status = CASE status WHEN 'rejected' THEN status ELSE 'executing' END, "
                "lease_owner = :owner, lease_until = :now + :lease, attempts = attempts + 1, updated_at = :now "
                f"WHERE seq = (SELECT seq FROM approvals WHERE {due} ORDER BY decided_at, seq LIMIT 1 /*claim*/) "
                "RETURNING *",
                {**given, "owner": owner},
            )
            again = any(row["attempts"] > 1 for row in rows)
            return await _noted(connection, rows, now, CLOCK, "begun again after a crash" if again else "begun")

        return await self._engine.write(work)

    async def finish(
        self, namespace: str, approval_id: str, owner: str, status: ApprovalStatus, result: str, now: datetime
    ) -> Approval | None:
        """Store the outcome and release the lease; None if somebody else has the lease by now."""

        async def work(connection: Connection) -> Approval | None:
            rows = await connection.fetch_all(
                "UPDATE approvals SET status = ?, result = ?, finished_at = ?, updated_at = ?, lease_owner = NULL, "
                "lease_until = NULL WHERE namespace = ? AND id = ? AND lease_owner = ? RETURNING *",
                (status.value, result, to_us(now), to_us(now), namespace, approval_id, owner),
            )
            return await _noted(connection, rows, now, CLOCK, result)

        return await self._engine.write(work)

    async def abandon_everywhere(
        self, actions: Claimable, now: datetime, lease: timedelta, max_attempts: int, result: str
    ) -> list[Approval]:
        """Fail approvals whose executor ended in the middle and that may not be run again."""
        given = _given(actions, now, lease, max_attempts)
        lost = (
            f"{_ENDED} AND ("
            "(status = 'executing' AND (attempts >= :most "
            "OR action NOT IN (SELECT value FROM json_texts(:run_again)))) OR "
            "(status = 'rejected' AND finished_at IS NULL AND lease_until IS NOT NULL AND attempts >= :most))"
        )
        if not await self._engine.read(f"SELECT 1 FROM approvals WHERE {lost} LIMIT 1", given):
            return []

        async def work(connection: Connection) -> list[Approval]:
            rows = await connection.fetch_all(
                "UPDATE approvals SET status = CASE status WHEN 'rejected' THEN status ELSE 'failed' END, "
                "result = :result, finished_at = :now, updated_at = :now, lease_owner = NULL, lease_until = NULL "
                f"WHERE {lost} RETURNING *",
                {**given, "result": result},
            )
            return [approval for row in rows if (approval := await _noted(connection, [row], now, CLOCK, result))]

        return await self._engine.write(work)

    async def unannounced_everywhere(self, now: datetime, limit: int) -> list[Approval]:
        """Return pending approvals that no webhook has announced, oldest first."""
        rows = await self._engine.read(
            "SELECT * FROM approvals WHERE status = 'pending' AND announced_at IS NULL AND expires_at > ? "
            "ORDER BY seq LIMIT ?",
            (to_us(now), limit),
        )
        return [_approval(row) for row in rows]

    async def announced(self, namespace: str, approval_id: str, now: datetime) -> None:
        """Mark an approval as announced by a webhook."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "UPDATE approvals SET announced_at = ? WHERE namespace = ? AND id = ?",
                (to_us(now), namespace, approval_id),
            )

        await self._engine.write(work)


def _within(scope: Scope) -> tuple[str, tuple[str, ...]]:
    """Return the SQL condition of a scope, with its parameters."""
    return ("TRUE", ()) if isinstance(scope, Everywhere) else ("namespace = ?", (scope,))


async def write_request(
    connection: Connection, request: ApprovalRequest, now: datetime, most_pending: int | None = None
) -> Approval:
    """Add a request within the caller's transaction, or update the one that is pending already.

    A request repeated unchanged stays as it is, also while its action is executed; one with other reason, risk or
    payload gets a new version. Raises Conflict when `most_pending` of the namespace are pending already.
    """
    await connection.lock(request.namespace)
    same = (request.namespace, request.subject, request.action, request.automatic)
    await _expire(
        connection, f"{_SAME} AND status = 'pending' AND expires_at <= ?", (*same, to_us(now)), "asked anew", now
    )
    rows = await connection.fetch_all(
        f"SELECT * FROM approvals WHERE {_SAME} AND (status IN ('pending', 'executing') "
        "OR (status = 'approved' AND automatic)) ORDER BY status = 'pending' DESC, seq DESC LIMIT 1",
        same,
    )
    for row in rows:
        known = _approval(row)
        if _content(known) == _content(request):
            return known
        if known.status is ApprovalStatus.PENDING:
            return await _replace(connection, known, request, now)
    return await _insert(connection, request, now, most_pending)


async def withdraw_requests(
    connection: Connection, namespace: str, action: str, subject: str, now: datetime, why: str
) -> int:
    """Close the requests whose decision is not needed any more, in the caller's transaction; return how many."""
    same = (namespace, subject, action, True)
    return await _expire(connection, f"{_SAME} AND status = 'pending'", same, why, now)


async def is_asked(connection: Connection, namespace: str, action: str, subject: str) -> bool:
    """Return whether a request is pending, or approved and not yet done."""
    rows = await connection.fetch_all(
        f"SELECT 1 FROM approvals WHERE {_SAME} AND status IN ('pending', 'executing', 'approved') LIMIT 1",
        (namespace, subject, action, True),
    )
    return bool(rows)


async def _insert(
    connection: Connection, request: ApprovalRequest, now: datetime, most_pending: int | None
) -> Approval:
    await register_namespace(connection, request.namespace, to_us(now))
    if most_pending is not None:
        [(waiting,)] = await connection.fetch_all(
            "SELECT count(*) FROM approvals WHERE namespace = ? AND status = 'pending'", (request.namespace,)
        )
        if waiting >= most_pending:
            raise Conflict(
                f"{waiting} requests are already pending; the user must decide some first: agentos approvals list"
            )
    asks = request.course is Course.ASK
    rows = await connection.fetch_all(
        "INSERT INTO approvals (id, namespace, subject, action, payload, impact, reversibility, sensitivity, reason, "
        "requested_by, automatic, status, created_at, updated_at, expires_at, decided_at, decided_by) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *",
        (
            identifiers.new_id("apr"),
            request.namespace,
            request.subject,
            request.action,
            *_content_columns(request),
            request.requested_by,
            request.automatic,
            ApprovalStatus.PENDING if asks else ApprovalStatus.APPROVED,
            to_us(now),
            to_us(now),
            to_us(now + request.valid_for),
            None if asks else to_us(now),
            None if asks else POLICY,
        ),
    )
    note = "asked" if asks else f"risk {request.inputs.risk:.2f}: {request.course}"
    approval = await _noted(connection, rows, now, request.requested_by, note)
    assert approval is not None
    return approval


async def _replace(connection: Connection, known: Approval, request: ApprovalRequest, now: datetime) -> Approval:
    """Replace a pending request's content, with a new version: whoever saw the old content cannot decide it."""
    rows = await connection.fetch_all(
        "UPDATE approvals SET payload = ?, impact = ?, reversibility = ?, sensitivity = ?, reason = ?, "
        "requested_by = ?, version = version + 1, updated_at = ?, expires_at = ? WHERE id = ? RETURNING *",
        (*_content_columns(request), request.requested_by, to_us(now), to_us(now + request.valid_for), known.id),
    )
    approval = await _noted(connection, rows, now, request.requested_by, "asked with another content")
    assert approval is not None
    return approval


async def _expire(connection: Connection, condition: str, parameters: tuple[Any, ...], why: str, now: datetime) -> int:
    rows = await connection.fetch_all(
        f"UPDATE approvals SET status = 'expired', finished_at = ?, updated_at = ?, result = ? WHERE {condition} "
        "RETURNING *",
        (to_us(now), to_us(now), why, *parameters),
    )
    closed = [await _noted(connection, [row], now, CLOCK, why) for row in rows]
    return len(closed)


async def _noted(connection: Connection, rows: Iterable[Row], now: datetime, by: str, note: str) -> Approval | None:
    """Return the approval in the one row of a change, if any, and add it to its history and to the audit log."""
    for row in rows:
        await connection.execute(
            "INSERT INTO approval_events (approval, at, status, by, note) VALUES (?, ?, ?, ?, ?)",
            (row["seq"], to_us(now), row["status"], by, note),
        )
        await record_change(connection, now, row["namespace"], f"approval.{row['status']}", row["id"])
        return _approval(row)
    return None


def _content(of: Approval | ApprovalRequest) -> tuple[Any, ...]:
    """Return what a human must decide about: payload, risk and reason."""
    return dict(of.payload), of.inputs, of.reason


def _content_columns(request: ApprovalRequest) -> tuple[Any, ...]:
    payload = json.dumps(dict(request.payload), ensure_ascii=False)
    risk = request.inputs
    return payload, risk.impact, risk.reversibility, risk.sensitivity, request.reason


def _given(actions: Claimable, now: datetime, lease: timedelta, max_attempts: int) -> dict[str, Any]:
    return {
        "run": json.dumps(actions.run),
        "run_again": json.dumps(actions.run_again),
        "on_reject": json.dumps(actions.on_reject),
        "now": to_us(now),
        "lease": lease // timedelta(microseconds=1),
        "most": max_attempts,
    }


def _approval(row: Row) -> Approval:
    return Approval(
        id=row["id"],
        namespace=row["namespace"],
        subject=row["subject"],
        action=row["action"],
        payload=json.loads(row["payload"]),
        inputs=RiskInputs(row["impact"], row["reversibility"], row["sensitivity"]),
        reason=row["reason"],
        requested_by=row["requested_by"],
        automatic=bool(row["automatic"]),
        status=ApprovalStatus(row["status"]),
        version=row["version"],
        created_at=from_us(row["created_at"]),
        updated_at=from_us(row["updated_at"]),
        expires_at=from_us(row["expires_at"]),
        decided_at=maybe_from_us(row["decided_at"]),
        decided_by=row["decided_by"],
        note=row["note"],
        attempts=row["attempts"],
        finished_at=maybe_from_us(row["finished_at"]),
        result=row["result"],
    )
