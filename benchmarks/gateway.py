"""The gateway's delay: the time to the first byte of a stream through it, beyond that of the same stream without it."""

import asyncio
import http.client
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from agentos.interfaces.stdio.front import hello
from agentos.interfaces.stdio.front.place import socket_path

from .figures import Bar, Figure, percentile
from .home import Home, command, wait_for_meaning
from .run import Run

MEMORIES = 1_000
QUESTION = "Who looks after the payment gateway, and when is it deployed?"
EVENTS = b"".join(
    b"data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": f"word {n} "}}]}).encode() + b"\n\n"
    for n in range(20)
)
ANSWER = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: "
    + str(len(EVENTS) + len(b"data: [DONE]\n\n")).encode()
    + b"\r\n\r\n"
    + EVENTS
    + b"data: [DONE]\n\n"
)


def measure(run: Run) -> Iterator[Figure]:
    """Measure each mode beside the provider itself, in turns: memory off, full, and full while the daemon hangs."""
    with run.home("gateway", MEMORIES, "auto") as home, _provider() as provider, home.connected() as wire:
        wait_for_meaning(wire)
        home.wait_for_index(60)
        for mode, share, bar in (("off", 0.5, 5.0), ("full", 0.95, 120.0)):
            with _gateway(home, provider, mode) as gateway:
                yield _figure(f"gateway, memory {mode}", *_timed(provider, gateway, run.repeats(200, 40)), share, bar)
        with _gateway(home, provider, "full") as gateway:
            _timed(provider, gateway, 5)
            status = hello.ask_status(socket_path(home.folder))
            assert status is not None
            os.kill(status["pid"], signal.SIGSTOP)
            try:
                times = _timed(provider, gateway, run.repeats(20, 7))
            finally:
                os.kill(status["pid"], signal.SIGCONT)
            yield _figure("gateway, memory hangs", *times, 1.0, 300.0)


def _figure(name: str, direct: list[float], through: list[float], share: float, bar: float) -> Figure:
    reference = percentile(direct, share) * 1000
    value = percentile(through, share) * 1000 - reference
    named = f"{name}: first byte beyond the provider's, p{share * 100:g}"
    return Figure(named, value, "ms", reference, "the provider", Bar(at_most=bar), {"samples": len(through)})


def _timed(provider: str, gateway: str, times: int) -> tuple[list[float], list[float]]:
    """Return the seconds to the first byte without and with the gateway, in turns."""
    direct, through = [], []
    for number in range(times):
        direct.append(_first_byte(provider, "/chat/completions", number))
        through.append(_first_byte(gateway, "/chat/completions", number))
    return direct, through


def _first_byte(base: str, path: str, number: int) -> float:
    address = urlsplit(base)
    body = {"model": "gpt-4o", "stream": True, "messages": [{"role": "user", "content": f"{QUESTION} ({number})"}]}
    connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=60)
    try:
        connection.connect()
        began = time.perf_counter()
        connection.request("POST", address.path + path, json.dumps(body), {"content-type": "application/json"})
        response = connection.getresponse()
        response.read(1)
        took = time.perf_counter() - began
        response.read()
    finally:
        connection.close()
    return took


@contextmanager
def _gateway(home: Home, provider: str, mode: str) -> Iterator[str]:
    """Yield the base URL of a gateway in a mode."""
    settings = {"AGENTOS_GATEWAY_OPENAI_URL": provider, "AGENTOS_GATEWAY_MODE": mode}
    process = subprocess.Popen(
        [*command("agentos"), "gateway", "--port", "0"],
        env={**home.environment(), **settings},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        yield process.stderr.readline().strip().partition("=")[2]
    finally:
        process.terminate()
        process.communicate(timeout=30)


@contextmanager
def _provider() -> Iterator[str]:
    """Yield the base URL of a provider that answers every request with the same stream."""
    listener = socket.create_server(("127.0.0.1", 0))
    loop = asyncio.new_event_loop()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(
                    int(line.split(b":")[1])
                    for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length")
                )
                await reader.readexactly(length)
                writer.write(ANSWER)
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            writer.close()

    loop.run_until_complete(asyncio.start_server(answer, sock=listener))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        listener.close()
