"""The time until a new server process answers, and the memory of the front, beside a bare server of the MCP SDK."""

import shutil
import time
from collections.abc import Callable, Iterator

from . import processes
from .figures import Bar, Figure, durations, percentile
from .home import Home, plain_environment, wait_for_meaning
from .references import BARE_SERVER_NAME, bare_server
from .run import Run
from .wire import Wire

FIRST_RESPONSE = Bar(ratio_at_most=0.35, at_most=300)
FRONT_RSS = Bar(at_most=25)
FIRST_MEANING = Bar(at_most=4_000)
HANDSHAKES: dict[str, Callable[[Wire], object]] = {"initialize": Wire.initialize, "server/discover": Wire.discover}


def measure(run: Run) -> Iterator[Figure]:
    """Measure first responses, the front's memory, and first answers with nothing running."""
    with run.home("start-cold", 1_000) as cold, run.home("start-warm", 1_000) as warm:
        shutil.rmtree(cold.folder / "models")  # an unused home has no graph of the model yet
        first_use = _seconds_to_meaning(cold)
        with warm.connected() as held:
            wait_for_meaning(held)
            warm.wait_for_index(60)
            for method, shake_hands in HANDSHAKES.items():
                yield from _first_response(run, method, shake_hands, cold, warm)
            yield from _front_memory(run, warm)
        yield from _first_answers(run, cold)
        name = "spawn to first semantic answer, first use of a home"
        yield Figure(name, first_use * 1000, "ms", bar=FIRST_MEANING)


def _first_response(
    run: Run, method: str, shake_hands: Callable[[Wire], object], cold: Home, warm: Home
) -> Iterator[Figure]:
    bare: list[float] = []
    with_daemon: list[float] = []
    without: list[float] = []
    for _ in range(run.repeats(20, 5)):
        bare.append(_seconds(lambda: bare_server(plain_environment(), run.scratch), shake_hands))
        with_daemon.append(_seconds(warm.spawn, shake_hands))
        without.append(_seconds(cold.spawn, shake_hands))
        cold.end()
    yield from durations(
        f"first response, {method}, no daemon running", without, bare, BARE_SERVER_NAME, p50=FIRST_RESPONSE
    )
    yield from durations(
        f"first response, {method}, daemon running", with_daemon, bare, BARE_SERVER_NAME, p50=FIRST_RESPONSE
    )


def _seconds(spawn: Callable[[], Wire], shake_hands: Callable[[Wire], object]) -> float:
    began = time.perf_counter()
    wire = spawn()
    try:
        shake_hands(wire)
        return time.perf_counter() - began
    finally:
        wire.close()


def _front_memory(run: Run, home: Home) -> Iterator[Figure]:
    bare = bare_server(plain_environment(), run.scratch)
    bare.initialize()
    bare.request("tools/list")
    with home.connected() as wire:
        wire.request("tools/list")
        wire.call("memory_search", query="who looks after the payment gateway?")
        used = processes.usage([wire.process.pid])
    yield Figure(
        "memory of a session's process, RSS",
        used.rss_mb,
        "MB",
        processes.rss_mb(bare.process.pid),
        BARE_SERVER_NAME,
        FRONT_RSS if home.mode == "auto" else None,
        {"pss_mb": round(used.pss_mb, 1), "threads": used.threads},
    )
    bare.close()


def _first_answers(run: Run, home: Home) -> Iterator[Figure]:
    calls: list[float] = []
    words: list[float] = []
    meaning: list[float] = []
    modes: list[str] = []
    for number in range(run.repeats(7, 3)):
        home.end()
        began = time.perf_counter()
        with home.connected() as wire:
            wire.call("memory_list", limit=1)
            calls.append(time.perf_counter() - began)
        home.end()
        began = time.perf_counter()
        with home.connected() as wire:
            modes.append(wire.call("memory_search", query=f"payment gateway {number}").get("mode", "hybrid"))
            words.append(time.perf_counter() - began)
        home.end()
        meaning.append(_seconds_to_meaning(home))
    yield Figure("spawn to first call answered, nothing running, p50", percentile(calls, 0.5) * 1000, "ms")
    yield Figure(
        "spawn to first search answered, nothing running, p50",
        percentile(words, 0.5) * 1000,
        "ms",
        detail={"modes": modes},
    )
    yield Figure(
        "spawn to first semantic answer, nothing running, p50",
        percentile(meaning, 0.5) * 1000,
        "ms",
        bar=FIRST_MEANING,
        detail={"samples_ms": [round(sample * 1000) for sample in meaning]},
    )


def _seconds_to_meaning(home: Home) -> float:
    began = time.perf_counter()
    with home.connected() as wire:
        if not wait_for_meaning(wire):
            return float("inf")
        return time.perf_counter() - began
