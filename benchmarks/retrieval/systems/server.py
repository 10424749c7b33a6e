"""AgentOS through its own interface: `agentos-server` over standard input and output, in its own home."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agentos.modules.memory.embedding import UNKNOWN_SCRIPT

from ...home import Home
from ...wire import Gone, Refused, Wire
from ..data import Store
from .system import SystemUnavailable

LOADING_S = 120.0
"""Time limit for loading the server's model, in seconds."""

READY_S = 1_800.0
"""Time limit until every item of a filled store has its vectors, in seconds."""

NOT_RERANKED = "not reranked"
"""Prefix of a search's note that a reranker should have judged, and did not."""

NO_MODEL = {"EMBEDDING_MODEL": "none"}
"""Settings of a server that searches by words alone."""


class AgentOSServer:
    """A server over a home; each store is a namespace of it. `settings` are AGENTOS_* without the prefix.

    Its gate is open unless they say otherwise: the other systems answer every question, and the measure is recall. The
    cost of the gate has a measurement of its own.
    """

    def __init__(
        self,
        name: str,
        home: Path,
        settings: Mapping[str, str] | None = None,
        ids: dict[str, dict[str, str]] | None = None,
    ) -> None:
        """Set up the server; `ids` has the item id for each memory's id in the home already, by store."""
        self.name = name
        self._settings = {"SEARCH_GATE": "0", **(settings or {})}
        self._has_model = self._settings.get("EMBEDDING_MODEL") != NO_MODEL["EMBEDDING_MODEL"]
        self._home = Home(home, settings={f"AGENTOS_{name}": value for name, value in self._settings.items()})
        self._ids = {} if ids is None else ids
        self._current = ""
        self._session: Wire | None = None

    def without(self, channel: str) -> "AgentOSServer":
        """Return the same stores, searched without a channel.

        Ends this one's session: a daemon has one set of settings.
        """
        self._end_session()
        settings = {**self._settings, "SEARCH_WITHOUT": channel}
        return AgentOSServer(f"{self.name} without {channel}", self._home.folder, settings, self._ids)

    def fill(self, store: Store) -> None:
        self._current = store.name
        if store.name in self._ids:
            return
        wire = self._connected()
        [tool] = [tool for tool in wire.request("tools/list")["tools"] if tool["name"] == "memory_store"]
        ids: dict[str, str] = {}
        for item in store.items:
            context = {"session": item.session, "occurred_at": item.occurred_at}
            given = {
                name: value
                for name, value in context.items()
                if value is not None and name in tool["inputSchema"]["properties"]
            }
            stored = self._call("memory_store", content=item.content, **given)
            ids.setdefault(str(stored["id"]), item.id)  # the same text twice is one memory
        self._ids[store.name] = ids
        self._wait_for_vectors(wire)

    def search(self, question: str, depth: int) -> list[str]:
        found = self._call("memory_search", query=question, limit=depth)
        if self._has_model and found.get("mode") == "lexical" and UNKNOWN_SCRIPT not in found["notes"]:
            raise SystemUnavailable(f"searched by words only: {'; '.join(found['notes'])}")
        if any(note.startswith(NOT_RERANKED) for note in found.get("notes", ())):
            raise SystemUnavailable(f"{'; '.join(found['notes'])}; RERANKER_WAIT_S and RERANKER_DEPTH may help")
        ids = self._ids[self._current]
        return [ids[hit["id"]] for hit in found["results"]]

    def close(self) -> None:
        self._end_session()
        self._home.end()

    def _call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        try:
            return self._connected().call(tool, agent_id=self._current, **arguments)
        except (Refused, Gone, TimeoutError) as error:
            raise SystemUnavailable(f"{tool}: {error}") from error

    def _connected(self) -> Wire:
        if self._session is None:
            self._session = self._home.session()
            self._wait_for_vectors(self._session)
        return self._session

    def _end_session(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def _wait_for_vectors(self, wire: Wire) -> None:
        """Wait until a search of this store uses vectors, and reports no pending ones."""
        if not self._has_model:
            return
        began = time.monotonic()
        while True:
            probe = wire.call("memory_search", agent_id=self._current, query="anything", limit=1)
            is_loaded = probe.get("mode") != "lexical"
            if is_loaded and not probe.get("notes", ()):
                return
            is_filling = is_loaded and not any(note.startswith(NOT_RERANKED) for note in probe.get("notes", ()))
            if time.monotonic() - began > (READY_S if is_filling else LOADING_S):
                raise SystemUnavailable("; ".join(probe.get("notes", ())))
            time.sleep(0.1)
