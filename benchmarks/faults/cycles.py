"""A hundred sessions come and go, half of them by a crash: a while later no process of AgentOS is left."""

import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from .. import processes
from ..figures import Bar, Figure, percentile
from ..home import Home, command
from ..run import Run
from ..wire import Gone, Wire

NONE = Bar(at_most=0)
GONE_WITHIN_S = 10.0
AT_ONCE = 3
CLEAN = ("end of input", "SIGTERM", "SIGINT and SIGTERM")
CRASHES = ("kill -9 of the client", "kill -9 of the front", "closed pipes", "closed pipes amid a call")

CLIENT = """
import json, subprocess, sys
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def say(message):
    server.stdin.write(json.dumps(message).encode() + b"\\n")
    server.stdin.flush()
say({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "client", "version": "1"}}})
server.stdout.readline()
say({"jsonrpc": "2.0", "method": "notifications/initialized"})
say({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "memory_list", "arguments": {}}})
server.stdout.readline()
print(server.pid, flush=True)
server.wait()
"""
"""A separate client that can be killed: it starts a server, calls a tool, and prints the server's pid."""


@dataclass
class Outcome:
    """The record of the sessions' ends."""

    endings: Counter[str] = field(default_factory=Counter)
    left: list[str] = field(default_factory=list)
    front_gone_s: list[float] = field(default_factory=list)
    all_gone_s: float = 0.0
    handshake_s: list[float] = field(default_factory=list)


def measure(run: Run) -> Iterator[Figure]:
    """Yield the figures of the cycles."""
    outcome = play(run, run.cycles)
    name = f"{run.cycles} session cycles"
    detail = {"endings": dict(outcome.endings), "left": outcome.left}
    yield Figure(f"{name}: processes left after {GONE_WITHIN_S:.0f} s", len(outcome.left), "", bar=NONE, detail=detail)
    slowest = percentile(outcome.front_gone_s, 1.0) * 1000
    yield Figure(f"{name}: end of a session to its process gone, max", slowest, "ms")
    yield Figure(f"{name}: last end to nothing left", outcome.all_gone_s * 1000, "ms")
    yield Figure(f"{name}: spawn to handshake, p95", percentile(outcome.handshake_s, 0.95) * 1000, "ms")


def play(run: Run, cycles: int) -> Outcome:
    """Let sessions come and go, up to AT_ONCE at a time; every second one crashes."""
    outcome = Outcome()
    with run.home("cycles") as home:
        open_sessions: list[tuple[Wire, str]] = []
        for number in range(cycles):
            half = number // 2
            ending = (CLEAN[half % len(CLEAN)]) if number % 2 else CRASHES[half % len(CRASHES)]
            outcome.endings[ending] += 1
            if ending == "kill -9 of the client":
                _kill_a_client(home, outcome)
                continue
            began = time.monotonic()
            wire = home.session()
            outcome.handshake_s.append(time.monotonic() - began)
            wire.call("memory_list", limit=1)
            open_sessions.append((wire, ending))
            if len(open_sessions) >= AT_ONCE:
                _end(*open_sessions.pop(0), outcome)
        for wire, ending in open_sessions:
            _end(wire, ending, outcome)
        began = time.monotonic()
        home.is_empty_of_processes(GONE_WITHIN_S)
        outcome.all_gone_s = time.monotonic() - began
        outcome.left = [f"{process.role} {process.pid}: {' '.join(process.command)}" for process in home.processes()]
    return outcome


def _end(wire: Wire, ending: str, outcome: Outcome) -> None:
    began = time.monotonic()
    if ending == "end of input":
        wire.close_input()
    elif ending == "SIGTERM":
        wire.process.terminate()
    elif ending == "SIGINT and SIGTERM":
        wire.process.send_signal(signal.SIGINT)
        time.sleep(0.1)  # as clients do
        wire.process.terminate()
    elif ending == "kill -9 of the front":
        wire.process.kill()
    else:
        with suppress(Gone):
            if ending == "closed pipes amid a call":
                wire.send_call("memory_store", content=f"said by one who has gone, {time.monotonic_ns()}")
        wire.drop_pipes()
    try:
        wire.process.wait(GONE_WITHIN_S)
        outcome.front_gone_s.append(time.monotonic() - began)
    except subprocess.TimeoutExpired:
        outcome.front_gone_s.append(float("inf"))  # it is counted among those left, if it is still there at the end
    wire.drop_pipes()


def _kill_a_client(home: Home, outcome: Outcome) -> None:
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, *command("agentos-server")],
        env=home.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=home.folder.parent,
    )
    assert client.stdout is not None
    server = int(client.stdout.readline())
    client.kill()
    began = time.monotonic()
    client.wait()
    client.stdout.close()
    while processes.is_alive(server) and time.monotonic() < began + GONE_WITHIN_S:
        time.sleep(0.005)
    outcome.front_gone_s.append(float("inf") if processes.is_alive(server) else time.monotonic() - began)
