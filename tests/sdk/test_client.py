"""The Python SDK at a live server: calls, pages, failures, retries, events and bundles, with and without `async`."""

import inspect
import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import agentos_sdk
import httpx
import pytest
from agentos_sdk import AsyncClient, Client
from agentos_sdk.errors import BY_CODE
from agentos_sdk.generated.operations import CODES, OPERATIONS
from agentos_sdk.generated.resources import Operations
from agentos_sdk.retries import wait_before
from agentos_sdk.wire import retry_after

from tests.e2e.conftest import home  # noqa: F401 - a fixture
from tests.e2e.test_serve import KEY, Serving
from tests.sdk.conftest import end
from tests.tables import every

FACTS = tuple(f"Maria's server number {number} stands in Oslo" for number in range(5))


class Lossy(httpx.BaseTransport):
    """A way to the server on which something happens to the first requests."""

    def __init__(self, *faults: Callable[[httpx.Response], httpx.Response]) -> None:
        self._inner = httpx.HTTPTransport()
        self._faults = list(faults)
        self.requests: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        response = self._inner.handle_request(request)
        return self._faults.pop(0)(response) if self._faults else response

    def close(self) -> None:
        self._inner.close()


def lost(response: httpx.Response) -> httpx.Response:
    response.read()
    raise httpx.ReadError("connection reset")


def busy(response: httpx.Response) -> httpx.Response:
    response.read()
    problem = {"status": 503, "code": "overloaded", "detail": "too much to do", "request_id": "r"}
    return httpx.Response(
        503, headers={"retry-after": "0", "content-type": "application/problem+json"}, content=json.dumps(problem)
    )


def cut(response: httpx.Response) -> httpx.Response:
    """A stream that breaks after its first event."""

    class Cut(httpx.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            for part in response.stream:  # type: ignore[union-attr]
                yield part
                if b"data:" in part:
                    raise httpx.ReadError("connection reset")

        def close(self) -> None:
            response.close()

    return httpx.Response(response.status_code, headers=response.headers, stream=Cut())


def over(serving: Serving, namespace: str, transport: Lossy, **options: Any) -> Client:
    return Client(serving.url, KEY, namespace=namespace, http=httpx.Client(transport=transport), **options)


def test_what_is_stored_is_found_changed_and_forgotten(client: Client) -> None:
    stored = client.memories.store("Maria deploys on Tuesdays", tags=["deploys"])
    found = client.search("When does Maria deploy?", tags=["deploys"])
    assert [hit["content"] for hit in found["results"]] == ["Maria deploys on Tuesdays"]
    changed = client.memories.update(stored["id"], content="Maria deploys on Fridays", version=1)
    details = client.memories.get(stored["id"])
    assert changed["version"] == 2 and details["history"][0]["content"] == "Maria deploys on Tuesdays"
    goal = client.goals.add(title="Ship 2.0", description="All tests pass")
    assert client.goals.set_progress(goal["id"], 0.5)["progress"] == 0.5
    assert client.goals.list()["results"][0]["description"] == "All tests pass"
    client.turns.add("chat", "Which database?", role="user")
    client.turns.add("chat", "SQLite.", role="assistant")
    assert [turn["role"] for turn in client.turns.window("chat")["results"]] == ["user", "assistant"]
    added = client.add([{"role": "user", "content": "I live in Porto."}, {"role": "assistant", "content": None}])
    assert added["new"] == added["new_facts"] == 1 and added["skipped"] == {"messages without text": 1}
    client.profile.set("language", "English")
    assert client.snapshot()["active_goals"][0]["title"] == "Ship 2.0" and client.context(query="deploy")["parts"]
    assert client.memories.delete(stored["id"])["deleted"] == 1
    assert client.call("memory_search", {"query": "Maria deploys", "explain": True})["results"] == []


FILES = ("attach_file", "get_attachment")


def test_every_operation_has_a_method_and_every_code_a_class() -> None:
    called: set[str] = set()

    class Caller:
        def call(self, operation: str, given: Any) -> None:
            called.add(operation)

        pages = call

    operations = Operations(Caller())
    resources = [getattr(operations, name) for name, one in vars(Operations).items() if isinstance(one, property)]
    for one in (operations, *resources):
        for name, method in vars(type(one)).items():
            if callable(method) and not name.startswith("_"):
                needed = [p for p in inspect.signature(getattr(one, name)).parameters.values() if p.default is p.empty]
                getattr(one, name)(**{parameter.name: "x" for parameter in needed})
    assert set(OPERATIONS) - called == {"memory_search", "stream_events", "export_bundle", "import_bundle", *FILES}
    assert set(BY_CODE) >= set(CODES)
    assert {one.__name__ for one in BY_CODE.values()} <= set(agentos_sdk.__all__)


def test_pages_are_read_as_they_are_needed(client: Client) -> None:
    stored = client.memories.store_batch([{"content": fact} for fact in FACTS])
    assert len(stored["results"]) == len(FACTS)
    assert sorted(one["content"] for one in client.memories.list_all(limit=2)) == sorted(FACTS)
    assert len(client.memories.list(limit=2)["results"]) == 2
    hits = client.search_all("Maria's server in Oslo", limit=2)
    assert {next(hits)["content"], *(hit["content"] for hit in hits)} == set(FACTS)


@every(
    "name, ask",
    [
        ("InvalidInput", lambda client: client.goals.set_progress("goal_0", 2)),
        ("NotFound", lambda client: client.memories.get("mem_00000000000000000000000000")),
        ("Unauthenticated", lambda client: client.with_options(key="a-wrong-key-of-24-characters").auth.caller()),
        ("WrongOption", lambda client: client.memories.get("../keys")),
        ("WrongOption", lambda client: client.with_options(timeout=-1)),
        ("WrongOption", lambda client: client.call("memory_invent")),
        ("WrongOption", lambda client: client.memories.store("x", metadata={"a": object()})),
    ],
)
def test_failures_are_classes_by_code(client: Client, name: str, ask: Callable[[Client], Any]) -> None:
    with pytest.raises(getattr(agentos_sdk, name)) as raised:
        ask(client)
    if isinstance(raised.value, agentos_sdk.ApiError):
        assert raised.value.request_id and raised.value.code in str(raised.value)


def test_a_version_that_is_not_the_last_is_a_conflict(client: Client) -> None:
    stored = client.memories.store("The release is on Monday")
    client.memories.update(stored["id"], content="The release is on Friday", version=1)
    with pytest.raises(agentos_sdk.Conflict):
        client.memories.update(stored["id"], content="The release is on Sunday", version=1)


def test_a_lost_answer_is_asked_for_again_under_the_same_key(serving: Serving, namespace: str) -> None:
    way = Lossy(lost, busy)
    with over(serving, namespace, way) as client:
        client.goals.add(title="Once", description="and no more")
        assert client.goals.list()["total"] == 1
    posts = [one for one in way.requests if one.method == "POST"]
    assert len(posts) == 3 and len({one.headers["idempotency-key"] for one in posts}) == 1


def test_what_cannot_be_repeated_and_what_fails_for_good_is_not_asked_for_again(
    serving: Serving, namespace: str
) -> None:
    way = Lossy(lost)
    with over(serving, namespace, way) as client:
        with pytest.raises(agentos_sdk.ConnectionFailed):
            client.keys.create(name="k", role="reader", namespaces={namespace: "read"})
        with pytest.raises(agentos_sdk.NotFound):
            client.memories.get("mem_00000000000000000000000000")
    assert len(way.requests) == 2
    way = Lossy(*[lost] * 9)
    with over(serving, namespace, way, retries=1) as client, pytest.raises(agentos_sdk.ConnectionFailed):
        client.goals.list()
    assert len(way.requests) == 2


def test_the_wait_heeds_retry_after_and_has_an_end() -> None:
    def api_error(seconds: float | None, status: int = 429) -> agentos_sdk.ApiError:
        return agentos_sdk.ApiError({"code": "x", "detail": "", "status": status}, seconds)

    def wait(error: agentos_sdk.AgentOSError, attempt: int = 0, repeatable: bool = True) -> float | None:
        return wait_before(error, attempt, repeatable=repeatable, retries=3, max_wait=30)

    assert 7 <= (wait(api_error(7)) or 0) <= 7.25 and wait(api_error(31)) is None and wait(api_error(7), 3) is None
    assert wait(api_error(None, 503)) is None and wait(api_error(1, 503), repeatable=False) is None
    assert wait(api_error(None, 400)) is None and 0 < (wait(api_error(None), 2) or 0) <= 1
    assert wait(agentos_sdk.ConnectionFailed("", was_sent=False), repeatable=False) is not None
    assert wait(agentos_sdk.ConnectionFailed("", was_sent=True), repeatable=False) is None
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert retry_after("Thu, 01 Jan 2026 00:01:00 GMT", now) == 60 and retry_after("soon", now) is None


def test_nobody_there_and_somebody_else_there_are_told_apart(serving: Serving) -> None:
    with Client("http://127.0.0.1:1", KEY, retries=0) as client, pytest.raises(agentos_sdk.ConnectionFailed):
        client.search("x")
    with Client(f"{serving.url}/elsewhere", KEY) as client, pytest.raises(agentos_sdk.NotFound):
        client.search("x")
    way = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(302, headers={"location": "https://x/"})))
    with (
        Client("http://proxy", KEY, http=way) as client,
        pytest.raises(agentos_sdk.UnexpectedAnswer, match="https://x/"),
    ):
        client.search("x")


@every(
    "url, key, message",
    [
        (None, None, "AGENTOS_KEY"),
        ("127.0.0.1:8420", KEY, "no address"),
        ("http://me:secret@host", KEY, "not in the address"),
        ("http://host?x=1", KEY, "must end"),
        (None, "two words", "key"),
    ],
)
def test_options_that_cannot_be_used_are_refused(url: str | None, key: str | None, message: str) -> None:
    with pytest.raises(agentos_sdk.WrongOption, match=message):
        Client(url, key)


def test_address_and_key_come_from_the_environment_and_the_key_is_not_shown(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTOS_URL", f"{serving.url}/")
    monkeypatch.setenv("AGENTOS_KEY", KEY)
    with Client() as client:
        assert client.auth.caller()["role"] == "owner"
        assert KEY not in repr(client._connection.options)


def test_events_go_on_where_they_were_cut(serving: Serving, namespace: str, client: Client) -> None:
    with over(serving, namespace, Lossy(cut, cut)) as following:
        events = following.events(cursor=0, namespace=namespace, types=["memory.store"])
        stored = [client.memories.store(fact)["id"] for fact in FACTS[:3]]
        found = [next(events) for _ in stored]
    assert [event.subject for event in found] == stored
    assert len({event.id for event in found}) == len(found), "each once"


def test_events_go_on_when_the_server_comes_back(home: Path) -> None:  # noqa: F811
    first = Serving(home)
    with Client(first.url, KEY) as client:
        before = client.memories.store("before the restart")["id"]
        events = client.events(cursor=0, types=["memory.store"])
        found = [next(events).subject]
        ended = threading.Event()

        def follow() -> None:
            found.append(next(events).subject)
            ended.set()

        threading.Thread(target=follow, daemon=True).start()
        end(first)
        second = Serving(home, listen=f"127.0.0.1:{first.port}")
        try:
            after = client.memories.store("after the restart")["id"]
            assert ended.wait(60) and found == [before, after]
        finally:
            end(second)
        with pytest.raises(agentos_sdk.ConnectionFailed):
            next(client.events())


def test_what_is_exported_is_imported(client: Client, namespace: str, tmp_path: Path) -> None:
    separators = "first\u2028second"
    client.memories.store(separators)
    rows = list(client.export(namespace=namespace))
    assert any(separators in json.dumps(row, ensure_ascii=False) for row in rows)
    file = tmp_path / "bundle.jsonl"
    with file.open("wb") as bundle:
        bundle.writelines(client.export_bytes(namespace=namespace))
    assert client.import_bundle(file, dry_run=True)["dry_run"]
    report = client.import_bundle(file.read_bytes())
    assert sum(report["new"].values()) == 0 and report["known"]


def test_a_file_is_kept_given_back_and_erased(client: Client, tmp_path: Path) -> None:
    data = b"\x89PNG\r\n\x1a\n" + bytes(200_000)
    (tmp_path / "plan.png").write_bytes(data)
    kept = client.attach_file("Plan ü.png", tmp_path / "plan.png", caption="Plan of the kiln")["attachment"]
    assert not client.attach_file("Plan ü.png", data, caption="Plan of the kiln")["is_new"]
    assert [one["name"] for one in client.attachments.list()["results"]] == ["Plan ü.png"]
    assert b"".join(client.attachment_bytes(kept["memory_id"])) == data
    assert client.attachments.remove(kept["memory_id"])["deleted"] == 1
    with pytest.raises(agentos_sdk.NotFound):
        next(client.attachment_bytes(kept["memory_id"]))


async def test_async_programs_do_the_same(serving: Serving, namespace: str, tmp_path: Path) -> None:
    async with AsyncClient(serving.url, KEY, namespace=namespace) as client:
        stored = await client.memories.store_batch([{"content": fact} for fact in FACTS])
        assert [fact["content"] async for fact in client.memories.list_all(limit=2)] != []
        assert len([hit async for hit in client.search_all("server in Oslo", limit=2)]) == len(FACTS)
        events = client.events(cursor=0, namespace=namespace, types=["memory.store"])
        ids = [(await anext(events)).subject for _ in FACTS]
        await events.aclose()  # type: ignore[attr-defined]
        assert sorted(ids) == sorted(one["id"] for one in stored["results"])
        file = tmp_path / "bundle.jsonl"
        file.write_bytes(b"".join([part async for part in client.export_bytes(namespace=namespace)]))
        assert len([row async for row in client.export(namespace=namespace)]) > len(FACTS)
        assert (await client.import_bundle(file, dry_run=True))["dry_run"]
        with pytest.raises(agentos_sdk.NotFound):
            await client.with_options(retries=0).memories.get("mem_00000000000000000000000000")
