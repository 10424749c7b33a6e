"""Views as MCP's SDK offers them, to clients that show them: as resources, and as the metadata of tools."""

import asyncio
from collections.abc import Mapping
from typing import Any

import mcp.types as types
from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult

from ..modules import abilities
from ..modules.apps import Apps, Views
from .protocol_errors import invalid_cursor, refusal

Context = ServerRequestContext[Any, Any]
SCHEME = "ui://"
_OF_RESOURCES = frozenset({"resources/list", "resources/read", "resources/templates/list"})


def capabilities_of(context: Context) -> dict[str, Any]:
    """Return what the client of a message says that it can do."""
    if context.method == "initialize":
        given = (context.params or {}).get("capabilities")
        return given if isinstance(given, dict) else {}
    known = context.session.client_capabilities
    return {} if known is None else known.model_dump(mode="json", by_alias=True, exclude_none=True)


class OfferedViews:
    """The views of a server, whose resources may have been offered before to everybody (`own`) or to nobody."""

    def __init__(self, apps: Apps, views: Views, own: Mapping[str, Any]) -> None:
        self._apps = apps
        self._views = views
        self._own = own

    def to(self, context: Context) -> bool:
        """Return whether the client of a message shows views, or its address asks for them."""
        wanted = self._apps.wants(context.request)
        return abilities.shows_views(capabilities_of(context)) if wanted is None else wanted

    @property
    def handlers(self) -> dict[str, Any]:
        """The handlers that list and read pages beside the server's own resources, by the SDK's names for it."""
        added = {"on_list_resources": self._list, "on_list_resource_templates": self._templates}
        return {**added, **self._own, "on_list_resources": self._list, "on_read_resource": self._read}

    def guard(self, server: Server[Any]) -> None:
        """Have a server tell of views, and of resources that are nothing else, only those who show them."""
        server.extensions[abilities.VIEWS] = {}
        server.middleware.append(self._told)

    async def _told(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.method not in ("initialize", "server/discover", *_OF_RESOURCES) or self.to(ctx):
            return await call_next(ctx)
        if ctx.method in _OF_RESOURCES and not self._own:
            raise MCPError(code=types.METHOD_NOT_FOUND, message="Method not found", data=ctx.method)
        result = await call_next(ctx)
        if isinstance(result, dict) and isinstance(result.get("capabilities"), dict):
            hidden = {"extensions"} if self._own else {"extensions", "resources"}
            told = {name: value for name, value in result["capabilities"].items() if name not in hidden}
            result = {**result, "capabilities": told}
        return result

    async def _list(self, context: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        list_own = self._own.get("on_list_resources")
        if list_own is None and params is not None and params.cursor is not None:
            raise invalid_cursor()
        listed = types.ListResourcesResult(resources=[]) if list_own is None else await list_own(context, params)
        assert isinstance(listed, types.ListResourcesResult)
        if (params is not None and params.cursor is not None) or not self.to(context):
            return listed
        pages = [
            types.Resource(uri=uri, name=name, title=title, mime_type=abilities.PAGE, _meta=self._views.metadata)
            for uri, name, title in self._views.listed()
        ]
        return listed.model_copy(update={"resources": [*listed.resources, *pages]})

    async def _templates(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def _read(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        read_own = self._own.get("on_read_resource")
        if read_own is not None and not (uri.startswith(SCHEME) and self.to(context)):
            own: types.ReadResourceResult = await read_own(context, params)
            return own
        page = await asyncio.to_thread(self._views.page, uri, self._apps.dashboard(context.request))
        if page is None:
            raise await refusal(types.INVALID_PARAMS, "Resource not found", uri, "not_found")
        content = types.TextResourceContents(uri=uri, mime_type=abilities.PAGE, text=page, _meta=self._views.metadata)
        return types.ReadResourceResult(contents=[content])
