"""The handshake, answered from a snapshot of the live server's answers; a test holds the two equal.

`handshake.jsonl` is what `agentos-server --handshake` prints: the answers, and a line for each tool there is, of which
those of the session's toolsets and features are shown. Any request that is not exactly as expected is left to the live
server, which knows all the rules.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ....modules import abilities, foreign_files
from ....modules.version import MAX_CLIENT_CHARS
from ..wire import is_request_id
from .place import has_feature

MODERN = "2026-07-28"
HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The versions of the protocol's older era, which begin with a handshake."""
PROTOCOL_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
REPLAYED_ID = "agentos:handshake"
LOST = {"agentos/code": "interrupted"}
"""How a failed call says in `_meta`, as the tools do, that nobody knows whether it was done."""
_OF_A_CLIENT = ("name", "version")
SNAPSHOT = Path(__file__).with_name("handshake.jsonl")
PLUGIN_TOOLS = "plugin-tools.jsonl"
"""The file of a home with a line for each tool that plugins bring, which the daemon writes when it starts."""
MAX_PLUGIN_TOOLS_BYTES = 2**20

_Message = dict[str, Any]


def listed_characters() -> int:
    """Return how many characters the tools shown to every session take: names, descriptions and arguments."""
    read = ("name", "description", "inputSchema")
    _, shown = _recorded(frozenset(), None)
    return sum(len(json.dumps({key: tool[key] for key in read}, separators=(",", ":"))) for tool in shown)


def _of_plugins(home: Path) -> list[dict[str, Any]]:
    """Return the tools that plugins bring to a home; none where they cannot be read: the daemon writes them anew."""
    try:
        lines = foreign_files.read(home / PLUGIN_TOOLS, MAX_PLUGIN_TOOLS_BYTES).splitlines()
        return [tool for tool in map(json.loads, lines) if isinstance(tool, dict)]
    except (OSError, ValueError):
        return []


def _recorded(toolsets: frozenset[str], features: frozenset[str] | None) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the answers, and the tools that a session of these toolsets is shown; of tools of one name the first.

    Of tools of features those are shown that are on; with None all are.
    """
    answers, *tools = SNAPSHOT.read_bytes().splitlines()
    wanted = tuple(f'{{"toolset": {json.dumps(name)},'.encode() for name in (None, *toolsets))
    shown: dict[str, Any] = {}
    for line in tools:
        if line.startswith(wanted):  # the others are not even parsed
            recorded = json.loads(line)
            feature = recorded.get("feature")
            if feature is None or (has_feature(feature) if features is None else feature in features):
                shown.setdefault(recorded["tool"]["name"], recorded["tool"])
    return json.loads(answers), list(shown.values())


class Handshake:
    """Answers requests without the live server where possible, and remembers what a new server needs."""

    def __init__(
        self,
        toolsets: frozenset[str] = frozenset(),
        home: Path | None = None,
        *,
        features: frozenset[str] | None = None,
        resources: bool = False,
        views: bool = True,
    ) -> None:
        """Read the recording; with `home`, also the tools that plugins bring there.

        `features` are those that are on, None for all; `resources` says if it has any, `views` whether clients that
        show them are offered views.
        """
        self._snapshot, self._tools = _recorded(toolsets, features)
        if resources:
            for name, capabilities in self._snapshot["resources"].items():
                self._snapshot[name]["capabilities"] = capabilities
        self._tools += [] if home is None else _of_plugins(home)
        self._views = views
        self._shows_views = False
        self._initialize: _Message | None = None
        self._initialized: bytes | None = None

    @property
    def agreed(self) -> str | None:
        """The version of the protocol that the client and we have agreed on; None before, and where none is agreed."""
        return None if self._initialize is None else self._initialize["params"]["protocolVersion"]

    def result_of(self, message: _Message) -> dict[str, Any] | None:
        """Return the result of a request, or None when it is for the live server."""
        if not is_request_id(message.get("id")):
            return None
        method, params = message.get("method"), message.get("params", {})
        if not isinstance(params, dict):
            return None
        if method == "initialize":
            return self._initialize_result(message, params)
        if self._initialize is None:
            return self._modern_result(method, params)
        if _protocol_version(params) is not None:
            return None
        if method == "ping":
            return {}
        if method == "tools/list" and "cursor" not in params:
            return self._list("list_legacy", shows_views=self._shows_views)
        return None

    def note(self, message: _Message, line: bytes) -> bool:
        """Keep a message of the handshake for the next live server; return whether it is one."""
        is_initialized = message.get("method") == "notifications/initialized" and "id" not in message
        if self._initialize is None or not is_initialized:
            return False
        self._initialized = line
        return True

    def replay(self) -> list[bytes]:
        """Return the lines that bring a new live server to the state that the client expects."""
        lines = []
        if self._initialize is not None:
            lines.append(json.dumps(self._initialize).encode())
        if self._initialized is not None:
            lines.append(self._initialized)
        return lines

    def is_repeatable(self, message: _Message) -> bool:
        """Return whether a request may be executed twice: it only reads, or the second time changes nothing."""
        if message.get("method") != "tools/call":
            return True  # every other method of ours only reads
        params = message.get("params")
        return isinstance(params, dict) and params.get("name") in self._snapshot["repeatable_tools"]

    def failure(self, message: _Message, text: str) -> dict[str, Any]:
        """Return the result of a tool call that failed, in the form of the client's era."""
        params = message.get("params")
        modern = isinstance(params, dict) and _protocol_version(params) is not None
        envelope = self._result("failure_modern") if modern else {}
        failed = {"content": [{"type": "text", "text": text}], "isError": True}
        return {**failed, **envelope, "_meta": {**envelope.get("_meta", {}), **LOST}}

    def _initialize_result(self, message: _Message, params: dict[str, Any]) -> dict[str, Any] | None:
        client, version = params.get("clientInfo"), params.get("protocolVersion")
        plain = (
            self._initialize is None
            and isinstance(version, str)
            and isinstance(params.get("capabilities"), dict)
            and _protocol_version(params) is None
        )
        if not plain or not isinstance(client, dict):
            return None
        known = {name: value[:MAX_CLIENT_CHARS] for name in _OF_A_CLIENT if isinstance(value := client.get(name), str)}
        if len(known) != len(_OF_A_CLIENT):
            return None
        versions: list[str] = self._snapshot["handshake_versions"]
        agreed = version if version in versions else versions[-1]
        able = abilities.of_use(params["capabilities"])
        self._shows_views = self._views and abilities.shows_views(able)
        agreed_params = {"protocolVersion": agreed, "capabilities": able, "clientInfo": known}
        self._initialize = {"jsonrpc": "2.0", "id": REPLAYED_ID, "method": "initialize", "params": agreed_params}
        return {**self._told("initialize", shows_views=self._shows_views), "protocolVersion": agreed}

    def _modern_result(self, method: object, params: dict[str, Any]) -> dict[str, Any] | None:
        meta = params.get("_meta")
        if _protocol_version(params) != MODERN or not isinstance(meta, dict) or set(params) != {"_meta"}:
            return None
        if not isinstance(meta.get(CAPABILITIES_KEY), dict):
            return None
        shows_views = self._views and abilities.shows_views(meta[CAPABILITIES_KEY])
        if method == "server/discover":
            return self._told("discover", shows_views=shows_views)
        return self._list("list_modern", shows_views=shows_views) if method == "tools/list" else None

    def _told(self, name: str, *, shows_views: bool) -> dict[str, Any]:
        capabilities = self._snapshot["views"][name] if shows_views else self._result(name)["capabilities"]
        return {**self._result(name), "capabilities": capabilities}

    def _list(self, name: str, *, shows_views: bool) -> dict[str, Any]:
        if not shows_views:
            return {**self._result(name), "tools": self._tools}
        metadata: dict[str, Any] = self._snapshot["views"]["tools"]
        tools = [
            {**tool, "_meta": metadata[tool["name"]]} if tool["name"] in metadata else tool for tool in self._tools
        ]
        return {**self._result(name), **self._snapshot["views"][name], "tools": tools}

    def _result(self, name: str) -> dict[str, Any]:
        result: dict[str, Any] = self._snapshot[name]
        return result


def _protocol_version(params: dict[str, Any]) -> object:
    meta = params.get("_meta")
    return meta.get(PROTOCOL_VERSION_KEY) if isinstance(meta, dict) else None
