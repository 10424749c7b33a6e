"""One MCP session over a stream: the daemon runs it for each connection, a server without daemon for its own.

Calls of tools are answered directly; with the first message of another kind MCP's SDK is imported, and answers that and
all others that are no plain calls.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from .direct import DirectCalls
from .in_flight import InFlight
from .lines import MessageLines
from .wire import RequestId, answered_id, decoded, is_request_id

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from mcp.server import Server

    from ...tools.calling import Calls


ANSWER_WITHIN_S = 1.0
"""How long requests under way may take after the other end's input has ended; it may be gone."""


class _Wire:
    """The output: each message is written whole. If the reader is gone, the session ends at its next read."""

    def __init__(self, writer: asyncio.StreamWriter, in_flight: InFlight) -> None:
        self._writer = writer
        self._in_flight = in_flight

    async def write(self, text: str) -> None:
        line = text.encode("utf-8", "replace")
        try:
            self._writer.write(line)
            await self._writer.drain()
        except OSError:
            self._writer.transport.abort()
        finally:
            if (answered := answered_id(line)) is not None:
                self._in_flight.end(answered)

    async def flush(self) -> None:
        """Do nothing: nothing is buffered here."""


async def serve_session(
    build: Callable[[], Server[Any]],
    calls: Calls | None,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    """Serve until the other end closes its side, or is gone. Leaves the writer open.

    `build` makes the SDK's server, if it is needed; without `calls` that answers everything.
    """
    in_flight = InFlight()
    wire = _Wire(writer, in_flight)
    direct = None if calls is None else DirectCalls(calls, in_flight, wire.write)

    async def reply(request_id: RequestId | None, code: int, message: str) -> None:
        error = {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}
        await wire.write(json.dumps(error, ensure_ascii=False, separators=(",", ":")) + "\n")

    async def take(line: str) -> bool:
        return direct is not None and await direct.take(line)

    async def admit(line: str) -> bool:
        return await _is_message(line, in_flight)

    async def for_sdk() -> AsyncIterator[str]:
        async for line in MessageLines(reader, take, admit, reply):
            yield line
        await in_flight.settled(ANSWER_WITHIN_S)

    lines = for_sdk()
    try:
        if (line := await anext(lines, None)) is not None:
            handshake = direct.hand_over() if direct is not None else []
            await _serve_by_sdk(build(), _chained([*handshake, line], lines), wire)
    finally:
        if direct is not None:
            await direct.close()


async def _serve_by_sdk(server: Server[Any], lines: AsyncIterator[str], wire: _Wire) -> None:
    from mcp.server.stdio import stdio_server

    incoming_lines: Any = lines
    outgoing_lines: Any = wire
    async with stdio_server(incoming_lines, outgoing_lines) as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def _chained(first: list[str], rest: AsyncIterator[str]) -> AsyncIterator[str]:
    for line in first:
        yield line
    async for line in rest:
        yield line


async def _is_message(line: str, in_flight: InFlight) -> bool:
    """Return whether a line is a message for the SDK, once there is room for it."""
    import mcp.types as types
    from pydantic import ValidationError

    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        return False
    if isinstance(message, types.JSONRPCRequest):
        await in_flight.begin(message.id)
    elif isinstance(message, types.JSONRPCNotification) and '"id"' in line and "id" in decoded(line):
        return False  # its id is null or a fraction: whoever sent it waits for an answer
    elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
        cancelled = (message.params or {}).get("requestId")
        if is_request_id(cancelled):  # it is never answered
            in_flight.end(cancelled)
    return True
