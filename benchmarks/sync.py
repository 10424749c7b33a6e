"""Sync between two devices: the first of a large memory, and a day's changes after it."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

from agentos import config
from agentos.features.sync.service import SyncService
from agentos.interfaces.cli.sync import opened_sync
from agentos.modules.clock import system_clock
from agentos.modules.syncing import Exchanged
from agentos.storage.sqlite.driver import sqlite3

from .figures import Bar, Figure
from .run import Run, say

CHANGES = 300
"""Of a day."""
WITHIN = Bar(at_most=2.0)


def measure(run: Run) -> Iterator[Figure]:
    """Measure at the largest size, in this process."""
    size = max(run.sizes)
    with run.home("told", size) as one, run.home("taken") as other:
        yield from asyncio.run(_measured(one.folder, other.folder, size))


async def _measured(one: Path, other: Path, size: int) -> list[Figure]:
    group = one.with_name("carried")
    group.mkdir()
    settings = [config.load(home=home) for home in (one, other)]
    figures: list[Figure] = []

    async def timed(name: str, service: SyncService, bar: Bar | None = None) -> Exchanged:
        say(name)
        began, began_cpu = time.perf_counter(), time.process_time()
        done = await service.now()
        seconds, cpu_s = time.perf_counter() - began, time.process_time() - began_cpu
        figures.append(Figure(name, seconds, "s", bar=bar, detail={"cpu_s": cpu_s}))
        return done

    async with (
        opened_sync(settings[0], system_clock) as teller,
        opened_sync(settings[1], system_clock) as taker,
    ):
        phrase = await teller.init(group, "teller")
        told = await timed(f"first sync, {size:,} memories told", teller)
        await taker.join(group, "taker", phrase)
        taken = await timed(f"first sync, {size:,} memories taken", taker)
        if taken.words or told.told < size:
            raise RuntimeError(f"not all was taken: {told}, {taken}")
        _change(settings[0].database)
        await timed(f"a day's {CHANGES} changes told", teller, WITHIN)
        await timed(f"a day's {CHANGES} changes taken", taker, WITHIN)
    return figures


def _change(path: Path) -> None:
    """Judge some memories, as agents do in a day."""
    with sqlite3.connect(path) as connection:
        connection.execute(
            "UPDATE memories SET confirmations = confirmations + 1 WHERE seq IN (SELECT seq FROM memories LIMIT ?)",
            (CHANGES,),
        )
