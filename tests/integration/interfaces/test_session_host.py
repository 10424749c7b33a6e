"""The daemon's door and its sessions: who is taken, and how much one of them may ask at once."""

import asyncio
import contextlib
import json
import os
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp.types as types
import pytest
from mcp.server import Server, ServerRequestContext

from agentos.interfaces.stdio import in_flight
from agentos.interfaces.stdio.front import hello
from agentos.interfaces.stdio.host import SessionHost
from agentos.interfaces.stdio.session import serve_session
from agentos.modules.system import door
from agentos.modules.system.door import listen

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def until_closed(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read()


async def no_status() -> dict[str, Any]:
    return {}


@asynccontextmanager
async def connected(path: Path) -> AsyncIterator[Stream]:
    reader, writer = await asyncio.open_unix_connection(path)
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


ODD_HELLOS = (
    b"[" * 50_000 + b"\n",
    b'{"agentos": 1}\n',
    b"\xff\n",
    hello.ask("gateway", {}, gateway={}),
    hello.ask("", {}),
    *(hello.ask("session", given) for given in ({"AGENTOS_HOME": 1}, {"AGENTOS_HOME": {}}, {"a": "\ud800"})),  # type: ignore[arg-type]
)


async def test_an_odd_hello_is_refused_and_logs_no_traceback(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tmp_path.chmod(0o700)
    path, opened = tmp_path / "daemon.sock", list[object]()
    host = SessionHost(lambda given: opened.append(given) or until_closed, no_status)  # type: ignore[func-returns-value]
    await host.start(listen(path), leave_with_last=False)
    for odd in ODD_HELLOS:
        async with connected(path) as (answers, says):
            says.write(odd)
            assert b'"accepted": true' not in await asyncio.wait_for(answers.readline(), 60)
    await host.close()
    assert not opened and not caplog.records


async def test_who_says_hello_after_the_last_session_has_ended_is_not_taken(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    path = tmp_path / "daemon.sock"
    host = SessionHost(lambda _: until_closed, no_status)
    await host.start(listen(path), leave_with_last=False)
    idle = asyncio.create_task(host.until_idle(60, 0))
    async with connected(path) as (late, says), connected(path) as (first, leaves):
        leaves.write(hello.ask("session", {}))
        assert b'"accepted": true' in await first.readline()
        leaves.close()
        await asyncio.wait_for(idle, 60)
        says.write(hello.ask("session", {}))
        assert await asyncio.wait_for(late.read(), 60) == b"", "it was taken by a daemon that is about to end"
    await host.close()


async def test_a_daemon_leaves_when_it_is_asked_to_and_serves_nobody(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    path = tmp_path / "daemon.sock"

    async def asked() -> bool:
        return await asyncio.to_thread(hello.ask_to_leave, path, 0.5)

    by_hand = SessionHost(lambda _: until_closed, no_status)
    await by_hand.start(listen(path), leave_with_last=False)
    assert not await asked(), "who started it by hand ends it"
    await by_hand.close()
    host = SessionHost(lambda _: until_closed, no_status)
    await host.start(listen(path), leave_with_last=False)
    idle = asyncio.create_task(host.until_idle(60, 3600))
    async with connected(path) as (served, says):
        says.write(hello.ask("session", {}))
        assert b'"accepted": true' in await served.readline()
        assert not await asked() and not idle.done()
    async with connected(path) as (reader, writer):
        while host.sessions:
            await asyncio.sleep(0)
        writer.write(hello.ask("leave", {}))
        assert b'"accepted": true' in await reader.readline()
        await asyncio.wait_for(idle, 60)
        await host.close()
        assert not reader.at_eof(), "that all is over is seen from the end of the process"
        assert host._last is not None
        host._last.close()  # as that end does
        assert await reader.read() == b""


@pytest.mark.parametrize("given", [[1], "x", None, {}])
async def test_settings_that_are_none_are_those_of_nobody(tmp_path: Path, given: Any) -> None:
    tmp_path.chmod(0o700)
    path = tmp_path / "daemon.sock"
    received: list[dict[str, str]] = []

    def open_session(settings: dict[str, str]) -> str:
        received.append(settings)
        return "no"

    host = SessionHost(open_session, no_status)
    await host.start(listen(path), leave_with_last=False)
    async with connected(path) as (reader, writer):
        writer.write(hello.ask("session", given))
        assert b'"reason": "no"' in await reader.readline()
    assert received == [{}]
    await host.close()


@pytest.mark.skipif(not hasattr(socket, "SO_PEERCRED"), reason="this kernel does not tell")
def test_another_users_socket_is_not_trusted() -> None:
    class OfUser:
        def __init__(self, user: int) -> None:
            self.user = user

        def getsockopt(self, *_: int) -> bytes:
            return struct.pack("3i", 1, self.user, 1)

    taken = {user: door.is_same_user(OfUser(user)) for user in (os.getuid(), 0, 54321)}  # type: ignore[arg-type]
    assert taken == {os.getuid(): True, 0: True, 54321: False}


async def test_a_session_works_on_a_few_requests_at_a_time() -> None:
    running = most = 0

    async def call_tool(_: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        nonlocal running, most
        running += 1
        most = max(most, running)
        try:
            for _turn in range(20):
                await asyncio.sleep(0)
        finally:
            running -= 1
        return types.CallToolResult(content=[])

    async def list_tools(_: ServerRequestContext[Any], params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[])

    ours, theirs = socket.socketpair()
    server: Server[Any] = Server("test", on_call_tool=call_tool, on_list_tools=list_tools)
    hears, says = await asyncio.open_unix_connection(sock=theirs)
    serving = asyncio.create_task(serve_session(lambda: server, None, hears, says))
    reader, writer = await asyncio.open_unix_connection(sock=ours)
    start = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    wanted = [("initialize", 0, start), *(("tools/call", number, {"name": "t"}) for number in range(1, 1000))]
    for method, number, params in wanted:
        writer.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
        if number == 0:
            writer.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        if number % 3 == 1:  # what is taken back makes room as well
            taken_back = {"method": "notifications/cancelled", "params": {"requestId": number}}
            writer.write(json.dumps({"jsonrpc": "2.0", **taken_back}).encode() + b"\n")
    answered = set()
    while answered < {number for number in range(1000) if number % 3 != 1}:
        answered.add(json.loads(await asyncio.wait_for(reader.readline(), 60))["id"])
    assert 1 < most <= in_flight.MOST
    writer.close()
    await serving
    says.close()
    for closed in (writer, says):
        with contextlib.suppress(OSError):
            await closed.wait_closed()


async def test_the_socket_of_the_next_daemon_stays(tmp_path: Path) -> None:
    """As when the home was deleted, and made again, while the first one ran."""
    tmp_path.chmod(0o700)
    path = tmp_path / "daemon.sock"
    first, second = (SessionHost(lambda _: until_closed, no_status) for _ in range(2))
    await first.start(listen(path), leave_with_last=False)
    path.rename(tmp_path / "gone")
    await second.start(listen(path), leave_with_last=False)
    await first.close()
    async with connected(path):
        pass
    await second.close()
    assert not path.exists()


async def test_a_request_whose_id_is_none_is_answered_and_not_taken_for_a_notification() -> None:
    ours, theirs = socket.socketpair()
    served_reader, served_writer = await asyncio.open_unix_connection(sock=theirs)
    served = asyncio.create_task(serve_session(lambda: Server("test"), None, served_reader, served_writer))
    reader, writer = await asyncio.open_unix_connection(sock=ours)
    for odd in (b"null", b"1.5"):
        writer.write(b'{"jsonrpc":"2.0","id":%s,"method":"ping"}\n' % odd)
        answer = json.loads(await asyncio.wait_for(reader.readline(), 60))
        assert answer["id"] is None and answer["error"]["code"] == -32600
    writer.close()
    await served
    served_writer.close()
    await asyncio.gather(writer.wait_closed(), served_writer.wait_closed())
