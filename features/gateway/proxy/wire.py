"""ASGI by hand: headers, bodies, and answers of our own in the form that a provider's client understands."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from ..modes import PREFIX
from .configuration import ANTHROPIC, OLLAMA

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
RawHeaders = list[tuple[bytes, bytes]]

MAX_BODY_BYTES = 32 * 1024 * 1024
"""The longest request that is read before it is passed on; a longer one passes as it comes, without memory."""
_OF_ONE_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding "
    b"upgrade".split()
)


class Gone(Exception):
    """The client has gone."""


def named(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return headers by name, in lower case."""
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}


def passed_on(headers: Iterable[tuple[bytes, bytes]], *without: bytes) -> RawHeaders:
    """Return the headers that go on to the other side: those that concern one hop stay behind, as do our own."""
    left = _OF_ONE_HOP.union(without)
    ours = PREFIX.encode()
    return [one for one in headers if (name := one[0].lower()) not in left and not name.startswith(ours)]


async def body_of(receive: Receive) -> bytes | AsyncIterator[bytes]:
    """Return a request's body; one that is too long to be held, piece by piece. Raises Gone."""
    pieces: list[bytes] = []
    size = 0
    while True:
        piece, more = await _piece(receive)
        pieces.append(piece)
        size += len(piece)
        if not more:
            return b"".join(pieces)
        if size > MAX_BODY_BYTES:
            return _rest(pieces, receive)


async def _rest(pieces: list[bytes], receive: Receive) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece
    more = True
    while more:
        piece, more = await _piece(receive)
        yield piece


async def _piece(receive: Receive) -> tuple[bytes, bool]:
    message = await receive()
    if message["type"] != "http.request":
        raise Gone
    return message.get("body", b""), message.get("more_body", False)


async def until_gone(receive: Receive) -> None:
    """Return when the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def tell(send: Send, status: int, content: Any, headers: RawHeaders | None = None) -> None:
    """Answer with JSON of our own."""
    body = json.dumps(content).encode()
    own = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*own, *(headers or [])]})
    await send({"type": "http.response.body", "body": body})


def problem(provider: str, kind: str, message: str, **more: str) -> dict[str, Any]:
    """Return an error in the form of a provider's own."""
    if provider == ANTHROPIC:
        return {"type": "error", "error": {"type": kind, "message": message, **more}}
    if provider == OLLAMA:
        return {"error": message, "type": kind, **more}
    return {"error": {"type": kind, "message": message, "code": kind, "param": None, **more}}
