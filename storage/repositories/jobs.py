"""Job runs, leases and the daemon's record."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from ...modules.jobs.models import MOST_SKEW, DaemonRecord, JobRun
from ..engine.ports import Connection, Engine
from ..engine.times import from_us, maybe_from_us, maybe_to_us, to_us
from .memory_rows import as_json

DAEMONS = (
    "SELECT id, host, pid, version, started_at, heartbeat_at, stopped_at, skew_us FROM daemon_state "
    "ORDER BY heartbeat_at DESC"
)
"""The query for the rows that `daemon_record` reads."""


def daemon_record(row: Iterable[Any]) -> DaemonRecord:
    """Return what a daemon recorded of itself."""
    number, host, pid, version, started, heartbeat, stopped, skew_us = row
    seen = (from_us(started), from_us(heartbeat), maybe_from_us(stopped))
    return DaemonRecord(number, host, pid, version, *seen, timedelta(microseconds=skew_us))


# A time further ahead than possible was written under a wrong clock, and is ignored; a lease is renewed meanwhile, by
# another clock.
_FREE = (
    "(? OR next_due_at <= ? OR next_due_at > ? + interval_us) "
    "AND (lease_until IS NULL OR lease_until <= ? OR lease_until > ?)"
)


def _free_at(now: datetime, lease_until: datetime, *, even_if_not_due: bool) -> tuple[bool, int, int, int, int]:
    """Return the parameters of _FREE."""
    return (even_if_not_due, to_us(now), to_us(now), to_us(now), to_us(lease_until + MOST_SKEW))


class JobsRepository:
    """Runs of jobs, the daemon that runs them, and the namespaces that they go through."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def register(self, name: str, interval: timedelta, first_due_at: datetime) -> None:
        """Register a job; a known one keeps its due time, but takes the new interval."""
        interval_us = interval // timedelta(microseconds=1)
        known = await self._engine.read("SELECT interval_us FROM job_runs WHERE name = ?", (name,))
        if known and known[0]["interval_us"] == interval_us:
            return

        async def work(connection: Connection) -> None:
            await connection.execute(
                "INSERT INTO job_runs (name, interval_us, next_due_at) VALUES (?, ?, ?) "
                "ON CONFLICT (name) DO UPDATE SET interval_us = excluded.interval_us, "
                "next_due_at = CASE WHEN job_runs.last_started_at IS NULL THEN job_runs.next_due_at "
                "ELSE least(job_runs.next_due_at, job_runs.last_started_at + excluded.interval_us) END",
                (name, interval_us, to_us(first_due_at)),
            )

        await self._engine.write(work)

    async def claim(
        self, name: str, owner: str, now: datetime, lease_until: datetime, *, even_if_not_due: bool
    ) -> bool:
        """Take the lease of a due job, in one statement; False if it is not due or somebody has it."""
        condition = f"name = ? AND {_FREE}"
        parameters = (name, *_free_at(now, lease_until, even_if_not_due=even_if_not_due))
        due = await self._engine.read(f"SELECT 1 FROM job_runs WHERE {condition}", parameters)
        if not due:
            return False

        async def work(connection: Connection) -> bool:
            rows = await connection.fetch_all(
                f"UPDATE job_runs SET lease_owner = ?, lease_until = ?, last_started_at = ? WHERE {condition} "
                "RETURNING name",
                (owner, to_us(lease_until), to_us(now), *parameters),
            )
            return bool(rows)

        return await self._engine.write(work)

    async def due(self, now: datetime, lease: timedelta) -> list[str]:
        """Return the jobs that could be claimed now."""
        rows = await self._engine.read(
            f"SELECT name FROM job_runs WHERE {_FREE}", _free_at(now, now + lease, even_if_not_due=False)
        )
        return [row["name"] for row in rows]

    async def finish(self, name: str, owner: str, now: datetime, next_due_at: datetime, error: str | None) -> None:
        """Release the lease and store how the run went."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "UPDATE job_runs SET lease_owner = NULL, lease_until = NULL, last_finished_at = ?, "
                "next_due_at = ?, last_status = ?, last_error = ?, runs = runs + 1, "
                "failures = CASE WHEN ? THEN failures + 1 ELSE 0 END "
                "WHERE name = ? AND lease_owner = ?",
                (to_us(now), to_us(next_due_at), "failed" if error else "ok", error, error is not None, name, owner),
            )

        await self._engine.write(work)

    async def release(self, name: str, owner: str) -> None:
        """Release the lease of an interrupted run: the job stays due, and it counts neither as run nor as failed."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "UPDATE job_runs SET lease_owner = NULL, lease_until = NULL WHERE name = ? AND lease_owner = ?",
                (name, owner),
            )

        await self._engine.write(work)

    async def renew(self, name: str, owner: str, lease_until: datetime) -> bool:
        """Extend the lease of a job that still runs; False if this owner has it no longer."""
        values = {"name": name, "owner": owner, "until": to_us(lease_until)}
        return await self._set("lease_until = :until", "lease_owner = :owner", values, durable=False)

    async def make_due(self, name: str, now: datetime) -> bool:
        """Make a job due now, as if it had never failed; False if there is none of that name."""
        return await self._set("next_due_at = :now, failures = 0", "TRUE", {"name": name, "now": to_us(now)})

    async def cancel(self, name: str, now: datetime) -> bool:
        """Take the lease of a running job away, and put it off by its interval; False if it does not run."""
        return await self._set(
            "lease_owner = NULL, lease_until = NULL, last_finished_at = :now, next_due_at = :now + interval_us, "
            "last_status = 'cancelled', last_error = NULL",
            "lease_owner IS NOT NULL",
            {"name": name, "now": to_us(now)},
        )

    async def _set(self, assignments: str, condition: str, values: dict[str, object], *, durable: bool = True) -> bool:
        async def work(connection: Connection) -> bool:
            changed = await connection.execute(
                f"UPDATE job_runs SET {assignments} WHERE name = :name AND {condition}", values
            )
            return changed > 0

        return await self._engine.write(work, durable=durable)

    async def runs(self) -> list[JobRun]:
        """Return every known job, by name."""
        rows = await self._engine.read("SELECT * FROM job_runs ORDER BY name")
        return [
            JobRun(
                name=row["name"],
                interval=timedelta(microseconds=row["interval_us"]),
                next_due_at=from_us(row["next_due_at"]),
                last_started_at=maybe_from_us(row["last_started_at"]),
                last_finished_at=maybe_from_us(row["last_finished_at"]),
                last_status=row["last_status"],
                last_error=row["last_error"],
                runs=row["runs"],
                failures=row["failures"],
                lease_until=maybe_from_us(row["lease_until"]),
            )
            for row in rows
        ]

    async def withdraw(self, names: Sequence[str], now: datetime) -> None:
        """Forget jobs, but for those that run."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "DELETE FROM job_runs WHERE name IN (SELECT value FROM json_texts(?)) "
                "AND (lease_until IS NULL OR lease_until <= ?)",
                (as_json(list(names)), to_us(now)),
            )

        await self._engine.write(work)

    async def save_daemon(self, record: DaemonRecord, *, durable: bool) -> None:
        """Write a daemon's record; a heartbeat need not be durable, since the next one replaces it."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "INSERT INTO daemon_state (id, host, pid, version, started_at, heartbeat_at, stopped_at, skew_us) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET started_at = excluded.started_at, "
                "version = excluded.version, heartbeat_at = excluded.heartbeat_at, stopped_at = excluded.stopped_at, "
                "skew_us = excluded.skew_us",
                (
                    record.id,
                    record.host,
                    record.pid,
                    record.version,
                    to_us(record.started_at),
                    to_us(record.heartbeat_at),
                    maybe_to_us(record.stopped_at),
                    record.skew // timedelta(microseconds=1),
                ),
            )

        await self._engine.write(work, durable=durable)

    async def forget_daemons(self, before: datetime) -> None:
        """Drop the records of daemons that have been silent since before a moment."""

        async def work(connection: Connection) -> None:
            await connection.execute("DELETE FROM daemon_state WHERE heartbeat_at < ?", (to_us(before),))

        await self._engine.write(work)

    async def daemons(self) -> list[DaemonRecord]:
        """Return the record of each daemon, the one heard of last first."""
        return [daemon_record(row) for row in await self._engine.read(DAEMONS)]

    async def schema(self) -> int:
        """Return the version of the schema as it is now."""
        return int((await self._engine.read("SELECT max(version) FROM schema_migrations"))[0][0])

    async def last_change(self) -> int:
        """Return the number of the last entry in the log of changes; 0 before the first."""
        return int((await self._engine.read("SELECT coalesce(newest('audit'), 0)"))[0][0])

    async def changed(self, after: int, until: int) -> list[str]:
        """Return the namespaces that entries of the log with these numbers name, by name."""
        rows = await self._engine.read(
            "SELECT id FROM namespaces WHERE id IN (SELECT namespace FROM audit WHERE seq > ? AND seq <= ?) "
            "ORDER BY id",
            (after, until),
        )
        return [row["id"] for row in rows]

    async def namespaces(self) -> list[str]:
        """Return every namespace that holds anything, by name."""
        return [row["id"] for row in await self._engine.read("SELECT id FROM namespaces ORDER BY id")]
