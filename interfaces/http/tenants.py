"""Many stores behind one address: the credential of a request alone says which one answers it.

Each store has an application of its own, over its own services: what is wrong in a route of it can show it nothing of
another. Whether a credential is valid is for that application to find out, as for any.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from ...modules.errors import StorageUnavailable, Suspended
from ...modules.principals import secrets
from ...modules.principals.logins import SESSIONS
from ...modules.principals.ports import ServerKey
from ...modules.principals.signed import SignedClaims
from ...modules.principals.tokens import TOKENS
from ...modules.tenants.models import Tenant
from ...modules.tenants.ports import Tenants
from .auth import secret_of
from .limits import RateLimit
from .mounting import DASHBOARD, Site
from .problems import Problem

log = logging.getLogger(__name__)


class TenantStore(Protocol):
    """An open store, as far as its door goes."""

    @property
    def app(self) -> ASGIApp: ...


class TenantStores(Protocol):
    """The stores that this process can open."""

    @property
    def names(self) -> list[str]: ...
    @property
    def most(self) -> int: ...
    @property
    def openings(self) -> int: ...

    def using(self, name: str, *, is_asked_for: bool = True) -> AbstractAsyncContextManager[TenantStore]: ...
    def end(self, names: Collection[str]) -> None: ...


class ManyTenants:
    """The stores beside the process's own, which is called `own`: who has which key, and what is open."""

    def __init__(self, directory: Tenants, stores: TenantStores, server_key: ServerKey, own: str) -> None:
        self.stores = stores
        self.own = own
        self.refused_calls = 0
        self._directory = directory
        self._server_key = server_key
        self._signed = (SignedClaims(server_key, *TOKENS), SignedClaims(server_key, *SESSIONS))
        self._rates = RateLimit()
        self._numbers: dict[str, int] = {}

    async def counts(self) -> Mapping[str, int]:
        """Return how many stores there are, suspended, and full. Raises StorageUnavailable."""
        return await self._directory.counts()

    async def of(self, credential: str) -> Tenant | None:
        """Return the store that a credential belongs to; None where it is of none, or of a kind without a store.

        Raises Problem where it belongs to several.
        """
        if (prefix := secrets.prefix_of(credential)) is None:
            return await self._of_claims(credential)
        key = await asyncio.to_thread(self._server_key.read)
        found = await self._directory.of_key(prefix, secrets.digest(key, credential))
        if len(found) > 1:
            log.error("the key %s is in several stores, and opens none: revoke it in all but one", prefix)
            raise Problem("unauthenticated", "the key is in several stores: revoke it in all but one")
        return found[0] if found else None

    async def _of_claims(self, credential: str) -> Tenant | None:
        """Return the store that a token or a session of a browser names; None where it names none, or ended."""
        token, session = self._signed
        if (found := await token.of_any_store(credential)) is not None:
            store, (prefix, *_) = found
        elif (found := await session.of_any_store(credential)) is not None:
            store, (_, prefix, *_) = found
        else:
            return None
        tenants = await self._directory.of_key(str(prefix), None) if store else []
        return next((one for one in tenants if one.name == store), None)

    def admit(self, tenant: Tenant) -> None:
        """Count a call. Raises Suspended, Problem where there were too many within a minute."""
        if self._numbers.setdefault(tenant.name, tenant.number) != tenant.number:  # removed, and made anew
            self._numbers[tenant.name] = tenant.number
            self.stores.end([tenant.name])
        if tenant.is_suspended:
            self.stores.end([tenant.name])
            raise Suspended("this store is suspended: nothing of it was read or changed; ask who runs this server")
        if tenant.is_paused:
            self.stores.end([tenant.name])
            raise StorageUnavailable("this store is being restored or moved: try again in a few minutes")
        if tenant.calls_per_minute is not None:
            try:
                self._rates.take(tenant.name, tenant.calls_per_minute)
            except Problem:
                self.refused_calls += 1
                raise


class ByCredential:
    """Has a request answered by the application of the store that its credential belongs to, else by the own one."""

    def __init__(
        self, own: ASGIApp, tenants: Callable[[], Awaitable[ManyTenants | None]], place: str, site: Site | None
    ) -> None:
        self._own = own
        self._place = place
        self._site = site
        self._tenants = tenants

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on. Raises Problem, AgentOSError."""
        if scope["type"] != "http":
            await self._own(scope, receive, send)
            return
        credential, receive = await self._credential(scope, receive)
        tenants = await self._tenants() if credential else None
        tenant = await tenants.of(credential) if tenants and credential else None
        if tenants is None or tenant is None or tenant.name == tenants.own:
            await self._own(scope, receive, send)
            return
        tenants.admit(tenant)
        async with tenants.stores.using(tenant.name) as store:
            await store.app(scope, receive, send)

    async def _credential(self, scope: Scope, receive: Receive) -> tuple[str | None, Receive]:
        """Return what the application will check a request by, and what to receive the request from after this."""
        path: str = scope["path"]
        if self._site is not None and (path == DASHBOARD or path.startswith(f"{DASHBOARD}/")):
            return await self._site.credential(scope, receive, self._place)
        return secret_of(scope), receive
