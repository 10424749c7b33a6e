"""Requests to providers: sent as they came, and asked again or elsewhere where that is configured."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ....modules.errors import cause
from ....modules.records import dataclass
from .. import requests
from .access import credentials
from .configuration import Configuration, Provider

if TYPE_CHECKING:
    import ssl

    from httpx2 import AsyncClient, Response

CONNECT_S, SEND_S, SILENT_S = 10.0, 60.0, 900.0
"""How long a provider may take to be reached, to take a piece of a request, and to be silent."""
MAX_CONNECTIONS = 1_000
MAX_IDLE, MIN_IDLE = 100, 4
"""How many unused connections are kept: of all clients, and of each at least."""
PAUSE_S, LONGEST_PAUSE_S = 0.5, 10.0
PASSING = frozenset({408, 429, 500, 502, 503, 504, 529})
"""The statuses after which it may be worth asking again."""
_FALLBACK_HEADERS = frozenset(
    b"accept accept-encoding accept-language content-type content-encoding content-length user-agent "
    b"anthropic-version anthropic-beta openai-beta".split()
)
"""The headers that a fallback is sent as well: any other may be a credential of the client, or name it."""

log = logging.getLogger(__name__)

Headers = Sequence[tuple[bytes, bytes]]
Body = bytes | AsyncIterator[bytes]


class Unreachable(Exception):
    """No provider could be reached; the message says why, without addresses or keys."""


@dataclass(frozen=True)
class Call:
    """A request to a provider: `target` is the rest of the path and the query, as the client wrote it.

    `client` is the name of the key that asks; empty where the gateway does.
    """

    provider: str
    method: str
    target: bytes
    headers: Headers
    body: Body
    client: str = ""


@dataclass(frozen=True)
class ProviderAnswer:
    """A provider's answer, whose body has yet to be read, and whether it is the fallback's."""

    response: Response
    by_fallback: bool = False


class Upstream:
    """The providers. Open it once, close it at the end."""

    def __init__(self, urls: Mapping[str, str], configuration: Configuration) -> None:
        self._urls = urls
        self._configuration = configuration
        self._clients: dict[tuple[str, bool], AsyncClient] = {}
        self._tls: dict[bool, ssl.SSLContext] = {}

    async def send(self, call: Call) -> ProviderAnswer:
        """Return the answer to a call, as soon as its headers are there. Raises Unreachable."""
        provider = self._configuration.provider(call.provider)
        try:
            answered = await self._tried(call, self._urls[call.provider], provider.retries)
        except Unreachable:
            if provider.fallback_url is None or not isinstance(call.body, bytes):
                raise
            return await self._fallen_back(call, provider)
        fails = answered.response.status_code in PASSING
        if fails and provider.fallback_url is not None and isinstance(call.body, bytes):
            await answered.response.aclose()
            return await self._fallen_back(call, provider)
        return answered

    async def asked(self, call: Call, *, from_root: bool) -> Response:
        """Return the answer to a question of our own; `from_root` of the provider's host. Raises Unreachable."""
        import httpx2

        url = self._urls[call.provider]
        return await self._once(call, str(httpx2.URL(url).copy_with(raw_path=b"/")) if from_root else url)

    def is_on_this_machine(self, provider: str) -> bool:
        """Return whether a provider runs here."""
        return is_local((urlsplit(self._urls[provider]).hostname or "").lower())

    async def _fallen_back(self, call: Call, provider: Provider) -> ProviderAnswer:
        assert isinstance(call.body, bytes) and provider.fallback_url is not None
        log.warning("the provider %s failed, its fallback is asked", call.provider)
        body, headers = call.body, [one for one in call.headers if one[0].lower() in _FALLBACK_HEADERS]
        if provider.fallback_key is not None:
            headers += credentials(call.provider, provider.fallback_key.get_secret_value())
        if provider.fallback_model is not None:
            try:
                body = requests.with_model(body.decode("utf-8"), provider.fallback_model).encode("utf-8")
            except (ValueError, KeyError):
                log.warning("a request that names no model goes to the fallback as it is")
            headers = [one for one in headers if one[0].lower() != b"content-length"]
        other = replace(call, headers=headers, body=body)
        answered = await self._tried(other, provider.fallback_url, provider.retries)
        return ProviderAnswer(answered.response, by_fallback=True)

    async def _tried(self, call: Call, url: str, retries: int) -> ProviderAnswer:
        """Ask up to `retries` times again, if nothing has been answered yet; a body that streams is sent once."""
        left = retries if isinstance(call.body, bytes) else 0
        pause_s = PAUSE_S
        while True:
            try:
                response = await self._once(call, url)
                if not left or response.status_code not in PASSING:
                    return ProviderAnswer(response)
                pause_s = _asked_pause(response, pause_s)
                await response.aclose()
            except Unreachable:
                if not left:
                    raise
            left -= 1
            await asyncio.sleep(pause_s)
            pause_s = min(LONGEST_PAUSE_S, pause_s * 2)

    async def _once(self, call: Call, url: str) -> Response:
        import httpx2

        try:
            base = httpx2.URL(url)
            full_url = base.copy_with(raw_path=base.raw_path.rstrip(b"/") + call.target)
            request = httpx2.Request(call.method, full_url, headers=list(call.headers), content=call.body)
            return await self._client(call.client, is_local(base.host)).send(request, stream=True)
        except (httpx2.TransportError, httpx2.InvalidURL, OSError) as error:
            raise Unreachable(f"the provider cannot be reached ({cause(error)})") from None

    def _client(self, name: str, local: bool) -> AsyncClient:
        """Return the connections of a key to this machine, or to others: a proxy of the environment serves those alone.

        Keys share none: what a provider sends after an answer is read as the next answer of the same connection.
        """
        if (name, local) not in self._clients:
            import httpx2

            if local not in self._tls:
                self._tls[local] = httpx2.create_ssl_context(trust_env=not local)
            idle = max(MIN_IDLE, MAX_IDLE // max(1, len(self._configuration.keys)))
            self._clients[name, local] = httpx2.AsyncClient(
                verify=self._tls[local],
                timeout=httpx2.Timeout(SILENT_S, connect=CONNECT_S, write=SEND_S),
                limits=httpx2.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=idle),
                follow_redirects=False,
                trust_env=not local,
            )
        return self._clients[name, local]

    async def close(self) -> None:
        """Close every connection."""
        for client in self._clients.values():
            await client.aclose()


def is_local(host: str) -> bool:
    """Return whether a host is this machine, by its name or address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _asked_pause(response: Response, otherwise: float) -> float:
    try:
        return min(LONGEST_PAUSE_S, max(0.0, float(response.headers.get("retry-after", ""))))
    except ValueError:
        return otherwise
