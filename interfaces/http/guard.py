"""Guards every request: addresses, Host and Origin, security headers, and one shape for all failures."""

import logging
import re
import secrets
import time
from collections.abc import Callable
from typing import Protocol
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...modules.errors import AgentOSError, unforeseen
from ...modules.tracing import Span, span
from ...tools.bound import ECHOES
from .policy import CurrentPolicy, name_of
from .problems import Problem, problem_of, send_problem

SECURITY_HEADERS = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
STRICT_TRANSPORT = "max-age=31536000"
CLIENT_LEFT = 499
"""What is counted for a request whose client left: nothing is sent."""
_REQUEST_ID = re.compile(r"[\w.-]{1,64}", re.ASCII)

log = logging.getLogger(__name__)


class AnswerCounter(Protocol):
    """Counts what is answered."""

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answer to a request; `route` is the pattern of its path, never the path itself."""


class Frame:
    """The outermost layer: gives each request an id, each answer its headers, and each failure its problem."""

    def __init__(self, app: ASGIApp, observer: AnswerCounter, clock: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._observer = observer
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request whatever happens; WebSockets are refused."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        scope["state"] = {**scope.get("state", {}), "request_id": request_id}
        with span(scope["method"], parent=Headers(scope=scope).get("traceparent", "")) as traced:
            await self._serve(scope, receive, send, request_id, traced)

    async def _serve(self, scope: Scope, receive: Receive, send: Send, request_id: str, traced: Span) -> None:
        began, status = self._clock(), 0

        async def framed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                if scope["scheme"] == "https":
                    headers["strict-transport-security"] = STRICT_TRANSPORT
                headers["x-request-id"] = request_id
            await send(message)

        try:
            await self._app(scope, receive, framed)
        except ClientDisconnect:
            status = status or CLIENT_LEFT
            log.debug("the client left before its answer (request %s)", request_id)
        except Exception as error:
            problem = await self._problem_for(error, scope, request_id)
            if status:  # too late to say anything: the server cuts the connection
                raise
            await send_problem(framed, problem, request_id)
        finally:
            seconds = self._clock() - began
            route = str(scope["state"].get("route", "none"))
            self._observer.answered(scope["method"], route, status, seconds)
            caller = scope["state"].get("caller")
            who = {"request_id": request_id, "principal": caller.principal if caller else "", "door": "http"}
            traced.rename(f"{scope['method']} {route}")
            traced.note(
                {"http.request.method": scope["method"], "http.route": route, "http.response.status_code": status}
            )
            traced.note({f"agentos.{name}": value for name, value in who.items()})
            log.info("%s %s %s %.0f ms %s", scope["method"], route, status, seconds * 1000, request_id, extra=who)

    @staticmethod
    async def _problem_for(error: Exception, scope: Scope, request_id: str) -> Problem:
        if isinstance(error, Problem):
            return error
        if isinstance(error, AgentOSError):
            return problem_of(error, await ECHOES.text(str(error)))
        log.error("%s failed (request %s)", scope["method"], request_id, exc_info=error)
        return Problem("internal_error", unforeseen(error))


class Guard:
    """Lets only requests through that are addressed to us, from where the settings allow, by no other site's page."""

    def __init__(self, app: ASGIApp, policy: CurrentPolicy) -> None:
        self._app = app
        self._policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, its client's address noted. Raises Problem."""
        if scope["type"] == "http":
            policy = self._policy.value
            address = policy.client(scope)
            if not policy.admits(address):
                raise Problem("permission_denied", "this address is not in AGENTOS_HTTP_ALLOW")
            headers = Headers(scope=scope)
            host = headers.get("host", "")
            if name_of(host) not in policy.hosts or len(headers.getlist("host")) != 1:
                raise Problem("misdirected", "the request's Host is not allowed; add it to AGENTOS_HTTP_HOSTS")
            if "content-length" in headers and "transfer-encoding" in headers:  # a proxy may read another end of it
                wrong = "a request has Content-Length or Transfer-Encoding, not both"
                raise Problem("invalid_input", wrong, "body", connection="close")
            origin = headers.get("origin")
            if origin is not None and not _is_same_site(origin, host):
                raise Problem("permission_denied", "pages of other sites may not call this server")
            scope["state"]["address"] = address
            scope["path"] = _below(policy.base_path, scope["path"])
        await self._app(scope, receive, send)


def _is_same_site(origin: str, host: str) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def _below(base: str, path: str) -> str:
    """Return a path without the base path, where a proxy has not taken that away already."""
    if base and (path == base or path.startswith(f"{base}/")):
        return path.removeprefix(base) or "/"
    return path
