"""Keeps a bundle of each of the newest schemas, as a release of that schema would have written it.

    python packaging/keep_bundle.py

Writes the fixtures that are missing in conformance/fixtures, from the stores in tests/integration/released: brought to
the newest schema, exported, and without the tables and columns that came later. What is there never changes.
"""

import asyncio
import json
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from agentos import config, database
from agentos.conformance import reader
from agentos.conformance.validation import SCHEMAS, Validation
from agentos.modules.clock import system_clock
from agentos.storage.sqlite import migrate

ROOT = Path(__file__).resolve().parents[1]
RELEASED, FIXTURES = ROOT / "tests/integration/released", ROOT / "conformance/fixtures"
SCHEMA_COUNT = 4
"""The schemas of which bundles are kept: the newest and the three before it."""


def main() -> int:
    """Write what is missing."""
    newest = len(migrate.known())
    for schema in range(newest - SCHEMA_COUNT + 1, newest + 1):
        path = FIXTURES / f"valid/schema-{schema:03}.jsonl"
        if path.exists():
            continue
        lines = bundle(schema, RELEASED / f"schema-{min(schema, newest - 1):03}.sql")
        found = next(Validation().complaints(lines), None)
        if found is not None:
            raise SystemExit(f"{path.name} would not be as published: {found.message}")
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        (FIXTURES / f"normal/{path.name}").write_bytes(b"".join(reader.normal(lines)))
        sys.stdout.write(f"{path.name}\n")
    return 0


def bundle(schema: int, store: Path) -> list[bytes]:
    """Return the lines of a bundle of a schema with what a released store has."""
    # One without a file says the same as the one before.
    stands = max(one for one in SCHEMAS.glob("rows-*.schema.json") if one.name <= f"rows-{schema:03}.schema.json")
    published = json.loads(stands.read_text(encoding="utf-8"))
    tables = published["properties"]["table"]["enum"]
    found, body = reader.CanonicalHash(), []
    for line in exported(store):
        value = reader.parse(line)
        if value.get("table") in tables:
            table = value["table"]
            row = {name: one for name, one in value["row"].items() if name in published["$defs"][table]["properties"]}
            found.add(table, row)
            body.append(reader.canonical({"table": table, "row": row}))
    head = reader.parse(exported(store)[0]) | {"schema": schema}
    return [reader.canonical(head), *body, reader.canonical({"end": len(body), "canonical_hash": found.digest})]


def exported(store: Path) -> list[bytes]:
    """Return the lines of the export of a released store, opened by this AgentOS."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir(mode=0o700)
        with closing(sqlite3.connect(home / "agentos.db")) as connection:
            connection.executescript(store.read_text(encoding="utf-8"))
        asyncio.run(_export(home, Path(folder) / "all.jsonl"))
        return (Path(folder) / "all.jsonl").read_bytes().splitlines()


async def _export(home: Path, file: Path) -> Any:
    settings = config.load({}, home=home, embedding_model="none")
    async with database.opened(settings, system_clock) as (agentos, _):
        return await agentos.portability.export(file)


if __name__ == "__main__":
    sys.exit(main())
