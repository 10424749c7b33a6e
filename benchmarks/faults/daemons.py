"""Daemons on one PostgreSQL database, killed in turn, whose server restarts, is full, and is cut off: what was
acknowledged, done, and told."""

import asyncio
import itertools
import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from typing import Any

from agentos import config, database
from agentos.modules.clock import system_clock

from ..corpus import sentence
from ..figures import Bar, Figure, percentile
from ..home import Home
from ..http import Client, Served, served
from ..postgres import Server, running
from ..run import Run, say
from .ledger import new_word
from .network import Network

DAEMONS, REQUESTS, CLIENTS = 4, 2_000, 4
"""How many daemons; how many stores and searches of each, half of either, by how many clients."""
KILL_EACH_S, STARTS = 10.0, 20
RESTARTS = ("fast", "immediate")
"""How the server is restarted; the second is a crash."""
FULL, CUT = "full", "cut"
INCIDENTS = (RESTARTS[0], FULL, RESTARTS[1], CUT)
"""What befalls the server, at equal parts of the work."""
FULL_S, CUT_S = 4.0, 6.0
TRIES, PAUSE_S = 6_000, 0.1
SETTLED_WITHIN_S, STUCK_S = 600.0, 5.0
SCHEMA = "crowd"
NONE = Bar(at_most=0)


@dataclass
class Seen:
    """What the clients and the webhook have seen; `acknowledged` are the stored memories by id."""

    sent: set[str] = field(default_factory=set)
    acknowledged: dict[str, str] = field(default_factory=dict)
    delivered: Counter[str] = field(default_factory=Counter)
    answers: Counter[int] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    stored_s: list[float] = field(default_factory=list)
    searched_s: list[float] = field(default_factory=list)
    given_up: int = 0
    kills: int = 0


@dataclass
class Left:
    """What the database holds in the end, beside what it should."""

    lost: int
    extra: int
    tasks: int
    undone: int
    undelivered: int
    twice: int
    begun_again: int
    vectors_owed: int
    faults: tuple[str, ...]


class Door:
    """A daemon of one home as it is now: after a kill it is another process."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._stack = ExitStack()
        self.now: Served | None = None

    def start(self, **settings: str) -> None:
        """Start the daemon, anew where it ends as its server is away, as whoever supervises it would. Blocks."""
        for left in reversed(range(STARTS)):
            try:
                self.now = self._stack.enter_context(served(self._home, **settings))
                return
            except RuntimeError as error:
                say(f"a daemon did not start: {error}")
                if not left:
                    raise

    def kill(self) -> None:
        """Kill it. Blocks."""
        if self.now is not None:
            self.now.process.kill()
            self.now = None
            self._stack.close()

    def end(self) -> None:
        """End it in peace. Blocks."""
        self.now = None
        self._stack.close()


def measure(run: Run) -> Iterator[Figure]:
    """Yield what the clients of four daemons saw, and what the database holds afterwards."""
    daemons, requests, kill_each_s = (2, 120, 4.0) if run.quick else (DAEMONS, REQUESTS, KILL_EACH_S)
    seen, left = play(run, daemons, requests, kill_each_s)
    name = f"postgres, {daemons} daemons × {requests} stores and searches"
    detail = {"answers": {str(code): count for code, count in seen.answers.items()}, "wrong": dict(seen.wrong)}
    yield Figure(f"{name}: stores acknowledged", len(seen.acknowledged), "", detail=detail | {"kills": seen.kills})
    yield Figure(f"{name}: acknowledged and lost", left.lost, "", bar=NONE)
    yield Figure(f"{name}: memories that nobody sent, or twice", left.extra, "", bar=NONE)
    yield Figure(f"{name}: errors that reached a caller", sum(seen.wrong.values()) + seen.given_up, "", bar=NONE)
    begun = {"tasks": left.tasks, "begun again after a kill": left.begun_again}
    yield Figure(f"{name}: tasks not done, or not told", left.undone + left.undelivered, "", bar=NONE, detail=begun)
    yield Figure(f"{name}: tasks done twice without a kill amid them", left.twice, "", bar=NONE, detail=begun)
    yield Figure(f"{name}: memories without a vector", left.vectors_owed, "", bar=NONE)
    yield Figure(f"{name}: faults of the audit log", len(left.faults), "", bar=NONE, detail={"faults": left.faults})
    for kind, taken in (("store", seen.stored_s), ("search", seen.searched_s)):
        middle, slow = (percentile(taken, share) * 1000 for share in (0.5, 0.95))
        yield Figure(f"{name}: {kind}, p95", slow, "ms", middle, "its median")


def play(run: Run, daemons: int, requests: int, kill_each_s: float) -> tuple[Seen, Left]:
    """Let all clients send their requests amid kills and restarts; return what they saw and what is left."""
    with running() as server:
        return asyncio.run(_play(run, server, daemons, requests, kill_each_s))


async def _play(run: Run, server: Server, daemons: int, requests: int, kill_each_s: float) -> tuple[Seen, Left]:
    seen = Seen()
    async with AsyncExitStack() as closing:
        hook = await asyncio.start_server(lambda reader, writer: _receive_webhook(reader, writer, seen), "127.0.0.1", 0)
        closing.push_async_callback(_closed, hook)
        network = await closing.enter_async_context(Network(server.port))
        settings = {
            "AGENTOS_DATABASE_URL": server.url().replace(f":{server.port}", f":{network.port}"),
            "AGENTOS_DATABASE_SCHEMA": SCHEMA,
            "AGENTOS_EMBEDDING_MODEL": "stub",
            "AGENTOS_EVENT_WEBHOOK": f"http://127.0.0.1:{hook.sockets[0].getsockname()[1]}/",
        }
        doors = []
        for number in range(daemons):
            home = Home(run.scratch / f"daemon-{number}", "off", settings)
            doors.append(door := Door(home))
            closing.push_async_callback(asyncio.to_thread, door.end)
            await asyncio.to_thread(door.start)
        await _until(lambda: _asked(server, "SELECT count(*) FROM event_handlers") > 0, SETTLED_WITHIN_S)
        texts = (f"{new_word()} {sentence(number)}" for number in itertools.count())
        each = requests // 2 // CLIENTS
        work = [
            asyncio.create_task(_client(door, each, texts, random.Random(run.random_seed + client), seen))
            for door in doors
            for client in range(CLIENTS)
        ]
        killing = asyncio.create_task(_kill_in_turn(doors, kill_each_s, seen))
        for done, incident in enumerate(INCIDENTS, start=1):
            goal = len(doors) * requests * done // (len(INCIDENTS) + 1)
            while seen.answers.total() < goal:
                await asyncio.sleep(0.05)
            say(f"the server: {incident}, after {seen.answers.total()} answers")
            if incident == CUT:
                await network.cut(CUT_S)
                say(f"{network.dropped} bytes were dropped")
            elif incident == FULL:
                await _fill_up(server)
            else:
                await asyncio.to_thread(server.restart, incident)
        await asyncio.gather(*work)
        killing.cancel()
        await asyncio.gather(killing, return_exceptions=True)
        for door in doors:
            if door.now is None:
                await asyncio.to_thread(door.start)
        await _settle(server)
        faults = await _faults(run, settings)
        return seen, await asyncio.to_thread(_left, server, seen, faults)


async def _closed(hook: asyncio.Server) -> None:
    hook.close()


async def _receive_webhook(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seen: Seen) -> None:
    """Take one call of the webhook."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        await reader.readexactly(int(headers.get("content-length", "0")))
        seen.delivered[headers["webhook-id"]] += 1
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
    except (OSError, EOFError):
        pass  # a daemon that was killed amid it
    finally:
        writer.close()


async def _fill_up(server: Server) -> None:
    """Take every connection that a server has left, and hold them for a while."""
    import psycopg

    async with AsyncExitStack() as held:
        end = time.monotonic() + FULL_S
        count = 0
        while time.monotonic() < end:
            try:
                await held.enter_async_context(await psycopg.AsyncConnection.connect(server.url()))
                count += 1
            except psycopg.OperationalError:
                await asyncio.sleep(0.05)
        say(f"{count} connections were taken")


async def _kill_in_turn(doors: list[Door], each_s: float, seen: Seen) -> None:
    """Kill one daemon after the other, and start it again."""
    for door in itertools.cycle(doors):
        await asyncio.sleep(each_s)
        await asyncio.to_thread(door.kill)
        seen.kills += 1
        say(f"killed a daemon after {seen.answers.total()} answers")
        starting = asyncio.create_task(asyncio.to_thread(door.start))
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            await starting
            raise


async def _client(door: Door, requests: int, texts: Iterator[str], chance: random.Random, seen: Seen) -> None:
    """Store and search in turn; what is not answered, as the daemon was killed, is sent again."""
    for _ in range(requests):
        text = next(texts)
        seen.sent.add(text)
        answer = await _answered(door, "POST", "/api/v1/memories", {"content": text}, seen, seen.stored_s)
        if answer is not None:
            seen.acknowledged[answer["id"]] = text
        asked = chance.choice(list(seen.acknowledged.values())[-50:] or [text]).split()[0]
        await _answered(door, "GET", f"/api/v1/search?query={asked}&limit=5", None, seen, seen.searched_s)


async def _answered(door: Door, method: str, path: str, body: Any, seen: Seen, taken_s: list[float]) -> Any:
    """Return the answer of a request, None where there is none after TRIES."""
    for _ in range(TRIES):
        now = door.now
        if now is None:
            await asyncio.sleep(PAUSE_S)
            continue
        client = Client(now.port)
        began = time.monotonic()
        try:
            status, _, answer = await client.ask(now, method, path, body)
        except (OSError, EOFError):
            if door.now is now and now.process.poll() is None:
                seen.wrong["no answer of a daemon that lives"] += 1
            await asyncio.sleep(PAUSE_S)
            continue
        finally:
            client.close()
        seen.answers[status] += 1
        if status < 400:
            taken_s.append(time.monotonic() - began)
            return answer
        seen.wrong[f"{status} {method} {path.partition('?')[0]}: {answer.get('detail')}"] += 1
        await asyncio.sleep(PAUSE_S)
    seen.given_up += 1
    return None


async def _settle(server: Server) -> None:
    """Wait until every task is done and every vector made; what a killed daemon had leased is due at once."""
    unsettled = "SELECT count(*) FROM queue WHERE state IN ('queued', 'leased')"
    before, since = -1, time.monotonic()

    def is_settled() -> bool:
        nonlocal before, since
        all_queued = _asked(server, _NOT_QUEUED) <= 0  # asked first: what is queued meanwhile is counted then
        now = _asked(server, unsettled)
        if now != before:
            before, since = now, time.monotonic()
        elif now and time.monotonic() - since > STUCK_S:
            _asked(server, "UPDATE queue SET lease_until = 0 WHERE state = 'leased' RETURNING 1")
            _asked(server, "UPDATE queue SET run_at = 0 WHERE state = 'queued' RETURNING 1")
            since = time.monotonic()
        return all_queued and not now and not _asked(server, _OWED)

    await _until(is_settled, SETTLED_WITHIN_S)


_NOT_QUEUED = "SELECT (SELECT count(*) FROM memories) - (SELECT count(*) FROM queue WHERE type = 'event/webhook')"
"""The number of memories whose event is in no task yet."""
_OWED = "SELECT count(*) FROM memories m WHERE NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.memory_seq = m.seq)"


async def _faults(run: Run, settings: dict[str, str]) -> tuple[str, ...]:
    """Return what is wrong with the audit log."""
    named = {name.removeprefix("AGENTOS_").lower(): value for name, value in settings.items()}
    opened = config.load({}, home=run.scratch / "audit", **named)
    store = await database.open_store(opened, system_clock)
    try:
        return (await store.sharing.audit.verify_everywhere()).faults
    finally:
        await store.close()


async def _until(condition: Any, within_s: float) -> None:
    give_up_at = time.monotonic() + within_s
    while time.monotonic() < give_up_at and not await asyncio.to_thread(condition):
        await asyncio.sleep(0.2)


def _rows(server: Server, query: str) -> list[Any]:
    """Return the rows of a statement on the store, as one who sees all of it. Blocks."""
    import psycopg

    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(f"SET search_path TO {SCHEMA}".encode())
        connection.execute("SET agentos.tenant TO '1'")
        return connection.execute(query.encode()).fetchall()


def _asked(server: Server, query: str) -> int:
    """Return the first number of a query; 0 without a row, or before there is a table."""
    import psycopg

    try:
        return next((int(row[0]) for row in _rows(server, query)), 0)
    except psycopg.errors.UndefinedTable:
        return 0


def _left(server: Server, seen: Seen, faults: tuple[str, ...]) -> Left:
    """Return what the database holds. Blocks."""
    memories = dict(_rows(server, "SELECT id, content FROM memories"))
    tasks = {f"evt_{key}": (state, attempts) for key, state, attempts in _rows(server, _TASKS)}
    again = {name for name, (_, attempts) in tasks.items() if attempts > 1}
    return Left(
        lost=sum(memories.get(name) != text for name, text in seen.acknowledged.items()),
        extra=len(memories) - len({*memories.values()} & seen.sent),
        tasks=len(tasks),
        undone=sum(state != "done" for state, _ in tasks.values()) + max(0, len(memories) - len(tasks)),
        undelivered=sum(not seen.delivered[name] for name in tasks),
        twice=sum(count > 1 and name not in again for name, count in seen.delivered.items()),
        begun_again=len(again),
        vectors_owed=_asked(server, _OWED),
        faults=faults,
    )


_TASKS = "SELECT key, state, attempts FROM queue WHERE type = 'event/webhook'"
