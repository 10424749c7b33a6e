"""Views over HTTP, with the official client: for who shows them, and nobody else."""

from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.client.extension import advertise
from mcp.client.streamable_http import streamable_http_client

from agentos.modules.abilities import PAGE, VIEWS
from tests.tables import every

SHOWS = [advertise(VIEWS, {"mimeTypes": [PAGE]})]


def client_of(served: Any, query: str, mode: str, **able: Any) -> Client:
    return Client(
        streamable_http_client(f"http://127.0.0.1/mcp{query}", http_client=served.client()), mode=mode, **able
    )


@every(
    ("mode", "query", "able", "setting", "offered"),
    [
        ("auto", "", True, True, True),
        ("auto", "?resources=true", True, True, True),
        ("auto", "?views=false", True, True, False),
        ("auto", "", True, False, False),
        ("auto", "", False, True, False),
        ("legacy", "?views=true", True, True, True),
        ("legacy", "", False, True, False),
    ],
)
async def test_views_are_offered_to_who_shows_them(
    serve: Any, mode: str, query: str, able: bool, setting: bool, offered: bool
) -> None:
    served = await serve(views=setting)
    async with client_of(served, query, mode, extensions=SHOWS if able else None) as client:
        tools = (await client.list_tools()).tools
        assert any(one.meta for one in tools) is offered
        capabilities = client.server_capabilities
        assert (capabilities.resources is not None) is offered
        if not offered:
            with pytest.raises(MCPError):
                await client.read_resource("ui://agentos/snapshot")
            return
        uris = [one.uri for one in (await client.list_resources()).resources]
        assert [one for one in uris if one.startswith("ui://")] == [
            f"ui://agentos/{name}" for name in ("snapshot", "questions", "approvals")
        ]
        assert ("agentos://snapshot" in uris) is ("resources" in query)
        [page] = (await client.read_resource("ui://agentos/snapshot")).contents
        assert page.mime_type == PAGE and page.meta["ui"]["csp"]["connectDomains"] == []
        assert 'data-dashboard="http://127.0.0.1/dashboard"' in page.text
        for uri in ("ui://agentos/none", "ui://", "agentos://nothing"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)


async def test_what_the_address_says_of_views_is_yes_or_no(serve: Any) -> None:
    wrong = await (await serve()).client().post("/mcp?views=perhaps", json={})
    assert wrong.status_code == 400 and wrong.json()["field"] == "views"
