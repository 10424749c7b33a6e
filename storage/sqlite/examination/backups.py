"""Checks of the backups: whether there is a recent one, and whether it can be used."""

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ....modules.backup.models import Backup
from ....modules.health.models import Check, Finding, Severity, ok
from ....modules.text.counting import counted
from ..backup_files import digest
from ..driver import sqlite3
from .reading import DatabaseReader
from .subject import Subject

OLD_AFTER = timedelta(days=7)


def checks(subject: Subject) -> list[Check]:
    """Return the checks of the backups, in order."""
    return [
        Check("backups.sound", lambda: look_at_files(subject), ("home.folder",)),
        Check("backups.newest", lambda: look_at_newest(subject), ("home.folder",)),
    ]


def look_at_files(subject: Subject) -> Finding:
    """Check that every backup is the file that was checked when it was made; with `deep`, read each one whole."""
    found = subject.backups.all()
    problems = {backup.name: backup.problem or (_problem(backup) if subject.deep else None) for backup in found}
    broken = {name: problem for name, problem in problems.items() if problem is not None}
    if not broken:
        return ok(
            f"{len(found)} backup{'' if len(found) == 1 else 's'}, none broken",
            backups=[backup.name for backup in found],
        )
    name, problem = next(iter(broken.items()))
    message = f"{len(broken)} of {counted(len(found), 'backup')} cannot be used: {name} {problem}"
    remedy = f"agentos backup; rm '{subject.backups.path / name}'"
    return Finding(Severity.WARNING, message, remedy, {"broken": broken})


def _problem(backup: Backup) -> str | None:
    path = Path(backup.path)
    if backup.digest is not None and digest(path) != backup.digest:
        return "is not the file that was checked when it was made"
    try:
        with closing(DatabaseReader(path)) as reader:
            result = str(reader.one("PRAGMA quick_check(1)"))
    except sqlite3.Error as error:
        return f"cannot be read: {error}"
    return None if result == "ok" else f"is damaged: {result}"


def look_at_newest(subject: Subject) -> Finding:
    """Check that the newest backup is not too old for what was stored since."""
    newest = next((backup for backup in subject.backups.all() if backup.problem is None), None)
    if newest is None:
        return Finding(Severity.INFO, "there is no backup", "agentos backup")
    made = newest.created_at
    details = {"name": newest.name, "made": made.isoformat(), "bytes": newest.bytes}
    changed = _changed(subject)
    message = f"the newest backup is of {made:%Y-%m-%d %H:%M} UTC"
    if changed is not None and subject.clock() - made > OLD_AFTER and changed - made > OLD_AFTER:
        message += f", and the memory was changed until {changed:%Y-%m-%d %H:%M} UTC"
        return Finding(Severity.WARNING, message, "agentos backup", details)
    return ok(message, **details)


def _changed(subject: Subject) -> datetime | None:
    """Return when the database file, or its log, was last written; None when there is neither."""
    times = []
    for suffix in ("", "-wal"):
        path = subject.database.with_name(subject.database.name + suffix)
        if path.exists():
            times.append(datetime.fromtimestamp(path.stat().st_mtime, UTC))
    return max(times, default=None)
