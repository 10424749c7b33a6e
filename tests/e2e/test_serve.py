"""`agentos serve` as a process: what commands on other machines get of it, and how it ends; more of it: tests/http."""

import asyncio
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from tests.asgi import lived, ok
from tests.e2e.conftest import DEADLINE_S, environment
from tests.slowness import Slowness

KEY = "a-key-of-more-than-24-characters"
AGENTOS = (sys.executable, "-m", "agentos.interfaces.cli")
OPEN_STREAMS = 20
LISTENER = {"protocolVersion": "2026-07-28", "clientCapabilities": {}}
ENDS_WITHIN_S = 5.0
"""How long a server with open requests may take to end, on a machine that is not slow."""


class Serving:
    """A served home."""

    def __init__(
        self, home: Path, listen: str = "127.0.0.1:0", command: Sequence[str] = AGENTOS, **settings: str
    ) -> None:
        self.environment = {**environment(home), "AGENTOS_HTTP_KEY": KEY, "AGENTOS_EMBEDDING_MODEL": "none", **settings}
        self.process = subprocess.Popen(
            (*command, "serve", "--listen", listen),
            env=self.environment,
            cwd=home.parent,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        self.startup = self.process.stderr.readline()
        found = re.search(r"(https?)://\S*:(\d+)", self.startup)
        self.url = found[0] if found else ""
        self.port = int(found[2]) if found else 0

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        key: str = KEY,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
        sent = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", **headers}
        connection.request(method, path, None if body is None else json.dumps(body), sent)
        answer = connection.getresponse()
        text = answer.read()
        self.answered = {name.lower(): value for name, value in answer.getheaders()}
        connection.close()
        return answer.status, json.loads(text)

    def listening(self, *watched: str, key: str = KEY) -> socket.socket:
        """A stream of `subscriptions/listen` that was acknowledged."""
        meta = {f"io.modelcontextprotocol/{name}": value for name, value in LISTENER.items()}
        params = {"notifications": {"resourceSubscriptions": [*watched]}, "_meta": meta}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params})
        sent = {
            "Host": "127.0.0.1",
            "X-API-Key": key,
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": LISTENER["protocolVersion"],
            "Mcp-Method": "subscriptions/listen",
            "Content-Length": len(body),
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        stream = socket.create_connection(("127.0.0.1", self.port), DEADLINE_S)
        stream.sendall(f"POST /mcp?resources=true HTTP/1.1\r\n{head}\r\n{body}".encode())
        answer = b""
        while b"notifications/subscriptions/acknowledged" not in answer:
            part = stream.recv(4096)
            assert part, answer
            answer += part
        return stream

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(DEADLINE_S)


Start = Callable[..., Serving]


@pytest.fixture
def start(home: Path) -> Iterator[Start]:
    started: list[Serving] = []

    def one(listen: str = "127.0.0.1:0", **settings: str) -> Serving:
        started.append(Serving(home, listen, **settings))
        return started[-1]

    yield one
    for serving in started:
        if serving.process.poll() is None:
            serving.process.kill()
        serving.process.wait()
        assert serving.process.stderr is not None
        serving.process.stderr.close()


def command(home: Path, url: str, key: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command on another machine: it has an own home, with nothing in it."""
    own = {**environment(home.with_name("elsewhere")), "AGENTOS_URL": url, "AGENTOS_KEY": key}
    return subprocess.run((*AGENTOS, *arguments), env=own, capture_output=True, text=True, timeout=DEADLINE_S)


def test_commands_of_another_machine_use_it_and_it_ends_with_open_requests(start: Start, home: Path) -> None:
    serving = start()
    assert command(home, serving.url, KEY, "remember", "Maria deploys on Tuesdays").returncode == 0
    found = command(home, serving.url, KEY, "recall", "Maria deploys", "--json")
    assert json.loads(found.stdout)["results"][0]["content"] == "Maria deploys on Tuesdays"
    refused = command(home, serving.url, "another-key-of-24-characters", "recall", "Maria")
    assert refused.returncode == 3 and "key is not valid" in refused.stderr
    assert not home.with_name("elsewhere").exists()

    streams = []
    for _ in range(OPEN_STREAMS):
        stream = socket.create_connection(("127.0.0.1", serving.port), DEADLINE_S)
        head = "POST /api/v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        stream.sendall(f"{head}Authorization: Bearer {KEY}\r\nContent-Length: 99\r\n\r\n{{".encode())
        streams.append(stream)
        following = socket.create_connection(("127.0.0.1", serving.port), DEADLINE_S)
        following.sendall(f"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {KEY}\r\n\r\n".encode())
        assert following.recv(4096).startswith(b"HTTP/1.1 200")
        streams.append(following)
    listening = serving.listening("agentos://goals")
    assert serving.request("GET", "/readyz")[0] == 200
    health = serving.request("GET", "/api/v1/health")[1]
    assert health["ok"] and health["components"] == {"store": "ok", "model": "off", "index": "ok"}
    machine, began = Slowness(), time.monotonic()
    assert serving.end() == 0
    took = time.monotonic() - began
    machine.look()
    assert took < machine.factor * ENDS_WITHIN_S, machine.factor
    for stream in streams:
        stream.close()
    assert b'"result"' in listening.makefile("rb").read()  # the server took leave of it
    listening.close()
    gone = command(home, serving.url, KEY, "recall", "Maria")
    assert gone.returncode == 4 and serving.url in gone.stderr
    killed = home / ".export-killed"
    killed.mkdir()
    killed.joinpath("bundle.jsonl").write_text("Maria deploys on Tuesdays")
    (home / ".import-no-folder").touch()
    again = start()
    assert again.request("GET", "/api/v1/memories")[1]["total"] == 1
    assert not killed.exists()


async def test_headers_that_do_not_come_are_not_waited_for() -> None:
    from agentos.interfaces.http.uvicorn_server import HttpListener

    listener = HttpListener(ok, "127.0.0.1", 0, headers_within_s=0.1)
    await listener.start()
    try:
        silent = await asyncio.open_connection(*listener.address)
        slow = await asyncio.open_connection(*listener.address)
        slow[1].write(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
        complete = await asyncio.open_connection(*listener.address)
        complete[1].write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await complete[0].readuntil(b"ok")).startswith(b"HTTP/1.1 200")
        complete[1].write(b"GET / HTTP")
        for reader, writer in (silent, slow, complete):
            assert await asyncio.wait_for(reader.read(), DEADLINE_S) == b""
            writer.close()
    finally:
        await listener.close()


async def test_a_client_that_reads_nothing_is_not_written_to_for_ever() -> None:
    from agentos.interfaces.http.uvicorn_server import HttpListener

    left = asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await lived(receive, send)
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        gone = asyncio.create_task(_gone(receive))
        while not gone.done():
            await send({"type": "http.response.body", "body": b"x" * 2**16, "more_body": True})
        left.set()

    listener = HttpListener(app, "127.0.0.1", 0, read_within_s=0.1)
    await listener.start()
    try:
        _, writer = await asyncio.open_connection(*listener.address)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await asyncio.wait_for(left.wait(), DEADLINE_S)
        writer.close()
    finally:
        await listener.close()


async def _gone(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
