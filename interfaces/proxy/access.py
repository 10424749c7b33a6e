"""The sender of a request, by its key: its namespace, its rules, and its key at the provider."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...modules.gateway.modes import Mode, Wish
from .configuration import ANTHROPIC, Configuration

DIRECT = "direct"
"""The name of clients that send the provider's own key."""


@dataclass(frozen=True)
class Standing:
    """The terms of clients of which nothing else is said."""

    namespace: str
    mode: Mode
    client_control: bool
    after: str = ""


@dataclass(frozen=True)
class Access:
    """A client: its `name` in what is counted and kept, its namespace, and what stands for its requests.

    With an `upstream_key` that goes to the provider in the place of the client's own, which is then ours.
    """

    name: str
    namespace: str
    wish: Wish
    client_control: bool
    upstream_key: str | None = None


class Refused(Exception):
    """The client may not use the gateway; the message says why."""


def access_of(headers: Mapping[str, str], provider: str, configuration: Configuration, standing: Standing) -> Access:
    """Return who sends a request. Raises Refused.

    Where keys are configured, one of them is needed. Where none is, whatever the client sends is the provider's, a key
    or a token of OAuth: it passes through, and is neither kept nor used for anything else.
    """
    if not configuration.keys:
        return Access(DIRECT, standing.namespace, Wish(standing.mode, standing.after), standing.client_control)
    bearer = headers.get("authorization", "")
    presented = headers.get("x-api-key") or (bearer[7:].strip() if bearer.lower().startswith("bearer ") else "")
    key = configuration.key(presented) if presented else None
    if key is None:
        raise Refused("this gateway needs one of its own keys, as in gateway.toml")
    upstream = key.upstream_key(provider)
    if upstream is None:
        raise Refused(f"the key {key.name} has no {provider}_key in gateway.toml")
    control = standing.client_control if key.client_control is None else key.client_control
    wish = Wish(key.mode or standing.mode, key.after or standing.after)
    return Access(key.name, key.namespace or standing.namespace, wish, control, upstream)


def credentials(provider: str, key: str) -> list[tuple[bytes, bytes]]:
    """Return the headers that carry a key to a provider."""
    if provider == ANTHROPIC:
        return [(b"x-api-key", key.encode())]
    return [(b"authorization", f"Bearer {key}".encode())]
