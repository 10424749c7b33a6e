"""`agentos access`: everything that is kept about one agent, for the person who asks what that is."""

import json
import tempfile
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...conformance import reader
from .opened import settings_here, with_store
from .options import Agent, AsJson, Home, expanded
from .signing import bundle_lines, write_new
from .terminal import say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS


def access(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file, by custom *.jsonl.")],
    agent: Agent = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Write every row that is kept about an agent, one a line: what an export has, and the counts of use and spending.

    Indexes and vectors, which follow from the texts, are left out. agentos export makes what can be brought in again.
    """
    rows: list[tuple[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix=".access-", dir=settings_here(home).home) as own:
        path = Path(own) / "all.jsonl"

        async def gather(agentos: "AgentOS", default: str) -> list[tuple[str, Any]]:
            whose = agent or default
            await agentos.portability.export(path, [whose])
            return await _counted(agentos, whose)

        counted = with_store(home, gather)
        with bundle_lines(path) as lines:
            rows += [(line.value["table"], line.value["row"]) for line in reader.read(lines) if line.kind == "row"]
    rows += counted
    texts = [json.dumps({"table": table, "row": row}, ensure_ascii=False, default=str) for table, row in rows]
    write_new(expanded(file), "".join(f"{text}\n" for text in texts).encode())
    counts = dict(sorted(Counter(table for table, _ in rows).items()))
    if as_json:
        say_json({"path": str(file), "rows": counts})
    else:
        say(f"{file}: {len(rows)} rows of {len(counts)} tables")


async def _counted(agentos: "AgentOS", whose: str) -> list[tuple[str, Any]]:
    """Return the counters that belong to a namespace, with their table; no bundle has them."""
    from ...modules.usage.service import KEPT_DAYS

    used, spent = await agentos.usage.since(KEPT_DAYS), await agentos.usage.spending(KEPT_DAYS)
    rows: list[tuple[str, Any]] = [
        ("usage", asdict(key) | asdict(count)) for key, count in used.items() if key.namespace == whose
    ]
    rows += [("spending", asdict(key) | asdict(count)) for key, count in spent.items() if key.namespace == whose]
    return rows
