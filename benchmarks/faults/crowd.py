"""A crowd at the HTTP door, of two tenants, while the server is killed: what was acknowledged, and whose it is."""

import asyncio
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from agentos import config, database
from agentos.modules.clock import system_clock
from agentos.modules.principals.models import Door as OwnDoor
from agentos.modules.principals.models import Right, Role, local_owner

from ..figures import Bar, Figure
from ..home import Home
from ..http import Client, Served, served
from ..run import Run, say

CLIENTS, REQUESTS, KILLS = 200, 50, 3
TENANTS = ("alpha", "beta")
TRIES = 200
PAUSE_S = 0.1
SEEN_EACH = 200
NONE = Bar(at_most=0)


@dataclass
class Seen:
    """What all clients have seen; `acknowledged` are the texts of stored memories by tenant and id."""

    acknowledged: dict[str, dict[str, str]] = field(default_factory=lambda: {tenant: {} for tenant in TENANTS})
    foreign: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    left: int = 0


class Door:
    """The server as it is now: after a kill it is another one."""

    def __init__(self) -> None:
        self.now: Served | None = None


def measure(run: Run) -> Iterator[Figure]:
    """Yield what 200 clients of two tenants saw of mixed requests, beside three kills."""
    clients, requests = (CLIENTS, REQUESTS) if not run.quick else (40, 10)
    with run.home("crowd", 0, "off") as home:
        keys = {tenant: _key(home, tenant) for tenant in TENANTS}
        seen = asyncio.run(_play(home, keys, clients, requests, run.random_seed))
        acknowledged = sum(map(len, seen.acknowledged.values()))
        name = f"http, {clients} clients × {requests} requests, {KILLS} kills"
        detail = {
            "statuses": {str(status): count for status, count in seen.statuses.items()},
            "wrong": dict(seen.wrong),
        }
        yield Figure(f"{name}: stores acknowledged", acknowledged, "", detail=detail)
        lost, foreign = asyncio.run(_looked_through(home, keys, seen))
        yield Figure(f"{name}: acknowledged and lost", lost, "", bar=NONE)
        yield Figure(f"{name}: rows of the other tenant", seen.foreign + foreign, "", bar=NONE)
        yield Figure(
            f"{name}: 5xx other than 503 with Retry-After", sum(seen.wrong.values()), "", bar=NONE, detail=detail
        )
        yield Figure(f"{name}: requests given up", seen.left, "", bar=NONE)


def _key(home: Home, tenant: str) -> str:
    """Make the key of a tenant, which only a person at a terminal can do by a command; return its secret."""

    async def made() -> str:
        async with database.opened(config.of_home(home.folder), system_clock) as (agentos, _):
            owner = local_owner(tenant, None, OwnDoor.LIBRARY)
            rights = {tenant: Right.WRITE}
            return (await agentos.principals.create_key(owner, tenant, Role.WRITER, rights))[1]

    return asyncio.run(made())


async def _play(home: Home, keys: dict[str, str], clients: int, requests: int, seed: int) -> Seen:
    """Let all clients send their requests while the server is killed, and started again, three times."""
    seen, door, done = Seen(), Door(), asyncio.Event()
    chance = random.Random(seed)
    work = [
        asyncio.create_task(
            _client(number, TENANTS[number % 2], keys, door, requests, random.Random(seed + number), seen)
        )
        for number in range(clients)
    ]
    all_clients = asyncio.gather(*work)
    all_clients.add_done_callback(lambda _: done.set())
    for kill in range(KILLS + 1):
        with served(home, AGENTOS_EMBEDDING_MODEL="none") as now:
            door.now = now
            if kill == KILLS:
                await all_clients
                break
            goal = len(work) * requests * (kill + 1) // (KILLS + 1)
            while not done.is_set() and sum(seen.statuses.values()) < goal:
                await asyncio.sleep(0.02)
            await asyncio.sleep(chance.random() / 10)
            now.process.kill()
            now.process.wait()
            door.now = None
            say(f"killed after {sum(seen.statuses.values())} answers")
    return seen


async def _client(
    number: int, tenant: str, keys: dict[str, str], door: Door, requests: int, chance: random.Random, seen: Seen
) -> None:
    """Send requests one after the other; one that is not answered is sent again."""
    connection: tuple[Served, Client] | None = None
    for count in range(requests):
        content = f"{tenant} client {number} tells note {count}"
        kind = chance.choice(("store", "store", "search", "list", "get"))
        for _ in range(TRIES):
            now = door.now
            if now is None:
                await asyncio.sleep(PAUSE_S)
                continue
            if connection is None or connection[0] is not now:
                connection = now, Client(now.port)
            try:
                if await _asked(kind, content, tenant, keys[tenant], *connection, chance, seen):
                    break
            except (OSError, EOFError, TimeoutError):
                pass
            await asyncio.sleep(PAUSE_S)
        else:
            seen.left += 1
    if connection is not None:
        connection[1].close()


async def _asked(
    kind: str, content: str, tenant: str, key: str, now: Served, client: Client, chance: random.Random, seen: Seen
) -> bool:
    """Send one request; return whether it was answered with what it asks for."""
    ids = list(seen.acknowledged[tenant])
    method, path, body = "GET", "/api/v1/memories?limit=20", None
    if kind == "store":
        method, path, body = "POST", "/api/v1/memories", {"content": content}
    elif kind == "search":
        path = "/api/v1/search?query=client%20tells%20note&limit=10"
    elif kind == "get" and ids:
        path = f"/api/v1/memories/{chance.choice(ids)}"
    status, headers, answer = await client.ask(now, method, path, body, key)
    seen.statuses[status] += 1
    if status >= 500 and not (status == 503 and "retry-after" in headers):
        seen.wrong[f"{status} {method} {path.partition('?')[0]}"] += 1
    if status >= 400:
        return False
    if kind == "store":
        seen.acknowledged[tenant][answer["id"]] = content
    for one in answer.get("results", [answer] if "content" in answer else []):
        seen.foreign += not str(one.get("content", tenant)).startswith(tenant)
    return True


async def _looked_through(home: Home, keys: dict[str, str], seen: Seen) -> tuple[int, int]:
    """Return how many acknowledged memories are not there as they were told, and how many the other tenant can read."""
    lost = foreign = 0
    with served(home, AGENTOS_EMBEDDING_MODEL="none") as now:
        client = Client(now.port)
        for tenant, other in (TENANTS, TENANTS[::-1]):
            for count, (one, content) in enumerate(seen.acknowledged[tenant].items()):
                status, _, answer = await client.ask(now, "GET", f"/api/v1/memories/{one}", key=keys[tenant])
                lost += status != 200 or answer["content"] != content
                if count < SEEN_EACH:
                    status, _, _ = await client.ask(now, "GET", f"/api/v1/memories/{one}", key=keys[other])
                    foreign += status != 404
        client.close()
    return lost, foreign
