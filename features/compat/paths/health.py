"""Routes of other systems that need no key: `/`, `/health`, and a token for a key in the body."""

import json
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ....interfaces.http.problems import Problem
from ....modules.version import VERSION

HEALTH, TOKEN = "/health", "/v1/auth/token"
MOST_BYTES = 16 * 1024
"""The body in which a key is looked for, before it is known who asks."""


def open_routes(systems: Collection[str], known: ASGIApp) -> list[BaseRoute]:
    """Return the routes before `known`, which asks for a key."""
    routes: list[BaseRoute] = [Route("/", _Liveness("/")), Route(HEALTH, _Health(known, more="memoryoss" in systems))]
    if "memoryoss" in systems:
        routes.append(Route(TOKEN, _KeyInBody(known)))
    return routes


class _Liveness:
    """Answers with the name and version of the service, and nothing of what is stored."""

    def __init__(self, route: str) -> None:
        self._route = route

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in ("GET", "HEAD"):
            raise Problem("method_not_allowed", "this path accepts only GET", allow="GET")
        scope["state"]["route"] = self._route
        body = {"status": "healthy", "service": "AgentOS", "version": VERSION, "mcp": "/mcp/"}
        await JSONResponse(body)(scope, receive, send)


class _Health:
    """Says that the server lives; with a key, what memoryOSS tells of its health (`more`)."""

    def __init__(self, known: ASGIApp, *, more: bool) -> None:
        self._known = known
        self._more = more

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answering = self._known if self._more and _has_key(scope) else _Liveness(HEALTH)
        await answering(scope, receive, send)


class _KeyInBody:
    """Takes the key of a request for a token out of its body, where memoryOSS' clients send it, into its headers."""

    def __init__(self, known: ASGIApp) -> None:
        self._known = known

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = _key(await Request(scope, receive).body())
        added = [(b"authorization", b"Bearer " + key)] if key and not _has_key(scope) else []

        async def nothing_more() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        await self._known({**scope, "headers": [*scope["headers"], *added]}, nothing_more, send)


def _has_key(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    return "authorization" in headers or "x-api-key" in headers


def _key(body: bytes) -> bytes:
    """Return the key in a body; nothing where there is none that a header could hold."""
    try:
        given = json.loads(body) if len(body) <= MOST_BYTES else None
    except (ValueError, RecursionError):
        return b""
    key = given.get("api_key") if isinstance(given, dict) else None
    return key.encode() if isinstance(key, str) and key.isascii() and key.isprintable() else b""
