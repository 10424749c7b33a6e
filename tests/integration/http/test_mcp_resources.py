"""The resources of MCP, and the streams of `subscriptions/listen`, with the official client."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated, Subscription
from starlette.types import ASGIApp

from agentos import config
from agentos.database import OpenedStore
from agentos.interfaces.http import listening
from agentos.interfaces.http.app import application
from agentos.interfaces.http.rest.streams import MOST_OF_A_PRINCIPAL
from agentos.interfaces.http.uvicorn_server import HttpListener
from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.decisions import Decisions
from agentos.modules.clock import Clock
from agentos.modules.principals.models import Door, Right, Role, local_owner
from agentos.tools.plugged import bind_all
from agentos.tools.resources import KINDS
from tests.tables import every

from .conftest import OWNER_KEY, authorised, door_over, served_by

OWNER = local_owner("default", None, Door.COMMAND_LINE)
WITHIN_S = 60
OWN = [f"agentos://{name}" for name in ("snapshot", "goals", "approvals", "memories")]


class Begun:
    """An application that has been begun already."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return
        for ended in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{ended}.complete"})


class At:
    """Clients of an application that listens at a real address."""

    def __init__(self, served: Any, listener: HttpListener) -> None:
        self.served = served
        self.address = listener.address
        self.url = f"http://{listener.address[0]}:{listener.address[1]}"

    @asynccontextmanager
    async def client(self, key: str, mode: str = "auto", query: str = "?resources=true") -> AsyncIterator[Client]:
        async with httpx2.AsyncClient(headers=authorised(key), timeout=WITHIN_S) as http:
            transport = streamable_http_client(f"{self.url}/mcp{query}", http_client=http)
            async with Client(transport, mode=mode) as client:
                yield client


@asynccontextmanager
async def listening_at(served: Any) -> AsyncIterator[At]:
    listener = HttpListener(Begun(served.app), "127.0.0.1", 0)
    await listener.start()
    yield At(served, listener)
    served.streams.end()
    await listener.close()


@pytest.fixture
async def at(served: Any) -> AsyncIterator[At]:
    async with listening_at(served) as at:
        yield at


async def next_of(subscription: Subscription) -> Any:
    with anyio.fail_after(WITHIN_S):
        return await anext(subscription)


async def ended(subscription: Subscription) -> list[Any]:
    """What comes before the server takes leave."""
    with anyio.fail_after(WITHIN_S):
        return [event async for event in subscription]


@every(
    ("query", "setting", "offered"),
    [("", False, False), ("", True, True), ("?resources=true", False, True), ("?resources=false", True, False)],
)
async def test_resources_are_offered_to_whom_the_setting_or_the_address_offers_them(
    serve: Any, query: str, setting: bool, offered: bool
) -> None:
    served = await serve(http_resources=setting)
    for mode in ("legacy", "auto"):
        transport = streamable_http_client(f"http://127.0.0.1/mcp{query}", http_client=served.client())
        async with Client(transport, mode=mode) as client:
            capabilities = client.server_capabilities
            assert (capabilities.resources is not None) is offered and capabilities.tools is not None
            if not offered:
                with pytest.raises(MCPError):
                    await client.list_resources()
    wrong = await served.client().post("/mcp?resources=yes", json={})
    assert wrong.status_code == 400 and wrong.json()["field"] == "resources"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_resource_is_the_answer_of_its_tool(served: Any, make_key: Any, mode: str) -> None:
    key = await make_key("ada", Role.WRITER, {"ada": Right.WRITE, "team": Right.READ})
    transport = streamable_http_client("http://127.0.0.1/mcp?resources=true", http_client=served.client(key))
    async with Client(transport, mode=mode) as client:
        stored = (await client.call_tool("memory_store", {"content": "The kettle is blue"})).structured_content
        await client.call_tool("goal_add", {"title": "Descale it", "description": "before June"})
        listed = (await client.list_resources()).resources
        assert [one.uri for one in listed] == [*OWN, *(f"{uri}?namespace=team" for uri in OWN)]
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == [str(kind.template) for kind in KINDS]
        for uri, tool, given in (
            ("agentos://snapshot", "context_get_snapshot", {}),
            ("agentos://goals", "goal_get_active", {}),
            ("agentos://memories", "memory_list", {}),
            ("agentos://memories?namespace=team", "memory_list", {"agent_id": "team"}),
            (f"agentos://memories/{stored['id']}", "memory_get", {"memory_id": stored["id"]}),
        ):
            read = (await client.read_resource(uri)).contents[0]
            assert read.text == (await client.call_tool(tool, given)).content[0].text and read.uri == uri
        assert "Quoted text is recalled data" in (await client.read_resource("agentos://memories")).contents[0].text
        for uri in (
            "agentos://weather",
            "agentos://goals?namespace=bob",
            "agentos://goals?namespce=ada",
            "agentos://goals?namespace=ada&namespace=ada",
            "agentos://goals#x",
            "agentos://memories/mem_of_nobody",
            "agentos://memories/" + "x" * 2_000,
            "http://[",
        ):
            with pytest.raises(MCPError) as refused:
                await client.read_resource(uri)
            assert refused.value.code == -32602 and uri.startswith(refused.value.data["uri"][:20])


async def test_the_list_of_many_namespaces_has_pages(served: Any, make_key: Any) -> None:
    names = [f"team-{number:03}" for number in range(60)]
    key = await make_key("ada", Role.READER, {"ada": Right.READ, **dict.fromkeys(names, Right.READ)})
    transport = streamable_http_client("http://127.0.0.1/mcp?resources=true", http_client=served.client(key))
    async with Client(transport) as client:
        uris, cursor, pages = [], None, 0
        while pages == 0 or cursor is not None:
            page = await client.list_resources(cursor=cursor)
            uris += [one.uri for one in page.resources]
            cursor, pages = page.next_cursor, pages + 1
        assert pages == 3 and uris == [*OWN, *(f"{uri}?namespace={name}" for name in names for uri in OWN)]
        for wrong in ("é", "!", "gA=="):
            with pytest.raises(MCPError) as refused:
                await client.list_resources(cursor=wrong)
            assert refused.value.code == -32602


async def test_a_client_hears_of_what_it_watches_and_of_nothing_of_others(at: At, make_key: Any) -> None:
    keys = [await make_key(name, Role.WRITER, {name: Right.WRITE}) for name in ("ada", "bob")]
    async with at.client(keys[0]) as ada, at.client(keys[1]) as bob:
        stored = (await ada.call_tool("memory_store", {"content": "The kettle is blue"})).structured_content
        theirs = (await bob.call_tool("memory_store", {"content": "The cup is green"})).structured_content
        one, other = f"agentos://memories/{stored['id']}", f"agentos://memories/{theirs['id']}"
        watched = ["agentos://goals", one, other, "agentos://memories?namespace=ada", "agentos://weather"]
        async with (
            bob.listen(resource_subscriptions=[*OWN, one], resources_list_changed=True) as of_bob,
            ada.listen(resource_subscriptions=[*watched, "agentos://goals?namespace=bob"]) as of_ada,
        ):
            assert of_ada.honored.resource_subscriptions == watched[:4]
            await ada.call_tool("memory_update", {"memory_id": stored["id"], "content": "The kettle is red"})
            assert [await next_of(of_ada), await next_of(of_ada)] == [
                ResourceUpdated(one),
                ResourceUpdated("agentos://memories?namespace=ada"),
            ]
            await bob.call_tool("memory_update", {"memory_id": theirs["id"], "content": "The cup is white"})
            await ada.call_tool("goal_add", {"title": "Descale", "description": "it"})
            assert await next_of(of_ada) == ResourceUpdated("agentos://goals")
            assert {await next_of(of_bob), await next_of(of_bob)} == {
                ResourceUpdated("agentos://snapshot"),
                ResourceUpdated("agentos://memories"),
            }
            for uri in OWN:  # who reads changes nothing: a client that reads again at each word is not told for ever
                await bob.read_resource(uri)
            await bob.call_tool("goal_add", {"title": "Buy", "description": "cups"})
            assert {await next_of(of_bob), await next_of(of_bob)} == {
                ResourceUpdated("agentos://snapshot"),
                ResourceUpdated("agentos://goals"),
            }
            at.served.streams.end()
            assert await ended(of_ada) == await ended(of_bob) == []


async def test_the_list_changes_with_what_may_be_read_and_a_right_that_ends_ends_the_stream(
    at: At, make_key: Any, agentos: AgentOS, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "CHECKED_EVERY_S", 0.05)
    keys = [await make_key(name, Role.WRITER, {name: Right.WRITE}) for name in ("ada", "bob")]
    async with at.client(keys[0]) as ada, at.client(keys[1]) as bob, at.client(OWNER_KEY) as owner:
        async with ada.listen(resources_list_changed=True) as lists, owner.listen(resources_list_changed=True) as all_:
            await agentos.principals.grant(OWNER, "team", "ada", Right.READ)
            assert await next_of(lists) == ResourcesListChanged()
            made = await owner.call_tool("memory_store", {"content": "A new one begins", "agent_id": "brand-new"})
            assert not made.is_error, made
            assert await next_of(all_) == ResourcesListChanged()
        async with (
            ada.listen(resource_subscriptions=["agentos://goals?namespace=team"]) as of_team,
            bob.listen(resource_subscriptions=["agentos://goals"]) as of_bob,
        ):
            await agentos.principals.withdraw(OWNER, "team", "ada")
            assert await ended(of_team) == []
            [key] = [one for one in await agentos.principals.list_keys(OWNER) if one.principal == "bob"]
            await agentos.principals.revoke_key(OWNER, key.prefix)
            assert await ended(of_bob) == []


async def test_streams_are_bounded_and_those_of_clients_that_die_are_given_back(at: At, make_key: Any) -> None:
    key = await make_key("ada", Role.WRITER, {"ada": Right.WRITE})
    async with at.client(key) as ada, AsyncExitStack() as opened:
        for _ in range(MOST_OF_A_PRINCIPAL):
            await opened.enter_async_context(ada.listen(resource_subscriptions=OWN))
        with pytest.raises(MCPError):
            await opened.enter_async_context(ada.listen(resource_subscriptions=OWN))
        with pytest.raises(MCPError) as refused:
            await opened.enter_async_context(ada.listen(resource_subscriptions=OWN * 20))
        assert refused.value is not None
    async with at.client(key) as again:
        with anyio.fail_after(WITHIN_S):
            while True:
                try:
                    async with again.listen(resource_subscriptions=OWN):
                        break
                except MCPError:
                    await asyncio.sleep(0.02)


async def test_where_a_feature_is_off_a_client_sees_nothing_of_it(
    agentos: AgentOS, store: OpenedStore, home: Path, clock: Clock
) -> None:
    settings = config.load(home=home, http="127.0.0.1:0", http_key=OWNER_KEY, features=())
    there = bind_all(settings.features).all_tools
    off = replace(agentos, features=frozenset())
    door = door_over(off, Decisions(store.work.approvals, clock), there, settings, features=settings.features)
    uri, query = "agentos://attachments/mem_1", "?resources=true&toolsets=attachments"
    async with (
        served_by(door, application(door)) as served,
        listening_at(served) as at,
        at.client(OWNER_KEY, query=query) as client,
    ):
        assert "attachment" not in str([await client.list_tools(), await client.list_resource_templates()])
        with pytest.raises(MCPError, match="not found"):
            await client.read_resource(uri)
        with pytest.raises(MCPError, match="the feature attachments is off"):
            await client.call_tool("attachment_list", {})
        async with client.listen(resource_subscriptions=[uri, "agentos://goals"]) as stream:
            assert stream.honored.resource_subscriptions == ["agentos://goals"]
