"""Serving an MCP server over standard input and output, and ending it cleanly."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp.types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from ..leaving import SIGNALS, leave_in_time
from .lines import StdinLines


class _Stdout:
    """The wire out: written whole, so that two messages never mix. A reader that is gone ends the serving."""

    def __init__(self, descriptor: int, end: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._end = end

    async def write(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        try:
            # In a thread that can be left behind: a client that does not read must not stop everything.
            await anyio.to_thread.run_sync(self._write_all, data, abandon_on_cancel=True)
        except BrokenPipeError:
            self._end()

    def _write_all(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]

    async def flush(self) -> None:
        """Nothing is buffered."""


async def serve(server: Server[Any], close: Callable[[], Awaitable[None]]) -> None:
    """Serve until the end of input, SIGTERM or SIGINT, then `close`.

    While serving, descriptor 1 leads to stderr: a stray print can never break the protocol.
    """
    wire_in, wire_out = _take_over_standard_streams()
    outgoing: list[Any] = []

    async def reply(request_id: int | str, code: int, message: str) -> None:
        error = types.JSONRPCError(jsonrpc="2.0", id=request_id, error=types.ErrorData(code=code, message=message))
        await outgoing[0].send(SessionMessage(error))

    lines: Any = StdinLines(wire_in, _is_message, reply)
    try:
        async with anyio.create_task_group() as tasks:
            stdout: Any = _Stdout(wire_out, tasks.cancel_scope.cancel)
            _on_signals(tasks.cancel_scope)
            async with stdio_server(lines, stdout) as (incoming, outgoing_stream):
                outgoing.append(outgoing_stream)
                await server.run(incoming, outgoing_stream, server.create_initialization_options())
            tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await close()


def _is_message(line: str) -> bool:
    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        return False
    return True


def _on_signals(scope: anyio.CancelScope) -> None:
    """End on SIGINT and SIGTERM, also when a second one comes while the first is obeyed, as clients do."""
    if sys.platform == "win32":
        return

    def end() -> None:
        leave_in_time()
        scope.cancel()

    for number in SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, end)


def _take_over_standard_streams() -> tuple[int, int]:
    """Private copies of the wire; 0 then reads nothing and 1 writes to stderr, for us and our children."""
    wire_in, wire_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return wire_in, wire_out
