"""Checks of the database file: that it is there, the right one, sound, and of a known schema."""

from ....modules.errors import StorageUnavailable
from ....modules.health.models import Check, Finding, Severity, info, ok
from ....modules.installing import REINSTALL, UPGRADE
from ... import foreign_sqlite
from .. import access, driver, encryption, identity, migrate, schema_objects
from .subject import Subject, is_of_text_index

LONG_LOG_BYTES = 64 * 2**20
SHOWN = 3


def checks(subject: Subject) -> list[Check]:
    """Return the checks of the database as a file, in order."""
    return [
        Check("database.present", lambda: look_for_it(subject), ("home.folder",)),
        Check("database.header", lambda: look_at_header(subject), ("database.present",)),
        Check("database.integrity", lambda: look_at_pages(subject), ("database.header",)),
        Check("database.schema", lambda: look_at_schema(subject), ("database.integrity",)),
        Check("database.objects", lambda: look_at_objects(subject), ("database.schema",)),
        Check("database.identity", lambda: look_at_identity(subject), ("database.schema",)),
        Check("database.log", lambda: look_at_log(subject), ("database.integrity",)),
    ]


def restoring(subject: Subject) -> str:
    """Return the way back to a good database, for the end of a remedy."""
    return access.remedy(subject.home, subject.backups)


def look_for_it(subject: Subject) -> Finding:
    """Check that the database is there: if it is gone or empty, data is lost only where a store has been."""
    database = subject.database
    size = database.stat().st_size if database.exists() else None
    if size:
        return ok(f"{database}, {size / 2**20:.1f} MiB", path=str(database), bytes=size)
    state = "is gone" if size is None else "is empty, 0 bytes"
    certain, hints = _evidence(subject)
    if not certain and not hints:
        message = f"there is no data yet: {database} is created at the first use"
        return Finding(Severity.INFO, message, details={"path": str(database)}, blocks=True)
    message = f"the database {database} {state}, but a store was here: {', '.join(certain + hints)}"
    remedy = f"put it back where it was, or {restoring(subject)}"
    severity = Severity.ERROR if certain else Severity.WARNING
    return Finding(severity, message, remedy, {"path": str(database), "evidence": certain + hints}, blocks=True)


def _evidence(subject: Subject) -> tuple[list[str], list[str]]:
    """Return what only a store in use leaves behind, and what one that was never created may leave too."""
    log = subject.database.with_name(subject.database.name + "-wal")
    certain = {
        "its identity is noted": identity.path_of(subject.database).exists(),
        f"its log of writes, {log.name}, is there": log.exists() and log.stat().st_size > 0,
        "there are backups": any(subject.backups.path.glob("*.db")),
        "there is a vector index": any(subject.chroma.glob("index-*")),
    }
    hints = {"a daemon has logged": any((subject.home / "logs").glob("daemon.log*"))}
    return [text for text in certain if certain[text]], [text for text in hints if hints[text]]


def look_at_header(subject: Subject) -> Finding:
    """Check that the file begins as SQLite's files do, or can be read with the key of an encrypted home."""
    try:
        state, is_readable = encryption.read(subject.home), driver.is_under_key(subject.database)
    except encryption.OpenToOthers as refused:
        return Finding(Severity.ERROR, str(refused), refused.remedy, blocks=True)
    except StorageUnavailable as refused:
        return Finding(Severity.ERROR, str(refused), "agentos encrypt --recover, or put the key back", blocks=True)
    if state is not None and state.target is not None:
        message = "a change of the encryption was interrupted: every file can be read, some are as they were before"
        return Finding(Severity.WARNING, message, "stop the daemon, then: agentos encrypt --resume")
    if is_readable:
        return ok("it is an encrypted SQLite file, and the key matches")
    if foreign_sqlite.has_header(subject.database):
        return ok("it is an SQLite file")
    message = f"the database {subject.database} is damaged: it is no SQLite file"
    return Finding(Severity.ERROR, message, restoring(subject), blocks=True)


def look_at_pages(subject: Subject) -> Finding:
    """Run SQLite's own check: of the structure, with `deep` of every index and text index too."""
    wrong = [line for line in subject.integrity() if not is_of_text_index(line)]
    pragma = "integrity_check" if subject.deep else "quick_check"
    if not wrong:
        return ok(f"SQLite finds nothing wrong ({pragma})")
    shown = "; ".join(line.strip().replace("\n", " ") for line in wrong[:SHOWN])
    message = f"the database is damaged: {shown}"
    return Finding(Severity.ERROR, message, restoring(subject), {pragma: wrong}, blocks=True)


def look_at_schema(subject: Subject) -> Finding:
    """Check that its migrations are those that this version knows."""
    known = migrate.known()
    if not subject.reader.has("schema_migrations"):
        message = f"{subject.database} is not a database of this AgentOS"
        return Finding(Severity.ERROR, message, "set AGENTOS_HOME to another folder", blocks=True)
    applied = dict(subject.reader.rows("SELECT version, checksum FROM schema_migrations"))
    newest = max(applied, default=0)
    details = {"schema": newest, "known": len(known)}
    if newest > len(known):
        message = f"the database has schema {newest}, this AgentOS knows {len(known)}"
        return Finding(Severity.ERROR, message, UPGRADE, details, blocks=True)
    changed = [m.version for m in known[:newest] if applied.get(m.version) != m.checksum]
    if changed:
        message = f"migration {changed[0]} of the database is not the one of this AgentOS"
        remedy = f"{REINSTALL}, or {restoring(subject)}"
        return Finding(Severity.ERROR, message, remedy, {**details, "changed": changed}, blocks=True)
    if newest < len(known):
        message = f"schema {newest} becomes {len(known)} at the next start, after a backup"
        return Finding(Severity.INFO, message, details=details, blocks=True)
    return ok(f"schema {newest}, the newest", **details)


def look_at_objects(subject: Subject) -> Finding:
    """Check that its tables, indexes, views and triggers are AgentOS's own: others could change what is written."""
    [newest] = subject.reader.rows("SELECT max(version) FROM schema_migrations")[0]
    ours = schema_objects.expected_objects(newest)
    held = schema_objects.of(subject.reader.rows)
    wrong = sorted({name for name, _ in ours.items() ^ held.items()})
    if not wrong:
        return ok(f"its {len(held)} tables, indexes, views and triggers are AgentOS's own")
    named = ", ".join(f"{kind} {name}" for kind, name in wrong[:SHOWN])
    message = f"the database holds what AgentOS did not make, or lacks what it did: {named}"
    remedy = "agentos backup, then agentos restore: rows alone come back, into AgentOS's own schema"
    return Finding(Severity.ERROR, message, remedy, {"objects": [list(one) for one in wrong]})


def look_at_identity(subject: Subject) -> Finding:
    """Check that it is the store that belongs here, not another one that was put in its place."""
    if not subject.reader.has("store_identity"):
        return ok("its schema has no identity")
    held = str(subject.reader.one("SELECT store_id FROM store_identity"))
    noted = identity.evidence(subject.database, subject.backups).store_id
    if noted == held:
        return ok(f"it is the store {held[:8]}…", store_id=held)
    if noted is None:
        return info("the identity is not noted beside the database; the next start does that", store_id=held)
    message = f"the database is not the one that was here: it is the store {held[:8]}…, not {noted[:8]}…"
    note = identity.path_of(subject.database)
    remedy = f"put the right one back, or {restoring(subject)}; if this one is meant, rm '{note}'"
    return Finding(Severity.ERROR, message, remedy, {"store_id": held, "noted": noted}, blocks=True)


def look_at_log(subject: Subject) -> Finding:
    """Check that the write-ahead log is moved into the database now and then."""
    log = subject.database.with_name(subject.database.name + "-wal")
    size = log.stat().st_size if log.exists() else 0
    if size <= LONG_LOG_BYTES:
        return ok(f"the write-ahead log has {size / 2**20:.1f} MiB", bytes=size)

    def checkpoint() -> str:
        with subject.writer() as holding, subject.writer() as copying:
            # Nobody can write meanwhile: before 3.51.3 SQLite has a bug when a commit meets a checkpoint.
            holding.execute("BEGIN IMMEDIATE")
            try:
                copying.execute("PRAGMA wal_checkpoint(PASSIVE)")
            finally:
                holding.execute("ROLLBACK")
        with subject.writer() as connection:
            connection.execute("PRAGMA journal_size_limit=0")
            # The next write restarts and shortens the log: this one writes a page without changing any content.
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("UPDATE schema_migrations SET name = name || ' ' WHERE version = 1")
            connection.execute("UPDATE schema_migrations SET name = rtrim(name) WHERE version = 1")
            connection.execute("COMMIT")
        left = log.stat().st_size if log.exists() else 0
        return f"the log of {size / 2**20:.0f} MiB was moved into the database ({left / 2**20:.1f} MiB left)"

    message = f"nobody moves the log of writes into the database: {log.name} has {size / 2**20:,.0f} MiB"
    return Finding(Severity.WARNING, message, "agentos doctor --repair", {"bytes": size}, checkpoint)
