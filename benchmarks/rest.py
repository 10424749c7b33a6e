"""Searches by REST beside those of a session of the same daemon, in turns; and what a served home takes of memory."""

import http.client
import json
import secrets
import socket
from collections.abc import Iterator
from urllib.parse import urlencode

from . import processes
from .corpus import question
from .figures import Bar, Figure, durations
from .home import Home, wait_for_meaning
from .latency import seconds
from .run import Run, say

MEMORIES = 10_000
KEY = secrets.token_hex(16)
SEARCH = Bar(ratio_at_most=1.25)
EMPTY, LOADED = Bar(at_most=150), Bar(at_most=450)


class Rest:
    """A connection of a client that stays open."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def search(self, query: str) -> str:
        """Search as the tool does, and return the mode of the answer."""
        asked = urlencode({"query": query, "limit": 10, "detail": "lean"})
        self._connection.request("GET", f"/api/v1/search?{asked}", headers={"authorization": f"Bearer {KEY}"})
        response = self._connection.getresponse()
        told = json.loads(response.read())
        assert response.status == 200, told
        return str(told.get("mode", "hybrid"))

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


def measure(run: Run) -> Iterator[Figure]:
    """Measure the searches at 10,000 memories, and the memory of an empty and of this home's processes."""
    memories = 1_000 if run.quick else MEMORIES
    with run.home("rest-empty") as home:
        home.settings["AGENTOS_EMBEDDING_MODEL"] = "none"
        rest = _served(home)
        rest.search("is anybody there?")
        yield _memory("served, nothing stored, no model", home, EMPTY)
        rest.close()
    with run.home("rest", memories) as home:
        rest = _served(home)
        with home.connected() as wire:
            wait_for_meaning(wire, 600)
            if not home.wait_for_index(1_800):
                say("the index was not ready in time: measuring without")
            by_rest: list[float] = []
            by_stdio: list[float] = []
            for number in range(run.repeats(300, 40)):
                asked = question(number * 2), question(number * 2 + 1)
                by_stdio.append(seconds(lambda: wire.call("memory_search", query=asked[0], limit=10)))  # noqa: B023
                by_rest.append(seconds(lambda: rest.search(asked[1])))  # noqa: B023
        name = f"search by REST, {memories:,} memories"
        yield from durations(name, by_rest, by_stdio, "by standard input and output", p95=SEARCH)
        yield _memory(f"served, {memories:,} memories, after searches", home, LOADED)
        rest.close()


def _served(home: Home) -> Rest:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    home.settings |= {"AGENTOS_HTTP": f"127.0.0.1:{port}", "AGENTOS_HTTP_KEY": KEY, "AGENTOS_DAEMON_LINGER_S": "60"}
    with home.connected() as wire:  # it starts the daemon, and has it open the store
        wire.call("memory_list", limit=1)
    home.daemon()
    return Rest(port)


def _memory(name: str, home: Home, bar: Bar) -> Figure:
    running = home.processes()
    used = processes.usage([process.pid for process in running if process.role != "front"])
    detail = {f"{process.role} {process.pid}": round(processes.rss_mb(process.pid), 1) for process in running}
    return Figure(f"{name}: RSS of all processes", used.rss_mb, "MB", bar=bar, detail=detail)
