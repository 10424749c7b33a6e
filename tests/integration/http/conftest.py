"""The HTTP application over real services, called in process."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from agentos import config
from agentos.database import OpenedStore
from agentos.features.dashboard.pages import acts, memories
from agentos.interfaces.http.app import HttpDoor, application
from agentos.interfaces.http.mounting import mounts_of
from agentos.interfaces.http.oauth import CurrentProvider, IdentityProvider
from agentos.interfaces.http.policy import CurrentPolicy, DoorPolicy
from agentos.interfaces.http.rest.once import Once
from agentos.interfaces.http.rest.operations import Behind, Process
from agentos.interfaces.http.rest.streams import Streams
from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.decisions import Decisions
from agentos.modules.principals.logins import LoginLinks
from agentos.modules.principals.models import Door as Where
from agentos.modules.principals.models import Right, Role, local_owner
from agentos.tools.bound import BoundTools, bind
from agentos.tools.catalog import all_tools
from agentos.tools.serving import apps_of
from tests.integration.conftest import Clock

OWNER_KEY = "the-owner's-key-of-24-characters".replace("'", "")
BASE = "http://127.0.0.1"
HERE = {"origin": BASE, "sec-fetch-site": "same-origin"}

OpenDoor = Callable[..., Awaitable[httpx2.AsyncClient]]


def authorised(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[None]:
    """Start an application, and end it."""
    incoming: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    outgoing: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    running = asyncio.create_task(app({"type": "lifespan", "state": {}}, incoming.get, outgoing.put))
    await incoming.put({"type": "lifespan.startup"})
    assert (await outgoing.get())["type"] == "lifespan.startup.complete"
    try:
        yield
    finally:
        await incoming.put({"type": "lifespan.shutdown"})
        await running


class Served:
    """An application, and clients of it."""

    def __init__(
        self, app: Any, policy: CurrentPolicy, once: Once, provider: CurrentProvider, streams: Streams
    ) -> None:
        self.app = app
        self.provider = provider
        self.once = once
        self.streams = streams
        self.policy = policy
        self.clients: list[httpx2.AsyncClient] = []

    def client(self, key: str | None = OWNER_KEY, address: str = "127.0.0.1", **headers: str) -> httpx2.AsyncClient:
        """A client with a key, from an address."""
        transport = httpx2.ASGITransport(app=self.app, client=(address, 1234), raise_app_exceptions=False)
        given = {**({} if key is None else authorised(key)), **headers}
        self.clients.append(httpx2.AsyncClient(transport=transport, base_url=BASE, headers=given))
        return self.clients[-1]


@pytest.fixture(scope="session")
def bound() -> BoundTools:
    return bind(all_tools(None))


@pytest.fixture
async def serve(
    agentos: AgentOS, store: OpenedStore, home: Path, bound: BoundTools, clock: Clock
) -> AsyncIterator[Callable[..., Awaitable[Served]]]:
    """Serves the services with some settings: `await serve(http_requests_per_minute=2)`."""
    decisions = Decisions(store.work.approvals, clock)

    async with AsyncExitStack() as closing:

        async def start(process: Process | None = None, **overrides: Any) -> Served:
            settings = config.load(home=home, http="127.0.0.1:0", http_key=OWNER_KEY, **overrides)
            door = door_over(agentos, decisions, bound, settings, process)
            return await closing.enter_async_context(served_by(door, application(door)))

        yield start


def door_over(
    agentos: AgentOS,
    decisions: Decisions,
    bound: BoundTools,
    settings: config.Settings,
    process: Process | None = None,
    **others: Any,
) -> HttpDoor:
    """The parts of an application over open services, as `HttpService` puts them together."""

    async def opener() -> AgentOS:
        return agentos

    async def gauges() -> dict[str, float]:
        return {"store_up": 1.0}

    return HttpDoor(
        behind=Behind(opener, settings.home, components, process=process),
        bound=bound,
        policy=CurrentPolicy(DoorPolicy.of(settings)),
        toolsets=frozenset(settings.toolsets),
        owner_key=SecretStr(OWNER_KEY),
        agent_id=settings.agent_id,
        allowed=settings.agents,
        gauges=gauges,
        provider=CurrentProvider(IdentityProvider.of(settings)),
        decisions=lambda: decisions,
        resources=settings.http_resources,
        apps=apps_of(settings.features, views=settings.views, forms=settings.forms),
        mounts=mounts_of(settings),
        **others,
    )


async def components() -> dict[str, str]:
    return {"store": "ok", "model": "ok"}


@asynccontextmanager
async def served_by(door: HttpDoor, app: Any) -> AsyncIterator[Served]:
    """Serve an application of a door while the block runs."""
    async with lifespan(app):
        served = Served(app, door.policy, door.behind.once, door.provider, door.behind.streams)
        try:
            yield served
        finally:
            for client in served.clients:
                await client.aclose()


@pytest.fixture
async def served(serve: Callable[..., Awaitable[Served]]) -> Served:
    return await serve()


@pytest.fixture
def owner(served: Served) -> httpx2.AsyncClient:
    return served.client()


MakeKey = Callable[..., Awaitable[str]]


@pytest.fixture
def make_key(agentos: AgentOS) -> MakeKey:
    """Makes a key: `await make_key("ada", Role.WRITER, {"ada": Right.WRITE})`."""

    async def make(name: str, role: Role, namespaces: dict[str, Right]) -> str:
        caller = local_owner("default", None, Where.COMMAND_LINE)
        _, secret = await agentos.principals.create_key(caller, name, role, namespaces)
        return secret

    return make


class Browser:
    """A browser's session: it keeps cookies, and sends what a page's forms carry."""

    def __init__(self, served: Served, base: str = "/dashboard") -> None:
        self._base = base
        self.client = served.client(key=None)

    async def get(self, path: str, **query: str) -> httpx2.Response:
        return await self.client.get(f"{self._base}/{path}", params=query)

    async def post(self, path: str, fields: dict[str, Any], headers: dict[str, str] = HERE) -> httpx2.Response:
        return await self.client.post(f"{self._base}/{path}", data=fields, headers=headers)

    async def act(self, path: str, **fields: Any) -> httpx2.Response:
        """Send a form of the page, and follow to where it leads."""
        token = re.search(r'name="token" value="(\w+)"', (await self.get("memories")).text)
        assert token is not None
        done = await self.post(path, {"token": token[1], **fields})
        return await self.client.get(done.headers["location"]) if done.status_code == 303 else done


SignIn = Callable[..., Awaitable[Browser]]


@pytest.fixture
def sign_in(served: Served, agentos: AgentOS, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> SignIn:
    """Signs the owner in by a link that a person made; pages tell of acts that are over, however slow the machine."""
    for page in (acts, memories):
        monkeypatch.setattr(page, "WAIT_S", 60.0)

    async def enter(*, is_person: bool = True, base: str = "/dashboard", where: Served = served) -> Browser:
        browser = Browser(where, base)
        link = await LoginLinks(agentos.principals.server_key, clock).make(is_person=is_person)
        assert (await browser.post("enter", {"link": link})).status_code == 303
        return browser

    return enter
