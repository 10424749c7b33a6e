"""Messages from standard input, one a line; what is not a message is answered here, never dropped."""

import asyncio
import json
import logging
import os
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

MAX_LINE_BYTES = 32 * 2**20
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602

_CHUNK = 2**16
_END = 2**12
_ID = r'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{0,200}")'
# In a message that cannot be parsed, the id is where clients write it: first, after plain texts, or last.
_ID_FIRST = re.compile(r'^\{(?:\s*"\w+"\s*:\s*"[^"\\]*"\s*,)*\s*' + _ID)
_ID_LAST = re.compile(_ID + r"\s*\}\s*$")
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")

log = logging.getLogger(__name__)

Reply = Callable[[int | str, int, str], Awaitable[None]]
"""Answers a request id with an error code and a message."""


class StdinLines:
    """`async for line in lines`: the lines of a descriptor that hold a JSON-RPC message.

    Read by a daemon thread, so that waiting for input can be cancelled and never holds up the exit.
    """

    def __init__(self, descriptor: int, is_message: Callable[[str], bool], reply: Reply) -> None:
        self._descriptor = descriptor
        self._is_message = is_message
        self._reply = reply

    async def __aiter__(self) -> AsyncIterator[str]:
        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[bytes | None] = asyncio.Queue()

        def put(line: bytes | None) -> bool:
            try:
                loop.call_soon_threadsafe(lines.put_nowait, line)
            except RuntimeError:  # the loop is closed: nobody listens any more
                return False
            return True

        threading.Thread(target=_pump, args=(self._descriptor, put), daemon=True, name="stdin").start()
        while (raw := await lines.get()) is not None:
            line = raw.decode("utf-8", "replace").strip()
            if not line:
                continue
            if not _is_utf8(raw):
                await self._answer(line, PARSE_ERROR, "Parse error: the line is not valid UTF-8")
            elif _SURROGATE_ESCAPE.search(raw) and (broken := _lone_surrogate(line)) is not None:
                await self._answer(line, INVALID_PARAMS, f"{broken}: not valid Unicode (a lone surrogate); send UTF-8")
            elif self._is_message(line):
                yield line
            else:
                await self._answer(line, INVALID_REQUEST, "Invalid Request")

    async def _answer(self, line: str, code: int, message: str) -> None:
        request_id = _request_id(line)
        log.debug("refused a line of %d characters on stdin: %s", len(line), message)
        if request_id is not None:
            await self._reply(request_id, code, message)


def _pump(descriptor: int, put: Callable[[bytes | None], bool]) -> None:
    """Hand over complete lines until the end of input; of a line beyond all bounds only its two ends."""
    pending = bytearray()
    overlong = False
    while True:
        try:
            chunk = os.read(descriptor, _CHUNK)
        except OSError:
            chunk = b""
        if not chunk:
            put(None)
            return
        *complete, rest = chunk.split(b"\n")
        for part in complete:
            pending += part
            if overlong:
                pending[_END:_END] = b"\x00"  # never valid JSON: the ends must not pass for the whole
            if not put(bytes(pending)):
                return
            pending.clear()
            overlong = False
        pending += rest
        overlong = overlong or len(pending) > MAX_LINE_BYTES
        if overlong:  # its two ends are enough to find the id that wants an answer
            del pending[_END:-_END]


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _decoded(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _request_id(line: str) -> int | str | None:
    """The id of the request in a line that could not be taken, if it can be read."""
    message = _decoded(line)
    if message is None and (found := _ID_FIRST.search(line) or _ID_LAST.search(line)):
        message = {"id": _decoded(found[1])}
    request_id = message.get("id") if isinstance(message, dict) else None
    if isinstance(request_id, bool) or not isinstance(request_id, (int, str)):
        return None
    return request_id


def _lone_surrogate(line: str) -> str | None:
    """The path of the first text in a message that is not valid Unicode, such as `arguments.content`."""
    message = _decoded(line)
    waiting: list[tuple[str, Any]] = [("", message)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str):
            if any("\ud800" <= character <= "\udfff" for character in value):
                return path.removeprefix("params.") or "message"
        elif isinstance(value, dict):
            waiting += [(f"{path}.{key}".lstrip("."), entry) for key, entry in value.items()]
            waiting += [(path or "message", key) for key in value]
        elif isinstance(value, list):
            waiting += [(path, entry) for entry in value]
    return None
