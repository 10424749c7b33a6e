"""Bundles as files: exported and imported by the command line or by the services, and compared."""

import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agentos import config, database
from agentos.conformance import reader
from agentos.conformance.differences import Differences, Side, differences
from agentos.modules.agentos import AgentOS
from agentos.modules.clock import system_clock

from ..home import command, plain_environment


def export(home: Path, file: Path) -> dict[str, Any]:
    """Run `agentos export`; return its report on the bundle. Raises CalledProcessError."""
    return _run(home, "export", str(file))


def bring_in(home: Path, file: Path) -> dict[str, Any]:
    """Run `agentos import`; return its report on the rows. Raises CalledProcessError."""
    return _run(home, "import", str(file), "--yes")


def _run(home: Path, *arguments: str) -> dict[str, Any]:
    environment = {**plain_environment(), "AGENTOS_DAEMON": "off"}
    done = subprocess.run(
        [*command("agentos"), *arguments, "--json", "--home", str(home)],
        env=environment,
        cwd=home.parent,
        check=True,
        stdout=subprocess.PIPE,
    )
    output: dict[str, Any] = json.loads(done.stdout)
    return output


@asynccontextmanager
async def opened(home: Path) -> AsyncIterator[AgentOS]:
    """Open the services of a home, without a model: for what has nothing to do with recall."""
    settings = config.load({"AGENTOS_EMBEDDING_MODEL": "none"}, home=home)
    async with database.opened(settings, system_clock) as (agentos, _):
        yield agentos


def lines(data: bytes) -> list[bytes]:
    """Return the lines of a bundle, as `reader.in_lines` gives them."""
    return data.removesuffix(b"\n").split(b"\n")


def rows(file: Path) -> list[reader.Row]:
    """Return the row lines of a bundle."""
    return [line.value for line in reader.read(lines(file.read_bytes())) if line.kind == "row"]


def compared(one: Path, other: Path) -> Differences:
    """Return the differences between two bundles."""
    return differences(Side.of(lines(one.read_bytes())), Side.of(lines(other.read_bytes())))


def written(file: Path, schema: int, found: list[tuple[str, reader.Row]]) -> Path:
    """Write a sound bundle of the given rows, whatever they say."""
    digest = reader.CanonicalHash()
    for table, row in found:
        digest.add(table, row)
    head = {"agentos_bundle": reader.FORMAT, "schema": schema}
    end = {"end": len(found), "canonical_hash": digest.digest}
    values = [head, *({"table": table, "row": row} for table, row in found), end]
    file.write_bytes(b"".join(reader.canonical(value) + b"\n" for value in values))
    return file
