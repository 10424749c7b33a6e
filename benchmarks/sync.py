"""Sync between two devices: the first of a large memory, killed and gone on with, and a day's changes after it.

Vectors do not travel, so the memories have none.
"""

import asyncio
import hashlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from agentos import config, database
from agentos.features.sync.commands import opened_sync
from agentos.features.sync.folder import NAME, SUFFIX
from agentos.modules.clock import system_clock
from agentos.modules.memory.storing import content_hash
from agentos.modules.syncing import Exchanged
from agentos.storage.engine.ports import Connection
from agentos.storage.repositories.audit import register_namespace
from agentos.storage.sqlite.driver import sqlite3

from .corpus import sentence
from .figures import Bar, Figure
from .home import Home
from .run import Run, say

CHANGES = (50, 200)
"""Of a day: its new memories and its changed ones, at the least and at the most."""
WITHIN = Bar(at_most=2.0)
A_BATCH = 500
BEGAN_US = 1_700_000_000_000_000
PLAIN = "a plain insert of the same rows"
_COLUMNS = (
    "id, namespace, memory_type, content, summary, tags, importance, metadata, source, content_hash, "
    "occurred_at, created_at, updated_at, accessed_at"
)


def measure(run: Run) -> Iterator[Figure]:
    """Measure at the largest size; the homes have no daemon."""
    size = max(run.sizes)
    with run.home("told", mode="off") as teller, run.home("taken", mode="off") as taker:
        group = teller.folder.with_name("carried")
        group.mkdir()
        plain_s = asyncio.run(_filled(teller, 0, size))
        asyncio.run(_begun(teller, taker, group))
        yield _first("told", size, teller, plain_s, lambda: _segments(group), size // A_BATCH)
        yield _first("taken", size, taker, plain_s, lambda: _memories(taker), size)
        _require_same(teller, taker, size)
        for count in CHANGES:
            asyncio.run(_filled(teller, size, count // 2))
            _judge(teller, count - count // 2)
            size += count // 2
            for name, home in (("told", teller), ("taken", taker)):
                done, seconds = asyncio.run(_exchanged(home))
                yield Figure(f"a day's {count} changes {name}", seconds, "s", bar=WITHIN, detail={"beside": size})
                if done.words:
                    raise RuntimeError(f"not all was {name}: {done}")
            _require_same(teller, taker, size)


def _first(name: str, size: int, home: Home, plain_s: float, came: Callable[[], int], whole: int) -> Figure:
    """Return how long a first exchange takes that is killed at a third of its way, with what is done again."""
    say(f"first sync, {size:,} memories {name}")
    began = time.perf_counter()
    process = home.begin("agentos", "sync", "now")
    while came() < whole // 3 and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    at = came()
    if not 0 < at < whole:
        raise RuntimeError(f"was not killed on its way, but at {at} of {whole}")
    done, _ = asyncio.run(_exchanged(home))
    seconds = time.perf_counter() - began
    if done.words:
        raise RuntimeError(f"not all was {name}: {done}")
    detail = {"killed_at": at / whole}
    return Figure(f"first sync, {size:,} memories {name}", seconds, "s", plain_s, PLAIN, detail=detail)


async def _begun(teller: Home, taker: Home, group: Path) -> None:
    async with opened_sync(config.load(home=teller.folder), system_clock) as sync:
        phrase = await sync.init(str(group), "teller")
    async with opened_sync(config.load(home=taker.folder), system_clock) as sync:
        await sync.join(str(group), "taker", phrase)


async def _exchanged(home: Home) -> tuple[Exchanged, float]:
    async with opened_sync(config.load(home=home.folder), system_clock) as sync:
        began = time.perf_counter()
        return await sync.now(), time.perf_counter() - began


async def _filled(home: Home, first: int, count: int) -> float:
    """Write memories as sync does, so many in a transaction; return how long that took."""
    store = await database.open_store(config.load(home=home.folder), system_clock)
    try:
        began = time.perf_counter()
        for at in range(first, first + count, A_BATCH):

            async def work(connection: Connection, at: int = at) -> None:
                await register_namespace(connection, "default", BEGAN_US)
                await connection.execute_many(
                    f"INSERT INTO memories ({_COLUMNS}) VALUES ({', '.join('?' * (_COLUMNS.count(',') + 1))})",
                    [_row(number) for number in range(at, min(at + A_BATCH, first + count))],
                )

            await store.engine.write(work)
        return time.perf_counter() - began
    finally:
        await store.close()


def _row(number: int) -> tuple[object, ...]:
    text, at = sentence(number), BEGAN_US + number * 1_000_000
    name = f"mem_{hashlib.sha256(str(number).encode()).hexdigest()[:32]}"
    return (name, "default", "semantic", text, "", "[]", 0.5, "{}", "", content_hash(text), at, at, at, at)


def _judge(home: Home, count: int) -> None:
    """Judge some memories, as agents do in a day."""
    with closing(sqlite3.connect(home.database)) as connection, connection:
        connection.execute(
            "UPDATE memories SET confirmations = confirmations + 1 WHERE seq IN (SELECT seq FROM memories LIMIT ?)",
            (count,),
        )


def _segments(group: Path) -> int:
    return sum(one.endswith(SUFFIX) for _, _, files in os.walk(group / NAME) for one in files)


def _memories(home: Home) -> int:
    with closing(sqlite3.connect(home.database, timeout=10)) as connection:
        [count] = connection.execute("SELECT count(*) FROM memories").fetchone()
    return int(count)


def _require_same(one: Home, other: Home, size: int) -> None:
    """Raise RuntimeError where something was lost or is there twice."""
    query = "SELECT id, content, confirmations FROM memories ORDER BY id"
    with closing(sqlite3.connect(one.database)) as told, closing(sqlite3.connect(other.database)) as taken:
        rows = told.execute(query).fetchall()
        if len(rows) != size or rows != taken.execute(query).fetchall():
            raise RuntimeError("the two devices do not have the same")
