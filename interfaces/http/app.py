"""The ASGI application: open paths, then what needs a key, behind the guard and the limits."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from pydantic import SecretStr
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from ...modules.agentos import AgentOS
from ...modules.approvals.decisions import Decisions
from ...modules.apps import NONE, Apps
from ...modules.errors import AgentOSError, StorageUnavailable
from ...modules.principals.models import Door as Where
from ...modules.principals.models import Role, local_owner
from ...modules.principals.tokens import TokenService
from ...modules.records import dataclass
from ...modules.version import VERSION
from ...tools.bound import BoundTools
from .auth import WEBDAV, Authentication, OwnerKey, Verifier
from .guard import Frame, Guard
from .limits import BodyLimit, ConcurrencyLimit
from .mcp import PATH as MCP_PATH
from .mcp import McpEndpoint
from .metrics import Gauges, Latencies, Metrics
from .mounting import DASHBOARD, Mount, Site, StoreDoor
from .oauth import SCOPE, CurrentProvider, OAuthVerifier
from .policy import CurrentPolicy
from .problems import Problem
from .rest import openapi
from .rest.operations import Behind
from .rest.resource import resources
from .rest.route import PREFIX, Table
from .rest.routes import operations
from .tenants import ByCredential, ManyTenants

READY_WITHIN_S = 0.9
METADATA = "/.well-known/oauth-protected-resource"


@dataclass(frozen=True, kw_only=True)
class HttpDoor:
    """The parts of the application; `agent_id` and `allowed` are the owner's, `gauges` what /metrics measures.

    `decisions` is the human's side of approvals while the store is open; `resources` says whether MCP has any.
    `tenants` are the other stores that are served, while the own one is open, and `is_other` is the door of such a one.
    Of `features` those are there that are on, of None all; `mounts` are what they serve beside the routes.
    """

    behind: Behind
    bound: BoundTools
    policy: CurrentPolicy
    toolsets: frozenset[str]
    owner_key: SecretStr
    agent_id: str
    allowed: frozenset[str] | None
    gauges: Gauges
    provider: CurrentProvider
    decisions: Callable[[], Decisions | None]
    resources: bool = False
    apps: Apps = NONE
    tenants: Callable[[], Awaitable[ManyTenants | None]] | None = None
    is_other: bool = False
    features: Collection[str] | None = None
    mounts: Sequence[Mount] = ()

    @property
    def site(self) -> Site | None:
        """The pages for browsers; None where there are none."""
        return next((one.site for one in self.mounts if one.site is not None), None)


def application(door: HttpDoor, table: Table | None = None) -> ASGIApp:
    """Return the application; `table` has its operations, where they were made before."""
    policy = door.policy
    metrics = Metrics(door.gauges)
    table = table or operations(door.bound, door.features)
    router, endpoint = _of_store(door, table, metrics)
    app: ASGIApp = router if door.tenants is None else ByCredential(router, door.tenants, door.behind.place, door.site)
    within = Router([], default=app, lifespan=_lifespan(endpoint))
    limited = BodyLimit(within, policy, partial(_larger, _longest(table), door.mounts))
    return Frame(Guard(ConcurrencyLimit(limited), policy), metrics)


@contextlib.asynccontextmanager
async def application_of_tenant(
    own: HttpDoor, table: Table, agentos: AgentOS, components: Callable[[], Awaitable[Mapping[str, str]]]
) -> AsyncIterator[tuple[ASGIApp, Callable[[], None]]]:
    """Yield the application of one of many stores, for what was let in, and what ends its streams.

    Its keys alone open it. The process around it is none of its business: it has no owner's key, no identity provider,
    no person's decisions, no counts of what all are asked, and no restart. The task that enters this must leave it.
    """

    is_ended = False

    async def opener() -> AgentOS:
        if is_ended:
            raise StorageUnavailable("this store is being closed; try again")
        return agentos

    def end() -> None:
        nonlocal is_ended
        is_ended = True  # streams end when they look next whether their key still holds
        door.behind.streams.end()

    door = replace(
        own,
        behind=Behind(opener, own.behind.home, components, shared=own.behind.place),
        owner_key=SecretStr(""),
        provider=CurrentProvider(None),
        decisions=lambda: None,
        tenants=None,
        is_other=True,
    )
    router, endpoint = _of_store(door, table, None)
    async with endpoint.running():
        yield router, end


def _of_store(door: HttpDoor, table: Table, metrics: Metrics | None) -> tuple[Router, McpEndpoint]:
    """Return what answers for a store, and its MCP, which must run."""
    policy = door.policy
    max_bytes = policy.value.max_body_bytes
    endpoint = McpEndpoint(
        door.bound,
        door.behind.agentos,
        door.toolsets,
        VERSION,
        max_bytes,
        frozenset().union(*(mount.toolsets for mount in door.mounts)),
        door.behind.streams,
        resources=door.resources,
        apps=replace(door.apps, dashboard=partial(_address_of_dashboard, policy)) if door.site else door.apps,
    )
    owner = OwnerKey(door.owner_key, door.agent_id, door.allowed)
    pages = _pages(door, metrics.latencies if metrics else list)

    async def verifiers(address: str) -> list[Verifier]:
        principals = (await door.behind.agentos()).principals
        provided = door.provider.tokens
        oauth = [OAuthVerifier(provided, principals, address)] if provided else []
        return [owner, TokenService(principals), *oauth, principals]

    known = Router(
        [
            Route(MCP_PATH, endpoint),
            Route(f"{MCP_PATH}/", endpoint),
            *resources(table, door.behind, named=[route for route, _ in table]),
            *([Route("/metrics", _named("/metrics", metrics))] if metrics else []),
            *(one for mount in door.mounts for one in _mounted(mount, door)),
        ],
        redirect_slashes=False,
        default=_nothing_there,
    )
    authenticated = Authentication(known, verifiers, policy, _challenge(policy, door.provider))
    router = Router(
        [
            *(one for mount in door.mounts for one in mount.open_routes(authenticated)),
            Route("/healthz", _get("/healthz", _alive)),
            Route("/readyz", _get("/readyz", _ready(door.behind.components))),
            Route("/openapi.json", _get("/openapi.json", _Document(table, policy))),
            Route(METADATA, _get(METADATA, _metadata(policy, door.provider))),
            Route(METADATA + MCP_PATH, _get(METADATA, _metadata(policy, door.provider))),
            Route("/", _named("/", _Root(policy, authenticated) if door.site else authenticated)),
            Route(DASHBOARD, pages),
            Route(DASHBOARD + "/{page:path}", pages),
        ],
        redirect_slashes=False,
        default=authenticated,
    )
    return router, endpoint


def _pages(door: HttpDoor, latencies: Latencies) -> ASGIApp:
    """Return what answers browsers for a store."""
    if door.site is None:
        return _named(DASHBOARD, _nothing_there)
    at_home = local_owner(door.agent_id, door.allowed, Where.HTTP)
    return door.site.served(
        StoreDoor(
            behind=door.behind,
            bound=door.bound,
            policy=door.policy,
            owner=at_home,
            decisions=door.decisions,
            latencies=latencies,
            features=door.features,
        )
    )


def _mounted(mount: Mount, door: HttpDoor) -> list[BaseRoute]:
    routes = mount.of_others if door.is_other else mount.routes
    return routes(door.behind, door.policy)


def _longest(table: Table) -> Mapping[str, int]:
    return {f"{PREFIX}{route.path}": route.most_bytes for route, _ in table if route.most_bytes}


def _larger(longest: Mapping[str, int], mounts: Sequence[Mount], path: str) -> int:
    """Return how large the body of a path may be at least."""
    return next((one.most_bytes for one in mounts if one.prefix and path.startswith(one.prefix)), longest.get(path, 0))


def _lifespan(endpoint: McpEndpoint) -> Callable[[Any], contextlib.AbstractAsyncContextManager[None]]:
    @contextlib.asynccontextmanager
    async def run(_: Any) -> AsyncIterator[None]:
        async with endpoint.running():
            yield

    return run


Answering = Callable[[Scope], Awaitable[Response]]


def _get(route: str, answering: Answering) -> ASGIApp:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in ("GET", "HEAD"):
            raise Problem("method_not_allowed", "this path accepts only GET", allow="GET")
        response = await answering(scope)
        await response(scope, receive, send)

    return _named(route, answer)


class _Named:
    """An application whose answers are counted under a route."""

    def __init__(self, route: str, app: ASGIApp) -> None:
        self._route = route
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"]["route"] = self._route
        await self._app(scope, receive, send)


def _named(route: str, app: ASGIApp) -> ASGIApp:
    return _Named(route, app)


async def _nothing_there(scope: Scope, receive: Receive, send: Send) -> None:
    raise Problem("not_found", "nothing is at this path; /openapi.json lists the routes")


async def _alive(_: Scope) -> Response:
    return JSONResponse({"status": "ok"})


def _ready(components: Callable[[], Awaitable[Mapping[str, str]]]) -> Answering:
    async def answer(_: Scope) -> Response:
        try:
            async with asyncio.timeout(READY_WITHIN_S):
                states = await components()
        except TimeoutError:
            states = {"store": "late"}
        except AgentOSError as error:
            states = {"store": error.code}
        ready = states.get("store") == "ok"
        body = {"status": "ready" if ready else "not ready", "components": states}
        return JSONResponse(body, 200 if ready else 503, None if ready else {"retry-after": "1"})

    return answer


class _Root:
    """Shows a browser the dashboard, which says how to sign in; programs are answered as under any path."""

    def __init__(self, policy: CurrentPolicy, app: ASGIApp) -> None:
        self._policy = policy
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_read = scope["method"] in ("GET", "HEAD")
        is_browser = is_read and "text/html" in Headers(scope=scope).get("accept", "")
        page = RedirectResponse(f"{self._policy.value.base_path}{DASHBOARD}", 303)
        await (page if is_browser else self._app)(scope, receive, send)


class _Document:
    """The OpenAPI document, made when it is first asked for."""

    def __init__(self, table: Table, policy: CurrentPolicy) -> None:
        self._table = table
        self._policy = policy

    @cached_property
    def _body(self) -> bytes:
        document = openapi.document(self._table, self._policy.value.base_path)
        return json.dumps(document, ensure_ascii=False).encode()

    async def __call__(self, _: Scope) -> Response:
        return Response(self._body, media_type="application/json")


def _challenge(policy: CurrentPolicy, provider: CurrentProvider) -> Callable[[Scope], str]:
    """Return what makes the WWW-Authenticate header: it names the metadata if there is an identity provider."""

    def challenge(scope: Scope) -> str:
        if scope["path"].startswith(WEBDAV):
            return 'Basic realm="agentos", charset="UTF-8"'
        if provider.value is None:
            return 'Bearer realm="agentos"'
        return f'Bearer realm="agentos", resource_metadata="{_base(scope, policy)}{METADATA}{MCP_PATH}"'

    return challenge


def _base(scope: Scope, policy: CurrentPolicy) -> str:
    host = dict(scope["headers"])[b"host"].decode("latin-1")
    return f"{policy.value.scheme(scope)}://{host}{policy.value.base_path}"


def _address_of_dashboard(policy: CurrentPolicy, request: Any) -> str:
    return f"{_base(request.scope, policy)}{DASHBOARD}"


def _metadata(policy: CurrentPolicy, current: CurrentProvider) -> Answering:
    """Answer with the metadata of the protected resource (RFC 9728): where it is, and how a key is sent."""

    async def answer(scope: Scope) -> Response:
        resource = f"{_base(scope, policy)}{MCP_PATH}"
        metadata = {"resource": resource, "resource_name": "AgentOS", "bearer_methods_supported": ["header"]}
        scopes, provider = [SCOPE + role for role in Role], current.value
        from_provider = {"authorization_servers": [provider.issuer], "scopes_supported": scopes} if provider else {}
        return JSONResponse({**metadata, **from_provider})

    return answer
