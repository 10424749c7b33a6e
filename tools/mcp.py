"""MCP: the tools as a protocol server for both eras of the protocol; this file and `resources` alone know it here.

Built on the SDK's low-level server: its handlers are public, so that unknown tools, unknown arguments and failures are
answered as the specification says without reaching into the SDK.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import mcp.types as types
from mcp import MCPError
from mcp.server import CacheHint, Server, ServerRequestContext
from mcp.server.caching import CacheableMethod

from ..modules import identifiers, offload
from ..modules.errors import AgentOSError, InvalidInput
from ..modules.framing import quote
from ..modules.principals.models import Caller, Door
from ..modules.version import COMMAND_LINE
from .bound import ECHOES, BoundTool, BoundTools, Opener, Toolsets
from .catalog import INSTRUCTIONS

LIST_TTL_MS = 300_000
CACHE_HINTS: Mapping[CacheableMethod, CacheHint] = {
    "tools/list": CacheHint(ttl_ms=LIST_TTL_MS, scope="public"),
    "resources/list": CacheHint(ttl_ms=LIST_TTL_MS, scope="private"),
    "resources/templates/list": CacheHint(ttl_ms=LIST_TTL_MS, scope="public"),
    "resources/read": CacheHint(ttl_ms=0, scope="private"),
}
MAX_ERROR_LINES = 3
MAX_ERROR_CHARS = 600
MAX_CLIENT_CHARS = 100
CODE_KEY, FIELD_KEY = "agentos/code", "agentos/field"
"""The keys in `_meta` of a failed result: a code of `modules.errors`, and the argument at fault, if it is one."""

log = logging.getLogger(__name__)

Asking = Callable[[ServerRequestContext[Any, Any]], tuple[Caller, Toolsets]]
"""Returns who asks, and for which tools, from what a message came with."""

FIRST = ("notice",)
"""The first fields of a structured result: how to read the rest."""

HAND_STRUCTURE = ("claude-code", "codex")
"""Beginnings of the names of clients that give their model `structuredContent`; all others give it the text."""


def hands_structure_to_its_model(client: str) -> bool:
    """Return whether the model of a client reads the structured result instead of the text."""
    return client.lower().startswith(HAND_STRUCTURE)


def build(
    bound: BoundTools,
    opener: Opener,
    caller: Caller,
    toolsets: Toolsets,
    version: str,
    resources: Callable[[BoundTools, Opener, Asking], Mapping[str, Any]] | None = None,
) -> Server[Any]:
    """Return the MCP server of a session; `opener` opens the services at the first call (again after a failure).

    With `resources` it answers for these too.
    """

    def asking(_: ServerRequestContext[Any, Any]) -> tuple[Caller, Toolsets]:
        return caller, toolsets

    beside = {} if resources is None else resources(bound, opener, asking)
    return build_for_requests(bound, opener, asking, version, beside=beside)


def build_for_requests(
    bound: BoundTools,
    opener: Opener,
    asking: Asking,
    version: str,
    for_programs: Collection[str] = (),
    beside: Mapping[str, Any] = MappingProxyType({}),
) -> Server[Any]:
    """Return an MCP server whose messages may each come from another caller, who is told by `asking`.

    Tools of the toolsets `for_programs` answer with JSON as their text: clients of other systems parse that. `beside`
    are handlers of what is no tool, by the SDK's names for them.
    """

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
        shown = bound if toolsets is None else _shown(bound, toolsets).values()
        return types.ListToolsResult(tools=[listed(entry) for entry in shown])

    async def call_tool(
        context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        caller, toolsets = asking(context)
        entry = _shown(bound, toolsets).get(params.name)
        if entry is None:
            raise MCPError(
                code=types.INVALID_PARAMS,
                message=f"Unknown tool: {await ECHOES.text(params.name[:100])}{_elsewhere(bound, params.name)}",
                data={CODE_KEY: "unknown_tool"},
            )
        try:
            as_json = entry.tool.toolset in for_programs
            return await call(entry, opener, caller, client_of(context), params.arguments or {}, as_json=as_json)
        except AgentOSError as error:
            field = error.field if isinstance(error, InvalidInput) else None
            return await _failure(error.code, str(error), field)
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("%s failed", params.name)
            message = f"{params.name}: internal error; the details are in the server's log"
            return await _failure("internal_error", message)

    server: Server[Any] = Server(
        "agentos",
        version=version,
        title="AgentOS",
        instructions=INSTRUCTIONS,
        cache_hints=CACHE_HINTS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        **beside,
    )
    _tell_that_tools_stay(server)
    return server


def _tell_that_tools_stay(server: Server[Any]) -> None:
    """Have a server say that its list of tools does not change; the SDK says it may, where anything is listened to."""
    told = server.get_request_handler("server/discover")
    assert told is not None, "the SDK answers it"

    async def discover(context: ServerRequestContext[Any, Any], params: types.RequestParams) -> types.DiscoverResult:
        result = await told.handler(context, params)
        assert isinstance(result, types.DiscoverResult)
        offered = result.capabilities.model_copy(update={"tools": types.ToolsCapability(list_changed=False)})
        return result.model_copy(update={"capabilities": offered})

    server.add_request_handler("server/discover", types.RequestParams, discover)


def listed(bound: BoundTool) -> types.Tool:
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
    )


async def call(
    bound: BoundTool, opener: Opener, caller: Caller, client: str, given: dict[str, Any], *, as_json: bool = False
) -> types.CallToolResult:
    """Run a tool, count the call, and return the result, its text `as_json` or for a model. Raises AgentOSError."""
    asking = caller if caller.request_id else caller.asking(identifiers.new_id("req"))
    if client == COMMAND_LINE and asking.door is Door.STDIO:
        asking = replace(asking, door=Door.COMMAND_LINE)
    ran = await bound.run(opener, asking, client, given)
    for_model = hands_structure_to_its_model(client)
    context = {"for_model": for_model}
    dumped = bound.result.dump_python(ran.result, mode="json", exclude_defaults=True, context=context)
    text = await offload.read(offload.size(dumped), ran.result.as_text)
    structured = {**{name: dumped.pop(name) for name in FIRST if name in dumped}, **dumped}
    text, structured = await ran.without_echoes(text, structured)
    if ran.redacted:
        text += f"\nSecrets were replaced by markers: {', '.join(f'{n} {kind}' for kind, n in ran.redacted.items())}."
        structured["redacted"] = ran.redacted
    if ran.kept_in is not None:
        text += f"\nKept in namespace {quote(ran.kept_in)}."
        structured["namespace"] = ran.kept_in
    if as_json:
        _, whole = await ran.without_echoes("", bound.result.dump_python(ran.result, mode="json"))
        text = json.dumps({**structured, **whole}, ensure_ascii=False)
    ran.note(json.dumps(structured, ensure_ascii=False, separators=(",", ":")) if for_model else text)
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], structured_content=structured)


def client_of(context: ServerRequestContext[Any, Any]) -> str:
    """Return the client's name for itself, from its handshake or the request."""
    params = context.session.client_params
    if params is not None:
        return params.client_info.name[:MAX_CLIENT_CHARS]
    given = (context.meta or {}).get(types.CLIENT_INFO_META_KEY)
    name = given.get("name") if isinstance(given, dict) else None
    return name[:MAX_CLIENT_CHARS] if isinstance(name, str) else "unknown"


def _shown(bound: BoundTools, toolsets: Toolsets) -> Mapping[str, BoundTool]:
    """Return the tools of a session by name; of those of one name in two toolsets, the first."""
    shown: dict[str, BoundTool] = {}
    for entry in bound:
        if toolsets is None or entry.tool.toolset in (None, *toolsets):
            shown.setdefault(entry.tool.name, entry)
    return shown


def _elsewhere(bound: BoundTools, name: str) -> str:
    """Return where a tool is that this session does not show; "" if there is none of that name."""
    entry = next((entry for entry in bound if entry.tool.name == name), None)
    return "" if entry is None else f"; it is in the toolset {entry.tool.toolset} (AGENTOS_TOOLSETS)"


async def _failure(code: str, message: str, field: str | None = None) -> types.CallToolResult:
    """Return a short, flagged failure in valid Unicode; for programs with its code and the argument's name.

    A message may quote what was given: secrets are taken out here, for all of them.
    """
    short = "\n".join(message.splitlines()[:MAX_ERROR_LINES])[:MAX_ERROR_CHARS]
    text = await ECHOES.text(short.encode("utf-8", "replace").decode("utf-8"))
    field = None if field is None else await ECHOES.text(field)
    told = {CODE_KEY: code} if field is None else {CODE_KEY: code, FIELD_KEY: _valid(field)}
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True, _meta=told)


def _valid(field: str) -> str:
    return field.encode("utf-8", "replace").decode("utf-8")[:MAX_CLIENT_CHARS]
