"""One process for 1,000 tenants, 20 of them active at a time: its memory, and their calls beside those of one store.

Groups of active tenants come in turn, so that every store is opened, and closed to make room. As many clients of one
store alternate with each group.
"""

import asyncio
import json
import os
import time
from collections.abc import Iterator, Sequence
from itertools import count

from agentos.modules.principals import secrets
from agentos.modules.principals.secrets import SERVER_KEY_BYTES

from .corpus import question, sentence
from .figures import Bar, Figure, durations
from .home import Home
from .http import Client, Served, memory_of, served
from .many_stores import SCHEMA
from .many_stores import served as server
from .run import Run, say

TENANTS, ACTIVE, OPEN = 1_000, 20, 40
CALLS = 1
"""How many stores, and as many searches, each active tenant makes in its turn."""
PROCESS = Bar(at_most=1_024)
BESIDE_ONE = Bar(ratio_at_most=2)
NAMESPACE = "team"

_TENANTS = """
INSERT INTO tenants (name, keys) SELECT 'tenant-' || number, ARRAY[prefix] FROM given;
CREATE TEMP TABLE made AS SELECT t.id AS tenant, g.* FROM given g JOIN tenants t ON t.keys @> ARRAY[g.prefix];
INSERT INTO numbers (tenant) SELECT tenant FROM made;
INSERT INTO audit_head (id, seq, entries, hash, tenant) SELECT 1, 0, 0, '', tenant FROM made;
INSERT INTO store_identity (id, store_id, tenant) SELECT 1, md5(tenant::text), tenant FROM made;
INSERT INTO principals (id, home, created_at, tenant) SELECT 'tenant', '{namespace}', 1, tenant FROM made;
INSERT INTO keys (prefix, digest, principal, name, role, namespaces, created_at, tenant)
    SELECT prefix, digest, 'tenant', 'tenant', 'writer', '{{"{namespace}": "write"}}', 1, tenant FROM made;
"""


def measure(run: Run) -> Iterator[Figure]:
    """Measure the memory of the process after every tenant was active, and p50 and p95 of their calls."""
    tenants = run.repeats(TENANTS, 3 * ACTIVE)
    with server() as url, run.home("tenants", 0, "off") as home:
        home.settings |= {"AGENTOS_DATABASE_URL": url, "AGENTOS_DATABASE_TENANTS": str(OPEN)}
        opened = home.run("agentos", "list", timeout_s=120)  # which makes the schema
        if opened.returncode:
            raise RuntimeError(opened.stderr.decode())
        keys = plant(home, url, tenants + 1)
        with served(home) as door:
            yield from asyncio.run(_measured(home, door, keys))


def plant(home: Home, url: str, tenants: int) -> list[str]:
    """Add tenants with a key each, as `agentos tenants create` does; return the keys."""
    import psycopg

    server_key = os.urandom(SERVER_KEY_BYTES)
    path = home.folder / "server.key"
    path.write_bytes(server_key)
    path.chmod(0o600)
    made = [secrets.new() for _ in range(tenants)]
    with psycopg.connect(url) as connection:
        connection.execute(f"SET search_path TO {SCHEMA}, public")
        connection.execute("SET session_replication_role TO replica")  # neither policies nor triggers
        connection.execute("CREATE TEMP TABLE given (number int, prefix text, digest bytea)")
        with connection.cursor() as cursor, cursor.copy("COPY given FROM STDIN (FORMAT binary)") as copy:
            copy.set_types(["int4", "text", "bytea"])
            for number, (secret, prefix) in enumerate(made):
                copy.write_row((number, prefix, secrets.digest(server_key, secret)))
        connection.execute(_TENANTS.format(namespace=NAMESPACE).encode())
    return [secret for secret, _ in made]


async def _measured(home: Home, door: Served, keys: Sequence[str]) -> list[Figure]:
    one, *tenants = keys
    numbers = count()
    await _turn(door, [one] * ACTIVE, numbers)  # the models are loaded
    alone: tuple[list[float], list[float]] = ([], [])
    beside: tuple[list[float], list[float]] = ([], [])
    most = 0.0
    for begin in range(0, len(tenants), ACTIVE):
        for found, group in ((beside, tenants[begin : begin + ACTIVE]), (alone, [one] * ACTIVE)):
            for kept, taken in zip(found, await _turn(door, group, numbers), strict=True):
                kept.extend(taken)
        most = max(most, memory_of(home))
        say(f"{begin + ACTIVE:,} tenants were active; {most:.0f} MB")
    name = f"{len(tenants):,} tenants, {ACTIVE} active"
    figures = [Figure(f"{name}: memory of the process", most, "MB", bar=PROCESS)]
    for what, theirs, its in zip(("store", "search"), beside, alone, strict=True):
        figures += durations(f"{name}: {what}", theirs, its, f"{ACTIVE} clients of one store", p95=BESIDE_ONE)
    return figures


async def _turn(door: Served, keys: Sequence[str], numbers: Iterator[int]) -> tuple[list[float], list[float]]:
    """Have the owner of each key store and search, all at once; return the seconds of both.

    The first call opens a store, and is counted.
    """
    stores: list[float] = []
    searches: list[float] = []

    async def calls(key: str) -> None:
        client = Client(door.port)
        for _ in range(CALLS):
            number = next(numbers)
            body = {"content": sentence(number)}
            stores.append(await _timed(client, door, "/api/v1/memories", body, key))
            searches.append(await _timed(client, door, "/api/v1/search", {"query": question(number)}, key))
        client.close()

    await asyncio.gather(*map(calls, keys))
    return stores, searches


async def _timed(client: Client, door: Served, path: str, body: object, key: str) -> float:
    """Return the seconds until a call is done; one that is to come again does so, as clients do."""
    began = time.perf_counter()
    while True:
        status, headers, answer = await client.ask(door, "POST", path, body, key)
        if status < 300:
            return time.perf_counter() - began
        if status != 503:
            raise RuntimeError(f"{path}: {status} {json.dumps(answer)[:200]}")
        await asyncio.sleep(float(headers["retry-after"]))
