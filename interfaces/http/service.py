"""The HTTP door as a whole, for the process that owns the home: from settings to a listening server, and its reload."""

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from urllib.parse import urlsplit

from starlette.types import ASGIApp

from ...config import Settings
from ...modules.agentos import AgentOS
from ...modules.approvals.decisions import Decisions
from ...modules.apps import NONE, Apps
from ...modules.clock import Clock
from ...modules.errors import AgentOSError, WrongSettings
from ...modules.principals.models import Door as Where
from ...modules.principals.models import local_owner
from ...tools.plugged import bind_all
from .app import HttpDoor, application, application_of_tenant
from .mounting import DASHBOARD, mounts_of
from .oauth import CurrentProvider, IdentityProvider
from .policy import LOOPBACK_NAMES, CurrentPolicy, DoorPolicy
from .rest.carrying import sweep
from .rest.operations import Behind, Process
from .rest.routes import operations
from .rest.state import FINE
from .tenants import ManyTenants
from .uvicorn_server import HttpListener, load_certificate, tls_of

log = logging.getLogger(__name__)

Opener = Callable[[], Awaitable[AgentOS]]


class HttpService:
    """Serves HTTP at the address of the settings, until it is closed."""

    def __init__(
        self,
        settings: Settings,
        opener: Opener,
        background: Callable[[], Mapping[str, str]],
        decisions: Callable[[], Decisions | None],
        clock: Clock,
        process: Process | None = None,
        tenants: Callable[[], Awaitable[ManyTenants | None]] | None = None,
        apps: Apps = NONE,
    ) -> None:
        """Begin to listen; requests wait until `start`. Raises WrongSettings, OSError.

        `background` tells the state of what works beside the services, by component; `decisions` is the human's side of
        approvals, while the store is open; `process` is what the dashboard shows and does of the process itself;
        `tenants` are the other stores that are served, if any; `apps` the views for clients of MCP that show them.
        """
        self._settings = settings
        self._opener = opener
        self._background = background
        self._policy = CurrentPolicy(DoorPolicy.of(settings))
        self._provider = CurrentProvider(IdentityProvider.of(settings))
        self._tls = _tls(settings)
        host, port = settings.http_address
        if host not in LOOPBACK_NAMES and self._tls is None and not settings.http_without_tls:
            raise WrongSettings(
                f"AGENTOS_HTTP: {host} is open to others, who could read every key without TLS: set "
                "AGENTOS_HTTP_TLS_CERTIFICATE, or AGENTOS_HTTP_WITHOUT_TLS=true where a proxy has TLS"
            )
        self._tenants = tenants
        self._process = process
        bound = bind_all(settings.features).all_tools
        self._table = operations(bound, settings.features)
        self._door = door = HttpDoor(
            behind=Behind(opener, settings.home, self._components, process=process, shared=_shared(settings)),
            bound=bound,
            policy=self._policy,
            toolsets=frozenset(settings.toolsets),
            owner_key=settings.http_key,
            agent_id=settings.agent_id,
            allowed=settings.agents,
            gauges=self._gauges,
            provider=self._provider,
            decisions=decisions,
            resources=settings.http_resources,
            tenants=tenants,
            apps=apps,
            features=settings.features,
            mounts=mounts_of(settings),
        )
        self._streams = door.behind.streams
        self._listener = HttpListener(application(door, self._table), host, port, self._tls)

    def door_of(self, agentos: AgentOS) -> AbstractAsyncContextManager[tuple[ASGIApp, Callable[[], None]]]:
        """Return what yields the application of one of many stores, and what ends its streams."""
        return application_of_tenant(self._door, self._table, agentos, lambda: self._components_of(agentos))

    @property
    def url(self) -> str:
        """The address for clients on this machine."""
        host, port = self._listener.address
        return f"{'https' if self._tls else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"

    @property
    def dashboard(self) -> str:
        """The address of the dashboard; "" where none is served."""
        return f"{self.url}{self._settings.http_base_path}{DASHBOARD}" if self._door.site else ""

    async def start(self) -> None:
        """Begin to answer. Raises WrongSettings where anybody could connect and nobody has a key, OSError."""
        host, _ = self._settings.http_address
        is_open = host not in LOOPBACK_NAMES and not self._settings.http_key.get_secret_value()
        if is_open and not await self._has_keys():
            raise WrongSettings("AGENTOS_HTTP: there is no key yet; create one first: agentos keys create NAME")
        await asyncio.to_thread(sweep, self._settings.home)
        if self._door.site:
            await asyncio.to_thread(self._door.site.read_files)
        await self._listener.start()
        log.info("HTTP at %s", self.url)

    def reload(self, settings: Settings) -> None:
        """Take over limits, names, allowlists, the identity provider and the certificate of new settings.

        Raises WrongSettings, OSError.
        """
        policy = DoorPolicy.of(settings)
        if self._tls is not None and settings.http_tls_certificate:
            load_certificate(self._tls, settings.http_tls_certificate, settings.http_tls_key)
        self._policy.value = policy
        self._provider.replace(IdentityProvider.of(settings))

    async def close(self) -> None:
        """Stop listening, and end what is under way."""
        self._streams.end()
        await self._listener.close()

    async def _has_keys(self) -> bool:
        agentos = await self._opener()
        owner = local_owner(self._settings.agent_id, self._settings.agents, Where.HTTP)
        now = agentos.clock()
        return any(key.state(now) == "active" for key in await agentos.principals.list_keys(owner))

    async def _components(self) -> Mapping[str, str]:
        return {**await self._components_of(await self._opener()), **self._background()}

    async def _components_of(self, agentos: AgentOS) -> Mapping[str, str]:
        try:
            await agentos.jobs.daemon_status()
            store = "read_only" if agentos.memory.limits else "ok"
        except AgentOSError as error:
            store = error.code
        state = "off" if self._settings.embedding_model == "none" else (await agentos.embedding.state())["state"]
        model = "ok" if state == "ready" else str(state)
        return {"store": store, "model": model}

    async def _gauges(self) -> Mapping[str, float]:
        components = await self._components()
        up = {f"{name}_up": float(state in FINE) for name, state in components.items()}
        up |= await self._measures()
        tenants = await self._tenants() if self._tenants else None
        if tenants is None:
            return up
        counts = {"open": len(tenants.stores.names), "most": tenants.stores.most, "openings": tenants.stores.openings}
        counts["refused_calls"] = tenants.refused_calls
        counts |= await tenants.counts()
        return {**up, **{f"stores_{name}": float(count) for name, count in counts.items()}}

    async def _measures(self) -> Mapping[str, float]:
        """Return what the database and the jobs of the own store do."""
        agentos: AgentOS = await self._opener()
        now, measures = agentos.clock(), dict(agentos.measures())
        try:
            runs = await agentos.jobs.runs()
        except AgentOSError:
            return measures
        held = [run for run in runs if run.lease_until is not None and run.lease_until > now]
        late = max((now - run.next_due_at for run in runs if run not in held), default=timedelta())
        measures |= {"jobs_leased": float(len(held)), "jobs_late_seconds": max(0.0, late.total_seconds())}
        index = self._process.index() if self._process else None
        return measures | ({"index_lag": float(max(0, index.newest - index.applied))} if index else {})


def _shared(settings: Settings) -> str:
    """Return what names a database to every process that serves it, whatever way each of them takes there."""
    database = urlsplit(settings.database_url).path
    return f"{database}/{settings.database_schema}" if settings.uses_postgres else ""


def _tls(settings: Settings) -> ssl.SSLContext | None:
    try:
        return tls_of(settings.http_tls_certificate, settings.http_tls_key, settings.http_tls_client_ca)
    except OSError as error:
        raise WrongSettings(f"AGENTOS_HTTP_TLS_CERTIFICATE: {error}") from error
