"""One MCP session over a stream: what the daemon runs for each connection, and a lone server for its own."""

import asyncio
from typing import Any

import mcp.types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from .lines import MessageLines
from .wire import RequestId


class _Wire:
    """The way out: each message is written whole. A reader that is gone ends the session with its next read."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def write(self, text: str) -> None:
        try:
            self._writer.write(text.encode("utf-8", "replace"))
            await self._writer.drain()
        except OSError:
            self._writer.transport.abort()

    async def flush(self) -> None:
        """Nothing is buffered here."""


async def serve_session(server: Server[Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Serve until the other end says that nothing more comes, or is gone. Leaves the writer open."""
    outgoing: list[Any] = []

    async def reply(request_id: RequestId, code: int, message: str) -> None:
        error = types.JSONRPCError(jsonrpc="2.0", id=request_id, error=types.ErrorData(code=code, message=message))
        await outgoing[0].send(SessionMessage(error))

    lines: Any = MessageLines(reader, _is_message, reply)
    wire: Any = _Wire(writer)
    async with stdio_server(lines, wire) as (incoming, outgoing_stream):
        outgoing.append(outgoing_stream)
        await server.run(incoming, outgoing_stream, server.create_initialization_options())


def _is_message(line: str) -> bool:
    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        return False
    return True
