"""Calls that a session answers without MCP's SDK: as the SDK answers them, in each version of the protocol."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
from mcp.server import Server

from agentos.interfaces.stdio import in_flight
from agentos.interfaces.stdio import session as sessions
from agentos.interfaces.stdio.direct import CLIENT_KEY
from agentos.interfaces.stdio.front.handshake import (
    CAPABILITIES_KEY,
    HANDSHAKE_VERSIONS,
    MODERN,
    PROTOCOL_VERSION_KEY,
    REPLAYED_ID,
)
from agentos.interfaces.stdio.session import serve_session
from agentos.modules.agentos import AgentOS
from agentos.modules.principals.models import Door, local_owner
from agentos.modules.version import VERSION
from agentos.tools import mcp
from agentos.tools.bound import BoundTools, bind
from agentos.tools.calling import Calls
from agentos.tools.catalog import TOOLS
from agentos.tools.plugged import PluggedAnswer
from agentos.tools.tool import Tool
from tests.tables import every

BOUND = bind(TOOLS)
ENVELOPE = {PROTOCOL_VERSION_KEY: MODERN, CAPABILITIES_KEY: {}, CLIENT_KEY: {"name": "codex", "version": "1"}}
CALLS: Sequence[Mapping[str, Any]] = (
    {"name": "memory_list", "arguments": {}},
    {"name": "memory_list"},
    {"name": "memory_search", "arguments": {"query": "wer deckt Bäume ab? \u2028 \U0001f333", "limit": 3}},
    {"name": "memory_search", "arguments": {"query": "a", "limit": "many", "no_such": 1}},
    {"name": "memory_get", "arguments": {"memory_id": "mem_none"}},
    {"name": "context_get_snapshot", "arguments": {}, "_meta": {"progressToken": 7, "claudecode/toolUseId": "t"}},
)


@asynccontextmanager
async def session(
    agentos: AgentOS, *, directly: bool
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Both ends of the stream of a session; one that answers `directly` has no SDK to ask."""

    async def opener() -> AgentOS:
        return agentos

    def build() -> Server[Any]:
        assert not directly, "the SDK was asked"
        return mcp.build(BOUND, opener, caller, frozenset(), VERSION)

    caller = local_owner("default", None, Door.STDIO)
    calls = Calls(BOUND, opener, caller, frozenset()) if directly else None
    ours, theirs = socket.socketpair()
    served_reader, served_writer = await asyncio.open_unix_connection(sock=theirs)
    serving = asyncio.create_task(serve_session(build, calls, served_reader, served_writer))
    reader, writer = await asyncio.open_unix_connection(sock=ours, limit=2**20)
    try:
        yield reader, writer
    finally:
        writer.close()
        try:
            await serving
        finally:
            served_writer.close()
            with contextlib.suppress(OSError):
                await asyncio.gather(writer.wait_closed(), served_writer.wait_closed())


def written(*messages: Mapping[str, Any]) -> bytes:
    return b"".join(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n" for message in messages)


def handshake(version: str) -> bytes:
    """What a front repeats to a server that comes late; nothing where the protocol has no handshake."""
    client = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "codex", "version": "1"}}
    if version == MODERN:
        return b""
    greeting = {"id": REPLAYED_ID, "method": "initialize", "params": client}
    return written(greeting, {"method": "notifications/initialized"})


def enveloped(version: str, params: Mapping[str, Any]) -> dict[str, Any]:
    return {**params, "_meta": {**params.get("_meta", {}), **ENVELOPE}} if version == MODERN else {**params}


async def answers(agentos: AgentOS, version: str, *, directly: bool) -> dict[int, Any]:
    found: dict[int, Any] = {}
    async with session(agentos, directly=directly) as (reader, writer):
        writer.write(handshake(version))
        for number, params in enumerate(CALLS):
            writer.write(written({"id": number, "method": "tools/call", "params": enveloped(version, params)}))
            while number not in found:
                message = json.loads(await asyncio.wait_for(reader.readline(), 60))
                found[message["id"]] = message
    found.pop(REPLAYED_ID, None)  # type: ignore[call-overload]
    return found


async def test_a_call_is_answered_as_the_sdk_does(lexical: AgentOS) -> None:
    @every("version", (*HANDSHAKE_VERSIONS, MODERN))
    async def alike(version: str) -> None:
        assert await answers(lexical, version, directly=True) == await answers(lexical, version, directly=False)

    await alike()


async def test_what_is_no_plain_call_is_left_to_the_sdk(lexical: AgentOS) -> None:
    plain = {"name": "memory_list", "arguments": {}}
    odd: Sequence[Mapping[str, Any]] = (
        {"method": "tools/call", "params": {**plain, "name": "no_such_tool"}},
        {"method": "tools/call", "params": {**plain, "arguments": []}},
        {"method": "tools/call", "params": {**plain, "_meta": ENVELOPE}},
        {"method": "tools/call", "params": {**plain, "_meta": {"progressToken": {}}}},
        {"method": "tools/call", "params": {**plain, "task": {"ttl": 1}}},
        {"method": "tools/list"},
        {"method": "no/such/method"},
    )

    @every("message", odd)
    async def left(message: Mapping[str, Any]) -> None:
        with pytest.raises(AssertionError, match="the SDK was asked"):
            async with session(lexical, directly=True) as (reader, writer):
                writer.write(handshake("2025-11-25") + written({"id": 1, **message}))
                await asyncio.wait_for(reader.readline(), 1)

    await left()


async def answers_to(agentos: AgentOS, *messages: bytes, bound: BoundTools = BOUND, directly: bool = True) -> list[Any]:
    """What a session that has the SDK answers, to one message after the other; `directly` has the calls too."""

    async def opener() -> AgentOS:
        return agentos

    caller = local_owner("default", None, Door.STDIO)
    calls = Calls(bound, opener, caller, frozenset()) if directly else None
    ours, theirs = socket.socketpair()
    hears, says = await asyncio.open_unix_connection(sock=theirs)
    build = partial(mcp.build, bound, opener, caller, frozenset(), VERSION)
    serving = asyncio.create_task(serve_session(build, calls, hears, says))
    reader, writer = await asyncio.open_unix_connection(sock=ours, limit=2**20)
    writer.write(b"".join(messages))
    writer.write_eof()
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(sessions, "ANSWER_WITHIN_S", 60.0)
        await serving
    says.close()
    answers = (await reader.read()).splitlines()
    writer.close()
    await asyncio.gather(writer.wait_closed(), says.wait_closed())
    return [message for message in map(json.loads, answers) if message["id"] != REPLAYED_ID]


async def test_a_handshake_after_the_sdk_was_asked_reaches_it(lexical: AgentOS) -> None:
    listing = written({"id": 2, "method": "tools/list"})
    pong, listed = await answers_to(lexical, written({"id": 1, "method": "ping"}), handshake("2025-11-25"), listing)
    assert (pong["id"], listed["id"]) == (1, 2)
    assert listed["result"]["tools"]


async def test_what_is_named_like_a_notification_is_answered_where_it_has_an_id(lexical: AgentOS) -> None:
    for name in ("notifications/initialized", "notifications/cancelled"):
        asked = written({"id": 1, "method": name, "params": {"requestId": 2}})
        [answer] = await answers_to(lexical, handshake("2025-11-25"), asked)
        assert (answer["id"], answer["error"]["code"]) == (1, -32601), name


async def test_to_take_back_what_was_answered_needs_no_sdk(lexical: AgentOS) -> None:
    async with session(lexical, directly=True) as (reader, writer):
        writer.write(handshake("2025-11-25"))
        for number in range(2):
            writer.write(written({"id": number, "method": "tools/call", "params": CALLS[0]}))
            assert json.loads(await asyncio.wait_for(reader.readline(), 60))["id"] == number
            writer.write(written({"method": "notifications/cancelled", "params": {"requestId": number}}))


async def given_up(agentos: AgentOS, namespace: str) -> PluggedAnswer:
    """Wait for what is cancelled by another."""
    raise asyncio.CancelledError


async def test_a_call_whose_tool_waited_for_what_was_cancelled_is_answered(lexical: AgentOS) -> None:
    asked = written({"id": 1, "method": "tools/call", "params": {"name": "given_up"}})
    [answer] = await answers_to(lexical, handshake("2025-11-25"), asked, bound=bind([Tool(given_up, "Give up")]))
    assert answer["result"]["_meta"] == {"agentos/code": "internal_error"}


class Endless:
    """Calls that never end, and say that they were begun and cancelled."""

    def __init__(self) -> None:
        self.begun, self.cancelled = 0, 0

    def __contains__(self, tool: str) -> bool:
        return True

    async def answer(self, tool: str, client: str, given: dict[str, Any]) -> dict[str, Any]:
        self.begun += 1
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return {}


async def test_calls_that_are_taken_back_make_room_and_those_of_an_ended_session_are_ended() -> None:
    calls, open_calls = Endless(), 5
    ours, theirs = socket.socketpair()
    hears, says = await asyncio.open_unix_connection(sock=theirs)
    serving = asyncio.create_task(serve_session(lambda: Server("test"), calls, hears, says))
    _, writer = await asyncio.open_unix_connection(sock=ours)
    writer.write(handshake("2025-11-25"))
    asked = {"method": "tools/call", "params": {"name": "endless", "arguments": {}}}
    for number in range(2 * in_flight.MOST):
        writer.write(written({"id": number, **asked}))
        request_id = number if number % 2 else str(number)  # either is the same id to the SDKs
        writer.write(written({"method": "notifications/cancelled", "params": {"requestId": request_id}}))
    for number in range(open_calls):
        writer.write(written({"id": f"kept {number}", **asked}))
    async with asyncio.timeout(60):
        while calls.begun - calls.cancelled < open_calls:
            await asyncio.sleep(0)
    writer.close()
    await serving
    assert calls.begun == calls.cancelled
    says.close()
    for closed in (writer, says):
        with contextlib.suppress(OSError):
            await closed.wait_closed()
