"""Checks of the background work by its records: jobs that fail or do not run, leases of processes that have ended."""

from datetime import timedelta

from ....modules.health.models import Check, Finding, Severity, info, ok
from ....modules.system.processes import lives
from ....modules.text.counting import counted
from ...engine.times import from_us
from ...examination.future import look_at_future
from ...examination.jobs import look_at_errors
from ...examination.vouches import look_at_vouches
from ..driver import sqlite3
from .subject import Subject

ALIVE_WITHIN = timedelta(minutes=3)
"""The age of the heartbeat up to which agents are told that a daemon runs."""
MISSED = 2
"""The number of its intervals that a job may be late while a daemon is there."""


def checks(subject: Subject) -> list[Check]:
    """Return the checks of the jobs, in order."""
    needs = ("database.schema", "database.identity")
    return [
        Check("jobs.errors", lambda: look_at_errors(subject.reader), needs),
        Check("jobs.overdue", lambda: look_at_due_times(subject), needs),
        Check("jobs.leases", lambda: look_at_leases(subject), needs),
        Check("rows.future", lambda: look_at_future(subject.reader, subject.clock()), needs),
        Check("approvals.rewritten", lambda: look_at_vouches(subject.reader), needs),
        Check("daemon.record", lambda: look_at_record(subject), needs),
    ]


def look_at_due_times(subject: Subject) -> Finding:
    """Check that jobs run about when due while a daemon is there; what waits while none runs is no fault."""
    now = subject.clock()
    worked = subject.daemon_worked_until()
    late, waiting = [], []
    for name, interval_us, due_us in subject.reader.rows("SELECT name, interval_us, next_due_at FROM job_runs"):
        interval, due = timedelta(microseconds=interval_us), from_us(due_us)
        if worked is not None and worked[1] - max(due, worked[0]) > MISSED * interval:
            late.append(name)
        elif now - due > MISSED * interval:
            waiting.append(name)
    if late:
        message = f"jobs did not run although a daemon was there: {', '.join(late)}"
        return Finding(Severity.WARNING, message, f"agentos-daemon --once {late[0]}", {"jobs": late})
    if waiting:
        return info(f"jobs that run when the next daemon starts: {', '.join(waiting)}", jobs=waiting)
    return ok("no job is late")


def look_at_leases(subject: Subject) -> Finding:
    """Check that the holder of every lease is alive."""
    held = subject.reader.rows(
        "SELECT name, lease_owner FROM job_runs WHERE lease_until > ? ORDER BY name", subject.now_us
    )
    dead = [(name, owner) for name, owner in held if not _lives(owner)]
    if not dead:
        return ok("no job is held by a dead process")

    def release(connection: sqlite3.Connection) -> str:
        connection.executemany(
            "UPDATE job_runs SET lease_owner = NULL, lease_until = NULL WHERE name = ? AND lease_owner = ?", dead
        )
        return f"{counted(len(dead), 'lease')} released"

    message = f"jobs are held by processes that have ended: {', '.join(name for name, _ in dead)}"
    return Finding(
        Severity.WARNING,
        message,
        "agentos doctor --repair, or wait: a lease expires within half a minute",
        {"leases": dict(dead)},
        lambda: subject.change_rows(release, copy=False),
    )


def _lives(owner: str | None) -> bool:
    """Return whether the process exists whose id an owner's name begins with."""
    pid = (owner or "").partition("-")[0]
    return pid.isdigit() and lives(int(pid))


def look_at_record(subject: Subject) -> Finding:
    """Check that a daemon that has ended has recorded it."""
    rows = subject.reader.rows(
        "SELECT id, pid, version, heartbeat_at, stopped_at FROM daemon_state ORDER BY heartbeat_at DESC LIMIT 1"
    )
    if not rows:
        return ok("no daemon has run yet")
    identity, pid, version, heartbeat, stopped = rows[0]
    seen = from_us(heartbeat)
    details = {"pid": pid, "version": version, "last_seen": seen.isoformat()}
    if stopped is not None:
        return ok(f"the last daemon ended on purpose, at {seen:%Y-%m-%d %H:%M} UTC", **details)
    message = f"the daemon {pid} is noted as running, but there is no such process: it was killed"
    if lives(pid):
        return ok(f"the daemon {pid} was last heard of at {seen:%Y-%m-%d %H:%M} UTC", **details)

    if subject.clock() - seen > ALIVE_WITHIN:
        return info(f"the last daemon, {pid}, was killed after {seen:%Y-%m-%d %H:%M} UTC; nothing is lost", **details)

    def close(connection: sqlite3.Connection) -> str:
        connection.execute(
            "UPDATE daemon_state SET stopped_at = ? WHERE id = ? AND stopped_at IS NULL",
            (heartbeat, identity),
        )
        return f"the daemon {pid} is noted as ended"

    return Finding(
        Severity.WARNING,
        message,
        "nothing is lost: the next daemon takes over; agentos doctor --repair",
        details,
        lambda: subject.change_rows(close, copy=False),
    )
