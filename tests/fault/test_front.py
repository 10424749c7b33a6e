"""The front while processes die: a session outlives its daemon, and whoever is ended leaves nobody behind."""

import contextlib
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from mcp import Client

from tests.e2e.test_front import Start, call, daemon_of, daemons_of, is_alive, wait_until


@pytest.fixture
def locked(home: Path) -> Iterator[Callable[[], sqlite3.Connection]]:
    """Takes the database's write lock, so that a write of the daemon has to wait."""
    with contextlib.ExitStack() as stack:

        def lock() -> sqlite3.Connection:
            connection = stack.enter_context(closing(sqlite3.connect(home / "agentos.db", isolation_level=None)))
            connection.execute("BEGIN IMMEDIATE")
            return connection

        yield lock


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("attached", [False, True])
def test_nobody_is_left_when_a_session_is_ended_at_any_moment(
    start: Start, home: Path, number: signal.Signals, attached: bool
) -> None:
    server = start()
    server.initialize()
    if attached:
        server.call("memory_list")
    server.process.send_signal(number)
    assert server.wait() == (-signal.SIGKILL if number is signal.SIGKILL else 0)
    wait_until(lambda: not daemons_of(home))


def test_the_session_outlives_its_daemon(start_plain: Start, home: Path) -> None:
    server = start_plain()
    server.initialize()
    stored = server.call("memory_store", content="the tide turns at noon")
    for _ in range(2):
        daemon = daemon_of(home)
        os.kill(daemon, signal.SIGKILL)
        found = server.call("memory_search", query="tide")
        assert [hit["id"] for hit in found["results"]] == [stored["id"]]
        assert daemons_of(home) != [daemon]


async def test_a_modern_session_outlives_its_daemon(connect: Callable[[str], Client], home: Path) -> None:
    async with connect("auto") as client:
        await client.call_tool("memory_store", {"content": "the tide turns at noon"})
        os.kill(daemons_of(home)[0], signal.SIGKILL)
        found = await client.call_tool("memory_search", {"query": "tide"})
        assert found.structured_content and len(found.structured_content["results"]) == 1


def test_what_was_in_flight_when_the_daemon_died_is_repeated_or_reported(
    start_plain: Start, home: Path, locked: Callable[[], sqlite3.Connection]
) -> None:
    server = start_plain()
    server.initialize()
    server.call("memory_store", content="first")
    lock = locked()
    server.send(call(201, "goal_add", title="sail", description="round the island"))
    server.send(call(202, "memory_store", content="second"))
    server.send(call(203, "goal_list"))
    assert "result" in server.response(203), "a read does not wait, so what was sent before it is being worked on"
    os.kill(daemons_of(home)[0], signal.SIGKILL)
    lost = server.response(201)["result"]
    assert lost["isError"] and "may or may not" in lost["content"][0]["text"]
    lock.execute("ROLLBACK")
    assert "duplicate" not in server.response(202)["result"]["structuredContent"]
    assert server.call("memory_list")["total"] == 2
    assert server.call("goal_list")["total"] == 0


def test_a_daemon_that_is_stopped_answers_nothing_with_an_error(
    start_plain: Start, home: Path, locked: Callable[[], sqlite3.Connection]
) -> None:
    server = start_plain()
    server.initialize()
    server.call("memory_store", content="first")
    lock = locked()
    for number in range(300, 320):
        server.send(call(number, "memory_store", content=f"fact {number}"))
    server.call("memory_list")  # it has read them all, and waits for the lock
    daemon = daemon_of(home)
    os.kill(daemon, signal.SIGTERM)
    wait_until(lambda: not is_alive(daemon))
    lock.execute("ROLLBACK")
    answers = [server.receive() for _ in range(20)]
    assert sorted(answer["id"] for answer in answers) == list(range(300, 320))
    assert not [answer for answer in answers if "error" in answer or answer["result"]["isError"]]
    assert server.call("memory_list")["total"] == 21
