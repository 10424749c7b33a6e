"""Copies every part of a store into an empty one on another engine, in short transactions that note how far it got.

Whatever ends a run, the next one goes on behind the last committed transaction. In the end both are read again, and
must tell the same.
"""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...conformance.reader import CanonicalHash
from ...modules.errors import Conflict, StorageRefused
from ...modules.portability.models import Moved, Progress
from ...modules.records import dataclass
from ..engine.ports import Connection, Engine, Row
from .parts import OWN_RUN, PARTS, MovedPart

if TYPE_CHECKING:
    from ...storage.repositories.audit_log import AuditLogRepository

ROWS_AT_ONCE = 500
_ALL = 2**62
NOTED_IN = "job_runs"
"""The table in which the target of a move says that it is not whole."""
_RUN = f"SELECT lease_owner, last_status, runs FROM job_runs WHERE name = '{OWN_RUN}'"


@dataclass(frozen=True)
class Target:
    """An engine that a store is moved to; `forget_numbers` lets the numbers of its audit log begin anew."""

    engine: Engine
    forget_numbers: str


@dataclass(frozen=True)
class _Reached:
    """The progress of a move from a source (identified by its mark): rows copied per part."""

    source: str
    part: str
    rows: int


async def require_same_faults(source: "AuditLogRepository", target: "AuditLogRepository") -> None:
    """Raise StorageRefused where the audit log of a copy has faults that its source has not."""
    known = (await source.verify_everywhere()).faults
    found = [fault for fault in (await target.verify_everywhere()).faults if fault not in known]
    if found:
        raise StorageRefused(f"the audit log cannot be verified in the copy: {found[0]}")


async def is_unfinished(engine: Engine) -> bool:
    """Return whether a move into this store has not come to its end: it holds only a part of what it should."""
    return bool(await engine.read(_RUN))


async def require_whole(engine: Engine) -> None:
    """Raise StorageRefused where a store holds only a part of what it should."""
    if await is_unfinished(engine):
        raise StorageRefused(
            "this store is not whole: its restore, a move into it or its removal was cut off; run that again first"
        )


async def note_unfinished(engine: Engine) -> None:
    """Say of a store that it is about to be replaced by a move, which then ends that."""
    await engine.write(lambda connection: _note_run(connection, "", PARTS[0].name))


async def move(source: Engine, target: Target, progress: Progress) -> Moved:
    """Copy all of `source`, as it is at this moment, to `target`, and verify that.

    Raises Conflict where the target holds anything but an interrupted move, StorageRefused where it is not equal in the
    end, or the source itself is not whole; the source is only read.
    """
    await require_whole(source)

    async def work(connection: Connection) -> Moved:
        return await _Move(connection, target, progress).run()

    moved = await source.at_one_moment(work)
    return moved if await source.at_one_moment(mark_of) == moved.mark else moved.behind()


class _Move:
    def __init__(self, source: Connection, target: Target, progress: Progress) -> None:
        self._source = source
        self._target = target.engine
        self._forget_numbers = target.forget_numbers
        self._progress = progress

    async def run(self) -> Moved:
        mark = await mark_of(self._source)
        begun = await self._begun()
        goes_on = begun is not None and begun.source == mark
        if begun is None:
            await self._require_empty()
        while True:
            if begun is None or not goes_on:
                begun = await self._begin(mark)
            await self._copy(begun)
            rows, differing = await self._compared()
            if not differing:
                break
            if not goes_on:
                raise StorageRefused(
                    f"the copy differs in {', '.join(differing)}; the source is unchanged: run the same command again"
                )
            goes_on = False  # the source has changed since the run that was interrupted: all of it once more
        await self._target.write(_finish)
        return Moved(rows, mark)

    async def _begun(self) -> _Reached | None:
        rows = await self._target.read(_RUN)
        return _Reached(rows[0][0], rows[0][1], rows[0][2]) if rows else None

    async def _require_empty(self) -> None:
        for part in PARTS:
            if part.is_content and await self._target.read(f"{part.query} LIMIT 1"):
                raise Conflict(f"the target already has {part.name.replace('_', ' ')}: nothing was changed")

    async def _begin(self, mark: str) -> _Reached:
        """Take away what a first start, or an interrupted run, has left."""

        async def work(connection: Connection) -> None:
            for part in reversed(PARTS):
                if part.is_verified:
                    await connection.execute(f"DELETE FROM {part.name}")
            await connection.execute("INSERT INTO audit_head (id, seq, entries, hash) VALUES (1, 0, 0, '')")
            await connection.execute(self._forget_numbers)
            await _note_run(connection, mark, PARTS[0].name)

        await self._target.write(work)
        return _Reached(mark, PARTS[0].name, 0)

    async def _copy(self, reached: _Reached) -> None:
        counts = [await self._source.fetch_value(part.counting) for part in PARTS]
        first = next(place for place, part in enumerate(PARTS) if part.name == reached.part)
        done, total = sum(counts[:first]) + reached.rows, sum(counts)
        for part in PARTS[first:]:
            skipped = reached.rows if part.name == reached.part else 0
            pages = self._source.pages(f"{part.query} LIMIT ? OFFSET ?", (_ALL, skipped), rows=ROWS_AT_ONCE)
            async for rows in pages:
                reached = await self._put(part, rows, reached)
                done += len(rows)
                self._progress("rows copied", done, total)

    async def _put(self, part: MovedPart, rows: Sequence[Row], reached: _Reached) -> _Reached:
        """Write rows of a part, and with them how far the move has got."""
        before = reached.rows if reached.part == part.name else 0
        now = _Reached(reached.source, part.name, before + len(rows))

        async def work(connection: Connection) -> None:
            noted = await connection.execute(
                f"UPDATE job_runs SET last_status = ?, runs = ? WHERE name = '{OWN_RUN}' AND lease_owner = ? "
                "AND last_status = ? AND runs = ?",
                (now.part, now.rows, reached.source, reached.part, reached.rows),
            )
            if noted != 1:
                raise Conflict("another agentos migrate is using the same target; wait until it has finished")
            await part.write(connection, rows)

        await self._target.write(work)
        return now

    async def _compared(self) -> tuple[dict[str, int], list[str]]:
        """Return how many rows each table has, and those whose rows are not the same in source and target."""
        verified = [part for part in PARTS if part.is_verified]

        async def work(target: Connection) -> tuple[dict[str, int], list[str]]:
            counts: dict[str, int] = {}
            differing = []
            for number, part in enumerate(verified, start=1):
                expected, found = await _digest(self._source, part), await _digest(target, part)
                counts[part.name] = expected[0]
                differing += [part.name] if expected != found else []
                self._progress("tables compared", number, len(verified))
            return counts, differing

        return await self._target.at_one_moment(work)


async def _digest(connection: Connection, part: MovedPart) -> tuple[int, str]:
    """Return how many rows of a part there are, and their hash."""
    found = CanonicalHash()
    count = 0

    def add(rows: Sequence[Row]) -> None:
        for row in rows:
            found.add(part.name, part.as_dict(row))

    async for rows in connection.pages(part.query, rows=ROWS_AT_ONCE):
        await asyncio.to_thread(add, rows)
        count += len(rows)
    return count, found.digest


async def mark_of(connection: Connection) -> str:
    """Return what tells whether a store is as it was: its counts, and the end of its audit log."""
    counts = [await connection.fetch_value(part.counting) for part in PARTS if part.is_content]
    end = await connection.fetch_value("SELECT hash FROM audit_head WHERE id = 1")
    return hashlib.sha256(json.dumps([counts, end]).encode()).hexdigest()


async def _note_run(connection: Connection, mark: str, part: str) -> None:
    await connection.execute(
        "INSERT INTO job_runs (name, interval_us, next_due_at, lease_owner, last_status, runs) "
        f"VALUES ('{OWN_RUN}', 0, 0, ?, ?, 0) ON CONFLICT DO NOTHING",
        (mark, part),
    )


async def _finish(connection: Connection) -> None:
    await connection.execute(f"DELETE FROM job_runs WHERE name = '{OWN_RUN}'")
