"""One MCP session over a stream: the daemon runs it for each connection, a server without daemon for its own."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import mcp.types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from .in_flight import InFlight
from .lines import MessageLines
from .wire import RequestId, answered_id, decoded, is_request_id

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


async def serve_session(server: Server[Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Serve until the other end closes its side, or is gone. Leaves the writer open."""
    outgoing: list[Any] = []

    async def reply(request_id: RequestId | None, code: int, message: str) -> None:
        error = types.JSONRPCError(jsonrpc="2.0", id=request_id, error=types.ErrorData(code=code, message=message))
        await outgoing[0].send(SessionMessage(error))

    async def admit(line: str) -> bool:
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

    async def until_answered() -> AsyncIterator[str]:
        async for line in MessageLines(reader, admit, reply):
            yield line
        await in_flight.settled(ANSWER_WITHIN_S)

    in_flight = InFlight()
    lines: Any = until_answered()
    wire: Any = _Wire(writer, in_flight)
    async with stdio_server(lines, wire) as (incoming, outgoing_stream):
        outgoing.append(outgoing_stream)
        await server.run(incoming, outgoing_stream, server.create_initialization_options())
