"""The numbers of a store, read without opening it: nothing is created, locked or written."""

import os
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from ....modules.health.overview import (
    AgentOverview,
    BackupOverview,
    DaemonOverview,
    JobOverview,
    StoreOverview,
    VectorOverview,
)
from ...engine.times import from_us, maybe_from_us, to_us
from .. import identity
from ..backup_files import BackupFiles
from ..driver import sqlite3
from .index import NAME
from .reading import DatabaseReader


def overview(home: Path, database: Path, chroma: Path, now: datetime) -> StoreOverview:
    """Return what the store of a home holds now. Blocks; takes a moment longer for each 100,000 memories."""
    sizes = {
        "database": _size(database),
        "log_of_writes": _size(database.with_name(database.name + "-wal")),
        "index": _size(chroma),
        "backups": _size(home / "backups"),
        "models": _size(home / "models"),
        "logs": _size(home / "logs"),
    }
    newest = None
    try:
        backups = BackupFiles(home / "backups", database)
        backup = next((each for each in backups.all() if each.problem is None), None)
        newest = None if backup is None else BackupOverview(backup.name, backup.created_at, backup.bytes)
        if not sizes["database"]:
            was_here = identity.evidence(database, backups).exists
            return StoreOverview(sizes, newest, "the database is gone or empty" if was_here else None)
        with closing(DatabaseReader(database)) as reader:
            return _read(reader, sizes, newest, to_us(now))
    except OSError as error:
        return StoreOverview(sizes, newest, f"the data folder cannot be read: {error.strerror or error}")
    except sqlite3.Error as error:
        return StoreOverview(sizes, newest, f"the database cannot be read: {error}")


def _read(reader: DatabaseReader, sizes: dict[str, int], backup: BackupOverview | None, now_us: int) -> StoreOverview:
    return StoreOverview(
        sizes,
        backup,
        None,
        reader.one("SELECT max(version) FROM schema_migrations"),
        _agents(reader, now_us),
        [
            JobOverview(row[0], maybe_from_us(row[1]), from_us(row[2]), row[3], row[4])
            for row in reader.rows(
                "SELECT name, last_finished_at, next_due_at, last_error, failures FROM job_runs ORDER BY name"
            )
        ],
        _vectors(reader),
        _daemon(reader),
    )


def _agents(reader: DatabaseReader, now_us: int) -> list[AgentOverview]:
    memories: dict[str, list[Any]] = {}
    for row in reader.rows(
        "SELECT namespace, memory_type, count(*), sum(length(CAST(content AS BLOB))), "
        "sum(expires_at IS NOT NULL AND expires_at <= ?), max(created_at) FROM memories GROUP BY 1, 2 ORDER BY 1, 2",
        now_us,
    ):
        memories.setdefault(row[0], []).append(row)
    goals: dict[str, dict[str, int]] = {}
    for namespace, status, count in reader.rows(
        "SELECT namespace, status, count(*) FROM goals GROUP BY 1, 2 ORDER BY 1, 2"
    ):
        goals.setdefault(namespace, {})[status] = count
    events = dict(reader.rows("SELECT namespace, count(*) FROM events WHERE type = 'reflection' GROUP BY 1"))
    insights = dict(reader.rows("SELECT namespace, count(*) FROM insights WHERE status = 'open' GROUP BY 1"))
    approvals = _pending_approvals(reader, now_us)
    return [
        AgentOverview(
            name,
            {row[1]: row[2] for row in memories.get(name, ())},
            sum(row[3] for row in memories.get(name, ())),
            sum(row[4] for row in memories.get(name, ())),
            goals.get(name, {}),
            events.get(name, 0),
            insights.get(name, 0),
            approvals.get(name, 0),
            maybe_from_us(max((row[5] for row in memories.get(name, ())), default=None)),
        )
        for (name,) in reader.rows("SELECT id FROM namespaces ORDER BY id")
    ]


def _pending_approvals(reader: DatabaseReader, now_us: int) -> dict[str, int]:
    if not reader.has("approvals"):  # a store that no process of this version has opened yet
        return {}
    waiting = "SELECT namespace, count(*) FROM approvals WHERE status = 'pending' AND expires_at > ? GROUP BY 1"
    return dict(reader.rows(waiting, now_us))


def _vectors(reader: DatabaseReader) -> VectorOverview:
    newest = reader.rows("SELECT id, fingerprint, dimension FROM embedding_generations ORDER BY id DESC LIMIT 1")
    generation, model, dimension = newest[0] if newest else (None, None, None)
    count = reader.one("SELECT count(*) FROM embeddings WHERE generation = ?", generation)
    waiting = reader.one(
        "SELECT count(*) FROM memories m WHERE NOT EXISTS "
        "(SELECT 1 FROM embeddings e WHERE e.generation = ? AND e.memory_seq = m.seq)",
        generation,
    )
    applied = reader.one("SELECT coalesce(max(applied), 0) FROM index_state WHERE name = ?", NAME)
    change = reader.one("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'index_outbox'")
    return VectorOverview(model, dimension, count, waiting, applied, change)


def _daemon(reader: DatabaseReader) -> DaemonOverview | None:
    rows = reader.rows("SELECT pid, version, started_at, heartbeat_at, stopped_at FROM daemon_state WHERE id = 1")
    if not rows:
        return None
    pid, version, started, heartbeat, stopped = rows[0]
    return DaemonOverview(pid, version, from_us(started), from_us(heartbeat), maybe_from_us(stopped))


def _size(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder; 0 when there is none."""
    try:
        if not path.is_dir():
            return path.stat().st_size
    except OSError:
        return 0
    total = 0
    for top, _, names in os.walk(path):
        for name in names:
            try:
                total += os.lstat(os.path.join(top, name)).st_size
            except OSError:  # gone meanwhile
                continue
    return total
