"""Calls of tools answered without MCP's SDK, which takes half a second and 60 MB to load: a front asks for little else.

What is not exactly as expected is left to the SDK's server, which knows all the rules; a test holds the answers equal.
"""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from ...modules import abilities
from ...modules.version import MAX_CLIENT_CHARS, VERSION
from .asking import Asking, is_of_a_form, told
from .front.handshake import (
    CAPABILITIES_KEY,
    HANDSHAKE_VERSIONS,
    MODERN,
    PROTOCOL_VERSION_KEY,
    REPLAYED_ID,
)
from .in_flight import InFlight
from .wire import RequestId, canonical_id, is_request_id

if TYPE_CHECKING:
    from ...tools.calling import Calls

CLIENT_KEY, SERVER_KEY = "io.modelcontextprotocol/clientInfo", "io.modelcontextprotocol/serverInfo"
_RESERVED = "io.modelcontextprotocol/"
_NOBODY = {"name": "unknown", "version": ""}
_SERVER = {"name": "agentos", "title": "AgentOS", "version": VERSION}
_OF_A_CALL = frozenset({"name", "arguments", "_meta"})
_OF_A_CLIENT = frozenset({"name", "version", "title", "description", "websiteUrl"})
_BAGGAGE = "baggage"
"""What the SDK reads of a `_meta` beside its own: OpenTelemetry's, a text."""
MOST_LEVELS = 100
"""The most levels of a plain call's values: the SDK's parser reads twice as many, Python's any number."""

ROOTS_ID = "agentos-roots"
"""The id of the one request to a client: in which folders its agent works."""
ROOTS_WITHIN_S = 1.0
"""How long the first call waits for the answer to it."""
_ASK_ROOTS = json.dumps({"jsonrpc": "2.0", "id": ROOTS_ID, "method": "roots/list"}) + "\n"

_OPENING = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": REPLAYED_ID,
        "method": "server/discover",
        "params": {"_meta": {PROTOCOL_VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}},
    }
)
"""What tells the SDK that the client's first request was of the era without a handshake."""

Write = Callable[[str], Awaitable[None]]


class DirectCalls:
    """Takes the calls of one session, and keeps the handshake of its front for the SDK, should it be needed."""

    def __init__(self, calls: "Calls", in_flight: InFlight, write: Write) -> None:
        self._calls = calls
        self._in_flight = in_flight
        self._write = write
        self._client: str | None = None
        self._modern = False
        self._running: dict[RequestId, asyncio.Task[None]] = {}
        self._held: list[str] | None = []
        self._has_roots = False
        self._roots_known: asyncio.Event | None = None
        self._asking: Asking | None = None

    async def take(self, line: str) -> bool:
        """Handle a message, once there is room for it; return False for one that is for the SDK."""
        message = _read(line)
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return False
        if message.get("id") == ROOTS_ID and self._roots_known is not None and "method" not in message:
            self._note_roots(message.get("result"))
            return True
        if "method" not in message and is_of_a_form(message.get("id")):
            if self._asking is not None:
                self._asking.heard(message)
            return True
        method, params = message.get("method"), message.get("params", {})
        if not isinstance(params, dict):
            return False
        if method == "tools/call" and message.keys() == {"jsonrpc", "id", "method", "params"}:
            return await self._begin(message["id"], params)
        if method == "notifications/cancelled" and "id" not in message:
            return self._cancel(params.get("requestId"))
        if self._opens(message, params) and self._held is not None:
            self._held.append(line)
            if method == "notifications/initialized" and self._has_roots and self._roots_known is None:
                self._roots_known = asyncio.Event()
                await self._write(_ASK_ROOTS)
            return True
        return False

    def hand_over(self) -> list[str]:
        """Return the lines that open the connection for the SDK: from now on such messages are for it."""
        held, self._held = [_OPENING] if self._modern else self._held or [], None
        return held

    async def close(self) -> None:
        """End the calls and the questions that are under way."""
        if self._asking is not None:
            await self._asking.close()
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _opens(self, message: dict[str, Any], params: dict[str, Any]) -> bool:
        """Note a message of the handshake that a front repeats, awaiting no answer; return whether it is one."""
        if message.get("method") == "notifications/initialized":
            return bool(self._held) and "id" not in message
        client = params.get("clientInfo")
        if message.get("id") != REPLAYED_ID or self._client is not None or self._modern:
            return False
        if message.get("method") != "initialize" or params.get("protocolVersion") not in HANDSHAKE_VERSIONS:
            return False
        self._client = _name_of(client)
        capabilities = params.get("capabilities")
        self._has_roots = isinstance(capabilities, dict) and isinstance(capabilities.get("roots"), dict)
        if abilities.takes_forms(capabilities):
            self._asking = Asking(self._calls, self._write)
        return self._client is not None

    def _note_roots(self, result: object) -> None:
        """Take the first root of a client as the folder that its agent works in."""
        if (folder := _first_root(result)) is not None:
            self._calls.work_in(folder)
        if self._roots_known is not None:
            self._roots_known.set()

    def _cancel(self, request_id: object) -> bool:
        if not is_request_id(request_id) or canonical_id(request_id) not in self._running:
            return self._held is not None  # it came too late: nothing is with the SDK
        self._running[canonical_id(request_id)].cancel()
        self._in_flight.end(request_id)  # it is never answered
        return True

    async def _begin(self, identifier: object, params: dict[str, Any]) -> bool:
        tool, given = params.get("name"), params.get("arguments", {})
        client = self._caller(params.get("_meta", {}))
        if client is None or not is_request_id(identifier) or canonical_id(identifier) in self._running:
            return False
        if not isinstance(given, dict) or not params.keys() <= _OF_A_CALL:
            return False
        if not isinstance(tool, str) or tool not in self._calls or _is_deeper(params, MOST_LEVELS):
            return False
        if self._client is None and self._calls.asks(tool, given):
            return False  # the SDK's server asks in the result
        self._modern = self._client is None
        await self._in_flight.begin(identifier)
        task = asyncio.create_task(self._answer(identifier, tool, client, given))
        self._running[canonical_id(identifier)] = task
        task.add_done_callback(lambda _: self._running.pop(canonical_id(identifier)))
        return True

    def _caller(self, meta: object) -> str | None:
        """Return the name of the client, from the handshake or what comes with a call; None where that is not plain."""
        if not isinstance(meta, dict) or not is_request_id(meta.get("progressToken", 0)):
            return None
        if not isinstance(meta.get(_BAGGAGE, ""), str):
            return None
        reserved = {key: value for key, value in meta.items() if key.startswith(_RESERVED)}
        if self._client is not None:
            return None if reserved else self._client
        if self._held is None and not self._modern:
            return None  # the SDK has seen how the client began, and answers by that
        client = reserved.pop(CLIENT_KEY, _NOBODY)
        if reserved.keys() != {PROTOCOL_VERSION_KEY, CAPABILITIES_KEY} or reserved[PROTOCOL_VERSION_KEY] != MODERN:
            return None
        return _name_of(client) if _are_plain(reserved[CAPABILITIES_KEY]) else None

    async def _answer(self, identifier: RequestId, tool: str, client: str, given: dict[str, Any]) -> None:
        if self._roots_known is not None and not self._roots_known.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._roots_known.wait(), ROOTS_WITHIN_S)
            self._roots_known.set()  # a client that does not answer is not waited for again
        result = await self._calls.answer(tool, client, given)
        forms = await self._asking.forms(tool, given, result) if self._asking is not None else ()
        if forms:
            result = told(result)
        if self._client is None:
            meta = {**result.get("_meta", {}), SERVER_KEY: _SERVER}
            result = {**result, "resultType": "complete", "_meta": meta}
        answer = {"jsonrpc": "2.0", "id": identifier, "result": result}
        await self._write(json.dumps(answer, ensure_ascii=False, separators=(",", ":")) + "\n")
        if forms and self._asking is not None:
            self._asking.begin(client, forms)


def _read(line: str) -> Any:
    """Return the JSON value of a line; None when it is not JSON, or names anything twice: parsers differ about that."""
    try:
        return json.loads(line, object_pairs_hook=_named_once)
    except (ValueError, RecursionError):
        return None


def _first_root(result: object) -> str | None:
    """Return the folder of a client's first root that is one of this machine, if there is any."""
    roots = result.get("roots") if isinstance(result, dict) else None
    for root in roots if isinstance(roots, list) else []:
        uri = root.get("uri") if isinstance(root, dict) else None
        with contextlib.suppress(ValueError):
            parts = urlsplit(uri) if isinstance(uri, str) else None
            if parts is not None and parts.scheme == "file" and parts.netloc in ("", "localhost"):
                return unquote(parts.path)
    return None


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


def _name_of(client: object) -> str | None:
    """Return the name in what a client says about itself; None where that is not plain."""
    if not isinstance(client, dict) or not {"name", "version"} <= client.keys() <= _OF_A_CLIENT:
        return None
    name: str = client["name"]
    return name[:MAX_CLIENT_CHARS] if all(isinstance(value, str) for value in client.values()) else None


def _are_plain(capabilities: object) -> bool:
    """Return whether a client's capabilities are objects of objects, but for `roots`, which holds anything."""
    return isinstance(capabilities, dict) and all(
        isinstance(one, dict) and (name == "roots" or all(isinstance(each, dict) for each in one.values()))
        for name, one in capabilities.items()
    )


def _is_deeper(value: object, levels: int) -> bool:
    """Return whether a JSON value has objects or lists in one another on more than so many levels."""
    found: list[Any] = [value]
    for _ in range(levels):
        found = [
            inner
            for one in found
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, (dict, list))
        ]
        if not found:
            return False
    return True
