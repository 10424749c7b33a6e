"""Latency of hooks, for which an agent waits: each event, beyond the time of a bare interpreter's start and end."""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

from .figures import Bar, Figure, percentile
from .home import Home, plain_environment, wait_for_meaning
from .run import Run

HOOK = (sys.executable, "-m", "agentos.interfaces.hooks")
BARE = (sys.executable, "-c", "pass")
BARE_NAME = "bare interpreter"
BEYOND = Bar(at_most=150)
MEMORIES = 1_000
TOOL = {"tool_name": "Bash", "tool_input": {"command": "pytest -q tests"}}
EVENTS: dict[str, dict[str, Any]] = {
    "session-start": {"source": "startup"},
    "prompt": {"prompt": "Who looks after the payment gateway, and when is it deployed?"},
    "pre-tool": TOOL,
    "post-tool": {**TOOL, "tool_response": {"stdout": "3 passed\n" * 500}},
    "pre-compact": {"trigger": "auto"},
    "stop": {"last_assistant_message": "Done."},
    "session-end": {"reason": "other"},
}


def measure(run: Run) -> Iterator[Figure]:
    """Measure every event with a daemon that has its model, and without a daemon."""
    with run.home("hooks", MEMORIES, "auto") as home, home.connected() as wire:
        wait_for_meaning(wire)
        home.wait_for_index(60)
        yield from _figures(run, home, "")
    with run.home("hooks-alone", 0, "off") as home:
        yield from _figures(run, home, ", no daemon")


def _figures(run: Run, home: Home, suffix: str) -> Iterator[Figure]:
    for event, fields in EVENTS.items():
        bare: list[float] = []
        hooks: list[float] = []
        for number in range(run.repeats(30, 7)):
            bare.append(_seconds(BARE, plain_environment(), b""))
            payload = {"session_id": f"{event}-{number}", "cwd": str(home.folder), **fields}
            hooks.append(_seconds((*HOOK, event), home.environment(), json.dumps(payload).encode()))
        yield _beyond(f"hook {event}{suffix}", hooks, bare, 0.5)
        yield _beyond(f"hook {event}{suffix}", hooks, bare, 0.95)


def _beyond(name: str, hooks: Sequence[float], bare: Sequence[float], share: float) -> Figure:
    """Return a percentile of the hook's time, less the median of the bare interpreter's."""
    reference = statistics.median(bare) * 1000
    value = percentile(hooks, share) * 1000 - reference
    bar = BEYOND if share == 0.5 else None
    name = f"{name}, beyond a bare interpreter, p{share * 100:g}"
    return Figure(name, value, "ms", reference, BARE_NAME, bar, {"samples": len(hooks)})


def _seconds(command: Sequence[str], environment: dict[str, str], stdin: bytes) -> float:
    began = time.perf_counter()
    subprocess.run(
        command, input=stdin, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True
    )
    return time.perf_counter() - began
