"""Start-up, latency and memory of the server, each beside a plain reference measured in the same run.

    python benchmarks/quick.py [--memories 1000] [--json FILE]

Machines are noisy: compare the ratios, not the milliseconds of two runs. Data goes to a temporary folder.
"""

import argparse
import asyncio
import json
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

REPEATS = 5
BARE = """
import asyncio
import mcp.types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server

async def tools(ctx, params):
    return types.ListToolsResult(tools=[])

async def main():
    server = Server("bare", version="0", on_list_tools=tools)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())

asyncio.run(main())
"""
SUBJECTS = ("The billing service", "Maria", "The staging database", "The release script", "The search index")
VERBS = ("was moved to", "depends on", "is reviewed by", "fails without", "was measured with")
OBJECTS = ("the new cluster", "the Berlin team", "a nightly backup", "PostgreSQL 16", "the second data centre")


def text(number: int) -> str:
    """A short statement, different for each number."""
    return (
        f"{SUBJECTS[number % 5]} {VERBS[number // 5 % 5]} {OBJECTS[number // 25 % 5]} "
        f"since change {number}, ticket AB-{number * 7919 % 10007}."
    )


def figures(samples: list[float]) -> dict[str, float]:
    """Median and 95th percentile in milliseconds."""
    ordered = sorted(samples)
    return {
        "p50_ms": round(statistics.median(ordered) * 1000, 2),
        "p95_ms": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))] * 1000, 2),
    }


async def timed(samples: list[float], work: Callable[[], Awaitable[Any]]) -> Any:
    """The result of `work`; its duration is added to `samples`."""
    began = time.perf_counter()
    result = await work()
    samples.append(time.perf_counter() - began)
    return result


async def first_response(parameters: StdioServerParameters) -> dict[str, float]:
    """From the start of the process to its first answer."""
    samples: list[float] = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        async with Client(parameters):
            samples.append(time.perf_counter() - began)
    return figures(samples)


def plain_inserts(folder: Path, count: int) -> dict[str, float]:
    """A bare SQLite insert with the same durability: WAL, fsynced."""
    samples = []
    with sqlite3.connect(folder / "plain.db", isolation_level=None) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE memories (content TEXT, vector BLOB)")
        for number in range(count):
            began = time.perf_counter()
            connection.execute("INSERT INTO memories VALUES (?, ?)", (text(number), b"\0" * 1536))
            samples.append(time.perf_counter() - began)
    return figures(samples)


def resident_mb() -> float | None:
    """Memory of the one server that this process has started, where /proc tells it."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    if not children.exists():
        return None
    [child] = children.read_text(encoding="ascii").split()[-1:]
    status = Path(f"/proc/{child}/status").read_text(encoding="ascii", errors="replace")
    return round(int(status.split("VmRSS:")[1].split()[0]) / 1024, 1)


async def measure(folder: Path, memories: int) -> dict[str, Any]:
    """All figures."""
    environment = {**os.environ, "AGENTOS_HOME": str(folder / "home")}
    server = StdioServerParameters(command=sys.executable, args=["-m", "agentos.server"], env=environment)
    bare = StdioServerParameters(command=sys.executable, args=["-c", BARE], env=environment)
    report: dict[str, Any] = {"memories": memories}
    report["first response"] = await first_response(server)
    report["first response, bare mcp server"] = await first_response(bare)
    stores: list[float] = []
    searches: list[float] = []
    snapshots: list[float] = []
    async with Client(server) as agent:
        report["rss_mb, idle"] = resident_mb()
        await agent.call_tool("memory_store", {"content": "warm up"})
        while (await agent.call_tool("memory_search", {"query": "warm up"})).structured_content["mode"] != "hybrid":
            await asyncio.sleep(0.1)
        for number in range(memories):
            await timed(stores, lambda n=number: agent.call_tool("memory_store", {"content": text(n)}))
        for number in range(0, memories, max(1, memories // 100)):
            query = f"what about ticket AB-{number * 7919 % 10007} and {OBJECTS[number % 5]}?"
            await timed(searches, lambda q=query: agent.call_tool("memory_search", {"query": q}))
        for _ in range(50):
            await timed(snapshots, lambda: agent.call_tool("context_get_snapshot", {}))
        report["rss_mb, with the model"] = resident_mb()
    report["store (embedded, indexed, fsynced)"] = figures(stores)
    report["plain fsynced SQLite insert"] = plain_inserts(folder, min(memories, 1000))
    report["search (query embedded)"] = figures(searches)
    report["snapshot"] = figures(snapshots)
    return report


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=1000)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="agentos-benchmark-") as folder:
        report = asyncio.run(measure(Path(folder), arguments.memories))
    lines = [f"{name:40} {value}" for name, value in report.items()]
    sys.stdout.write("\n".join(lines) + "\n")
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
