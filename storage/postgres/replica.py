"""A standby that answers what may lag, as long as it has replayed what the reader must see."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import psycopg
from psycopg import AsyncConnection, Connection

from ...modules.errors import StorageUnavailable
from ..engine.ports import Row
from . import failures
from .direct import connected, one
from .pool import Pool

POSITION = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"
"""The query for the end of the primary's log: whatever was committed before is in front of it."""
REPLAYED = "SELECT pg_is_in_recovery(), coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::bigint"
"""The query for whether a server is a standby, and up to where it has replayed the primary's log."""
AGAIN_S = 5.0
"""How long a standby is left alone that could not be asked; one that is behind, a fifth of that."""
CONNECT_WITHIN_S, READ_WITHIN_S = 0.5, 10.0
LOOKS = 4
"""How often the primary's position is noted within the time that the standby may be behind."""

log = logging.getLogger(__name__)
PAUSE_S = 0.05


class ReplicaBehind(Exception):
    """A standby has not replayed what must be seen, or is none."""


class Replica:
    """The connections to a standby, and what it must have replayed: the log's end as of `lag_s` ago.

    Clocks play no part, and every answer is checked where it is read, so that the address may lead to several standbys.
    """

    def __init__(self, url: str, lag_s: float) -> None:
        self._pool = Pool(url)
        self._lag_s = lag_s
        self._noted: deque[tuple[float, int]] = deque()
        self._left_alone_until = 0.0
        self._problem = ""
        self._answered = self._refused = 0

    async def open(self) -> None:
        """Begin to connect."""
        await self._pool.open()

    async def close(self) -> None:
        """Close every connection."""
        await self._pool.close()

    async def needed(self, position: Callable[[], Awaitable[int]]) -> int:
        """Return up to where a standby must have replayed to be within the bound; `position` asks the primary."""
        now = time.monotonic()
        while self._noted and self._noted[0][0] < now - self._lag_s:
            self._noted.popleft()
        if not self._noted or self._noted[-1][0] < now - self._lag_s / LOOKS:
            self._noted.append((now, await position()))
        return self._noted[0][1]

    async def ask(self, read: Callable[[AsyncConnection[Row]], Awaitable[list[Row]]]) -> list[Row] | None:
        """Return what `read` does; None where it raises ReplicaBehind, or the standby cannot be asked now."""
        if time.monotonic() < self._left_alone_until:
            self._refused += 1
            return None
        try:
            async with asyncio.timeout(READ_WITHIN_S), self._pool.connected(CONNECT_WITHIN_S) as connection:
                rows = await read(connection)
        except ReplicaBehind as error:
            self._note(str(error), AGAIN_S / 5)
        except (StorageUnavailable, TimeoutError) as error:
            self._note(str(error) or "it does not answer", AGAIN_S)
        except psycopg.Error as error:
            if failures.is_of_one_store(error):  # which the primary tells, and others are answered
                return None
            self._note(str(failures.translate(error)), AGAIN_S)
        else:
            self._answered += 1
            self._note("", 0.0)
            return rows
        return None

    def _note(self, problem: str, alone_s: float) -> None:
        if problem != self._problem:
            log.log(logging.WARNING if problem else logging.INFO, "the standby: %s", problem or "answers reads")
        self._problem = problem
        if problem:
            self._refused += 1
            self._left_alone_until = time.monotonic() + alone_s

    def measures(self) -> Mapping[str, float]:
        """Return whether the standby answers, and how many reads it has answered, or the primary in its place."""
        return {
            "database_replica_up": float(not self._problem),
            "database_replica_reads": float(self._answered),
            "database_replica_refused": float(self._refused),
        }


def require(row: Row | Sequence[Any] | None, least: int) -> None:
    """Raise ReplicaBehind where what REPLAYED has returned shows no standby, or one that is behind `least`."""
    if row is None or not row[0]:
        raise ReplicaBehind("it is no standby: it has left its primary, or is one itself")
    if row[1] < least:
        raise ReplicaBehind("it is behind")


def lag(primary: Connection[Any], url: str, within_s: float) -> float:
    """Return how many seconds a standby takes until it has replayed what its primary has now. Blocks.

    Raises ReplicaBehind where that takes longer than `within_s`, or it is no standby, and psycopg.Error.
    """
    began, least = time.monotonic(), one(primary, POSITION)
    with connected(url) as standby:
        while True:
            try:
                require(standby.execute(REPLAYED.encode()).fetchone(), least)
            except ReplicaBehind:
                if time.monotonic() - began > within_s:
                    raise
                time.sleep(PAUSE_S)
            else:
                return time.monotonic() - began
