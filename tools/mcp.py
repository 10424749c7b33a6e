"""MCP: the tools as a protocol server for both eras of the protocol; `resources` and `shown` alone know it besides.

Built on the SDK's low-level server: its handlers are public, so that unknown tools, unknown arguments and failures are
answered as the specification says without reaching into the SDK.
"""

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any

import mcp.types as types
from mcp import MCPError
from mcp.server import CacheHint, Server, ServerRequestContext
from mcp.server.caching import CacheableMethod

from ..modules.apps import ASKS, NONE, Apps
from ..modules.framing import named
from ..modules.installing import switched_off
from ..modules.principals.models import Caller
from ..modules.version import MAX_CLIENT_CHARS
from .asking import AskingCall, may_be_asked
from .bound import ECHOES, BoundTool, BoundTools, Opener, Toolsets
from .calling import CODE_KEY, answered, tools_of
from .catalog import INSTRUCTIONS, TOOLS
from .shown import OfferedViews

LIST_TTL_MS = 300_000
CACHE_HINTS: Mapping[CacheableMethod, CacheHint] = {
    "tools/list": CacheHint(ttl_ms=LIST_TTL_MS, scope="public"),
    "resources/list": CacheHint(ttl_ms=LIST_TTL_MS, scope="private"),
    "resources/templates/list": CacheHint(ttl_ms=LIST_TTL_MS, scope="public"),
    "resources/read": CacheHint(ttl_ms=0, scope="private"),
}

Asking = Callable[[ServerRequestContext[Any, Any]], tuple[Caller, Toolsets]]
"""Returns who asks, and for which tools, from what a message came with."""


def build(
    bound: BoundTools,
    opener: Opener,
    caller: Caller,
    toolsets: Toolsets,
    version: str,
    resources: Callable[[BoundTools, Opener, Asking], Mapping[str, Any]] | None = None,
    apps: Apps = NONE,
) -> Server[Any]:
    """Return the MCP server of a session; `opener` opens the services at the first call (again after a failure).

    With `resources` it answers for these too; `apps` are the views and forms that it has for clients that show them.
    """

    def asking(_: ServerRequestContext[Any, Any]) -> tuple[Caller, Toolsets]:
        return caller, toolsets

    beside = {} if resources is None else resources(bound, opener, asking)
    return build_for_requests(bound, opener, asking, version, beside=beside, apps=apps)


def build_for_requests(
    bound: BoundTools,
    opener: Opener,
    asking: Asking,
    version: str,
    for_programs: Collection[str] = (),
    beside: Mapping[str, Any] = MappingProxyType({}),
    apps: Apps = NONE,
) -> Server[Any]:
    """Return an MCP server whose messages may each come from another caller, who is told by `asking`.

    Tools of the toolsets `for_programs` answer with JSON as their text: clients of other systems parse that. `beside`
    are handlers of what is no tool, by the SDK's names for them.
    """
    offered = None if apps.views is None else OfferedViews(apps, apps.views, beside)

    async def list_tools(
        context: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        if params is not None and params.cursor is not None:
            raise MCPError(
                code=types.INVALID_PARAMS,
                message="Invalid cursor: the list has one page",
                data={CODE_KEY: "invalid_cursor"},
            )
        _, toolsets = asking(context)
        shown = bound if toolsets is None else tools_of(bound, toolsets).values()
        if apps.views is None or offered is None or not offered.to(context):
            return types.ListToolsResult(tools=[listed(entry) for entry in shown])
        views = [apps.views.of_tool(entry.tool.name) for entry in shown]
        tools = [listed(entry, view) for entry, view in zip(shown, views, strict=True)]
        return types.ListToolsResult(tools=tools, cache_scope="private")  # other clients are told less

    async def call_tool(
        context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        caller, toolsets = asking(context)
        tools = tools_of(bound, toolsets)
        entry = tools.get(params.name)
        if entry is None:
            raise MCPError(
                code=types.INVALID_PARAMS,
                message=f"Unknown tool: {await ECHOES.text(named(params.name, 100))}{_elsewhere(bound, params.name)}",
                data={CODE_KEY: "unknown_tool"},
            )
        as_json = entry.tool.toolset in for_programs
        client = client_of(context)
        given = params.arguments or {}
        if apps.forms is not None and params.name == ASKS and given.get("ask") is True and may_be_asked(context):
            return await AskingCall(apps.forms, tools, opener, caller, client).answer(given, params)
        answer = await answered(entry, opener, caller, client, given, as_json=as_json)
        return types.CallToolResult.model_validate(answer)

    server: Server[Any] = Server(
        "agentos",
        version=version,
        title="AgentOS",
        instructions=INSTRUCTIONS,
        cache_hints=CACHE_HINTS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        **{**beside, **({} if offered is None else offered.handlers)},
    )
    _tell_that_tools_stay(server)
    if offered is not None:
        offered.guard(server)
    return server


def _tell_that_tools_stay(server: Server[Any]) -> None:
    """Have a server say that its list of tools does not change; the SDK says it may, where anything is listened to."""
    original = server.get_request_handler("server/discover")
    assert original is not None, "the SDK answers it"

    async def discover(context: ServerRequestContext[Any, Any], params: types.RequestParams) -> types.DiscoverResult:
        result = await original.handler(context, params)
        assert isinstance(result, types.DiscoverResult)
        offered = result.capabilities.model_copy(update={"tools": types.ToolsCapability(list_changed=False)})
        return result.model_copy(update={"capabilities": offered})

    server.add_request_handler("server/discover", types.RequestParams, discover)


def listed(bound: BoundTool, metadata: dict[str, Any] | None = None) -> types.Tool:
    """Return a tool as clients see it."""
    tool = bound.tool
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=bound.input_schema,
        output_schema=bound.output_schema,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
        _meta=metadata,
    )


def client_of(context: ServerRequestContext[Any, Any]) -> str:
    """Return the client's name for itself, from its handshake or the request."""
    params = context.session.client_params
    if params is not None:
        return params.client_info.name[:MAX_CLIENT_CHARS]
    given = (context.meta or {}).get(types.CLIENT_INFO_META_KEY)
    name = given.get("name") if isinstance(given, dict) else None
    return name[:MAX_CLIENT_CHARS] if isinstance(name, str) else "unknown"


def _elsewhere(bound: BoundTools, name: str) -> str:
    """Return why this session does not show a tool that there is; "" if there is none of that name."""
    if entry := next((entry for entry in bound if entry.tool.name == name), None):
        return f"; it is in the toolset {entry.tool.toolset} (AGENTOS_TOOLSETS)"
    off = next((tool.feature for tool in TOOLS if tool.name == name and tool.feature), None)
    return f"; {switched_off(off)}" if off else ""
