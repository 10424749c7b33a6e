"""The gateway's addresses: which provider a path belongs to, and what is done for requests to it."""

from dataclasses import dataclass

from ...modules.gateway.requests import Dialect
from .configuration import ANTHROPIC, OPENAI

ROOTS = {b"/proxy/openai/v1": OPENAI, b"/proxy/anthropic/v1": ANTHROPIC}
_CONVERSATIONS = {
    (OPENAI, "/chat/completions"): Dialect.CHAT,
    (OPENAI, "/responses"): Dialect.RESPONSES,
    (ANTHROPIC, "/messages"): Dialect.MESSAGES,
}
_COUNTS = {(ANTHROPIC, "/messages/count_tokens"): Dialect.MESSAGES}


@dataclass(frozen=True)
class Route:
    """The provider of a request and the rest of its path; the dialect of its conversation, None for all else.

    With `counts` nothing is answered but how long the conversation is.
    """

    provider: str
    target: bytes
    dialect: Dialect | None = None
    counts: bool = False


def route_of(method: str, path: bytes, query: bytes) -> Route | None:
    """Return where a request goes; None for a path that is no provider's."""
    for root, provider in ROOTS.items():
        if path == root or path.startswith(root + b"/"):
            rest = path[len(root) :]
            name = (provider, rest.decode("latin-1").rstrip("/"))
            target = rest + (b"?" + query if query else b"")
            if method != "POST":
                return Route(provider, target)
            return Route(provider, target, _CONVERSATIONS.get(name) or _COUNTS.get(name), name in _COUNTS)
    return None
