"""The counts of a store, in portable SQL."""

import os
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from ...modules.backup.models import Backup
from ...modules.health.overview import (
    AgentOverview,
    BackupOverview,
    DaemonOverview,
    JobOverview,
    StoreOverview,
    VectorOverview,
)
from ..engine.times import from_us, maybe_from_us, to_us
from ..repositories.jobs import DAEMONS, daemon_record

KNOWS_DAEMONS = 19
"""The version of the schema from which on it has a row for each daemon."""


class Reader(Protocol):
    """Reads a store that need not be open."""

    def rows(self, sql: str, *parameters: Any) -> list[Any]:
        """Return all rows of one portable query."""

    def one(self, sql: str, *parameters: Any) -> Any:
        """Return the first column of the first row."""

    def has(self, table: str) -> bool:
        """Return whether there is such a table."""


def read(
    reader: Reader,
    sizes: dict[str, int],
    backup: BackupOverview | None,
    now: datetime,
    *,
    bytes_of: str,
    index: str,
    shared: datetime | None = None,
) -> StoreOverview:
    """Return what a store holds now. Blocks; takes a moment longer for each 100,000 memories.

    `bytes_of` is the engine's expression of the bytes of a text {}, `index` the name of the index that notes how far it
    got, `shared` the database's own time, if it has one. Raises what the reader does.
    """
    schema = reader.one("SELECT max(version) FROM schema_migrations")
    return StoreOverview(
        sizes,
        backup,
        None,
        schema,
        _agents(reader, to_us(now), bytes_of),
        [
            JobOverview(row[0], maybe_from_us(row[1]), from_us(row[2]), row[3], row[4])
            for row in reader.rows(
                "SELECT name, last_finished_at, next_due_at, last_error, failures FROM job_runs ORDER BY name"
            )
        ],
        _vectors(reader, index),
        daemons(reader, shared or now) if schema >= KNOWS_DAEMONS else (),
    )


def newest(backups: list[Backup]) -> BackupOverview | None:
    """Return the newest backup that can be used."""
    backup = next((each for each in backups if each.problem is None), None)
    return None if backup is None else BackupOverview(backup.name, backup.created_at, backup.bytes)


def _agents(reader: Reader, now_us: int, bytes_of: str) -> list[AgentOverview]:
    memories: dict[str, list[Any]] = {}
    for row in reader.rows(
        f"SELECT namespace, memory_type, count(*), sum({bytes_of.format('content')}), "
        "count(*) FILTER (WHERE expires_at <= ?), max(created_at) FROM memories GROUP BY 1, 2 ORDER BY 1, 2",
        now_us,
    ):
        memories.setdefault(row[0], []).append(row)
    goals: dict[str, dict[str, int]] = {}
    for namespace, status, count in reader.rows(
        "SELECT namespace, status, count(*) FROM goals GROUP BY 1, 2 ORDER BY 1, 2"
    ):
        goals.setdefault(namespace, {})[status] = count
    events = _counts(reader, "SELECT namespace, count(*) FROM events WHERE type = 'reflection' GROUP BY 1")
    insights = _counts(reader, "SELECT namespace, count(*) FROM insights WHERE status = 'open' GROUP BY 1")
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


def _counts(reader: Reader, query: str, *parameters: Any) -> dict[str, int]:
    return {row[0]: row[1] for row in reader.rows(query, *parameters)}


def _pending_approvals(reader: Reader, now_us: int) -> dict[str, int]:
    if not reader.has("approvals"):  # a store that no process of this version has opened yet
        return {}
    waiting = "SELECT namespace, count(*) FROM approvals WHERE status = 'pending' AND expires_at > ? GROUP BY 1"
    return _counts(reader, waiting, now_us)


def _vectors(reader: Reader, index: str) -> VectorOverview:
    newest = reader.rows("SELECT id, fingerprint, dimension FROM embedding_generations ORDER BY id DESC LIMIT 1")
    generation, model, dimension = newest[0] if newest else (None, None, None)
    count = reader.one("SELECT count(*) FROM embeddings WHERE generation = ?", generation)
    waiting = reader.one(
        "SELECT count(*) FROM memories m WHERE NOT EXISTS "
        "(SELECT 1 FROM embeddings e WHERE e.generation = ? AND e.memory_seq = m.seq)",
        generation,
    )
    change = reader.one("SELECT coalesce(newest('index_outbox'), 0)")
    noted = reader.one("SELECT max(applied) FROM index_state WHERE name = ?", index) if index else change
    return VectorOverview(model, dimension, count, waiting, noted or 0, change)


def daemons(reader: Reader, now: datetime) -> list[DaemonOverview]:
    """Return what each daemon recorded of itself, the one heard of last first. Blocks. Raises what the reader does."""
    return [
        DaemonOverview(
            daemon.state(now),
            daemon.host,
            daemon.pid,
            daemon.version,
            daemon.started_at,
            daemon.heartbeat_at,
            daemon.stopped_at,
            round(daemon.skew.total_seconds(), 3),
        )
        for daemon in map(daemon_record, reader.rows(DAEMONS))
    ]


def size(path: Path) -> int:
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
