"""The gateway beside its provider, in one run: the first byte, a hundred streams, the cache of prompts, and tokens.

The provider answers at once, with the same stream each time, and keeps what it was sent.
"""

import asyncio
import http.client
import itertools
import json
import os
import signal
import socket
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from agentos.features.gateway.block import BEGIN
from agentos.interfaces.stdio.front import hello
from agentos.interfaces.stdio.front.place import socket_path
from agentos.modules.context.tokens import estimate

from .figures import Bar, Figure, percentile
from .home import Home, command, wait_for_meaning
from .run import Run

MEMORIES, STREAMS, TURNS, TALKS, MOST_TRIES = 1_000, 100, 20, 40, 100
SYSTEM = "You help with a shop's machines, briefly and kindly. " * 80
"""As long as a prompt must be, about a thousand tokens, so that providers keep it at all."""
PLACES = ("database", "queue", "mail server", "cache", "search index", "archive", "monitor", "printer")
TALK = "We looked at it at length this morning, and nobody could say why it had been set up in this way at all. " * 4
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
    """Measure each mode beside the provider itself, in turns, and what memory costs beside a replay."""
    with run.home("gateway", MEMORIES, "auto") as home, _provider() as provider, home.connected() as wire:
        wait_for_meaning(wire)
        home.wait_for_index(60)
        for mode, share, bar in (("off", 0.5, 5.0), ("full", 0.95, 120.0)):
            with _gateway(home, provider, mode) as gateway:
                yield _figure(
                    f"gateway, memory {mode}", *_timed(provider.url, gateway, run.repeats(200, 40)), share, bar
                )
        with _gateway(home, provider, "full") as gateway:
            _timed(provider.url, gateway, 5)
            status = hello.ask_status(socket_path(home.folder))
            assert status is not None
            os.kill(status["pid"], signal.SIGSTOP)
            try:
                times = _timed(provider.url, gateway, run.repeats(20, 7))
            finally:
                os.kill(status["pid"], signal.SIGCONT)
            yield _figure("gateway, memory hangs", *times, 1.0, 300.0)
        with _gateway(home, provider, "full") as gateway:
            yield from _at_once(provider.url, gateway)
            yield _cached(home, provider, gateway)
    with run.home("gateway-talks", 0, "auto") as home, _provider() as provider, home.connected() as wire:
        wait_for_meaning(wire)
        with _gateway(home, provider, "full") as gateway:
            yield from _recall_cost(home, provider, gateway, TALKS)


def _figure(name: str, direct: list[float], through: list[float], share: float, bar: float) -> Figure:
    reference = percentile(direct, share) * 1000
    value = percentile(through, share) * 1000 - reference
    named = f"{name}: first byte beyond the provider's, p{share * 100:g}"
    return Figure(named, value, "ms", reference, "the provider", Bar(at_most=bar), {"samples": len(through)})


def _at_once(provider: str, gateway: str) -> Iterator[Figure]:
    """Yield how many of STREAMS streams at once come whole, and how much later their first bytes come."""
    direct = asyncio.run(_streams(provider))
    through = asyncio.run(_streams(gateway))
    complete = sum(is_complete for _, is_complete in through)
    yield Figure(f"gateway, {STREAMS} streams at once: whole ones", complete, "streams", bar=Bar(at_least=STREAMS))
    late, reference = (percentile([took for took, _ in streams], 0.95) * 1000 for streams in (through, direct))
    yield Figure(f"gateway, {STREAMS} streams at once: first byte, p95", late, "ms", reference, "the provider")


async def _streams(base: str) -> list[tuple[float, bool]]:
    """Return the seconds to the first byte of each stream, and whether it came whole."""
    address = urlsplit(base)

    async def one(number: int) -> tuple[float, bool]:
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        body = json.dumps(_body([f"{QUESTION} ({number})"])).encode()
        head = f"POST {address.path}/chat/completions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
        began = time.perf_counter()
        writer.write(f"{head}content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
        await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(1)
        took = time.perf_counter() - began
        rest = b""
        while not rest.endswith(b"[DONE]\n\n") and b"[DONE]" not in rest[-40:] and (more := await reader.read(65_536)):
            rest += more
        writer.close()
        return took, b"[DONE]" in rest

    return await asyncio.gather(*(one(number) for number in range(STREAMS)))


def _cached(home: Home, provider: "Provider", gateway: str) -> Figure:
    """Return the share of a conversation's prompts that a cache of beginnings serves, beside that without memory."""
    with _gateway(home, provider, "off") as plain:
        shares = [_share(provider, base) for base in (plain, gateway)]
    reference, value = shares
    named = f"gateway, {TURNS} turns: share of prompts that the provider's cache serves"
    return Figure(named, value, "", reference, "memory off", Bar(at_least=0.95 * reference))


def _share(provider: "Provider", base: str) -> float:
    provider.bodies.clear()
    conversation: list[str] = []
    for number in range(TURNS):
        conversation.append(f"{QUESTION} And what of part {number}?")
        _ask(base, conversation)
        conversation.append("word " * 20)
    prompts = ["\n".join(one["content"] for one in json.loads(body)["messages"]) for body in provider.bodies]
    cached = [_beginning(before, now) for before, now in itertools.pairwise(prompts)]
    return sum(cached) / sum(map(len, prompts[1:]))


def _beginning(one: str, other: str) -> int:
    """Return how many characters two texts have in common from their beginnings."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _recall_cost(home: Home, provider: "Provider", gateway: str, talks: int) -> Iterator[Figure]:
    """Yield what memory tells in a new conversation, in tokens, beside a replay of all earlier ones."""
    replay = 0
    for number in range(talks):
        conversation = [
            f"Our {PLACES[number % len(PLACES)]} number {number} listens on port {5_000 + 7 * number}. {TALK}"
        ]
        for turn in range(3):
            _ask(gateway, conversation)
            conversation += ["word " * 20, f"And another thing, the {turn + 1}th today. {TALK}"]
        replay += sum(estimate(one) for one in conversation[:-1])
    _wait_for_turns(home, talks * 6)
    tokens, found = 0, 0
    for number in range(talks):
        asked = f"Which port does our {PLACES[number % len(PLACES)]} number {number} listen on?"
        for _ in range(MOST_TRIES):  # what is measured is not how busy this machine is
            if not _ask(gateway, [asked]).startswith("unavailable"):
                break
        sent = json.loads(provider.bodies[-1])["messages"][-1]["content"]
        block = sent[sent.index(BEGIN) :] if BEGIN in sent else ""
        tokens += estimate(block)
        found += str(5_000 + 7 * number) in block
    yield Figure(
        "gateway, tokens of memory a question", tokens / talks, "tokens", replay, "a replay", Bar(ratio_at_most=0.1)
    )
    yield Figure("gateway, questions whose answer is told", found / talks, "", detail={"questions": talks})


def _wait_for_turns(home: Home, turns: int) -> None:
    give_up_at = time.monotonic() + 300
    while time.monotonic() < give_up_at:
        with closing(sqlite3.connect(f"file:{home.database}?mode=ro", uri=True)) as connection:
            if connection.execute("SELECT count(*) FROM turns").fetchone()[0] >= turns:
                return
        time.sleep(0.2)


def _ask(base: str, conversation: list[str]) -> str:
    """Ask, as a client that sends its whole conversation; return what the gate decided."""
    address = urlsplit(base)
    connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=60)
    try:
        headers = {"content-type": "application/json"}
        connection.request("POST", f"{address.path}/chat/completions", json.dumps(_body(conversation)), headers)
        response = connection.getresponse()
        response.read()
        return response.getheader("x-memory-gate-decision", "")
    finally:
        connection.close()


def _body(conversation: list[str]) -> dict[str, Any]:
    messages = [{"role": ("user", "assistant")[n % 2], "content": one} for n, one in enumerate(conversation)]
    return {"model": "gpt-4o", "stream": True, "messages": [{"role": "system", "content": SYSTEM}, *messages]}


def _timed(provider: str, gateway: str, times: int) -> tuple[list[float], list[float]]:
    """Return the seconds to the first byte without and with the gateway, in turns."""
    direct, through = [], []
    for number in range(times):
        direct.append(_first_byte(provider, "/chat/completions", number))
        through.append(_first_byte(gateway, "/chat/completions", number))
    return direct, through


def _first_byte(base: str, path: str, number: int) -> float:
    address = urlsplit(base)
    body = _body([f"{QUESTION} ({number})"])
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
def _gateway(home: Home, provider: "Provider", mode: str) -> Iterator[str]:
    """Yield the base URL of a gateway in a mode."""
    settings = {"AGENTOS_GATEWAY_OPENAI_URL": provider.url, "AGENTOS_GATEWAY_MODE": mode}
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


@dataclass
class Provider:
    """A provider's base URL, and the bodies that it was sent."""

    url: str
    bodies: list[bytes] = field(default_factory=list)


@contextmanager
def _provider() -> Iterator[Provider]:
    """Yield a provider that answers every request with the same stream."""
    listener = socket.create_server(("127.0.0.1", 0))
    loop = asyncio.new_event_loop()
    provider = Provider(f"http://127.0.0.1:{listener.getsockname()[1]}/v1")

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(
                    int(line.split(b":")[1])
                    for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length")
                )
                provider.bodies.append(await reader.readexactly(length))
                writer.write(ANSWER)
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            writer.close()

    loop.run_until_complete(asyncio.start_server(answer, sock=listener))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        listener.close()
