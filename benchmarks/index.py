"""The vector index: its recall compared with an exact search, how fast it follows, how long a rebuild takes."""

import asyncio
import statistics
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from agentos import config, database
from agentos.daemon_pkg.lock import DaemonLock
from agentos.modules.memory.models import Vector

from .corpus import NAMESPACE, question
from .figures import Bar, Figure, durations
from .references import PlainChroma, PlainScan
from .run import Run, say

RECALL = Bar(at_least=0.98)
LIMIT = 10
STEP = 500


def measure(run: Run) -> Iterator[Figure]:
    """Measure at the largest size, in this process, as the daemon does it."""
    size = max(run.sizes)
    with run.home("index", size) as home:
        scan = PlainScan(run.seeds, size)
        say(f"plain insertion of {size:,} vectors into ChromaDB")
        plain_s = PlainChroma(home.folder.with_name("plain-chroma")).seconds(scan.matrix)
        figures = asyncio.run(_measured(run, home.folder, size, scan, plain_s))
    yield from figures


async def _measured(run: Run, folder: Path, size: int, scan: PlainScan, plain_s: float) -> list[Figure]:
    settings = config.load(home=folder)
    figures = []
    with DaemonLock(settings.database):
        async with database.opened(settings, lambda: datetime.now(UTC)) as (agentos, index):
            await agentos.embedding.ready(60)
            generation = await agentos.embedding.generation()
            if generation is None:
                raise RuntimeError("there is no embedding model: nothing to measure")
            say(f"building the index of {size:,} vectors")
            began = time.perf_counter()
            state = await index.open(generation)
            built_s = time.perf_counter() - began
            figures.append(
                Figure(
                    f"index rebuild, {size:,} vectors",
                    built_s,
                    "s",
                    plain_s,
                    PlainChroma.name,
                    detail={"count": state.count},
                )
            )
            found, nearest, scans = [], [], []
            for number in range(run.repeats(200, 50)):
                [data] = run.seeds.encoder.encode([question(number)])
                query = np.frombuffer(data, dtype="<f4")
                began = time.perf_counter()
                exact = scan.nearest(query, LIMIT)
                scans.append(time.perf_counter() - began)
                began = time.perf_counter()
                candidates = await index.nearest(NAMESPACE, Vector(generation, data), LIMIT)
                nearest.append(time.perf_counter() - began)
                # By score, so that of equally near ones either counts.
                worst = float(scan.matrix[exact[-1]] @ query) - 1e-5
                found.append(sum(candidate.score >= worst for candidate in candidates[:LIMIT]) / LIMIT)
            figures.append(
                Figure(
                    f"recall@{LIMIT} of the index, {size:,} vectors",
                    statistics.mean(found),
                    "",
                    1.0,
                    "exact search",
                    RECALL,
                    {"worst_query": min(found)},
                )
            )
            figures += durations(f"index query, {size:,} vectors", nearest, scans, "plain numpy scan")
            more = min(5_000, max(size // 2, 1))
            await run.seeds.load(folder, range(size, size + more))
            began = time.perf_counter()
            applied = 0
            while step := await index.catch_up(STEP):
                applied += step
            figures.append(
                Figure(
                    f"index catch-up at {size:,} vectors",
                    applied / (time.perf_counter() - began),
                    "vectors/s",
                    size / plain_s,
                    PlainChroma.name,
                    detail={"vectors": applied},
                )
            )
            await index.close()
    return figures
