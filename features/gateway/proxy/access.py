"""The sender of a request, by its key: its namespace, its rules, and its key at the provider."""

from collections.abc import Iterable, Mapping, Sequence

from ....modules.records import dataclass
from ..modes import Mode, Wish
from .configuration import ANTHROPIC, GEMINI, Configuration

DIRECT = "direct"
"""The name of clients that send the provider's own key."""
SESSION_HEADERS = (
    *("x-openwebui-chat-id", "x-claude-code-session-id", "x-librechat-conversation-id"),
    *("conversation_id", "session_id"),
)
"""The headers in which known clients name a conversation; others may send the same name with all of theirs."""
MAX_THREAD_CHARS = 500
_MAY_HAVE_KEYS = (b"authorization", b"x-api-key", b"x-goog-api-key")
_KEY_HEADERS = {ANTHROPIC: b"x-api-key", GEMINI: b"x-goog-api-key"}


@dataclass(frozen=True)
class ClientTerms:
    """The terms of clients of which nothing else is said."""

    namespace: str
    mode: Mode
    client_control: bool
    after: str = ""


@dataclass(frozen=True)
class ClientAccess:
    """A client: its `name` in what is counted and kept, its namespace, and what stands for its requests.

    With an `upstream_key` that goes to the provider in the place of the client's own, which is then ours. `thread` is
    the client's name of the conversation, as a header has it.
    """

    name: str
    namespace: str
    wish: Wish
    client_control: bool
    upstream_key: str | None = None
    thread: str = ""


class ClientRefused(Exception):
    """The client may not use the gateway; the message says why."""


def access_of(
    headers: Mapping[str, str], provider: str, configuration: Configuration, standing: ClientTerms
) -> ClientAccess:
    """Return who sends a request. Raises Refused.

    Where keys are configured, one of them is needed. Where none is, whatever the client sends is the provider's, a key
    or a token of OAuth: it passes through, and is neither kept nor used for anything else.
    """
    if not configuration.keys:
        wish = Wish(standing.mode, standing.after)
        thread = _thread(headers, SESSION_HEADERS)
        return ClientAccess(DIRECT, standing.namespace, wish, standing.client_control, thread=thread)
    bearer = headers.get("authorization", "")
    bearer = bearer[7:].strip() if bearer.lower().startswith("bearer ") else ""
    presented = headers.get("x-api-key") or headers.get("x-goog-api-key") or bearer
    key = configuration.key(presented) if presented else None
    if key is None:
        raise ClientRefused("this gateway needs one of its own keys, as in gateway.toml")
    upstream = key.upstream_key(provider)
    if upstream is None:
        raise ClientRefused(f"the key {key.name} has no {provider}_key in gateway.toml")
    control = standing.client_control if key.client_control is None else key.client_control
    wish = Wish(key.mode or standing.mode, key.after or standing.after)
    thread = _thread(headers, (key.session_header.lower(),) if key.session_header else SESSION_HEADERS)
    return ClientAccess(key.name, key.namespace or standing.namespace, wish, control, upstream, thread)


def check_one_key(headers: Iterable[tuple[bytes, bytes]], configuration: Configuration) -> None:
    """Raise ClientRefused where the keys of two clients are sent at once: it would be a guess who asks."""
    sent = (value.decode("latin-1") for name, value in headers if name.lower() in _MAY_HAVE_KEYS)
    known = (configuration.key(value[7:].strip() if value[:7].lower() == "bearer " else value) for value in sent)
    if len({one.name for one in known if one is not None}) > 1:
        raise ClientRefused("two of this gateway's keys are sent; send one")


def _thread(headers: Mapping[str, str], names: Sequence[str]) -> str:
    return next((value[:MAX_THREAD_CHARS] for name in names if (value := headers.get(name))), "")


def credentials(provider: str, key: str) -> list[tuple[bytes, bytes]]:
    """Return the headers that carry a key to a provider."""
    if provider in _KEY_HEADERS:
        return [(_KEY_HEADERS[provider], key.encode())]
    if not key:
        return []
    return [(b"authorization", f"Bearer {key}".encode())]
