"""The gateway's addresses: which provider a path belongs to, and what is done for requests to it."""

import re
from urllib.parse import unquote_to_bytes

from ....modules.records import dataclass
from ..requests import Dialect
from .configuration import ANTHROPIC, GEMINI, OLLAMA, OPENAI

ROOTS = {
    b"/proxy/openai/v1": OPENAI,
    b"/proxy/anthropic/v1": ANTHROPIC,
    b"/proxy/gemini": GEMINI,
    b"/proxy/ollama": OLLAMA,
}
_CONVERSATIONS = {
    (OPENAI, "/chat/completions"): Dialect.CHAT,
    (OPENAI, "/responses"): Dialect.RESPONSES,
    (OPENAI, "/completions"): Dialect.COMPLETIONS,
    (ANTHROPIC, "/messages"): Dialect.MESSAGES,
    (OLLAMA, "/api/chat"): Dialect.OLLAMA,
    (OLLAMA, "/api/generate"): Dialect.GENERATE,
    (OLLAMA, "/v1/chat/completions"): Dialect.CHAT,
    (OLLAMA, "/v1/responses"): Dialect.RESPONSES,
    (OLLAMA, "/v1/completions"): Dialect.COMPLETIONS,
    (OLLAMA, "/v1/messages"): Dialect.MESSAGES,
    (GEMINI, "/v1beta/openai/chat/completions"): Dialect.CHAT,
}
_ORDERS = (
    *((OPENAI, one) for one in ("/threads", "/conversations", "/responses/compact")),
    *((ANTHROPIC, one) for one in ("/messages/batches", "/complete", "/sessions")),
    *((GEMINI, f"/{version}/interactions") for version in ("v1", "v1beta", "v1alpha")),
)
"""What users say in other forms: threads, events, batches."""
_UNSEEN = ((OPENAI, "/batches"), (OPENAI, "/realtime"))
"""What runs something that is not in the request: a file that was uploaded, or a connection made beside the gateway."""
_OF_A_MODEL = re.compile(r"/v1\w{0,10}/(?:[^:]*/)?(?:models|tunedmodels|endpoints)/([^/:]+):([a-z]+)")
"""Gemini's paths end with a model and what is asked of it."""
_METHODS = {"generatecontent": "generateContent", "streamgeneratecontent": "streamGenerateContent"}
_COUNT, _BATCH = "counttokens", "batchgeneratecontent"
_COUNTS = {(ANTHROPIC, "/messages/count_tokens"): Dialect.MESSAGES}
_ASKS_FOR_NOTHING = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})
_CODED = re.compile(rb"%[0-9A-Fa-f]{2}")
_MANGLED = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_UNCLEAR = re.compile(rb"[\x00-\x1f\x7f\\]")


class Ambiguous(ValueError):
    """A path that two servers could read in two ways; the message says why."""


@dataclass(frozen=True)
class ProxyRoute:
    """The provider of a request and the rest of its path; the dialect of its conversation, None for all else.

    With `counts` nothing is answered but how long the conversation is. What `orders` holds words of users in another
    form, and of what `is_unseen` nobody can know here what it has done. `model` is the one that a path names, and
    `streams` whether it asks for a stream.
    """

    provider: str
    target: bytes
    dialect: Dialect | None = None
    counts: bool = False
    orders: bool = False
    is_unseen: bool = False
    model: str = ""
    streams: bool = False


def route_of(method: str, path: bytes, query: bytes) -> ProxyRoute | None:
    """Return where a request goes; None for a path that is no provider's. Raises Ambiguous.

    However the path of a conversation is written, it is that conversation's, and goes on as it is usually written.
    """
    for root, provider in ROOTS.items():
        if path == root or path.startswith(root + b"/"):
            rest = path[len(root) :]
            segments = _segments(rest)
            plain = segments.lower()
            more = b"?" + query if query else b""
            name = (provider, plain)
            dialect = _CONVERSATIONS.get(name) or _COUNTS.get(name)
            if method in _ASKS_FOR_NOTHING:
                return ProxyRoute(provider, rest + more)
            if provider == GEMINI and (match := _OF_A_MODEL.fullmatch(plain)):
                return _of_gemini(segments, match, rest, more)
            if dialect is None:
                orders = any(_is_below(provider, plain, one) for one in _ORDERS)
                is_unseen = any(_is_below(provider, plain, one) for one in _UNSEEN) and not plain.endswith("/cancel")
                return ProxyRoute(provider, rest + more, orders=orders, is_unseen=is_unseen)
            return ProxyRoute(provider, plain.encode("latin-1") + more, dialect, name in _COUNTS)
    return None


def _is_below(provider: str, path: str, root: tuple[str, str]) -> bool:
    return provider == root[0] and (path == root[1] or path.startswith(f"{root[1]}/"))


def _of_gemini(segments: str, match: re.Match[str], rest: bytes, more: bytes) -> ProxyRoute:
    """Return the route of what is asked of one of Gemini's models, whose name keeps its case."""
    model, method = segments[slice(*match.span(1))], match.group(2)
    if method == _COUNT:
        return ProxyRoute(GEMINI, rest + more, Dialect.GEMINI, counts=True, model=model)
    if method not in _METHODS:
        return ProxyRoute(GEMINI, rest + more, orders=method == _BATCH)
    target = f"{segments[: match.start(2)]}{_METHODS[method]}".encode() + more
    return ProxyRoute(GEMINI, target, Dialect.GEMINI, model=model, streams=method.startswith("stream"))


def _segments(rest: bytes) -> str:
    """Return a path decoded, without empty segments, and without what hangs on segments."""
    decoded = unquote_to_bytes(rest)
    if _MANGLED.search(rest) or _CODED.search(decoded) or _UNCLEAR.search(decoded):
        raise Ambiguous("the path's encoding is ambiguous")
    segments = [re.split(rb"[;?#]", one, maxsplit=1)[0].strip() for one in decoded.split(b"/")]
    if any(one in (b".", b"..") for one in segments):
        raise Ambiguous("the path has dot segments")
    return "".join(f"/{one.decode('latin-1')}" for one in segments if one)
