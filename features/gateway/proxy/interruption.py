"""Answers that are broken off before their provider has ended them: the client reads why, where its stream can say."""

import asyncio
import json
from collections.abc import MutableMapping
from typing import Any

from .configuration import GEMINI
from .wire import Send, named, problem, tell

SAY_WITHIN_S = 1.0
"""How long a client that reads slowly has for the error; its connection is closed then."""
_BETWEEN_EVENTS = (b"\n\n", b"\r\n\r\n", b"\r\r")


class Interruptible:
    """One answer on its way to a client; `send` passes it on, and `interrupt` ends it with an error."""

    def __init__(self, send: Send, provider: str) -> None:
        self._send = send
        self._provider = provider
        self._headers: dict[str, str] | None = None
        self._has_ended = False
        self._end = b""

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Pass a message on, and note how far the answer is."""
        if message["type"] == "http.response.start":
            self._headers = named(message["headers"])
        else:
            self._end = (self._end + message.get("body", b""))[-4:]
            self._has_ended = not message.get("more_body", False)
        await self._send(message)

    async def interrupt(self, status: int, kind: str, about: str) -> None:
        """Tell an error, in the form of what is sent already; what has no form for it is left incomplete.

        Nothing is told after an answer that has ended.
        """
        if self._has_ended:
            return
        error = problem(self._provider, kind, about)
        if self._headers is None:
            await tell(self._send, status, error)
            return
        if (last := self._last(error)) is not None:
            async with asyncio.timeout(SAY_WITHIN_S):
                await self._send({"type": "http.response.body", "body": last})

    def _last(self, error: dict[str, Any]) -> bytes | None:
        """Return an error as the last words of a stream; None for what is no stream of texts."""
        headers = self._headers or {}
        if "content-length" in headers or headers.get("content-encoding", "identity") != "identity":
            return None
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/x-ndjson":
            before = "" if self._end.endswith(b"\n") or not self._end else "\n"
            return f"{before}{json.dumps(error)}\n".encode()
        before = "" if self._end.endswith(_BETWEEN_EVENTS) or not self._end else "\n\n"
        name = "" if self._provider == GEMINI else "event: error\n"
        return f"{before}{name}data: {json.dumps(error)}\n\n".encode() if kind == "text/event-stream" else None
