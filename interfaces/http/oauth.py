"""Access tokens of an identity provider (OAuth resource server): JWTs by JWKS, others by introspection (RFC 7662).

A token says who somebody is; what they may do is said by the key that is bound to them. Its scopes only narrow that.
"""

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any, TypeVar
from urllib.parse import quote_plus

import jwt
from pydantic import SecretStr

from ...config import Settings
from ...modules.errors import PermissionDenied, Unauthenticated
from ...modules.principals.models import Caller, Role
from ...modules.principals.secrets import BEGINNING
from ...modules.principals.service import PrincipalService, binding_of
from ...modules.records import dataclass
from .limits import RateLimit
from .problems import Problem

T = TypeVar("T")

ALGORITHMS = ("RS256", "ES256", "EdDSA")
LEEWAY_S = 30
ANSWER_WITHIN_S = 5.0
MAX_ANSWER_BYTES = 256 * 1024
MAX_KEYS = 100
KEYS_LAST_S = 3600.0
REFETCH_AFTER_S = 60.0
"""How soon the key set is asked for again, whatever unknown key ids are sent."""
SILENT_FOR_S = 5.0
"""How long a provider that gave no usable answer is not asked again."""
INTROSPECTED_LASTS_S, REFUSED_LASTS_S = 30.0, 10.0
KNOWN_FOR_S = 3600.0
"""How long a token that was good once is asked about again, however many wrong ones come from its address."""
MAX_INTROSPECTED = 1000
MOST_AT_ONCE = 8
MOST_REFUSED = 30
"""The most tokens of one address in a minute that the provider is asked about in vain."""
SCOPE = "agentos:"
"""The beginning of scopes that narrow the role, as agentos:reader; a token with none has the whole role of its key."""
REFUSED = "the access token is not valid here, or has expired"


@dataclass(frozen=True, kw_only=True)
class IdentityProvider:
    """An identity provider; without `introspection_url` only JWTs are accepted, without `jwks_url` no JWTs."""

    issuer: str
    audience: str
    jwks_url: str
    introspection_url: str
    client_id: str
    client_secret: SecretStr

    @classmethod
    def of(cls, settings: Settings) -> "IdentityProvider | None":
        """Return the provider of the settings; None where they name no issuer."""
        if not settings.oauth_issuer:
            return None
        return cls(
            issuer=settings.oauth_issuer,
            audience=settings.oauth_audience,
            jwks_url=settings.oauth_jwks_url,
            introspection_url=settings.oauth_introspection_url,
            client_id=settings.oauth_client_id,
            client_secret=settings.oauth_client_secret,
        )


@dataclass(frozen=True)
class _Introspection:
    """A cached introspection result: until when it is used, and until when the token is remembered."""

    until: float
    known_until: float
    claims: Mapping[str, Any]


class ProviderTokens:
    """Checks tokens of one provider, and keeps its keys and what it said for a while."""

    def __init__(self, provider: IdentityProvider, clock: Callable[[], float] = time.monotonic) -> None:
        self._provider = provider
        self._clock = clock
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched_at = self._silent_at = float("-inf")
        self._fetching = asyncio.Lock()
        self._introspected: OrderedDict[str, _Introspection] = OrderedDict()
        self._refused: OrderedDict[str, float] = OrderedDict()
        self._asking: dict[str, asyncio.Task[Mapping[str, Any]]] = {}
        self._at_once = asyncio.Semaphore(MOST_AT_ONCE)
        self._strangers = RateLimit(clock)

    async def caller(self, principals: PrincipalService, secret: str, address: str) -> Caller | None:
        """Return whom a token stands for that came from an address; None for what is none of the provider's.

        Raises Unauthenticated; PermissionDenied for somebody whom no key is bound to; Problem without the provider, or
        where an address sends too many wrong tokens.
        """
        if secret.startswith((f"{BEGINNING}_", "agot_")):
            return None
        if self._provider.jwks_url and secret.count(".") == 2:
            claims = await self._verified(secret)
        elif self._provider.introspection_url:
            claims = await self._introspect(secret, address)
        else:
            return None
        subject = claims.get("sub")
        if not isinstance(subject, str) or not subject:
            raise Unauthenticated(REFUSED)
        if "cnf" in claims:  # bound to a key or a certificate of its client's (RFC 9449, 8705), which we do not check
            raise Unauthenticated(REFUSED)
        binding = binding_of(self._provider.issuer, subject)
        caller = await principals.caller_bound_to(binding)
        if caller is None:
            raise PermissionDenied(
                f"no key is bound to this subject; the owner can bind one: "
                f"agentos keys create {binding} --principal NAME"
            )
        return _narrowed(caller, claims.get("scope", claims.get("scp", "")))

    async def _verified(self, secret: str) -> Mapping[str, Any]:
        try:
            header = jwt.get_unverified_header(secret)
            if header.get("alg") not in ALGORITHMS or not isinstance(header.get("kid"), str):
                raise Unauthenticated(REFUSED)
            key = await self._key(header["kid"])
            if key is None or key.algorithm_name != header["alg"]:
                raise Unauthenticated(REFUSED)
            claims: dict[str, Any] = await asyncio.to_thread(
                jwt.decode,
                secret,
                key.key,
                algorithms=[header["alg"]],
                audience=self._provider.audience,
                issuer=self._provider.issuer,
                leeway=LEEWAY_S,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, ValueError, RecursionError):
            raise Unauthenticated(REFUSED) from None
        return claims

    async def _key(self, kid: str) -> jwt.PyJWK | None:
        async with self._fetching:
            age = self._clock() - self._fetched_at
            if age > KEYS_LAST_S or (kid not in self._keys and age > REFETCH_AFTER_S):
                self._keys = _key_set(await self._answer("GET", self._provider.jwks_url))
                self._fetched_at = self._clock()
            return self._keys.get(kid)

    async def _answer(self, method: str, url: str, **content: Any) -> Mapping[str, Any]:
        """Return what the provider answers. Raises Problem; at once for a while after it gave no answer."""
        if self._clock() - self._silent_at < SILENT_FOR_S:
            raise _silent()
        try:
            return await _asked(method, url, **content)
        except Problem:
            self._silent_at = self._clock()
            raise

    async def _introspect(self, secret: str, address: str) -> Mapping[str, Any]:
        name = sha256(secret.encode("utf-8", "replace")).hexdigest()
        known, now = self._introspected.get(name), self._clock()
        if known is not None and now < known.until and known.claims["exp"] + LEEWAY_S > time.time():
            return known.claims
        if now < self._refused.get(name, now):
            raise Unauthenticated(REFUSED)
        asking = self._asking.get(name)
        if asking is None:
            stranger = address if known is None or now > known.known_until else None
            if stranger is not None:  # an address has to stop guessing before the provider is asked, not after
                self._strangers.take(stranger, MOST_REFUSED)
            asking = self._asking[name] = asyncio.create_task(self._ask(name, secret, stranger))
            asking.add_done_callback(lambda done: self._asked_of(name, done))
        return await asyncio.shield(asking)

    async def _ask(self, name: str, secret: str, stranger: str | None) -> Mapping[str, Any]:
        """Return the claims of a token, and keep them; a `stranger`'s address is charged for a wrong one alone."""
        try:
            claims = await self._fetch_claims(secret)
        except Unauthenticated:
            self._introspected.pop(name, None)
            _keep(self._refused, name, self._clock() + REFUSED_LASTS_S)
            raise
        except Problem:
            self._not_charged(stranger)
            raise
        self._not_charged(stranger)
        now = self._clock()
        _keep(self._introspected, name, _Introspection(now + INTROSPECTED_LASTS_S, now + KNOWN_FOR_S, claims))
        return claims

    def _not_charged(self, stranger: str | None) -> None:
        if stranger is not None:
            self._strangers.give_back(stranger)

    def _asked_of(self, name: str, done: "asyncio.Task[Mapping[str, Any]]") -> None:
        del self._asking[name]
        if not done.cancelled():
            done.exception()  # nobody may be waiting for it

    async def _fetch_claims(self, secret: str) -> Mapping[str, Any]:
        """Return the claims of a token, introspected at the provider. Raises Unauthenticated where it is not valid."""
        client = (quote_plus(self._provider.client_id), quote_plus(self._provider.client_secret.get_secret_value()))
        form = {"token": secret, "token_type_hint": "access_token"}
        async with self._at_once:
            claims = await self._answer("POST", self._provider.introspection_url, data=form, auth=client)
        audience = claims.get("aud", ())
        audiences = (audience,) if isinstance(audience, str) else audience
        expires = claims.get("exp")
        is_ours = isinstance(audiences, list | tuple) and self._provider.audience in audiences
        is_live = isinstance(expires, int | float) and expires + LEEWAY_S > time.time()
        if claims.get("active") is not True or not is_ours or not is_live:
            raise Unauthenticated(REFUSED)
        if claims.get("iss", self._provider.issuer) != self._provider.issuer:
            raise Unauthenticated(REFUSED)
        return claims


class CurrentProvider:
    """The provider in force, with what it said; a reload with other settings forgets that."""

    def __init__(self, provider: IdentityProvider | None) -> None:
        self.value = provider
        self.tokens = None if provider is None else ProviderTokens(provider)

    def replace(self, provider: IdentityProvider | None) -> None:
        """Take another provider's tokens from now on, or none; the same one goes on."""
        if provider != self.value:
            self.value = provider
            self.tokens = None if provider is None else ProviderTokens(provider)


@dataclass(frozen=True)
class OAuthVerifier:
    """Knows the tokens of a provider, for the principals of the store, as they come from an address."""

    tokens: ProviderTokens
    principals: PrincipalService
    address: str

    async def authenticate(self, secret: str) -> Caller | None:
        """Return whose token it is. Raises as `ProviderTokens.caller`."""
        return await self.tokens.caller(self.principals, secret, self.address)


def _keep(cache: OrderedDict[str, T], name: str, value: T) -> None:
    """Keep a value as the newest one, and drop the oldest beyond MAX_INTROSPECTED."""
    cache[name] = value
    cache.move_to_end(name)
    while len(cache) > MAX_INTROSPECTED:
        cache.popitem(last=False)


def _narrowed(caller: Caller, scopes: object) -> Caller:
    words = scopes.split() if isinstance(scopes, str) else scopes if isinstance(scopes, list) else []
    named = [word.removeprefix(SCOPE) for word in words if isinstance(word, str) and word.startswith(SCOPE)]
    if not named:
        return caller
    order = list(Role)
    known = [order.index(Role(word)) for word in named if word in order]
    if not known:
        raise PermissionDenied(f"none of the token's scopes is one of {', '.join(SCOPE + role for role in order)}")
    return replace(caller, role=order[min(order.index(caller.role), max(known))])


def _key_set(document: Mapping[str, Any]) -> dict[str, jwt.PyJWK]:
    """Return the signing keys of a JWKS by their ids, leaving out what is no key of the algorithms allowed."""
    listed = document.get("keys")
    found: dict[str, jwt.PyJWK] = {}
    for one in listed[:MAX_KEYS] if isinstance(listed, list) else ():
        if not isinstance(one, dict) or not isinstance(one.get("kid"), str) or one.get("use", "sig") != "sig":
            continue
        try:
            key = jwt.PyJWK(one)
        except (jwt.PyJWTError, ValueError, TypeError):
            continue  # a provider may have keys of other kinds beside those for these tokens
        if key.algorithm_name in ALGORITHMS:
            found[one["kid"]] = key
    return found


async def _asked(method: str, url: str, **content: Any) -> Mapping[str, Any]:
    """Return the JSON object that the provider answers with. Raises Problem where it gives none in time."""
    import httpx2

    try:
        async with asyncio.timeout(ANSWER_WITHIN_S):
            async with (
                httpx2.AsyncClient(timeout=ANSWER_WITHIN_S, follow_redirects=False) as client,
                client.stream(method, url, headers={"accept": "application/json"}, **content) as response,
            ):
                body = bytearray()
                async for chunk in response.aiter_bytes():
                    body += chunk
                    if len(body) > MAX_ANSWER_BYTES:
                        raise _silent()
        answer = json.loads(body) if response.status_code == 200 else None
    except (TimeoutError, httpx2.HTTPError, OSError, ValueError, RecursionError):
        raise _silent() from None
    if not isinstance(answer, dict):
        raise _silent()
    return answer


def _silent() -> Problem:
    message, wait = "the identity provider gives no usable answer now; come again", str(int(SILENT_FOR_S))
    return Problem("storage_unavailable", message, retry_after=wait)
