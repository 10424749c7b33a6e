"""The resources of MCP: what a client reads by its address, and may watch; each is the answer of a tool that reads."""

import asyncio
import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import mcp.types as types
from mcp.server import ServerRequestContext
from mcp.shared.uri_template import UriTemplate

from ..modules.agentos import AgentOS
from ..modules.errors import AgentOSError
from ..modules.events.models import SUBJECTS, ChangeEvent
from ..modules.principals.models import Caller
from ..modules.records import dataclass
from ..modules.views.attachments import GivenFile
from .bound import BoundTool, BoundTools, Opener
from .calling import call
from .mcp import Asking, client_of
from .protocol_errors import MAX_URI_CHARS, invalid_cursor, refusal

NAMESPACE, MEMORY, FILE = "namespace", "memory_id", "file"
TEXT = "text/plain"
NAMESPACES_A_PAGE = 25
OF_THE_REQUEST = frozenset({"not_found", "invalid_input", "permission_denied"})
"""The codes of failures that the request is the reason of."""


@dataclass(frozen=True)
class ResourceKind:
    """A kind of resource: the addresses, the tool that answers, and the subjects of events that change its answer."""

    name: str
    template: UriTemplate
    tool: str
    subjects: frozenset[str]
    media_type: str | None = TEXT

    @property
    def is_of_one_memory(self) -> bool:
        """Return whether its addresses name a memory: there are too many to list."""
        return MEMORY in self.template.variable_names

    def address(self, namespace: str | None) -> str:
        """Return the address in a namespace; None is the caller's own."""
        return self.template.expand({} if namespace is None else {NAMESPACE: namespace})


def _kind(path: str, name: str, tool: str, *subjects: str, media_type: str | None = TEXT) -> ResourceKind:
    template = UriTemplate.parse(f"agentos://{path}{{?{NAMESPACE}}}")
    return ResourceKind(name, template, tool, frozenset(subjects), media_type)


KINDS = (
    _kind("snapshot", "snapshot", "context_get_snapshot", *SUBJECTS),
    _kind("goals", "goals", "goal_get_active", "goal"),
    _kind("approvals", "approvals", "approval_list", "approval"),
    _kind("memories", "memories", "memory_list", "memory"),
    _kind(f"memories/{{{MEMORY}}}", "memory", "memory_get", "memory"),
    _kind(f"attachments/{{{MEMORY}}}", "attachment", "attachment_get", "memory", media_type=None),
    _kind(f"attachments/{{{MEMORY}}}/{{{FILE}}}", "one of several", "attachment_get", "memory", media_type=None),
)


@dataclass(frozen=True)
class Address:
    """An address, read: the kind of resource, and what it names, if anything: namespace, memory, and the file of it."""

    kind: ResourceKind
    namespace: str | None
    memory_id: str | None
    file: str | None = None

    def changed_by(self, event: ChangeEvent) -> bool:
        """Return whether an event of its namespace may have changed what is read there."""
        is_of_kind = event.type.partition(".")[0] in self.kind.subjects
        return is_of_kind and self.memory_id in (None, event.subject)


def kinds_of(bound: BoundTools) -> Sequence[ResourceKind]:
    """Return the kinds of resources that there are: those whose tool is there."""
    there = {one.tool.name for one in bound}
    return [kind for kind in KINDS if kind.tool in there]


def address_of(uri: str, kinds: Sequence[ResourceKind]) -> Address | None:
    """Return what an address of one of some kinds names; None where it is none, or has a part that none of them has."""
    try:
        parts = urlsplit(uri)
        given = [name for name, _ in parse_qsl(parts.query, keep_blank_values=True, max_num_fields=1)]
    except ValueError:
        return None
    if parts.fragment or given not in ([], [NAMESPACE]):
        return None
    for kind in kinds:
        found = kind.template.match(uri, max_uri_length=MAX_URI_CHARS)
        if found is not None:
            named = {name: str(value) for name, value in found.items()}
            return Address(kind, named.get(NAMESPACE), named.get(MEMORY), named.get(FILE))
    return None


class Resources:
    """Lists and reads them, for a server whose messages may each come from another caller, told by `asking`."""

    def __init__(self, bound: BoundTools, opener: Opener, asking: Asking) -> None:
        self._kinds = kinds_of(bound)
        wanted = {kind.tool for kind in self._kinds}
        self._tools: Mapping[str, BoundTool] = {one.tool.name: one for one in bound if one.tool.name in wanted}
        self._opener = opener
        self._asking = asking

    async def list(
        self, context: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """List those of the caller's own namespace, then of the others that it may read. Raises MCPError."""
        caller, _ = self._asking(context)
        cursor = None if params is None else params.cursor
        others = await others_of(await self._opener(), caller)
        if cursor is not None:
            others = [name for name in others if name > _name_in(cursor)]
        page, rest = others[:NAMESPACES_A_PAGE], others[NAMESPACES_A_PAGE:]
        has_own = cursor is None and caller.right_over(caller.default) is not None
        named: list[str | None] = [*([None] if has_own else []), *page]
        return types.ListResourcesResult(
            resources=[
                self._listed(kind, namespace)
                for namespace in named
                for kind in self._kinds
                if not kind.is_of_one_memory
            ],
            next_cursor=_cursor(page[-1]) if rest else None,
        )

    def _listed(self, kind: ResourceKind, namespace: str | None) -> types.Resource:
        tool = self._tools[kind.tool].tool
        name = kind.name if namespace is None else f"{kind.name} of {namespace}"
        return types.Resource(
            uri=kind.address(namespace),
            name=name,
            title=tool.title,
            description=tool.description,
            mime_type=kind.media_type,
        )

    async def templates(
        self, context: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """List the templates: they are the same for every caller. Raises MCPError for a cursor: there is one page."""
        if params is not None and params.cursor is not None:
            raise invalid_cursor()
        listed = [
            types.ResourceTemplate(
                uri_template=str(kind.template),
                name=kind.name,
                title=self._tools[kind.tool].tool.title,
                description=self._tools[kind.tool].tool.description,
                mime_type=kind.media_type,
            )
            for kind in self._kinds
        ]
        return types.ListResourceTemplatesResult(resource_templates=listed)

    async def read(
        self, context: ServerRequestContext[Any, Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Answer as the tool does that it mirrors: with its rights and bounds, a file by its bytes. Raises MCPError."""
        uri = str(params.uri)
        address = address_of(uri, self._kinds)
        if address is None:
            raise await refusal(types.INVALID_PARAMS, "Resource not found", uri, "not_found")
        caller, _ = self._asking(context)
        given = {"agent_id": address.namespace, MEMORY: address.memory_id, FILE: address.file}
        named = {name: value for name, value in given.items() if value is not None}
        tool = self._tools[address.kind.tool]
        try:
            if tool.shows:
                return await self._file(uri, tool, caller, client_of(context), named)
            answer = await call(tool, self._opener, caller, client_of(context), named)
        except AgentOSError as error:
            code = types.INVALID_PARAMS if error.code in OF_THE_REQUEST else types.INTERNAL_ERROR
            raise await refusal(code, str(error), uri, error.code) from error
        text = "\n".join(part["text"] for part in answer["content"])
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=TEXT, text=text)])

    async def _file(
        self, uri: str, tool: BoundTool, caller: Caller, client: str, named: dict[str, Any]
    ) -> types.ReadResourceResult:
        ran = await tool.run(self._opener, caller, client, named)
        assert isinstance(ran.result, GivenFile), "files alone are shown"
        ran.note("")
        blob = await asyncio.to_thread(ran.result.encoded)
        media_type = ran.result.attachment.media_type
        return types.ReadResourceResult(contents=[types.BlobResourceContents(uri=uri, mime_type=media_type, blob=blob)])


def handlers(bound: BoundTools, opener: Opener, asking: Asking) -> Mapping[str, Any]:
    """Return what lists and reads them, by the SDK's names for it."""
    offered = Resources(bound, opener, asking)
    return {
        "on_list_resources": offered.list,
        "on_list_resource_templates": offered.templates,
        "on_read_resource": offered.read,
    }


async def others_of(agentos: AgentOS, caller: Caller) -> list[str]:
    """Return the namespaces beside its own that a caller may read, by name."""
    return sorted({*await agentos.principals.readable(caller)} - {caller.default})


def _cursor(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode()


def _name_in(cursor: str) -> str:
    try:
        return base64.b64decode(cursor.encode("ascii"), b"-_", validate=True).decode()
    except (UnicodeError, binascii.Error):
        raise invalid_cursor() from None
