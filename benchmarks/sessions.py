"""The total memory of many sessions on one home: fronts, daemon and its children, beside as many bare servers."""

from collections.abc import Iterator

from . import processes
from .figures import Bar, Figure
from .home import Home, plain_environment, wait_for_meaning
from .processes import Usage
from .references import BARE_SERVER_NAME, bare_server
from .run import Run

MEMORIES = 10_000
TWENTY_SESSIONS = Bar(at_most=1_024)


def measure(run: Run) -> Iterator[Figure]:
    """Measure RSS and PSS of 1, 5 and 20 sessions on a home of 10,000 memories."""
    memories = 1_000 if run.quick else MEMORIES
    for count in (1, 5) if run.quick else (1, 5, 20):
        with run.home(f"sessions-{count}", memories) as home:
            used, detail = _with_sessions(home, count)
        bare = _bare_servers(run, count)
        name = f"{count} session{'s' * (count > 1)}, {memories:,} memories"
        bar = TWENTY_SESSIONS if count == 20 and run.mode == "auto" else None
        yield Figure(f"{name}, RSS of all", used.rss_mb, "MB", bare.rss_mb, BARE_SERVER_NAME, bar, detail)
        yield Figure(f"{name}, PSS of all", used.pss_mb, "MB", bare.pss_mb, BARE_SERVER_NAME)


def _with_sessions(home: Home, count: int) -> tuple[Usage, dict[str, object]]:
    wires = [home.session(agent="default") for _ in range(count)]
    try:
        for number, wire in enumerate(wires):
            wait_for_meaning(wire)
            for repeat in range(3):
                wire.call("memory_search", query=f"who depends on the invoice export, {number} {repeat}?")
        if home.mode == "auto":
            home.wait_for_index(120)
        running = home.processes()
        detail: dict[str, object] = {
            f"{role}_rss_mb": [round(processes.rss_mb(process.pid), 1) for process in running if process.role == role]
            for role in sorted({process.role for process in running})
        }
        return processes.usage([process.pid for process in running]), detail
    finally:
        for wire in wires:
            wire.close()


def _bare_servers(run: Run, count: int) -> Usage:
    wires = [bare_server(plain_environment(), run.scratch) for _ in range(count)]
    try:
        for wire in wires:
            wire.initialize()
            wire.request("tools/list")
        return processes.usage([wire.process.pid for wire in wires])
    finally:
        for wire in wires:
            wire.close()
