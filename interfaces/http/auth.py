"""From a credential to a caller: once for each request, here and nowhere else."""

import base64
import hmac
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Protocol
from urllib.parse import unquote

from pydantic import SecretStr
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from ...modules.errors import AgentOSError
from ...modules.principals.models import Caller, Door, local_owner
from ...modules.principals.secrets import prefix_of
from .limits import MOST_AT_ONCE_OF_A_PRINCIPAL, RateLimit, Shares
from .policy import CurrentPolicy
from .problems import Problem

LEAST_FAILURES, REQUESTS_A_FAILURE = 30, 40
"""Wrong credentials that one address is told about in a minute: so many, or one for so many requests of the setting.

The right one always opens, also behind one proxy.
"""
MAX_CREDENTIAL_CHARS = 8192
WEBDAV = "/sync/"
"""Where clients of WebDAV come, which send a key as a password."""
PROJECT_HEADER = "x-agentos-project"
"""The header that names the project whose memory is meant, percent-encoded where it is not ASCII."""


class Verifier(Protocol):
    """Knows some kind of credential."""

    async def authenticate(self, secret: str) -> Caller | None:
        """Return whose credential it is; None when it is of another kind. Raises AgentOSError when it is not valid."""
        ...


class OwnerKey:
    """The one key of AGENTOS_HTTP_KEY, which is the owner's: for services that are configured by their environment."""

    def __init__(self, key: SecretStr, agent_id: str, allowed: frozenset[str] | None) -> None:
        self._digest = sha256(key.get_secret_value().encode()).digest() if key.get_secret_value() else None
        self._caller = local_owner(agent_id, allowed, Door.HTTP)

    async def authenticate(self, secret: str) -> Caller | None:
        """Return the owner for the owner's key."""
        given = sha256(secret.encode("utf-8", "replace")).digest()
        return self._caller if self._digest is not None and hmac.compare_digest(given, self._digest) else None


class Authentication:
    """Lets only requests with a valid credential through, each with its caller, as often as the rate allows."""

    def __init__(
        self,
        app: ASGIApp,
        verifiers: Callable[[str], Awaitable[list[Verifier]]],
        policy: CurrentPolicy,
        challenge: Callable[[Scope], str],
    ) -> None:
        self._app = app
        self._verifiers = verifiers
        self._policy = policy
        self._challenge = challenge
        self._rates = RateLimit()
        self._failures = RateLimit()
        self._shares = Shares(MOST_AT_ONCE_OF_A_PRINCIPAL, "requests are under way")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on. Raises Problem."""
        state = scope["state"]
        secret = self._secret(scope)
        caller = await self._caller(scope, secret)
        self._rates.take(caller.principal, self._policy.value.requests_per_minute)
        state["caller"], state["key"] = caller, prefix_of(secret)
        state["credential"] = sha256(secret.encode("utf-8", "replace")).hexdigest()
        state["renew"] = partial(self._caller, scope, secret)
        with self._shares.one_of(caller.principal):
            await self._app(scope, receive, send)

    def _secret(self, scope: Scope) -> str:
        secret = secret_of(scope)
        if secret is None:
            raise self._refusal(scope, "a key is needed: Authorization: Bearer KEY")
        return secret

    async def _caller(self, scope: Scope, secret: str) -> Caller:
        for verifier in await self._verifiers(scope["state"]["address"]):
            try:
                caller = await verifier.authenticate(secret)
            except AgentOSError as error:
                if error.code != "unauthenticated":
                    raise
                break
            if caller is not None:
                project = unquote(Headers(scope=scope).get(PROJECT_HEADER, ""))
                return replace(caller, door=Door.HTTP, request_id=scope["state"]["request_id"], project=project)
        most = max(LEAST_FAILURES, self._policy.value.requests_per_minute // REQUESTS_A_FAILURE)
        self._failures.take(scope["state"]["address"], most)
        raise self._refusal(scope, "the key is not valid, has expired or was revoked")

    def _refusal(self, scope: Scope, detail: str) -> Problem:
        return Problem("unauthenticated", detail, www_authenticate=self._challenge(scope))


def caller_of(scope: Scope) -> Caller:
    """Return the caller of an authenticated request."""
    caller: Caller = scope["state"]["caller"]
    return caller


def secret_of(scope: Scope) -> str | None:
    """Return the credential in a request's headers; never one in its address, which logs keep."""
    headers = Headers(scope=scope)
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic" and scope["path"].startswith(WEBDAV):
        secret = _password_in(token)
    else:
        secret = token.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")
    return secret if 0 < len(secret) <= MAX_CREDENTIAL_CHARS else None


def _password_in(token: str) -> str:
    """Return the password of a user and password as Basic authentication sends them; "" where there is none."""
    try:
        return base64.b64decode(token.strip(), validate=True).decode().partition(":")[2]
    except ValueError:
        return ""
