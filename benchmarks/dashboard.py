"""The dashboard over a large store: how long each page takes beside the calls of the API that it makes.

python -m benchmarks --only dashboard

Figures are processor time of the server's process, the median of rounds in which pages and calls take turns: what else
the machine does hardly counts. How long a page takes by the clock, at best, is in the details.
"""

import asyncio
import http.client
import json
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from agentos import config
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock
from agentos.modules.facts.models import MAY_SUPERSEDE, Relation
from agentos.modules.graph.models import EntityType, Named, Understood
from agentos.modules.identifiers import new_id
from agentos.modules.memory.cursors import before_sequence
from agentos.modules.memory.models import Memory, MemoryFilter, MemoryType, Status
from agentos.modules.principals.logins import LoginLinks
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.engine.ports import Connection
from agentos.storage.repositories.memory_writing import insert_memory
from agentos.storage.server_key import ServerKeyFile
from agentos.storage.sqlite.store import SqliteStore

from .corpus import sentence
from .figures import Bar, Figure
from .http import KEY, Served, served
from .run import Run, say

NAMESPACE = "default"
A_TRANSACTION = 2_000
NAMED, NAMES, GOALS, CONTESTS, OUTDATED = 1_500, 2_000, 200, 30, 30
A_PAGE = 20
"""The memories on a page of the contested, the outdated and the stale."""
ROUNDS, QUICK_ROUNDS = 12, 5
PICTURED, DAYS = 2_000, 30
OF_SERVICES: Mapping[str, Callable[[AgentOS], Awaitable[object]]] = {
    "picture": lambda agentos: agentos.graph.picture(NAMESPACE, PICTURED),
    "daily": lambda agentos: agentos.archive.daily(
        NAMESPACE, system_clock() - timedelta(days=DAYS), system_clock() + timedelta(days=1)
    ),
    "growth": lambda agentos: agentos.browsing.growth(
        NAMESPACE, system_clock() - timedelta(days=DAYS), system_clock() + timedelta(days=1)
    ),
    "facets": lambda agentos: agentos.browsing.facets([NAMESPACE], MemoryFilter()),
    "fading": lambda agentos: agentos.memory.fading(NAMESPACE, 0.5, 0.2, 5),
    "stale": lambda agentos: agentos.memory.page(NAMESPACE, MemoryFilter(statuses=(Status.STALE,)), A_PAGE),
    "links": lambda agentos: agentos.lifecycle.links(NAMESPACE, MAY_SUPERSEDE),
}
"""Calls of pages that the API has no route for: their time is taken in this process."""
BESIDE_CALLS = Bar(ratio_at_most=1.5)
OFFLINE = {"AGENTOS_EMBEDDING_MODEL": "none"}


def measure(run: Run) -> Iterator[Figure]:
    """Measure the main pages over the largest size: memories, home, goals, graph, contested, operations."""
    size = max(run.sizes)
    with run.home("dashboard", 0, "off") as home:
        home.settings.update(OFFLINE)
        say(f"{size:,} memories are written …")
        contested, outdated = asyncio.run(_planted(home.folder, size))
        with served(home) as door, closing(_Browser(door, home.folder)) as browser:
            memory_id = browser.answer("memories?limit=1")["results"][0]["id"]
            for name, page, calls in _pages(size, memory_id, contested, outdated):
                took, reference, clock = _timed(browser, page, calls, run.repeats(ROUNDS, QUICK_ROUNDS))
                reference_name = f"{len(calls)} call{'s' * (len(calls) > 1)}"
                title, detail = f"dashboard, {name}, {size:,} memories", {"by_the_clock_ms": clock}
                yield Figure(title, took, "ms", reference, reference_name, BESIDE_CALLS, detail)


def _pages(
    size: int, memory_id: str, contested: Sequence[str], outdated: Sequence[str]
) -> Iterator[tuple[str, str, list[str]]]:
    """Yield each page with its address and the calls that it makes; where the API has none of one, it is left out."""
    listing = "memories?limit=50"
    days = datetime.now(UTC).date()
    yield "memories", "memories", [listing]
    yield "memories by filter", "memories?tags=tag3&min_importance=0.4", [f"{listing}&tags=tag3&min_importance=0.4"]
    yield (
        "memories, a deep page",
        f"memories?place={size // 10}&at=2",
        [f"{listing}&cursor={before_sequence(size // 10)}"],
    )
    yield "memories by importance", "memories?sort=unimportant", [listing]
    yield "filters with counts", "chips", ["facets", "namespaces"]
    yield "memories, a search", "memories?q=invoice+export", ["search?query=invoice+export&limit=20"]
    filters = "tags=tag3&memory_type=semantic&min_importance=0.2"
    yield (
        "memories, a search by filter",
        f"memories?q=invoice+export&{filters}",
        [f"search?query=invoice+export&limit=20&{filters}"],
    )
    around = [f"memories/{memory_id}", f"memories/{memory_id}/timeline", f"search?query={quote(sentence(size - 1))}"]
    yield "one memory", f"memory/{memory_id}", around
    week = ["usage?days=30", "memories?limit=5", "goals/active?limit=5", "reflections/summary?days=7"]
    yield "home", "", [*week, "approvals", "jobs?limit=50", "fading", "daily", "growth"]
    yield (
        "timeline",
        "timeline",
        [f"memories?limit=100&since={days}&until={days + timedelta(days=1)}", "sessions", "daily"],
    )
    waiting = ["approvals", "links"]  # each of these pages says how much is contested, and how much outdated
    yield "contested", "contested", [*waiting, *[f"memories/{one}" for one in contested[: 2 * A_PAGE]]]
    yield (
        "outdated",
        "contested?kind=outdated",
        [*waiting, *[f"memories/{one}" for one in outdated[: 2 * A_PAGE]]],
    )
    yield "stale", "contested?kind=stale", [*waiting, "stale"]
    yield "goals", "goals", ["goals/tree?limit=50&status=active", "goals?limit=50&status=active"]
    yield "graph of a name", "graph?q=Name0", ["graph/stats", "graph/subgraph?query=Name0&max_nodes=200"]
    yield "graph", "graph", ["graph/stats", "picture"]
    yield "operations", "operations", ["health", "usage?days=30", "jobs", "backups", "keys", "grants", "namespaces"]


def _timed(browser: "_Browser", page: str, calls: Sequence[str], rounds: int) -> tuple[float, float, float]:
    """Return the median of a page, the sum of those of its calls, and the shortest of the page by the clock, in ms."""
    pages: list[float] = []
    clock: list[float] = []
    answers: dict[str, list[float]] = {one: [] for one in calls}
    for number in range(rounds + 1):  # the first round warms up
        began = time.perf_counter()
        took = browser.page(page)
        by_the_clock = time.perf_counter() - began
        each = {one: browser.call(one) for one in calls}
        if number:
            pages.append(took)
            clock.append(by_the_clock)
            for one, seconds in each.items():
                answers[one].append(seconds)
    reference = sum(map(statistics.median, answers.values()))
    return statistics.median(pages) * 1000, reference * 1000, round(min(clock) * 1000, 1)


class _Browser:
    """A session of the dashboard, and a client of the API, over one connection each."""

    def __init__(self, door: Served, home: Path) -> None:
        self._door = door
        self._key = {"authorization": f"Bearer {KEY}"}
        self._runner = asyncio.Runner()
        self._opened = self._runner.run(_opened(home))
        self._connection = http.client.HTTPConnection("127.0.0.1", door.port, timeout=300)
        link = self._runner.run(LoginLinks(ServerKeyFile(home), system_clock).make(is_person=True))
        headers = {
            "origin": f"http://127.0.0.1:{door.port}",
            "sec-fetch-site": "same-origin",
            "content-type": "application/x-www-form-urlencoded",
        }
        answer = self._asked("POST", "/dashboard/enter", headers, urlencode({"link": link}))[1]
        self._cookie = {"cookie": str(answer["set-cookie"]).partition(";")[0]}

    def page(self, path: str) -> float:
        """Return the processor time of a page, in seconds."""
        return self._used(f"/dashboard/{path}", self._cookie)[0]

    def answer(self, path: str) -> dict[str, Any]:
        """Return what the API answers."""
        found: dict[str, Any] = json.loads(self._used(f"/api/v1/{path}", self._key)[1])
        return found

    def call(self, name: str) -> float:
        """Return the processor time of a call: of a route of the API, or of a service, in seconds."""
        if name not in OF_SERVICES:
            return self._used(f"/api/v1/{name}", self._key)[0]
        began = time.process_time()
        self._runner.run(_of_service(name, self._opened[1]))
        return time.process_time() - began

    def _used(self, path: str, headers: Mapping[str, str]) -> tuple[float, bytes]:
        """Return the processor time that an answer takes the server, and the answer. Raises RuntimeError."""
        before = _processor_s(self._door.process.pid)
        status, _, body = self._asked("GET", path, headers)
        took = _processor_s(self._door.process.pid) - before
        if status != 200:
            raise RuntimeError(f"{path} answers {status}: {body[:500].decode()}")
        return took, body

    def close(self) -> None:
        """Close the connection, and what was opened beside it."""
        self._connection.close()
        store, agentos = self._opened
        self._runner.run(agentos.close())
        self._runner.run(store.close())
        self._runner.close()

    def _asked(
        self, method: str, path: str, headers: Mapping[str, str], body: str | None = None
    ) -> tuple[int, Mapping[str, str], bytes]:
        self._connection.request(method, path, body, dict(headers))
        answer = self._connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


def _processor_s(pid: int) -> float:
    """Return the processor time that the threads of a process have used, in seconds."""
    used = 0
    for one in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # a thread that has ended meanwhile
            used += int((one / "schedstat").read_text().split()[0])
    return used / 1e9


async def _of_service(name: str, agentos: AgentOS) -> None:
    await OF_SERVICES[name](agentos)


async def _opened(home: Path) -> tuple[SqliteStore, AgentOS]:
    store = await SqliteStore.open(home, home / "agentos.db", system_clock)
    return store, AgentOS.over(store, NoEmbedder(), config.load(home=home), system_clock)


async def _planted(home: Path, size: int) -> tuple[list[str], list[str]]:
    """Fill a home: memories straight into the tables, the rest by the services.

    Return the ids of those that are contested, and of those that may be outdated, each pair together.
    """
    store, agentos = await _opened(home)
    chance = random.Random(1)
    try:
        contested = []
        for number in range(CONTESTS):
            slot = {"subject": f"team {number}", "attribute": "room"}
            for value, source in (("Porto", "user"), ("Lisbon", "imported from a web page")):
                request = StoreRequest(f"Team {number} meets in {value}.", value=value, source=source, **slot)  # type: ignore[arg-type]
                contested.append((await agentos.memory.store(NAMESPACE, request)).memory.id)
        outdated = []
        for number in range(OUTDATED):
            for day in ("Sundays", "Mondays"):
                request = StoreRequest(f"Host {number} is reset on {day}.")
                outdated.append((await agentos.memory.store(NAMESPACE, request)).memory.id)
            opinion = Relation(outdated[-1], outdated[-2], MAY_SUPERSEDE, 0.9, "planted")
            await store.memory.lifecycle.relate(NAMESPACE, [opinion], system_clock())
        pattern = (await agentos.memory.store(NAMESPACE, StoreRequest("The first of them all."))).memory
        for begin in range(0, size, A_TRANSACTION):
            rows = [_memory(pattern, number, size, chance) for number in range(begin, min(size, begin + A_TRANSACTION))]
            await store._sqlite.write(lambda connection, rows=rows: _written(connection, rows))  # type: ignore[misc]
        for number in range(GOALS):
            await agentos.goals.add(NAMESPACE, f"Ship part {number}", "It is wanted by the end of the year.")
        named = 0
        while texts := await store.conversation.graph.unread(
            NAMESPACE, A_TRANSACTION, changed=True
        ):  # else pages read some each time
            understood = [
                (text, Understood(tuple(_names(chance)) if named + at < NAMED else ())) for at, text in enumerate(texts)
            ]
            named += len(texts)
            await store.conversation.graph.record(NAMESPACE, understood, system_clock())
        return contested, outdated
    finally:
        await agentos.close()
        await store.close()


def _names(chance: random.Random) -> list[Named]:
    drawn = {f"Name{int(NAMES * chance.random() ** 2)}" for _ in range(6)}
    return [Named(one, EntityType.PERSON) for one in sorted(drawn)]


def _memory(pattern: Memory, number: int, size: int, chance: random.Random) -> Memory:
    at = pattern.created_at - timedelta(minutes=size - number)  # the last two months of 100,000
    return replace(
        pattern,
        id=new_id("mem"),
        content=sentence(number),
        summary=sentence(number)[:80],
        memory_type=list(MemoryType)[number % 3],
        tags=(f"tag{number % 20}",),
        importance=round(chance.random(), 3),
        source="claude-code" if number % 3 else "user",
        status=Status.STALE if number % 50 == 0 else Status.ACTIVE,
        occurred_at=at,
        created_at=at,
        updated_at=at,
        accessed_at=at,
    )


async def _written(connection: Connection, rows: Sequence[Memory]) -> None:
    for memory in rows:
        await insert_memory(connection, memory, memory.id)
