"""The HTTP door: its search beside that over standard input, its memory, and what hostile clients cost others."""

import asyncio
import contextlib
import json
import re
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from . import processes
from .corpus import question, sentence
from .figures import Bar, Figure, percentile
from .home import Home, command, wait_for_meaning
from .latency import seconds
from .run import Run

MEMORIES = 10_000
KEY = "a-key-of-the-benchmarks-own-1234"
SLOW_CONNECTIONS, SILENT_CONNECTIONS, HALF_BODIES, LARGE_BODIES, DEEP_BODIES = 50, 900, 50, 8, 50
LARGE_BYTES = 40 * 2**20
STREAMS = 20
STARTS_WITHIN_S, ANSWERS_WITHIN_S = 60.0, 60.0
WITHOUT_LIMIT = "1000000"

IDLE, LOADED = Bar(at_most=150), Bar(at_most=450)
BESIDE_STDIO, BESIDE_HOSTILE = Bar(ratio_at_most=1.25), Bar(ratio_at_most=2)
GROWTH, END = Bar(at_most=100), Bar(at_most=5)


@dataclass(frozen=True)
class Served:
    """A home that is served at a port of this machine."""

    port: int
    process: subprocess.Popen[str]
    key: str = KEY

    def head(self, method: str, path: str, length: int = 0, key: str = "") -> bytes:
        """Return the head of a request."""
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            f"Authorization: Bearer {key or self.key}",
            "Content-Type: application/json",
            f"Content-Length: {length}",
        ]
        return "\r\n".join([*lines, "", ""]).encode()


@contextmanager
def served(home: Home, **settings: str) -> Iterator[Served]:
    """Serve a home until the block ends; `settings` are further ones of that process."""
    own = {"AGENTOS_HTTP_KEY": KEY, "AGENTOS_HTTP_REQUESTS_PER_MINUTE": WITHOUT_LIMIT, **settings}
    process = subprocess.Popen(
        [*command("agentos"), "serve", "--listen", "127.0.0.1:0"],
        env={**home.environment(), **own},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        found = re.search(r"https?://\S*:(\d+)", process.stderr.readline())
        if found is None:
            raise RuntimeError(f"agentos serve does not start: {process.stderr.read()[-500:]}")
        yield Served(int(found[1]), process)
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=STARTS_WITHIN_S)


class Client:
    """A connection that is kept open, and opened again after a break."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(
        self, served: Served, method: str, path: str, body: Any = None, key: str = ""
    ) -> tuple[int, dict[str, str], Any]:
        """Return status, headers and JSON of an answer. Raises OSError or EOFError where the connection breaks."""
        content = b"" if body is None else json.dumps(body).encode()
        try:
            async with asyncio.timeout(ANSWERS_WITHIN_S):
                if self._streams is None:
                    self._streams = await asyncio.open_connection("127.0.0.1", self._port)
                reader, writer = self._streams
                writer.write(served.head(method, path, len(content), key) + content)
                await writer.drain()
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
                text = await reader.readexactly(int(headers.get("content-length", "0")))
        except BaseException:
            self.close()
            raise
        if headers.get("connection") == "close":
            self.close()
        return int(head[0].split()[1]), headers, json.loads(text) if text else None

    def close(self) -> None:
        """Close the connection, if it is open."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


def measure(run: Run) -> Iterator[Figure]:
    """Measure memory without a model, searches beside stdio and hostile clients, and the end with open streams."""
    with run.home("http-idle", 0, "off") as home, served(home, AGENTOS_EMBEDDING_MODEL="none") as door:
        asyncio.run(_settled(door))
        yield Figure("http, idle without a model: memory", memory_of(home), "MB", bar=IDLE)
    with run.home("http", MEMORIES, "auto") as home:
        repeats = run.repeats(200, 30)
        with home.connected() as wire:
            wait_for_meaning(wire, 600)
            home.wait_for_index(600)
            wait_for_meaning(wire)
            over_stdio = [
                seconds(lambda number=number: wire.call("memory_search", query=question(number), limit=10))  # type: ignore[misc]
                for number in range(repeats)
            ]
        home.end()
        with served(home) as door:
            over_http = asyncio.run(_searches(door, repeats))
            stdio_ms, http_ms = percentile(over_stdio, 0.95) * 1000, percentile(over_http, 0.95) * 1000
            yield Figure("http, search, 10,000 memories, p95", http_ms, "ms", stdio_ms, "over stdio", BESIDE_STDIO)
            yield Figure("http, 10,000 memories and models: memory", memory_of(home), "MB", bar=LOADED)
            for name, hostile in HOSTILE.items():
                before = memory_of(home)
                alone, beside = asyncio.run(_beside(door, hostile, repeats))
                yield Figure(
                    f"http, search beside {name}, p95", beside * 1000, "ms", alone * 1000, "alone", BESIDE_HOSTILE
                )
                yield Figure(
                    f"http, after {name}: memory grown by", max(0.0, memory_of(home) - before), "MB", bar=GROWTH
                )
            yield Figure(f"http, end with {STREAMS} open streams", _end_s(door), "s", bar=END)


def memory_of(home: Home) -> float:
    """Return the memory of all processes of a home, in MB; what they share counts once."""
    return processes.usage([process.pid for process in home.processes()]).pss_mb


async def _settled(door: Served) -> None:
    client = Client(door.port)
    for number in range(20):
        await client.ask(door, "POST", "/api/v1/memories", {"content": sentence(number)})
    client.close()


async def _searches(door: Served, times: int, first: int = 0) -> list[float]:
    """Return the seconds of searches, one after the other, once their answers use vectors."""
    client = Client(door.port)
    give_up_at = time.monotonic() + STARTS_WITHIN_S
    while (await client.ask(door, "GET", f"/api/v1/search?query={quote(question(0))}"))[2].get("mode") == "lexical":
        if time.monotonic() > give_up_at:
            raise TimeoutError("the model does not load")
        await asyncio.sleep(0.05)
    took = []
    for number in range(first, first + times):
        began = time.perf_counter()
        status, _, _ = await client.ask(door, "GET", f"/api/v1/search?query={quote(question(number))}&limit=10")
        took.append(time.perf_counter() - began)
        assert status == 200, status
    client.close()
    return took


Hostile = Callable[[Served], "contextlib.AbstractAsyncContextManager[None]"]


async def _beside(door: Served, hostile: Hostile, times: int) -> tuple[float, float]:
    """Return the 95th percentile of searches alone, and while hostile clients are there."""
    alone = await _searches(door, times, 1_000)
    async with hostile(door):
        beside = await _searches(door, times, 2_000)
    return percentile(alone, 0.95), percentile(beside, 0.95)


@asynccontextmanager
async def _connections(door: Served, count: int, data: bytes) -> AsyncIterator[None]:
    """Keep connections open, each of which has said something and says no more."""
    opened = []
    try:
        for _ in range(count):
            _, writer = await asyncio.open_connection("127.0.0.1", door.port)
            writer.write(data)
            opened.append(writer)
        yield
    finally:
        for writer in opened:
            writer.close()


@asynccontextmanager
async def _going_on(count: int, act: Callable[[], Any]) -> AsyncIterator[None]:
    """Let clients do something over and over, while others are measured."""

    async def one() -> None:
        while True:
            with contextlib.suppress(OSError, EOFError, TimeoutError):
                await act()
            await asyncio.sleep(0.05)

    tasks = [asyncio.create_task(one()) for _ in range(count)]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _dripping(door: Served) -> contextlib.AbstractAsyncContextManager[None]:
    async def drip() -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", door.port)
        try:
            for character in door.head("GET", "/api/v1/memories").decode():
                writer.write(character.encode())
                await writer.drain()
                await asyncio.sleep(0.2)
        finally:
            writer.close()

    return _going_on(SLOW_CONNECTIONS, drip)


def _large(door: Served) -> contextlib.AbstractAsyncContextManager[None]:
    async def send() -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", door.port)
        try:
            writer.write(door.head("POST", "/api/v1/memories", LARGE_BYTES))
            for _ in range(LARGE_BYTES // 2**20):
                writer.write(b" " * 2**20)
                await writer.drain()
        finally:
            writer.close()

    return _going_on(LARGE_BODIES, send)


def _deep(door: Served) -> contextlib.AbstractAsyncContextManager[None]:
    body = b'{"content":"x","metadata":' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001

    async def send() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
        try:
            writer.write(door.head("POST", "/api/v1/memories", len(body)) + body)
            await writer.drain()
            await reader.readline()
        finally:
            writer.close()

    return _going_on(DEEP_BODIES // 10, send)


HOSTILE: dict[str, Hostile] = {
    f"{SLOW_CONNECTIONS} that send a letter at a time": _dripping,
    f"{HALF_BODIES} half-open requests": lambda door: _connections(
        door, HALF_BODIES, door.head("POST", "/api/v1/memories", 100) + b"{"
    ),
    f"{SILENT_CONNECTIONS} silent connections": lambda door: _connections(door, SILENT_CONNECTIONS, b""),
    f"{LARGE_BODIES} bodies of 40 MB": _large,
    "deeply nested bodies": _deep,
}


def _end_s(door: Served) -> float:
    """Return the seconds from SIGTERM to the end, with streams open."""
    streams = []
    for _ in range(STREAMS):
        stream = socket.create_connection(("127.0.0.1", door.port), ANSWERS_WITHIN_S)
        stream.sendall(door.head("GET", "/api/v1/events"))
        assert stream.recv(4096).startswith(b"HTTP/1.1 200")
        streams.append(stream)
    began = time.monotonic()
    door.process.send_signal(signal.SIGTERM)
    door.process.wait(ANSWERS_WITHIN_S)
    took = time.monotonic() - began
    for stream in streams:
        stream.close()
    return took
