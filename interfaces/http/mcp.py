"""MCP over Streamable HTTP, stateless: each request stands for itself, so that no session is lost at a restart."""

from typing import Any

from mcp.server import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import QueryParams
from starlette.types import Receive, Scope, Send

from ...modules.principals.models import Caller
from ...tools import mcp
from ...tools.bound import BoundTools, Opener, Toolsets
from .auth import caller_of
from .problems import Problem

PATH = "/mcp"
TOOLSETS = "toolsets"
"""The query parameter that asks for more toolsets than the server's settings show: /mcp?toolsets=graph,sessions."""


class McpEndpoint:
    """The endpoint of both eras of the protocol. It holds no session, and sends nothing that was not asked for."""

    def __init__(
        self,
        bound: BoundTools,
        opener: Opener,
        toolsets: frozenset[str],
        version: str,
        max_body_bytes: int,
        compat: frozenset[str] = frozenset(),
    ) -> None:
        """Serve the tools of `toolsets`, and those of other systems (`compat`), whose clients parse their texts."""
        self._known = frozenset(entry.tool.toolset for entry in bound if entry.tool.toolset is not None)
        theirs = compat & self._known
        self._toolsets = toolsets | theirs
        server = mcp.build_for_requests(bound, opener, self._asking, version, theirs)
        self.sessions = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=max_body_bytes
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a message. Raises Problem for what is none: there is no stream to open and no session to end."""
        scope["state"]["route"] = PATH
        if scope["method"] != "POST":
            raise Problem("method_not_allowed", "send MCP messages by POST: there are no sessions here", allow="POST")
        self._wanted(scope)
        await self.sessions.handle_request(scope, receive, send)

    def _asking(self, context: ServerRequestContext[Any, Any]) -> tuple[Caller, Toolsets]:
        assert context.request is not None, "over HTTP each message comes with its request"
        return caller_of(context.request.scope), self._wanted(context.request.scope)

    def _wanted(self, scope: Scope) -> frozenset[str]:
        named = QueryParams(scope["query_string"]).get(TOOLSETS, "")
        wanted = frozenset(filter(None, map(str.strip, named.split(","))))
        if unknown := sorted(wanted - self._known):
            raise Problem(
                "invalid_input",
                f"there is no toolset {unknown[0][:60]!r}; there are: {', '.join(sorted(self._known))}",
                TOOLSETS,
            )
        return self._toolsets | wanted
