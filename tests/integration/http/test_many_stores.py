"""One process serves many stores: the credential alone leads to one, and none tells anything of another.

Both stores have the same namespace and the same principal, so that nothing but the store keeps them apart.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest

from agentos import config, database
from agentos.daemon_pkg.many import ManyStores, many_stores
from agentos.interfaces.http.app import application, application_of_tenant
from agentos.interfaces.http.rest.routes import operations
from agentos.interfaces.http.tenants import ManyTenants
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import NotFound
from agentos.modules.principals.models import MOST_OF_A_ROLE, Role, local_owner
from agentos.modules.principals.models import Door as Where
from agentos.modules.store_request import StoreRequest
from agentos.storage.postgres.store import PostgresStore
from agentos.tools.bound import BoundTools
from tests.integration.conftest import Clock
from tests.integration.http.conftest import HERE, OWNER_KEY, Served, components, door_over, served_by
from tests.integration.http.test_events import stream
from tests.integration.http.test_rights import OWN, STREAMS, Call, called, value_for

pytestmark = pytest.mark.postgres
SCHEMA = f"many_{os.getpid()}"
MARK = "xochipilli"
API = "/api/v1"
NEVER_S = 86_400.0


class Many:
    """A process that serves stores: its application, and what is behind it."""

    def __init__(
        self, served: Served, tenants: ManyTenants, others: ManyStores, own: AgentOS, names: tuple[str, str]
    ) -> None:
        self.acme, self.birch = names
        self.served = served
        self.tenants = tenants
        self.others = others
        self.own = own

    async def key(self, store: str, role: Role = Role.OWNER) -> str:
        """A key of a store for its namespace OWN, made beside the process."""
        owner = local_owner("default", None, Where.COMMAND_LINE)
        async with self.others.opened(store) as (agentos, _):
            given = {OWN: MOST_OF_A_ROLE[role]}
            return (await agentos.principals.create_key(owner, f"the-{role}", role, given))[1]

    async def hash(self, store: str) -> str:
        async with self.others.opened(store) as (agentos, _):
            return str(await agentos.portability.canonical_hash([OWN]))


Open = Callable[..., Awaitable[Many]]


@pytest.fixture
async def many(postgres_url: str, home: Path, clock: Clock, bound: BoundTools) -> AsyncIterator[Open]:
    """Serves stores in one process: `await many(most=1)`."""
    own, acme, birch = (f"{name} of {home.parent.name}" for name in ("house", "acme", "birch"))
    async with AsyncExitStack() as closing:

        async def start(most: int = 2, **overrides: Any) -> Many:
            settings = config.load(
                home=home,
                database_url=postgres_url,
                database_schema=SCHEMA,
                database_tenant=own,
                database_tenants=most,
                embedding_model="stub",
                http="127.0.0.1:0",
                http_key=OWNER_KEY,
                http_requests_per_minute=100_000,
                **overrides,
            )
            for name in (acme, birch):
                await (await PostgresStore.open(home, postgres_url, clock, schema=SCHEMA, tenant=name)).close()
            found: list[ManyTenants] = []
            opened = database.opened_for_many(settings, clock)
            agentos, _, decisions, others = await closing.enter_async_context(opened)
            assert others is not None

            async def tenants() -> ManyTenants | None:
                return found[0] if found else None

            door = door_over(agentos, decisions, bound, settings, tenants=tenants)
            table = operations(bound)

            def door_of(services: AgentOS) -> Any:
                return application_of_tenant(door, table, services, components)

            stores = await closing.enter_async_context(many_stores(others, door_of, own, most, clock, NEVER_S))
            found.append(ManyTenants(others.directory, stores, agentos.principals.server_key, own))
            served = await closing.enter_async_context(served_by(door, application(door, table)))
            return Many(served, found[0], others, agentos, (acme, birch))

        yield start


async def filled(client: Any) -> dict[str, str]:
    """Store one of each kind with MARK in it; return ids as arguments name them."""

    async def made(path: str, **body: Any) -> Any:
        answer = await client.post(f"{API}{path}", json=body)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    memory = await made("/memories", content=f"The {MARK} is at the pier", memory_type="semantic", tags=[MARK])
    goal = await made("/goals", title=f"Find the {MARK}", description=f"all of the {MARK}")
    await made("/reflections", action=f"call the {MARK}", outcome="it came", success=True)
    await made("/sessions/harbour/turns", role="user", content=f"where is the {MARK}?")
    sealed = await made("/sealed", content=f"{MARK}-ciphertext", embedding=[1.0, 0.0])
    goal_id = goal.get("id") or goal["goal"]["id"]
    ids = dict.fromkeys(("memory_id", "id", "segment", "node_id"), memory["id"])
    return {
        **ids,
        **dict.fromkeys(("goal_id", "insight_id", "approval_id"), goal_id),
        "sealed": sealed["id"],
        "session_id": "harbour",
    }


async def test_every_route_and_tool_tells_one_store_nothing_of_another_while_each_is_closed_for_the_other(
    many: Open, bound: BoundTools
) -> None:
    process = await many(most=1)  # so that each call closes the other store, and opens its own anew
    acme, birch = [process.served.client(await process.key(name)) for name in (process.acme, process.birch)]
    ids = await filled(birch)
    before = await process.hash(process.birch)
    document = (await birch.get("/openapi.json")).json()
    wrong: list[str] = []
    for path, methods in document["paths"].items():
        for method, described in methods.items():
            call = Call(method, path, described, ids)
            if call.name in STREAMS:
                continue
            answer = await call.send(acme)
            if answer.status_code >= 500 or MARK in answer.text:
                wrong.append(f"{call.name}: {answer.status_code} {answer.text[:200]}")
            if len(wrong) == 0 and method == "get" and described["operationId"] == "memory_list":
                assert (await birch.get(f"{API}/memories")).json()["results"], "its own memory is there all the while"
    for entry in bound:
        schema = entry.input_schema["properties"]
        given = {name: value_for(name, schema[name], ids) for name in entry.input_schema.get("required", ())}
        if MARK in (told := json.dumps(await called(acme, entry.tool, given))):
            wrong.append(f"{entry.tool.name}: {told[:200]}")
    assert not wrong, "\n".join(wrong)
    assert await process.hash(process.birch) == before
    assert process.tenants.stores.openings > 3 and len(process.tenants.stores.names) <= 1


async def test_a_header_or_a_part_of_a_credential_leads_nowhere_and_the_own_store_goes_on(many: Open) -> None:
    process = await many()
    key = await process.key(process.acme)
    acme = process.served.client(key)
    await filled(acme)
    named = {"x-agentos-tenant": process.acme, "x-agentos-store": process.acme}
    own = process.served.client(OWNER_KEY, **named)
    assert (await own.get(f"{API}/memories")).json()["results"] == []
    begun = process.tenants.stores.openings
    for forged in (key[:-1] + ("0" if key[-1] != "0" else "1"), f"agos_{key[5:13]}_{'0' * 64}", key[5:13], "agot_x.y"):
        answer = await process.served.client(forged, **named).get(f"{API}/memories")
        assert answer.status_code == 401 and MARK not in answer.text
    assert process.tenants.stores.openings == begun  # a wrong key does not even open a store


async def test_tokens_and_sessions_of_browsers_stay_in_the_store_of_their_key(many: Open) -> None:
    process = await many()
    keys = {name: await process.key(name) for name in (process.acme, process.birch)}
    await filled(process.served.client(keys[process.birch]))
    for name, key in keys.items():
        token = (await process.served.client(key).post(f"{API}/auth/token", json={"role": "reader"})).json()
        by_token = await process.served.client(token["token"]).get(f"{API}/memories")
        browser = process.served.client(key=None)
        entered = await browser.post("/dashboard/sign-in", data={"key": key}, headers=HERE)
        assert entered.status_code == 303, entered.text
        page = await browser.get("/dashboard/memories")
        assert page.status_code == 200, page.headers
        for text in (by_token.text, page.text):
            assert (MARK in text) == (name == process.birch)
        operations_page = await browser.get("/dashboard/operations")
        assert "openapi" not in operations_page.text  # the routes that the whole process was asked are not its business


async def test_a_stream_hears_its_own_store_alone_and_keeps_it_open(many: Open) -> None:
    process = await many(most=2)
    keys = {name: await process.key(name) for name in (process.acme, process.birch)}
    acme, birch = (process.served.client(keys[name]) for name in (process.acme, process.birch))
    async with stream(process.served, keys[process.acme]) as events:
        await events.start()
        await birch.post(f"{API}/memories", json={"content": f"the {MARK} of birch"})
        stored = await acme.post(f"{API}/memories", json={"content": "the heron of acme"})
        first = await events.next()
        assert first["subject"] == stored.json()["id"]
        process.tenants.stores.end([process.birch])  # what is idle is closed; what streams stays
        assert (await birch.get(f"{API}/memories")).status_code == 200
        assert process.acme in process.tenants.stores.names


async def test_where_all_that_may_be_open_are_in_use_the_next_is_told_to_come_again(
    many: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = await many(most=1)
    keys = {name: await process.key(name) for name in (process.acme, process.birch)}
    birch = process.served.client(keys[process.birch])
    async with stream(process.served, keys[process.acme]) as events:
        await events.start()
        with monkeypatch.context() as patch:
            patch.setattr(process.tenants.stores, "_room_within_s", 0.05)
            refused = await birch.get(f"{API}/memories")
        assert refused.status_code == 503 and refused.json()["code"] == "overloaded"
        assert refused.headers["retry-after"]
    assert (await birch.get(f"{API}/memories")).status_code == 200


async def test_a_suspended_store_answers_nothing_and_its_streams_end_until_it_is_resumed(
    many: Open, postgres_url: str
) -> None:
    process = await many()
    key = await process.key(process.acme)
    acme = process.served.client(key)
    await filled(acme)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        async with stream(process.served, key) as events:
            await events.start()
            connection.execute(f"UPDATE {SCHEMA}.tenants SET suspended_at = now() WHERE name = %s", (process.acme,))
            refused = await acme.get(f"{API}/memories")
            assert refused.status_code == 403 and refused.json()["code"] == "suspended" and MARK not in refused.text
            await events.ended()
            assert await process.others.directory.ended([process.acme, process.birch]) == [process.acme]
        assert process.acme not in await process.others.directory.due(process.own.clock(), [process.acme])
        connection.execute(f"UPDATE {SCHEMA}.tenants SET suspended_at = NULL WHERE name = %s", (process.acme,))
    assert MARK in (await acme.get(f"{API}/memories")).text


async def test_a_store_is_called_as_often_a_minute_as_it_may(many: Open, postgres_url: str) -> None:
    process = await many()
    acme, birch = [process.served.client(await process.key(name)) for name in (process.acme, process.birch)]
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        set_to = f"UPDATE {SCHEMA}.tenants SET calls_per_minute = %s WHERE name = %s"
        connection.execute(set_to, (2, process.acme))
        answers = [await acme.get(f"{API}/memories") for _ in range(3)]
        connection.execute(set_to, (None, process.acme))
    assert [one.status_code for one in answers] == [200, 200, 429]
    assert answers[2].json()["code"] == "too_many_requests" and answers[2].headers["retry-after"]
    assert (await birch.get(f"{API}/memories")).status_code == 200
    assert process.tenants.refused_calls == 1
    assert (await process.tenants.counts())["known"] >= 3
    assert process.own.measures()["database_connections"] >= 1


async def test_a_key_that_a_copy_of_its_store_has_too_opens_neither(many: Open, postgres_url: str) -> None:
    process = await many()
    key = await process.key(process.acme)
    copied = (
        "SET search_path TO {0}; "
        "SELECT set_config('agentos.tenant', (SELECT id::text FROM tenants WHERE name = '{1}'), false); "
        "INSERT INTO principals (id, home, created_at) VALUES ('the-owner', 'own', 1) ON CONFLICT DO NOTHING"
    )
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(copied.format(SCHEMA, process.acme).encode())
        row = connection.execute("SELECT digest FROM keys WHERE prefix = %s", (key[5:13],)).fetchone()
        assert row is not None
        connection.execute(copied.format(SCHEMA, process.birch).encode())
        connection.execute(
            "INSERT INTO keys (prefix, digest, principal, name, role, namespaces, created_at) "
            "VALUES (%s, %s, 'the-owner', 'copy', 'owner', '{}', 1)",
            (key[5:13], row[0]),
        )
    answer = await process.served.client(key).get(f"{API}/memories")
    assert answer.status_code == 401 and "several stores" in answer.json()["detail"]


async def test_a_store_that_takes_the_prefix_of_a_key_of_another_keeps_nobody_from_it(
    many: Open, postgres_url: str
) -> None:
    process = await many()
    keys = {name: await process.key(name) for name in (process.acme, process.birch)}
    acme = process.served.client(keys[process.acme])
    await filled(acme)
    token = (await acme.post(f"{API}/auth/token", json={"role": "reader"})).json()["token"]
    browser = process.served.client(key=None)
    entered = await browser.post("/dashboard/sign-in", data={"key": keys[process.acme]}, headers=HERE)
    assert entered.status_code == 303, entered.text
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        in_birch = (
            "SET search_path TO {0}; "
            "SELECT set_config('agentos.tenant', (SELECT id::text FROM tenants WHERE name = '{1}'), false)"
        )
        connection.execute(in_birch.format(SCHEMA, process.birch).encode())
        taken = "UPDATE keys SET prefix = %s WHERE prefix = %s"
        prefixes = [keys[name][5:13] for name in (process.acme, process.birch)]
        assert connection.execute(taken, prefixes).rowcount == 1
        connection.execute(
            "UPDATE tenants SET keys = array_append(keys, %s) WHERE name = %s", (prefixes[0], process.birch)
        )
    assert MARK in (await process.served.client(token).get(f"{API}/memories")).text
    assert MARK in (await browser.get("/dashboard/memories")).text
    assert MARK in (await acme.get(f"{API}/memories")).text


async def test_jobs_of_all_stores_run_where_something_is_due_and_write_into_their_own_alone(
    many: Open, clock: Clock
) -> None:
    process = await many(most=1)
    acme, birch = [process.served.client(await process.key(name)) for name in (process.acme, process.birch)]
    directory = process.others.directory
    await filled(birch)
    before = await process.hash(process.acme)
    due = await directory.due(clock(), [])
    assert process.birch in due
    async with process.tenants.stores.using(process.birch, is_asked_for=False) as store:
        await store.work.do_due()  # type: ignore[attr-defined]
    assert process.birch not in await directory.due(clock(), [])
    assert await process.hash(process.acme) == before
    clock.advance(minutes=1)
    stored = await acme.post(f"{API}/memories", json={"content": "acme is due again, and birch is not"})
    assert stored.status_code == 201, stored.text
    assert process.acme in (due := await directory.due(clock(), [])) and process.birch not in due


async def test_many_callers_of_many_stores_at_once_get_their_own(many: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    process = await many(most=1)
    monkeypatch.setattr(process.tenants.stores, "_room_within_s", 60.0)
    clients = {name: process.served.client(await process.key(name)) for name in (process.acme, process.birch)}

    async def one(name: str, number: int) -> None:
        stored = await clients[name].post(f"{API}/memories", json={"content": f"{name} keeps crate {number}"})
        assert stored.status_code == 201, stored.text
        listed = (await clients[name].get(f"{API}/memories", params={"limit": 50})).json()["results"]
        assert listed and all(memory["content"].startswith(name) for memory in listed)

    await asyncio.gather(*(one(name, number) for number in range(12) for name in clients))


async def test_no_store_is_opened_that_is_not_there(many: Open) -> None:
    process = await many()
    with pytest.raises(NotFound, match="no store 'nobody'"):
        async with process.tenants.stores.using("nobody"):
            raise AssertionError("it is open")
    assert process.tenants.stores.names == []


async def test_a_closed_store_finishes_what_it_was_writing(many: Open) -> None:
    process = await many(most=1)
    clients = [process.served.client(await process.key(name)) for name in (process.acme, process.birch)]
    async with process.others.opened(process.acme) as (agentos, _):
        await agentos.memory.store(OWN, StoreRequest("written beside the process"))
    for _ in range(3):
        for client in clients:
            assert (await client.post(f"{API}/memories", json={"content": "a crate"})).status_code in (200, 201)
    assert "written beside" in (await clients[0].get(f"{API}/memories")).text


async def test_a_store_that_takes_the_name_of_one_that_is_open_is_opened_itself(
    many: Open, postgres_url: str, home: Path
) -> None:
    process = await many()
    former = process.served.client(await process.key(process.acme))
    assert (await former.post(f"{API}/memories", json={"content": "a crate"})).status_code == 201
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        gone = f"UPDATE {SCHEMA}.tenants SET name = 'gone, ' || name WHERE name = %s"
        connection.execute(gone, (process.acme,))
        connection.execute(f"INSERT INTO {SCHEMA}.tenants (name) VALUES (%s)", (process.acme,))
    opened = await PostgresStore.open(home, postgres_url, process.own.clock, schema=SCHEMA, tenant=process.acme)
    await opened.close()
    anew = process.served.client(await process.key(process.acme))
    answer = await anew.get(f"{API}/memories")
    assert (answer.status_code, answer.json()["results"]) == (200, [])


async def test_the_stores_of_tenants_carry_nothing_for_sync_and_say_so(many: Open, home: Path) -> None:
    process = await many(http_sync_mib=1)
    acme = process.served.client(await process.key(process.acme))
    for method in ("MKCOL", "PUT", "GET", "PROPFIND", "DELETE"):
        refused = await acme.request(method, f"/sync/{OWN}/agentos-sync/group.json", headers={"depth": "1"})
        assert refused.status_code == 403 and "its own store alone" in refused.text, (method, refused.text)
    assert not (home / "sync").exists()
