"""Messages from a stream, one per line; a line that is not a message is answered here, never dropped."""

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from .wire import (
    INVALID_REQUEST,
    NO_JSON,
    NO_MESSAGE,
    PARSE_ERROR,
    TOO_LONG,
    TOO_MANY_VALUES,
    LineSplitter,
    RequestId,
    decoded,
    guessed_id,
    has_too_many_values,
    is_cut,
    is_request_id,
)

INVALID_PARAMS = -32602

_CHUNK = 2**16
_READ_CHARS = 2**20
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")

log = logging.getLogger(__name__)

Reply = Callable[[RequestId | None, int, str], Awaitable[None]]
"""Answers a request id, or nobody's (None), with an error code and a message."""

Take = Callable[[str], Awaitable[bool]]
"""Handles a message by itself, if it can, and returns whether it did."""

Admit = Callable[[str], Awaitable[bool]]
"""Waits until there is room for a line, and returns whether it is a message."""


class MessageLines:
    """The lines of a stream that hold a JSON-RPC message which nobody took: `async for line in lines`."""

    def __init__(self, stream: asyncio.StreamReader, take: Take, admit: Admit, reply: Reply) -> None:
        self._stream = stream
        self._take = take
        self._admit = admit
        self._reply = reply

    async def __aiter__(self) -> AsyncIterator[str]:
        splitter = LineSplitter()
        while chunk := await self._read():
            for raw in splitter.feed(chunk):
                line = raw.decode("utf-8", "replace").strip()
                if line and await self._is_for_others(raw, line):
                    yield line

    async def _read(self) -> bytes:
        try:
            return await self._stream.read(_CHUNK)
        except OSError:  # the other end is gone
            return b""

    async def _is_for_others(self, raw: bytes, line: str) -> bool:
        if has_too_many_values(raw):
            await self._answer(line, INVALID_REQUEST, TOO_MANY_VALUES)
        elif not _is_utf8(raw):
            await self._answer(line, PARSE_ERROR, "Parse error: the line is not valid UTF-8")
        elif _SURROGATE_ESCAPE.search(raw) and (broken := _lone_surrogate(line)) is not None:
            await self._answer(line, INVALID_PARAMS, f"{broken}: not valid Unicode (a lone surrogate); send UTF-8")
        elif not await self._take(line):
            return await self._is_admitted(raw, line)
        return False

    async def _is_admitted(self, raw: bytes, line: str) -> bool:
        if await self._admit(line):
            return True
        if is_cut(raw):
            await self._answer(line, INVALID_REQUEST, TOO_LONG)
        elif line.startswith("["):
            await self._reply(None, INVALID_REQUEST, "Invalid Request: send one message a line")
        elif decoded(line) is None and line != "null":
            await self._answer(line, PARSE_ERROR, NO_JSON)
        else:
            await self._answer(line, INVALID_REQUEST, NO_MESSAGE)
        return False

    async def _answer(self, line: str, code: int, message: str) -> None:
        log.debug("refused a line of %d characters: %s", len(line), message)
        await self._reply(_request_id(line), code, message)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _request_id(line: str) -> RequestId | None:
    """Return the id of the request in a rejected line; None if it cannot be read, or only with much effort."""
    identifier = guessed_id(line)
    if identifier is None and len(line) <= _READ_CHARS:
        message = decoded(line)
        identifier = message.get("id") if isinstance(message, dict) else None
    return identifier if is_request_id(identifier) else None


def _lone_surrogate(line: str) -> str | None:
    """Return the path of a text in a message that is not valid Unicode, such as `arguments.content`, or None."""
    waiting: list[tuple[str, Any]] = [("", decoded(line))]
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
