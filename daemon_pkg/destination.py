"""The allowed targets of outgoing requests: this machine if the URL names it, otherwise only public addresses."""

import asyncio
import ipaddress
import socket
from urllib.parse import urlsplit, urlunsplit

from ..modules.records import dataclass

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_EMBEDDING_V4 = tuple(map(ipaddress.IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/96", "::/96")))
_OF_CLOUDS = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "168.63.129.16/32", "fec0::/10")))
"""What counts as public, and is a cloud's own service or a site's own network."""


class Forbidden(Exception):
    """The address is one of a private network, a link-local one or a cloud's own service."""


@dataclass(frozen=True)
class Destination:
    """A URL with the checked address as its host, and the host's name: for the header and the certificate."""

    url: str
    authority: str
    name: str


async def resolved(url: str) -> Destination:
    """Resolve a URL's host once, so that the address called is the one checked. Raises Forbidden, OSError."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    found = await asyncio.get_running_loop().getaddrinfo(host, parts.port or 0, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found))
    if not addresses:
        raise OSError("no address")
    if not (is_loopback_name(host) and all(address.is_loopback for address in addresses)) and not all(
        map(is_public, addresses)
    ):
        raise Forbidden
    address = addresses[0]
    literal = f"[{address}]" if address.version == 6 else str(address)
    port = "" if parts.port is None else f":{parts.port}"
    name = f"[{host}]" if ":" in host else host
    return Destination(urlunsplit(parts._replace(netloc=literal + port)), name + port, host)


def is_loopback_name(host: str) -> bool:
    """Return whether a host names this machine outright."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_public(address: Address) -> bool:
    """Return whether an address is a public one; for an IPv6 address with an IPv4 one in it, whether that is."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if inner is None and any(address in network for network in _EMBEDDING_V4):
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    own = any(address.version == network.version and address in network for network in _OF_CLOUDS)
    return address.is_global and not address.is_multicast and not own
