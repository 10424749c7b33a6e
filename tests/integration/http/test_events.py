"""The stream of events: every change once, only what the key may read, resumed where it was cut."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from agentos.interfaces.http.rest.streams import MOST_OF_A_PRINCIPAL
from agentos.modules.principals.models import Right, Role

API = "/api/v1"
WITHIN_S = 60


class Stream:
    """The events of an open stream, one after the other."""

    def __init__(self, received: asyncio.Queue[bytes]) -> None:
        self._received = received
        self._rest = b""

    async def ended(self) -> None:
        """Wait for the end that the server makes; `text` holds what came before."""
        while chunk := await asyncio.wait_for(self._received.get(), WITHIN_S):
            self._rest += chunk

    @property
    def text(self) -> str:
        return self._rest.decode()

    async def next(self) -> dict[str, Any]:
        while True:
            while b"\n\n" in self._rest:
                block, _, self._rest = self._rest.partition(b"\n\n")
                fields = dict(line.split(": ", 1) for line in block.decode().splitlines() if not line.startswith(":"))
                if "data" in fields:
                    return {**json.loads(fields["data"]), "id": fields["id"], "event": fields["event"]}
            self._rest += await asyncio.wait_for(self._received.get(), WITHIN_S)

    async def start(self) -> str:
        """The id that a new stream names first."""
        while b"\n\n" not in self._rest:
            self._rest += await asyncio.wait_for(self._received.get(), WITHIN_S)
        return self._rest.decode().partition("\nid: ")[2].split()[0]

    async def take(self, number: int) -> list[dict[str, Any]]:
        return [await self.next() for _ in range(number)]


@asynccontextmanager
async def stream(served: Any, key: str, query: str = "", **headers: str) -> AsyncIterator[Stream]:
    """A stream that is read while it is sent, and cut at the end of the block."""
    received: asyncio.Queue[bytes] = asyncio.Queue()
    began = asyncio.Event()
    cut = asyncio.Event()
    header_fields = {"host": "127.0.0.1", "authorization": f"Bearer {key}", **headers}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": f"{API}/events",
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in header_fields.items()],
        "client": ("127.0.0.1", 1),
    }
    asked = False
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        nonlocal asked
        if not asked:
            asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await cut.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
            began.set()
        else:
            received.put_nowait(message["body"])

    running = asyncio.create_task(served.app(scope, receive, send))
    try:
        await asyncio.wait_for(began.wait(), WITHIN_S)
        assert statuses == [200]
        yield Stream(received)
    finally:
        cut.set()
        await running


async def test_every_change_comes_once_and_a_cut_stream_misses_none(served: Any, make_key: Any) -> None:
    keys = [await make_key(name, Role.WRITER, {name: Right.WRITE}) for name in ("ada", "bob")]
    ada, bob = (served.client(key) for key in keys)

    async def store(client: Any, text: str) -> str:
        return str((await client.post(f"{API}/memories", json={"content": text})).json()["id"])

    async with stream(served, keys[0]) as first:
        stored = [await store(ada, "The kettle is blue")]
        await store(bob, "Nobody else's business")
        stored.append(await store(ada, "The cup is green"))
        seen = await first.take(2)
    stored += [await store(ada, f"While nobody listened: {number * 7919}") for number in range(3)]
    async with stream(served, keys[0], **{"last-event-id": seen[-1]["id"]}) as second:
        seen += await second.take(3)
        goal = (await ada.post(f"{API}/goals", json={"title": "t", "description": "d"})).json()["id"]
        seen.append(await second.next())
    assert [event["subject"] for event in seen] == [*stored, goal]
    assert [event["event"] for event in seen] == ["memory.store"] * 5 + ["goal.add"]
    assert {event["namespace"] for event in seen} == {"ada"} and "kettle" not in str(seen)
    async with stream(served, keys[0], "cursor=0&types=goal&namespace=ada") as goals:
        assert (await goals.next())["subject"] == goal


async def test_a_stream_says_where_it_begins_so_that_one_cut_before_any_event_misses_none(
    served: Any, make_key: Any
) -> None:
    key = await make_key("ada", Role.WRITER, {"ada": Right.WRITE})
    async with stream(served, key) as first:
        begin = await first.start()
    memory_id = (await served.client(key).post(f"{API}/memories", json={"content": "The kettle is blue"})).json()["id"]
    async with stream(served, key, **{"last-event-id": begin}) as second:
        assert (await second.next())["subject"] == memory_id


async def test_ids_do_not_tell_how_much_others_write(served: Any, make_key: Any) -> None:
    keys = [await make_key(name, Role.WRITER, {name: Right.WRITE}) for name in ("ada", "bob")]
    seen, begun = [], []
    async with stream(served, keys[0]) as first:
        for number in range(3):
            for _ in range(number):
                await served.client(keys[1]).post(f"{API}/memories", json={"content": f"Note {_} of {number}"})
            await served.client(keys[0]).post(f"{API}/memories", json={"content": f"The kettle has {number} litres"})
            seen.append(int((await first.next())["id"]))
            async with stream(served, keys[0]) as other:
                begun.append(int(await other.start()))
    gaps = [later - earlier for earlier, later in itertools.pairwise([*seen, *begun])]
    assert len({*seen, *begun}) == 6 and all(abs(gap) > 1_000 for gap in gaps)
    async with stream(served, keys[0], "cursor=0") as again:
        assert [int(one["id"]) for one in await again.take(3)] == seen
    async with stream(served, keys[0], f"cursor={seen[1]}") as again:
        assert int((await again.next())["id"]) == seen[2]


async def test_what_no_stream_can_begin_with_is_refused(served: Any, make_key: Any) -> None:
    client = served.client(await make_key("ada", Role.READER, {"ada": Right.READ}))
    for query, status in (
        ("types=weather", 400),
        ("cursor=-1", 400),
        ("cursor=999999999", 400),
        ("namespace=bob", 403),
    ):
        assert (await client.get(f"{API}/events?{query}")).status_code == status, query


@pytest.mark.parametrize("last", ["17", "later"])
async def test_with_the_id_of_an_older_version_a_stream_begins_now_and_says_so(
    served: Any, make_key: Any, last: str
) -> None:
    key = await make_key("ada", Role.WRITER, {"ada": Right.WRITE})
    client = served.client(key)
    for number in range(20):
        await client.post(f"{API}/memories", json={"content": f"Kettle {number} is blue"})
    async with stream(served, key, **{"last-event-id": last}) as one:
        assert await one.start()
        assert "begins now" in one.text
        memory_id = (await client.post(f"{API}/memories", json={"content": "The cup is green"})).json()["id"]
        assert (await one.next())["subject"] == memory_id


async def test_a_key_keeps_so_many_streams_open_and_no_more(served: Any, make_key: Any) -> None:
    from contextlib import AsyncExitStack

    key = await make_key("ada", Role.READER, {"ada": Right.READ})
    async with AsyncExitStack() as opened:
        for _ in range(MOST_OF_A_PRINCIPAL):
            await opened.enter_async_context(stream(served, key))
        refused = await served.client(key).get(f"{API}/events")
        assert refused.status_code == 429 and "retry-after" in refused.headers
