"""MCP: the tools as a protocol server for both eras of the protocol; the only file here that knows it.

Built on the SDK's low-level server: its handlers are public, so that unknown tools, unknown arguments and failures are
answered as the specification says without reaching into the SDK.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, get_type_hints

import mcp.types as types
from mcp import MCPError
from mcp.server import CacheHint, Server, ServerRequestContext
from pydantic import BaseModel, TypeAdapter

from ..modules import identifiers, offload
from ..modules.agentos import AgentOS
from ..modules.errors import AgentOSError, InvalidInput, PermissionDenied
from ..modules.framing import quote
from ..modules.principals.acting import acting
from ..modules.principals.models import Caller, Right
from ..modules.redaction.redactor import SecretRedactor
from . import arguments
from .abbreviated import spelled_out
from .catalog import INSTRUCTIONS
from .client_values import as_asked, as_meant
from .tool import ALSO, Tool

LIST_TTL_MS = 300_000
MAX_ERROR_LINES = 3
MAX_ERROR_CHARS = 600
MAX_CLIENT_CHARS = 100
CODE_KEY, FIELD_KEY = "agentos/code", "agentos/field"
"""The keys in `_meta` of a failed result: a code of `modules.errors`, and the argument at fault, if it is one."""

ANSWERS = SecretRedactor()
"""Takes out of answers what a caller gave and they quote: what is kept has no secrets."""

log = logging.getLogger(__name__)

Opener = Callable[[], Awaitable[AgentOS]]


Toolsets = frozenset[str] | None
"""The toolsets of a session beside the default one; with None, all tools are listed, also several of one name."""


class BoundTool:
    """A tool with its argument model and the schemas derived from it."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.model: type[BaseModel] = arguments.model_of(tool.run, tool.namespace_in, (ALSO,) if tool.several else ())
        self.result: TypeAdapter[Any] = TypeAdapter(get_type_hints(tool.run)["return"])
        self.keeps = not tool.read_only and not tool.destructive

    @cached_property
    def _schema(self) -> dict[str, Any]:
        return self.model.model_json_schema()

    def listed(self) -> types.Tool:
        """Return the tool as clients see it."""
        tool = self.tool
        return types.Tool(
            name=tool.name,
            title=tool.title,
            description=tool.description,
            input_schema=arguments.schema_of(self.model),
            output_schema=self._output_schema(),
            annotations=types.ToolAnnotations(
                title=tool.title,
                read_only_hint=tool.read_only,
                destructive_hint=tool.destructive,
                idempotent_hint=tool.idempotent,
                open_world_hint=False,
            ),
        )

    async def call(self, opener: Opener, caller: Caller, client: str, given: dict[str, Any]) -> types.CallToolResult:
        """Run the tool for a client, count the call, and return the result. Raises AgentOSError."""
        checked = arguments.parse(self.model, self._read(given))
        named = {name: checked.pop(name) for name in self.tool.namespace_in}
        namespace = own = self._namespace(caller, named)
        agentos = await opener()
        if namespace != caller.default and await agentos.redactor.kinds(namespace):
            raise InvalidInput(self.tool.namespace_in[0], "looks like a secret; give the agent another name")
        try:
            if self.tool.several:
                checked["sources"] = await agentos.principals.reads(caller, namespace, checked.pop(ALSO))
            if self.tool.stores and not any(named.values()):
                namespace = await agentos.principals.target(caller, namespace)
            with acting(caller), agentos.redactor.counting() as redacted:
                checked = await spelled_out(agentos, namespace, checked)
                result = await self.tool.run(agentos, namespace, **checked)
        except AgentOSError:
            agentos.usage.note(namespace, client, self.tool.name, failed=True)
            raise
        for_model = hands_structure_to_its_model(client)
        dumped = self.result.dump_python(result, mode="json", exclude_defaults=True, context={"for_model": for_model})
        text = await offload.read(offload.size(dumped), result.as_text)
        structured = {**{name: dumped.pop(name) for name in FIRST if name in dumped}, **dumped}
        if redacted or (self.tool.read_only and await agentos.redactor.kinds(given)):  # it may echo what was given
            text, structured = await ANSWERS.text(text), await ANSWERS.json(structured)
        if self.keeps and redacted:
            told = dict(sorted(redacted.items(), key=lambda one: -one[1]))
            text += f"\nSecrets were not kept, markers are: {', '.join(f'{n} {kind}' for kind, n in told.items())}."
            structured["redacted"] = told
        if namespace != own:
            text += f"\nKept in namespace {quote(namespace)}."
            structured["namespace"] = namespace
        shown = [entry.id for entry in getattr(result, "results", getattr(result, "top_memories", ()))]
        read = json.dumps(structured, ensure_ascii=False, separators=(",", ":")) if for_model else text
        agentos.usage.note(namespace, client, self.tool.name, text=read, shown=shown, named=checked.get("memory_id"))
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], structured_content=structured)

    def _namespace(self, caller: Caller, given: Mapping[str, str | None]) -> str:
        """Return a call's namespace, from the arguments that may name it. Raises InvalidInput or PermissionDenied."""
        allowed = caller.reading if self.tool.read_only else caller.writing
        if self.tool.shares and (caller.right_over(identifiers.GLOBAL) or 0) < Right.WRITE:
            raise PermissionDenied(
                f"{self.tool.name}: only who may write to {identifiers.GLOBAL!r} shares with every agent"
            )
        named = {field: name for field, name in given.items() if name is not None}
        if not named:
            return allowed()
        found = {allowed(name, field) for field, name in named.items()}
        if len(found) > 1:
            raise InvalidInput(next(iter(named)), f"and {', '.join(list(named)[1:])} name one namespace: give one")
        return found.pop()

    def _read(self, given: dict[str, Any]) -> dict[str, Any]:
        if self.tool.destructive:
            return as_asked(self._schema, given)
        written = self._schema["properties"].keys() - {*self.tool.namespace_in} if self.tool.edits else ()
        return as_meant(self._schema, given, written=written)

    def _output_schema(self) -> dict[str, Any]:
        schema = arguments.slim(self.result.json_schema(mode="serialization"))
        added = {**(_REDACTED if self.keeps else {}), **(_NAMESPACE if self.tool.stores else {})}
        return {**schema, "properties": {**schema["properties"], **added}} if added else schema


_REDACTED = {
    "redacted": {
        "type": "object",
        "additionalProperties": {"type": "integer"},
        "description": "Secrets that markers stand for now, by kind; not there when there were none.",
    }
}
"""The addition to the output schema of tools that store texts."""

_NAMESPACE = {"namespace": {"type": "string", "description": "Where it was kept, if not in the caller's own."}}
"""The addition to the output schema of tools whose namespace may keep elsewhere, by its policy."""

FIRST = ("notice",)
"""The first fields of a structured result: how to read the rest."""

HAND_STRUCTURE = ("claude-code", "codex")
"""Beginnings of the names of clients that give their model `structuredContent`; all others give it the text."""

BoundTools = Sequence[BoundTool]


def hands_structure_to_its_model(client: str) -> bool:
    """Return whether the model of a client reads the structured result instead of the text."""
    return client.lower().startswith(HAND_STRUCTURE)


def bind(tools: Sequence[Tool]) -> BoundTools:
    """Return the tools with their schemas, made once for any number of sessions."""
    return [BoundTool(tool) for tool in tools]


def build(bound: BoundTools, opener: Opener, caller: Caller, toolsets: Toolsets, version: str) -> Server[Any]:
    """Return the MCP server of a session; `opener` opens the services at the first call (again after a failure)."""
    shown = _shown(bound, toolsets)
    listed = [entry.listed() for entry in (bound if toolsets is None else shown.values())]

    async def list_tools(
        _: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        if params is not None and params.cursor is not None:
            raise MCPError(
                code=types.INVALID_PARAMS,
                message="Invalid cursor: the list has one page",
                data={CODE_KEY: "invalid_cursor"},
            )
        return types.ListToolsResult(tools=listed)

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        entry = shown.get(params.name)
        if entry is None:
            raise MCPError(
                code=types.INVALID_PARAMS,
                message=f"Unknown tool: {await ANSWERS.text(params.name[:100])}{_elsewhere(bound, params.name)}",
                data={CODE_KEY: "unknown_tool"},
            )
        try:
            asking = caller.asking(identifiers.new_id("req"))
            return await entry.call(opener, asking, _client(context), params.arguments or {})
        except AgentOSError as error:
            field = error.field if isinstance(error, InvalidInput) else None
            return await _failure(error.code, str(error), field)
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("%s failed", params.name)
            message = f"{params.name}: internal error; the details are in the server's log"
            return await _failure("internal_error", message)

    return Server(
        "agentos",
        version=version,
        title="AgentOS",
        instructions=INSTRUCTIONS,
        cache_hints={"tools/list": CacheHint(ttl_ms=LIST_TTL_MS, scope="public")},
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _client(context: ServerRequestContext[Any]) -> str:
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
    text = await ANSWERS.text(short.encode("utf-8", "replace").decode("utf-8"))
    field = None if field is None else await ANSWERS.text(field)
    told = {CODE_KEY: code} if field is None else {CODE_KEY: code, FIELD_KEY: _valid(field)}
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True, _meta=told)


def _valid(field: str) -> str:
    return field.encode("utf-8", "replace").decode("utf-8")[:MAX_CLIENT_CHARS]
