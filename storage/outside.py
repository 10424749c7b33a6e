"""A service that the user named, on this machine or beyond: whether it may be asked, and one bounded request to it."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..modules.errors import cause

if TYPE_CHECKING:
    from httpx2 import AsyncClient

CONNECT_S = 5.0
_PASSING = frozenset({408, 425, 429})


class NoAnswer(Exception):
    """The service cannot be reached, or gave no whole answer in time; `str` goes on after the service's name."""


class EndlessAnswer(Exception):
    """Its answer is longer than any right one."""


def is_local(url: str) -> bool:
    """Return whether what is sent there stays on this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def why_not(url: str, setting: str, *, offline: bool) -> str | None:
    """Why a service may not be asked, in words with the remedy; None if it may."""
    if is_local(url) or not offline:
        return None
    return (
        f"{setting} names {urlsplit(url).hostname}, another machine, and AgentOS is offline: "
        "set AGENTOS_OFFLINE=false to send texts there"
    )


def open_client(url: str, headers: Mapping[str, str], request_s: float) -> AsyncClient:
    """A client for requests to one service. Follows no redirects: texts go where the user said."""
    import httpx2

    return httpx2.AsyncClient(
        headers=dict(headers),
        timeout=httpx2.Timeout(request_s, connect=CONNECT_S),
        follow_redirects=False,
        trust_env=not is_local(url),  # a proxy of the environment would take local texts off the machine
    )


async def post(
    client: AsyncClient, url: str, content: Mapping[str, Any], timeout_s: float, bytes_max: int
) -> tuple[int, bytes]:
    """Send a request with JSON; return the status, and the body where that is 200. Raises NoAnswer, EndlessAnswer."""
    return await exchange(client, "POST", url, content, timeout_s, bytes_max)


async def exchange(
    client: AsyncClient, method: str, url: str, content: Mapping[str, Any] | None, timeout_s: float, bytes_max: int
) -> tuple[int, bytes]:
    """Send a request with JSON or nothing, by any method; else as `post`. Raises NoAnswer, EndlessAnswer."""
    import httpx2

    try:
        async with asyncio.timeout(timeout_s):
            return await _exchange(client, method, url, content, bytes_max)
    except TimeoutError:
        raise NoAnswer(f"gave no answer in {timeout_s:g} s") from None
    except httpx2.TimeoutException:
        raise NoAnswer("gave no answer in time") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:  # their texts name addresses, never headers
        raise NoAnswer(f"cannot be reached: {cause(error)}") from None


async def _exchange(
    client: AsyncClient, method: str, url: str, content: Mapping[str, Any] | None, bytes_max: int
) -> tuple[int, bytes]:
    body = bytearray()
    async with client.stream(method, url, json=content) as response:
        if response.status_code == 200:
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > bytes_max:
                    raise EndlessAnswer
        return response.status_code, bytes(body)


def passes(status: int) -> bool:
    """Return whether a service that answers with this status may answer otherwise later."""
    return status >= 500 or status in _PASSING
