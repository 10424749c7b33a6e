"""Killing whoever moves pages down and promotes segments: every page moves once and in order, and is read once."""

import asyncio
import contextlib
import random
import sqlite3
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agentos import config
from agentos.features import registered
from agentos.features.tiers.models import PROMOTION, TierSettings
from agentos.features.tiers.promotion import Promotion
from agentos.features.tiers.rows import TierRows
from agentos.features.tiers.wiring import tier_service
from agentos.modules.agentos import AgentOS
from agentos.modules.facts.models import Relation
from agentos.modules.plugins.feature import with_parts
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.sqlite.store import SqliteStore
from tests.fault.forked import running

DEADLINE_S = 60.0
PAGES = 60
KILLS = 4
"""Fewer than the attempts that the queue makes."""
NS = "default"
Work = Callable[[Path, timedelta], Awaitable[None]]


def say(line: str) -> None:
    """Tell the test."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Analyst:
    """Draws one memory from a page; says so when it is kept, and then dawdles, so that it is killed within a page."""

    def __init__(self, agentos: AgentOS, store: SqliteStore) -> None:
        self._agentos = agentos
        self._store = store

    async def analyse(self, namespace: str, turn_ids: Sequence[str]) -> Sequence[str]:
        turn, _ = await self._agentos.memory.get(namespace, turn_ids[0])
        found = await self._agentos.memory.keep_found(
            namespace,
            f"They said: {turn.content}",
            "knowledge",
            0.35,
            "extraction:rules",
            {"about": "user"},
            turn.occurred_at,
        )
        await self._store.memory.lifecycle.relate(
            NS, [Relation(turn.id, found.memory.id, "evidence_of")], self._agentos.clock()
        )
        say(f"read {turn.content}")
        await asyncio.sleep(0.02)
        return [found.memory.id]


@contextlib.asynccontextmanager
async def opened(home: Path, later: timedelta) -> AsyncIterator[tuple[AgentOS, SqliteStore]]:
    """The services over a home, as another process has them, at a later time: leases of the dead have run out."""

    def clock() -> datetime:
        return datetime.now(UTC) + later

    store = await SqliteStore.open(home, home / "agentos.db", clock)
    settings = config.load({}, home=home)
    own = AgentOS.over(store, NoEmbedder(), settings, clock)
    agentos = with_parts(own, registered(), "wired", store.engine, settings)
    try:
        yield agentos, store
    finally:
        await agentos.close()
        await store.close()


async def move(home: Path, later: timedelta) -> None:
    async with opened(home, later) as (agentos, _):
        say("begin")
        while await tier_service(agentos).mature(NS):
            pass


async def promote(home: Path, later: timedelta) -> None:
    async with opened(home, later) as (agentos, store):
        settings = TierSettings(knowledge_per_side=1_000)
        promotion = Promotion(
            TierRows(store.engine), agentos.lifecycle, Analyst(agentos, store), settings, agentos.clock
        )
        await agentos.queue.work(PROMOTION, promotion)


async def fill(home: Path) -> None:
    async with opened(home, timedelta()) as (agentos, _):
        for number in range(PAGES):
            topic = ("bread oven dough", "pytest fixture database", "guitar chords song")[number % 3]
            await agentos.turns.add(NS, "talk", "user", f"{topic} page{number}", answer=topic, key=str(number))


def run(what: Work, home: Path, later: int) -> None:
    """Work, in a process of its own."""
    asyncio.run(what(home, timedelta(minutes=later)))


def run_two(what: Work, home: Path, later: int) -> None:
    """Two at once, to their end."""
    with running(run, what, home, later) as one, running(run, what, home, later) as other:
        assert (one.wait(DEADLINE_S), other.wait(DEADLINE_S)) == (0, 0)


def rows(home: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(f"file:{home}/agentos.db?mode=ro", uri=True)) as connection:
        return connection.execute(sql).fetchall()


def moved(home: Path) -> int:
    return len(rows(home, "SELECT 1 FROM pages WHERE segment IS NOT NULL"))


def test_pages_move_once_and_in_order_however_often_the_worker_is_killed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    asyncio.run(fill(home))
    killed = 0
    for attempt in range(KILLS):
        with running(run, move, home, attempt) as process:
            assert process.stdout.readline() == "begin\n"
            wanted, give_up_at = moved(home) + 5 + attempt, time.monotonic() + DEADLINE_S
            while moved(home) < wanted and process.poll() is None and time.monotonic() < give_up_at:
                time.sleep(0.001)
            killed += process.poll() is None
        down = [row[0] is not None for row in rows(home, "SELECT segment FROM pages ORDER BY number")]
        assert down == sorted(down, reverse=True), "the oldest first"
    run_two(move, home, KILLS)
    asyncio.run(move(home, timedelta()))  # where two stood in each other's way
    assert killed >= 2 and moved(home) == PAGES - 10
    counted = rows(home, "SELECT interactions, (SELECT count(*) FROM pages WHERE segment = g.seq) FROM segments g")
    assert all(interactions == pages for interactions, pages in counted)
    assert len(counted) == 3, "one segment a topic, made once"
    tasks = rows(home, "SELECT key FROM queue WHERE type = 'promotion'")
    assert len(tasks) == 3 == len(set(tasks)), "each crossed the threshold, and asked once"


def test_a_promotion_that_is_killed_has_every_page_read_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    asyncio.run(fill(home))
    asyncio.run(move(home, timedelta()))
    rng, begun = random.Random(3), Counter[str]()
    for attempt in range(KILLS):
        with running(run, promote, home, 10 * (attempt + 1)) as process:
            begun.update(process.stdout.readline() for _ in range(rng.randint(2, 8)))
    for attempt in (KILLS, KILLS + 1):
        run_two(promote, home, 10 * (attempt + 1))
    analysed = rows(home, "SELECT count(*) FROM pages WHERE analysed_at IS NOT NULL")
    assert analysed == [(PAGES - 10,)]
    known = rows(home, "SELECT content, status FROM memories WHERE kind = 'knowledge'")
    assert len(known) == PAGES - 10 == len(set(known)), "each page is known once"
    assert rows(home, "SELECT count(*) FROM relations WHERE type = 'evidence_of'") == [(PAGES - 10,)]
    assert set(rows(home, "SELECT promotions, visits, interactions FROM segments")) == {(1, 0, 0)}
    assert set(rows(home, "SELECT state FROM queue WHERE type = 'promotion'")) == {("done",)}
    assert max(begun.values()) <= 2, "at most the page at which it was killed is begun again"
