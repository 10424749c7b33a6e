"""Messages that are hardly calls of a tool: each is answered by a session as by the SDK alone, in both eras."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agentos.interfaces.stdio.direct import CLIENT_KEY
from agentos.interfaces.stdio.front.handshake import CAPABILITIES_KEY, MODERN, PROTOCOL_VERSION_KEY
from agentos.modules.agentos import AgentOS
from tests.integration.interfaces.test_direct_calls import ENVELOPE, answers_to, enveloped, handshake, written
from tests.tables import every

LEGACY = "2025-11-25"
VALUES: tuple[Any, ...] = (None, True, 0, 7, -1, 1.0, 1.5, "", "x", [], [1], {}, {"a": 1}, {"a": {}}, 10**40)
NUMERALS = ("NaN", "Infinity", "-0", "01", "1.", "1e999", "1" + "0" * 4_300, "-" + "9" * 5_000)
TEXTS = ('"\\u0000"', '"\\ud83d\\ude00"', '"\\ud800"', '"\\x"', '"\x01"', "tru", "'a'", "1,")
DEPTHS = (90, 150, 198, 202, 900, 5_000)
OF_MESSAGES = ("jsonrpc", "method", "params", "extra", "result", "error")
OF_CALLS = ("name", "arguments", "_meta", "meta", "task", "extra", "inputResponses", "requestState")
OF_METAS = (
    "progressToken progress_token traceparent tracestate baggage vendor/key io.modelcontextprotocol/logLevel "
    "io.modelcontextprotocol/unheard io_modelcontextprotocol_client_info"
).split()
OF_CLIENTS = ("name", "version", "title", "description", "websiteUrl", "icons", "extra")
CAPABILITIES = ("elicitation", "experimental", "extensions", "roots", "sampling", "extra")
OF_CAPABILITIES = ("form", "url", "context", "tools", "listChanged")
INITIALIZE = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "codex", "version": "1"}}
CALL = {"name": "memory_list", "arguments": {}}


def call(number: Any, version: str, **params: Any) -> dict[str, Any]:
    return {"id": number, "method": "tools/call", "params": enveloped(version, {**CALL, **params})}


def without(held: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in held.items() if name != key}


def odd_messages(version: str) -> Iterator[dict[str, Any]]:
    """Each with one thing in it that is missing, too much, or of another type; the ids are what numbers them."""
    plain = call(1, version)
    meta = plain["params"].get("_meta", {})
    for value in VALUES:  # before any call that they could end
        yield {"method": "notifications/cancelled", "params": {"requestId": value}}
        yield {"method": "notifications/cancelled", "params": value}
    for value in VALUES:
        yield {**plain, "id": value}
        yield from ({**plain, key: value} for key in OF_MESSAGES)
        yield from ({**plain, "params": {**plain["params"], key: value}} for key in OF_CALLS)
        yield from (_with_meta(plain, {**meta, key: value}) for key in OF_METAS)
        yield {"id": value, "method": "notifications/cancelled", "params": {"requestId": 5}}
        yield {"id": value, "method": "notifications/initialized"}
    yield from (without(plain, key) for key in plain)
    yield from ({**plain, "params": without(plain["params"], key)} for key in plain["params"])
    if version == MODERN:
        yield from (_with_meta(plain, changed) for changed in _odd_envelopes())


def _odd_envelopes() -> Iterator[dict[str, Any]]:
    yield from (without(ENVELOPE, key) for key in ENVELOPE)
    for value in VALUES:
        yield from ({**ENVELOPE, key: value} for key in ENVELOPE)
        yield from ({**ENVELOPE, CLIENT_KEY: {"name": "codex", "version": "1", key: value}} for key in OF_CLIENTS)
        for name in CAPABILITIES:
            yield {**ENVELOPE, CAPABILITIES_KEY: {name: value}}
            yield from ({**ENVELOPE, CAPABILITIES_KEY: {name: {key: value}}} for key in OF_CAPABILITIES)
    yield from ({**ENVELOPE, CLIENT_KEY: {key: "codex"}} for key in ("name", "version"))


def _with_meta(plain: Mapping[str, Any], meta: Mapping[str, Any]) -> dict[str, Any]:
    return {**plain, "params": {**plain["params"], "_meta": meta}}


def odd_lines(version: str) -> Iterator[str]:
    """Lines that say a thing twice, nest too deep, or are not JSON; with the id 1, where they have one."""
    line = written(call(1, version)).decode().strip()
    for twice in ('"id": 2', '"id": null', '"method": "ping"', '"params": {}', '"params": 5'):
        yield f"{line[:-1]}, {twice}}}"
        yield f"{{{twice}, {line[1:]}"
    for twice in ('"name": "memory_get"', '"arguments": []', '"_meta": {}', f'"{PROTOCOL_VERSION_KEY}": "x"'):
        yield line.replace('"params": {', f'"params": {{{twice}, ')
        yield f"{line[:-2]}, {twice}}}}}"
    deep = [f"{begin * depth}1{end * depth}" for depth in DEPTHS for begin, end in (("[", "]"), ('{"a": ', "}"))]
    for value in (*NUMERALS, *TEXTS, *deep):
        yield line.replace('"id": 1', f'"id": {value}')
        yield line.replace('"arguments": {}', f'"arguments": {{"limit": {value}}}')
        yield line.replace('"arguments": {}', f'"arguments": {{}}, "_meta": {{"x": {value}}}')
        yield line.replace('/clientCapabilities": {}', f'/clientCapabilities": {{"extensions": {{"x": {value}}}}}')
    yield from (f"[{line}]", f"[{line}, {line}]", "[]", "null", "5", line[:-1], f"{line} x", f"{line}{line}")
    yield from (f" {line}\t", f"\ufeff{line}", f"\u2028{line}", f"{line}\x00", line.replace(", ", ",\x0c "))


def numbered(version: str) -> Iterator[str]:
    """All of them, with an id of its own for each that has a plain one."""
    bare = (json.dumps({"jsonrpc": "2.0", **message}) for message in odd_messages(version))
    for number, line in enumerate((*bare, *odd_lines(version)), 100):
        yield line.replace('"id": 1,', f'"id": {number},')


def as_lines(*texts: str) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


async def test_what_is_hardly_a_call_is_answered_as_by_the_sdk(lexical: AgentOS) -> None:
    @every("version", (LEGACY, MODERN))
    async def alike(version: str) -> None:
        begun = handshake(version) + written(call("begin", version))
        lines = list(numbered(version))
        assert len(lines) > 500
        ours, sdks = [
            sorted(await answers_to(lexical, begun, as_lines(*lines), directly=one), key=_id) for one in _BOTH
        ]
        assert [one for one in ours if one not in sdks] == [one for one in sdks if one not in ours] == []
        assert len(ours) == len(sdks)

    await alike()


_BOTH = (True, False)


def _id(message: Mapping[str, Any]) -> str:
    return json.dumps(message, sort_keys=True)


OPENINGS: tuple[tuple[dict[str, Any], ...], ...] = (
    (call(1, MODERN), {"id": 2, "method": "initialize", "params": INITIALIZE}, call(3, MODERN), call(4, LEGACY)),
    ({"id": 1, "method": "initialize", "params": INITIALIZE}, call(2, MODERN), call(3, LEGACY), call(4, MODERN)),
    (call(1, LEGACY), call(2, MODERN), {"id": 3, "method": "initialize", "params": INITIALIZE}, call(4, LEGACY)),
    ({"id": 1, "method": "ping"}, call(2, MODERN)),
    ({"id": 1, "method": "server/discover", "params": {"_meta": ENVELOPE}}, call(2, MODERN), call(3, LEGACY)),
    ({"method": "notifications/initialized"}, call(1, MODERN), {"id": 2, "method": "ping"}, call(3, MODERN)),
)


async def test_a_session_stays_in_the_era_in_which_its_client_began(lexical: AgentOS) -> None:
    @every("messages", OPENINGS)
    async def alike(messages: tuple[dict[str, Any], ...]) -> None:
        ours, sdks = [sorted(await answers_to(lexical, written(*messages), directly=one), key=_id) for one in _BOTH]
        assert ours == sdks

    await alike()
