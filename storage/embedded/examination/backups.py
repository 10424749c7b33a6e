"""Checks of the backups: is there a recent one, and can it be used?"""

import hashlib
import json
import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ....modules.health.models import Check, Finding, Severity, ok
from .reading import DatabaseReader
from .subject import Subject

OLD_AFTER = timedelta(days=7)
_TIME = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True)
class BackupFile:
    """A file in the folder of the backups that is named as one; `problem` says why it cannot be used."""

    path: Path
    made: datetime
    bytes: int
    problem: str | None


def checks(subject: Subject) -> list[Check]:
    """The checks of the backups, in order."""
    return [
        Check("backups.sound", lambda: look_at_files(subject), ("home.folder",)),
        Check("backups.newest", lambda: look_at_newest(subject), ("home.folder",)),
    ]


def look_at_files(subject: Subject) -> Finding:
    """Every backup is the file that was checked when it was made."""
    found = backup_files(subject.backups, subject.database, deep=subject.deep)
    broken = [backup for backup in found if backup.problem is not None]
    if not broken:
        return ok(f"{len(found)} backups, none broken", backups=[backup.path.name for backup in found])
    message = f"{len(broken)} of {len(found)} backups cannot be used: {broken[0].path.name} {broken[0].problem}"
    details = {"broken": {backup.path.name: backup.problem for backup in broken}}
    return Finding(Severity.WARNING, message, f"agentos backup; rm '{broken[0].path}'", details)


def look_at_newest(subject: Subject) -> Finding:
    """What was stored since the newest backup is not much."""
    found = [backup for backup in backup_files(subject.backups, subject.database) if backup.problem is None]
    if not found:
        return Finding(Severity.INFO, "there is no backup", "agentos backup")
    newest = max(found, key=lambda backup: backup.made)
    details = {"name": newest.path.name, "made": newest.made.isoformat(), "bytes": newest.bytes}
    age = subject.clock() - newest.made
    changed = _changed(subject)
    message = f"the newest backup is of {newest.made:%Y-%m-%d %H:%M} UTC"
    if changed is not None and age > OLD_AFTER and changed - newest.made > OLD_AFTER:
        message += f", and the memory was changed until {changed:%Y-%m-%d %H:%M} UTC"
        return Finding(Severity.WARNING, message, "agentos backup", details)
    return ok(message, **details)


def backup_files(folder: Path, database: Path, *, deep: bool = False) -> list[BackupFile]:
    """The backups of one database, newest first; with `deep` each file is read whole and compared."""
    named = re.compile(rf"{re.escape(database.stem)}-(\d{{8}}T\d{{6}}Z)(?:-\d+)?\.db")
    found = []
    for path in folder.glob("*.db") if folder.is_dir() else ():
        match = named.fullmatch(path.name)
        status = path.stat()
        if match is not None:
            made = datetime.strptime(match[1], _TIME).replace(tzinfo=UTC)
        elif path.name.startswith(("before-schema-", "before-repair-")):
            made = datetime.fromtimestamp(status.st_mtime, UTC)
        else:
            continue
        found.append(BackupFile(path, made, status.st_size, _problem(path, status.st_size, deep)))
    return sorted(found, key=lambda backup: backup.made, reverse=True)


def _problem(path: Path, size: int, deep: bool) -> str | None:
    facts = _facts(path)
    if facts.get("bytes", size) != size:
        return f"has {size} bytes instead of {facts['bytes']}"
    if deep and "digest" in facts:
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != facts["digest"]:
                return "is not the file that was checked when it was made"
    try:
        with closing(DatabaseReader(path)) as reader:
            said = reader.one("PRAGMA quick_check(1)" if deep else "SELECT count(*) FROM sqlite_master")
    except sqlite3.Error as error:
        return f"cannot be read: {error}"
    return str(said) if deep and said != "ok" else None


def _facts(path: Path) -> dict[str, Any]:
    try:
        facts = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _changed(subject: Subject) -> datetime | None:
    """When the database file, or its log, was last written."""
    times = []
    for suffix in ("", "-wal"):
        path = subject.database.with_name(subject.database.name + suffix)
        if path.exists():
            times.append(datetime.fromtimestamp(path.stat().st_mtime, UTC))
    return max(times, default=None)
