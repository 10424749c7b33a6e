"""The policy of connections and limits: the part of the settings that SIGHUP reads again."""

import ipaddress
import re

from starlette.datastructures import Headers
from starlette.types import Scope

from ...config import Settings
from ...modules.records import dataclass

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
_HOST = re.compile(r"(?:\[([0-9a-f:.]{2,45})\]|([\w.-]{1,253}))(?::\d{1,5})?", re.ASCII | re.IGNORECASE)
ANY_ADDRESS = frozenset({"0.0.0.0", "::", ""})


@dataclass(frozen=True)
class DoorPolicy:
    """The limits of the door. `hosts` are the names that requests may be addressed to, in lower case."""

    hosts: frozenset[str]
    allowed: tuple[Network, ...]
    proxies: tuple[Network, ...]
    requests_per_minute: int
    max_body_bytes: int
    base_path: str = ""

    @classmethod
    def of(cls, settings: Settings) -> "DoorPolicy":
        """Return the policy that settings ask for."""
        host, _ = settings.http_address
        listening = frozenset() if host in ANY_ADDRESS else frozenset({host.lower()})
        return cls(
            LOOPBACK_NAMES | listening | {name.strip("[]").lower() for name in settings.http_hosts},
            settings.http_allow,
            settings.http_proxies,
            settings.http_requests_per_minute,
            settings.http_max_body_bytes,
            settings.http_base_path,
        )

    def client(self, scope: Scope) -> str:
        """Return the address that a request comes from; what proxies say counts only from those that are trusted."""
        address = scope["client"][0] if scope.get("client") else ""
        if not self.proxies:
            return address
        forwarded = ",".join(Headers(scope=scope).getlist("x-forwarded-for")).split(",")
        hops = [address, *(hop.strip() for hop in reversed(forwarded) if hop.strip())]
        return next((hop for hop in hops if not _within(hop, self.proxies)), hops[-1])

    def admits(self, address: str) -> bool:
        """Return whether an address may connect: any, unless the settings list some."""
        return not self.allowed or _within(address, self.allowed)

    def scheme(self, scope: Scope) -> str:
        """Return the scheme that the client used, as far as a trusted proxy tells it."""
        address = scope["client"][0] if scope.get("client") else ""
        forwarded = Headers(scope=scope).get("x-forwarded-proto", "")
        return forwarded if forwarded in ("http", "https") and _within(address, self.proxies) else str(scope["scheme"])


class CurrentPolicy:
    """The policy in force; a reload replaces it as a whole."""

    def __init__(self, policy: DoorPolicy) -> None:
        self.value = policy


def name_of(host: str) -> str:
    """Return the name in a Host header, without its port, in lower case; "" for what is none."""
    found = _HOST.fullmatch(host)
    return "" if found is None else (found[1] or found[2]).lower()


def _within(address: str, networks: tuple[Network, ...]) -> bool:
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(parsed, "ipv4_mapped", None)
    return any((mapped or parsed) in network for network in networks)
