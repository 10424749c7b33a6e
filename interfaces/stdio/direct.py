"""Calls of tools answered without MCP's SDK, which takes half a second and 60 MB to load: a front asks for little else.

What is not exactly as expected is left to the SDK's server, which knows all the rules; a test holds the answers equal.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from ...modules.version import VERSION
from .front.handshake import (
    CAPABILITIES_KEY,
    HANDSHAKE_VERSIONS,
    MAX_CLIENT_CHARS,
    MODERN,
    PROTOCOL_VERSION_KEY,
    REPLAYED_ID,
)
from .in_flight import InFlight
from .wire import RequestId, decoded, is_request_id

CLIENT_KEY, SERVER_KEY = "io.modelcontextprotocol/clientInfo", "io.modelcontextprotocol/serverInfo"
_RESERVED = "io.modelcontextprotocol/"
_SERVER = {"name": "agentos", "title": "AgentOS", "version": VERSION}
_OF_A_CALL = frozenset({"name", "arguments", "_meta"})

Write = Callable[[str], Awaitable[None]]


class Calls(Protocol):
    """The calls that a session may make."""

    def __contains__(self, tool: str) -> bool:
        """Return whether there is a tool of that name."""

    async def answer(self, tool: str, client: str, given: dict[str, Any]) -> dict[str, Any]:
        """Return the result of a call, also of one that fails, as JSON."""


class DirectCalls:
    """Takes the calls of one session, and keeps the handshake of its front for the SDK, should it be needed."""

    def __init__(self, calls: Calls, in_flight: InFlight, write: Write) -> None:
        self._calls = calls
        self._in_flight = in_flight
        self._write = write
        self._client: str | None = None
        self._running: dict[RequestId, asyncio.Task[None]] = {}
        self._held: list[str] | None = []

    async def take(self, line: str) -> bool:
        """Handle a message, once there is room for it; return False for one that is for the SDK."""
        message = decoded(line)
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return False
        method, params = message.get("method"), message.get("params", {})
        if not isinstance(params, dict):
            return False
        if method == "tools/call" and message.keys() == {"jsonrpc", "id", "method", "params"}:
            return await self._begin(message["id"], params)
        if method == "notifications/cancelled" and "id" not in message:
            return self._cancel(params.get("requestId"))
        if self._opens(message, params) and self._held is not None:
            self._held.append(line)
            return True
        return False

    def hand_over(self) -> list[str]:
        """Return the lines of the handshake: from now on its messages are for the SDK."""
        held, self._held = self._held or [], None
        return held

    async def close(self) -> None:
        """End the calls that are under way."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _opens(self, message: dict[str, Any], params: dict[str, Any]) -> bool:
        """Note a message of the handshake that a front repeats, awaiting no answer; return whether it is one."""
        if message.get("method") == "notifications/initialized":
            return bool(self._held) and "id" not in message
        client = params.get("clientInfo")
        if message.get("id") != REPLAYED_ID or self._client is not None or not isinstance(client, dict):
            return False
        if message.get("method") != "initialize" or params.get("protocolVersion") not in HANDSHAKE_VERSIONS:
            return False
        self._client = _name_in(client)
        return self._client is not None

    def _cancel(self, request_id: object) -> bool:
        if not is_request_id(request_id) or request_id not in self._running:
            return self._held is not None  # it came too late: nothing is with the SDK
        self._running[request_id].cancel()
        self._in_flight.end(request_id)  # it is never answered
        return True

    async def _begin(self, identifier: object, params: dict[str, Any]) -> bool:
        tool, given = params.get("name"), params.get("arguments", {})
        client = self._caller(params.get("_meta", {}))
        if client is None or not is_request_id(identifier) or identifier in self._running:
            return False
        if not isinstance(given, dict) or not params.keys() <= _OF_A_CALL:
            return False
        if not isinstance(tool, str) or tool not in self._calls:
            return False
        await self._in_flight.begin(identifier)
        task = asyncio.create_task(self._answer(identifier, tool, client, given))
        self._running[identifier] = task
        task.add_done_callback(lambda _: self._running.pop(identifier))
        return True

    def _caller(self, meta: object) -> str | None:
        """Return the name of the client, from the handshake or what comes with a call; None where that is not plain."""
        if not isinstance(meta, dict) or not is_request_id(meta.get("progressToken", 0)):
            return None
        reserved = {key: value for key, value in meta.items() if key.startswith(_RESERVED)}
        if self._client is not None:
            return None if reserved else self._client
        client = reserved.pop(CLIENT_KEY, {"name": "unknown"})
        if reserved.keys() != {PROTOCOL_VERSION_KEY, CAPABILITIES_KEY} or reserved[PROTOCOL_VERSION_KEY] != MODERN:
            return None
        return _name_in(client) if isinstance(client, dict) and isinstance(reserved[CAPABILITIES_KEY], dict) else None

    async def _answer(self, identifier: RequestId, tool: str, client: str, given: dict[str, Any]) -> None:
        result = await self._calls.answer(tool, client, given)
        if self._client is None:
            meta = {**result.get("_meta", {}), SERVER_KEY: _SERVER}
            result = {**result, "resultType": "complete", "_meta": meta}
        answer = {"jsonrpc": "2.0", "id": identifier, "result": result}
        await self._write(json.dumps(answer, ensure_ascii=False, separators=(",", ":")) + "\n")


def _name_in(client: dict[str, Any]) -> str | None:
    name = client.get("name")
    return name[:MAX_CLIENT_CHARS] if isinstance(name, str) else None
