"""MCP over Streamable HTTP, stateless: each request stands for itself, so that no session is lost at a restart."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, get_args

from mcp.server import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers, QueryParams
from starlette.types import Receive, Scope, Send

from ...config import Toolset
from ...modules.apps import NONE, Apps
from ...modules.principals.models import Caller
from ...tools import mcp
from ...tools.bound import BoundTools, Opener, Toolsets
from ...tools.resources import handlers, kinds_of
from . import listening
from .auth import caller_of
from .flat_calls import with_arguments
from .problems import Problem
from .rest.streams import Streams

PATH = "/mcp"
TOOLSETS = "toolsets"
"""The query parameter that asks for more toolsets than the server's settings show: /mcp?toolsets=graph,sessions."""
RESOURCES = "resources"
"""The query parameter that says whether resources are offered, whatever the setting: /mcp?resources=true."""
VIEWS = "views"
"""The query parameter for clients that show views and have no way to say so at each request: /mcp?views=true."""
_ANSWERS = {"true": True, "1": True, "false": False, "0": False}


class McpEndpoint:
    """The endpoint of both eras of the protocol. It holds no session, and sends nothing that was not asked for.

    Clients add tools of their own where a server has resources, and pay for them: so these are for who wants them.
    """

    def __init__(
        self,
        bound: BoundTools,
        opener: Opener,
        toolsets: frozenset[str],
        version: str,
        max_body_bytes: int,
        theirs: frozenset[str],
        streams: Streams,
        *,
        resources: bool,
        apps: Apps = NONE,
    ) -> None:
        """Serve the tools of `toolsets`, and those of other systems (`theirs`), whose clients parse their texts.

        With `resources` these are offered to clients whose address does not say otherwise; `apps` are the views and
        forms for clients that show them.
        """
        self._toolsets = toolsets | theirs
        beside = {
            **handlers(bound, opener, self._asking),
            "on_subscriptions_listen": listening.Listening(opener, streams, kinds_of(bound)),
        }
        self._streams = streams
        self._max_body_bytes = max_body_bytes
        self._resources = resources
        apps = replace(apps, wants=_wants_views)
        self._sessions = {
            has_resources: StreamableHTTPSessionManager(
                mcp.build_for_requests(
                    bound, opener, self._asking, version, theirs, beside if has_resources else {}, apps
                ),
                json_response=True,
                stateless=True,
                max_request_body_size=max_body_bytes,
            )
            for has_resources in (False, True)
        }

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve while the block runs."""
        async with self._sessions[False].run(), self._sessions[True].run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a message. Raises Problem for what is none: there is no stream to open and no session to end."""
        scope["state"]["route"] = PATH
        if scope["method"] != "POST":
            raise Problem("method_not_allowed", "send MCP messages by POST: there are no sessions here", allow="POST")
        self._wanted(scope)
        _asked_for(scope, VIEWS)
        sessions = self._sessions[self._wants_resources(scope)]
        if Headers(scope=scope).get("mcp-method") == listening.METHOD:  # the SDK refuses another one than the message's
            scope["state"]["route"] = f"{PATH} {listening.METHOD}"  # it lasts for long, and is no slow answer
            with self._streams.one_of(caller_of(scope).principal):
                await sessions.handle_request(scope, receive, send)
        else:
            await sessions.handle_request(scope, await with_arguments(receive, self._max_body_bytes), send)

    def _asking(self, context: ServerRequestContext[Any, Any]) -> tuple[Caller, Toolsets]:
        assert context.request is not None, "over HTTP each message comes with its request"
        return caller_of(context.request.scope), self._wanted(context.request.scope)

    def _wanted(self, scope: Scope) -> frozenset[str]:
        named = QueryParams(scope["query_string"]).get(TOOLSETS, "")
        wanted = frozenset(filter(None, map(str.strip, named.split(","))))
        known = get_args(Toolset)  # also of features that are off: a client that names one finds none of it
        if unknown := sorted(wanted.difference(known)):
            raise Problem(
                "invalid_input",
                f"there is no toolset {unknown[0][:60]!r}; there are: {', '.join(sorted(known))}",
                TOOLSETS,
            )
        return self._toolsets | wanted

    def _wants_resources(self, scope: Scope) -> bool:
        wanted = _asked_for(scope, RESOURCES)
        return self._resources if wanted is None else wanted


def _wants_views(request: Any) -> bool | None:
    return None if request is None else _asked_for(request.scope, VIEWS)


def _asked_for(scope: Scope, name: str) -> bool | None:
    """Return what the address says to a yes or no, None for nothing. Raises Problem."""
    given = QueryParams(scope["query_string"]).get(name)
    if given is None:
        return None
    if given.lower() not in _ANSWERS:
        raise Problem("invalid_input", "must be true or false", name)
    return _ANSWERS[given.lower()]
