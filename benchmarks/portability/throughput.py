"""Throughput of export and import of a large memory, beside the plainest way to do the same with its rows."""

import hashlib
import json
import os
import sqlite3
import statistics
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from agentos.conformance import reader

from ..figures import Figure
from .files import opened, rows, written

SCHEMA = 9
MOMENT = 1_767_225_600_000_000
REPEATS = 3
PLAIN_WRITE, PLAIN_READ = "json.dumps of each row, fsync", "json.loads of each row, one INSERT each, one commit"


async def figures(folder: Path, count: int) -> Iterator[Figure]:
    """Return rows per second of an import into an empty home and of an export, as medians of some repeats."""
    bundle = written(
        folder / "large.jsonl", SCHEMA, [("namespaces", {"id": "ann", "created_at": MOMENT}), *_rows(count)]
    )
    imports, exports, reads, writes = [], [], [], []
    for number in range(REPEATS):
        async with opened(folder / f"large-{number}") as agentos:
            began = time.perf_counter()
            await agentos.portability.import_bundle(bundle)
            imports.append(time.perf_counter() - began)
            began = time.perf_counter()
            await agentos.portability.export(folder / f"out-{number}.jsonl")
            exports.append(time.perf_counter() - began)
        reads.append(_plain_read(bundle, folder / f"plain-{number}.db"))
        writes.append(_plain_write(bundle, folder / f"plain-{number}.jsonl"))
    lines = count + 1
    return iter(
        [
            _speed(f"export of {count} memories", lines, exports, writes, PLAIN_WRITE),
            _speed(f"import of {count} memories", lines, imports, reads, PLAIN_READ),
        ]
    )


def _speed(name: str, lines: int, ours: list[float], plain: list[float], reference: str) -> Figure:
    return Figure(
        name, lines / statistics.median(ours), "rows/s", lines / statistics.median(plain), reference, None, {"s": ours}
    )


def _plain_read(bundle: Path, database: Path) -> float:
    began = time.perf_counter()
    with closing(sqlite3.connect(database, isolation_level=None)) as connection, bundle.open("rb") as file:
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE rows (name TEXT, id TEXT UNIQUE, text TEXT)")
        connection.execute("BEGIN")
        for line in file:
            value = json.loads(line)
            if "row" in value:
                found = (value["table"], value["row"].get("id"), json.dumps(value["row"]))
                connection.execute("INSERT INTO rows VALUES (?, ?, ?)", found)
        connection.execute("COMMIT")
    return time.perf_counter() - began


def _plain_write(bundle: Path, target: Path) -> float:
    found = rows(bundle)
    began = time.perf_counter()
    with target.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in found)
        file.flush()
        os.fsync(file.fileno())
    return time.perf_counter() - began


def _rows(count: int) -> Iterator[tuple[str, reader.Row]]:
    absent = "expires_at session place speaker subject attribute value slot_confidence polarity valid_from valid_to"
    for number in range(count):
        content = (
            f"note {number}: the build of module {number % 97} took {number % 613} seconds on machine {number % 31}"
        )
        moment = MOMENT + number * 1_000_000
        yield (
            "memories",
            {
                "id": f"mem_{number:020x}",
                "namespace": "ann",
                "memory_type": "semantic",
                "kind": "note",
                "status": "active",
                "content": content,
                "summary": content,
                "content_hash": hashlib.sha256(content.encode()).hexdigest(),
                "tags": json.dumps([f"module {number % 97}"]),
                "metadata": "{}",
                "source": "",
                "importance": 0.5,
                "confidence": 0.7,
                "trust": 1.0,
                "version": 1,
                **dict.fromkeys(("access_count", "confirmations", "rejections"), 0),
                **dict.fromkeys(("occurred_at", "created_at", "updated_at", "accessed_at"), moment),
                **dict.fromkeys(absent.split()),
            },
        )
