"""Records a live server's answers to a handshake: the snapshot that the front answers from."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import TYPE_CHECKING, Any

from ...modules import abilities, private_files
from .front.handshake import CAPABILITIES_KEY, HANDSHAKE_VERSIONS, MODERN, PLUGIN_TOOLS, PROTOCOL_VERSION_KEY
from .session import serve_session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import mcp.types as types
    from mcp.server import Server

_META = {PROTOCOL_VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}
_SHOWS_VIEWS = {"extensions": {abilities.VIEWS: {"mimeTypes": [abilities.PAGE]}}}
_CLIENT = {"name": "recording", "version": "1"}


async def record(build: Callable[..., Server[Any]], places: Sequence[tuple[str | None, str | None]]) -> dict[str, Any]:
    """Return a server's answers to both eras of the protocol, and which tools may be called twice.

    The server shows every tool; `places` are the toolset of each, None for those that are always shown, and the feature
    that it is of, None for those of none. `tools` are separated from the lists that hold them, each with its place.
    `resources` are the capabilities of one that has these too, which `build(resources=True)` returns. `views` is what a
    client that shows views is told otherwise, and the metadata of tools by their names. Raises ValueError if the SDK
    differs from what the front knows.
    """
    agreed = [await _answers(build(), [("initialize", _initialize(version))]) for version in HANDSHAKE_VERSIONS]
    versions = [answer["protocolVersion"] for [answer] in agreed]
    [initialize, legacy] = await _answers(
        build(), [("initialize", _initialize(HANDSHAKE_VERSIONS[-1])), ("tools/list", {})]
    )
    broken_call = {"name": legacy["tools"][0]["name"], "arguments": {"": ""}, "_meta": _META}
    [discover, modern, failure] = await _answers(
        build(), [("server/discover", {"_meta": _META}), ("tools/list", {"_meta": _META}), ("tools/call", broken_call)]
    )
    if tuple(versions) != HANDSHAKE_VERSIONS or not failure["isError"]:
        raise ValueError("the SDK speaks other versions of the protocol than the front knows")
    [offering] = await _answers(build(resources=True), [("initialize", _initialize(HANDSHAKE_VERSIONS[-1]))])
    [offering_modern] = await _answers(build(resources=True), [("server/discover", {"_meta": _META})])
    views = await _views(build, initialize, discover, {**legacy}, {**modern})
    tools = legacy.pop("tools")
    of_server = {key: value for key, value in failure["_meta"].items() if not key.startswith("agentos/")}
    if modern.pop("tools") != tools:
        raise ValueError("the SDK shows the eras of the protocol different tools")
    return {
        "handshake_versions": versions,
        "initialize": initialize,
        "discover": discover,
        "resources": {
            "initialize": _beyond(initialize, offering),
            "discover": _beyond(discover, offering_modern),
        },
        "views": views,
        "list_legacy": legacy,
        "list_modern": modern,
        "failure_modern": {"resultType": failure["resultType"], "_meta": of_server},
        "repeatable_tools": _repeatable(tools),
        "tools": [{**_place(*place), "tool": tool} for place, tool in zip(places, tools, strict=True)],
    }


async def _views(
    build: Callable[..., Server[Any]],
    initialize: dict[str, Any],
    discover: dict[str, Any],
    legacy: dict[str, Any],
    modern: dict[str, Any],
) -> dict[str, Any]:
    """Return what differs for a client that shows views. Raises ValueError where anything else does."""
    begins = {**_initialize(HANDSHAKE_VERSIONS[-1]), "capabilities": _SHOWS_VIEWS}
    [begun, listed] = await _answers(build(), [("initialize", begins), ("tools/list", {})])
    meta = {**_META, CAPABILITIES_KEY: _SHOWS_VIEWS}
    [discovered, listed_modern] = await _answers(
        build(), [("server/discover", {"_meta": meta}), ("tools/list", {"_meta": meta})]
    )
    metadata = {tool["name"]: tool["_meta"] for tool in listed["tools"] if "_meta" in tool}
    without = [{key: value for key, value in tool.items() if key != "_meta"} for tool in listed["tools"]]
    if listed["tools"] != listed_modern["tools"] or without != legacy["tools"]:
        raise ValueError("a client that shows views is shown other tools")
    return {
        "initialize": _beyond(initialize, begun),
        "discover": _beyond(discover, discovered),
        "list_legacy": _other(legacy, listed),
        "list_modern": _other(modern, listed_modern),
        "tools": metadata,
    }


def _place(toolset: str | None, feature: str | None) -> dict[str, str | None]:
    return {"toolset": toolset, **({"feature": feature} if feature else {})}


def _other(plain: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a list, but for its tools, that another list has otherwise."""
    return {key: value for key, value in found.items() if key != "tools" and plain.get(key) != value}


def written(recorded: dict[str, Any]) -> str:
    """Return the recording as the front reads it: a line of JSON for the answers, then one for each tool."""
    answers = {name: value for name, value in recorded.items() if name != "tools"}
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in (answers, *recorded["tools"]))


def keep_plugin_tools(home: Path, tools: Sequence[types.Tool]) -> None:
    """Write for the front which tools plugins bring to a home; no file where there are none. Blocks. Raises OSError."""
    path = home / PLUGIN_TOOLS
    path.unlink(missing_ok=True)
    if tools:
        lines = (tool.model_dump_json(by_alias=True, exclude_none=True) for tool in tools)
        with private_files.appearing(path) as file:
            file.writelines(line.encode() + b"\n" for line in lines)


def _beyond(plain: dict[str, Any], offering: dict[str, Any]) -> dict[str, Any]:
    """Return the capabilities of an answer that is the same in all else. Raises ValueError where it is not."""
    capabilities: dict[str, Any] = offering["capabilities"]
    if {**plain, "capabilities": capabilities} != offering:
        raise ValueError("a server with resources differs in more than its capabilities")
    return capabilities


def _initialize(version: str) -> dict[str, Any]:
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": _CLIENT}


def _repeatable(tools: Sequence[dict[str, Any]]) -> list[str]:
    """Return the names of tools that may be called twice, whichever tool of that name a session has."""
    once = {tool["name"] for tool in tools if not _is_repeatable(tool["annotations"])}
    return [name for name in dict.fromkeys(tool["name"] for tool in tools) if name not in once]


def _is_repeatable(hints: dict[str, Any]) -> bool:
    harmless = hints["idempotentHint"] and not hints["destructiveHint"]
    return bool(hints["readOnlyHint"] or harmless)


async def _answers(server: Server[Any], requests: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the results of requests that are sent one after the other in a session of their own."""
    ours, theirs = socket.socketpair()
    served_reader, served_writer = await asyncio.open_connection(sock=theirs)
    served = asyncio.create_task(serve_session(lambda: server, None, served_reader, served_writer))
    reader, writer = await asyncio.open_connection(sock=ours, limit=2**20)
    results = []
    for number, (method, params) in enumerate(requests):
        writer.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
        results.append(json.loads(await reader.readline())["result"])
        if method == "initialize":
            writer.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    writer.close()
    await served
    served_writer.close()
    await asyncio.gather(writer.wait_closed(), served_writer.wait_closed())
    return results
