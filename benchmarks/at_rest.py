"""`python -m benchmarks.at_rest`: what an encrypted home costs beside a plain one, in one run.

Needs the extra `encryption`. Two homes get the same notes, turn and turn about, so that a busy machine slows both; then
the same queries. No model: it would hide what is measured.
"""

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from agentos import config, database
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock
from agentos.modules.memory.models import MemoryFilter
from agentos.modules.store_request import StoreRequest

WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("lan", "rin", "tor", "mek", "sul")]


async def measured(notes: int, queries: int) -> dict[str, Any]:
    """Return milliseconds by home and act: median and 95th percentile; and the sizes of the databases."""
    dice = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        homes = {name: Path(folder) / name for name in ("plain", "encrypted")}
        settings = {name: config.of_home(home) for name, home in homes.items()}
        for each in settings.values():
            async with database.opened(each, system_clock) as (agentos, _):
                await agentos.memory.store("ann", StoreRequest("the first note"))
        key = str(Path(folder) / "key.json")
        database.encryption(settings["encrypted"], lambda _: None).encrypt(key)
        took: dict[str, dict[str, list[float]]] = {name: {"store": [], "search": []} for name in homes}
        async with AsyncExitStack() as stack:
            opened: dict[str, AgentOS] = {}
            for name, each in settings.items():
                opened[name], _ = await stack.enter_async_context(database.opened(each, system_clock))
            for number in range(notes):
                text = f"Note {number}: {' '.join(dice.choices(WORDS, k=40))}"
                for name in sorted(opened, key=lambda _: dice.random()):
                    await _timed(took[name]["store"], opened[name].memory.store("ann", StoreRequest(text)))
            for _ in range(queries):
                query = " ".join(dice.choices(WORDS, k=5))
                for name in sorted(opened, key=lambda _: dice.random()):
                    await _timed(took[name]["search"], opened[name].memory.recall("ann", query, MemoryFilter(), 5))
        begun = time.perf_counter()
        database.encryption(settings["encrypted"], lambda _: None).rotate()
        rotated = time.perf_counter() - begun
        sizes = {name: (home / "agentos.db").stat().st_size for name, home in homes.items()}
    return {
        "notes": notes,
        "ms": {name: {act: _percentiles(values) for act, values in acts.items()} for name, acts in took.items()},
        "bytes": sizes,
        "rotate_s": round(rotated, 2),
    }


async def _timed(into: list[float], work: Any) -> None:
    begun = time.perf_counter()
    await work
    into.append((time.perf_counter() - begun) * 1000)


def _percentiles(values: list[float]) -> dict[str, float]:
    return {"p50": round(statistics.median(values), 2), "p95": round(sorted(values)[int(len(values) * 0.95)], 2)}


def main() -> None:
    """Measure, and print JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.at_rest", description="What encryption at rest costs.")
    parser.add_argument("--notes", type=int, default=3_000)
    parser.add_argument("--queries", type=int, default=300)
    given = parser.parse_args()
    sys.stdout.write(json.dumps(asyncio.run(measured(given.notes, given.queries)), indent=1) + "\n")


if __name__ == "__main__":
    main()
