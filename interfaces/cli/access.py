"""`agentos access`: everything that is kept about one agent, for the person who asks what that is."""

import json
from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...conformance import reader
from ...modules.text.counting import counted
from .opened import passing_folder, with_caller
from .options import Agent, AsJson, Home, expanded, path_of
from .signing import bundle_lines, write_new
from .terminal import say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.principals.models import Caller

BEGINNING, MOST_QUESTIONS = datetime(2020, 1, 1, tzinfo=UTC), 1_000_000


def access(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to create, usually *.jsonl.", parser=path_of)],
    agent: Agent = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Write every stored row about an agent, one per line.

    This includes everything in an export, usage and spending, and the rights on its namespace.

    Indexes and vectors, which are derived, are left out. To import it again, use agentos export.
    """
    rows: list[tuple[str, Any]] = []
    with passing_folder(home) as own:
        path = own / "all.jsonl"

        async def gather(agentos: "AgentOS", caller: "Caller") -> list[tuple[str, Any]]:
            whose = agent or caller.default
            await agentos.portability.export(path, [whose])
            return [*await _counted(agentos, whose), *await _governed(agentos, caller, whose)]

        rows_of_counters = with_caller(home, gather)
        with bundle_lines(path) as lines:
            rows += [(line.value["table"], line.value["row"]) for line in reader.read(lines) if line.kind == "row"]
    rows += rows_of_counters
    texts = [json.dumps({"table": table, "row": row}, ensure_ascii=False, default=str) for table, row in rows]
    write_new(expanded(file), "".join(f"{text}\n" for text in texts).encode())
    counts = dict(sorted(Counter(table for table, _ in rows).items()))
    if as_json:
        say_json({"path": str(file), "rows": counts})
    else:
        say(f"{file}: {counted(len(rows), 'row')} of {counted(len(counts), 'table')}")


async def _counted(agentos: "AgentOS", whose: str) -> list[tuple[str, Any]]:
    """Return the counters that belong to a namespace, with their table; no bundle has them."""
    from ...modules.usage.service import RETENTION_DAYS

    used, spent = await agentos.usage.since(RETENTION_DAYS), await agentos.usage.spending(RETENTION_DAYS)
    rows: list[tuple[str, Any]] = [
        ("usage", asdict(key) | asdict(count)) for key, count in used.items() if key.namespace == whose
    ]
    asked, _ = await agentos.recalls.asked([whose], BEGINNING, agentos.clock(), None, MOST_QUESTIONS)
    rows += [("questions", asdict(one)) for one in asked]
    rows += [("deeds", asdict(one)) for one in await agentos.deeds.all_of(whose)]
    rows += [("spending", asdict(key) | asdict(count)) for key, count in spent.items() if key.namespace == whose]
    return rows


async def _governed(agentos: "AgentOS", caller: "Caller", whose: str) -> list[tuple[str, Any]]:
    """Return who may do what with a namespace, by which rules, and its branches and merges, with their tables."""
    policy = await agentos.principals.rows.policy(whose)
    opened = [one for one in await agentos.principals.list_keys(caller) if whose in one.namespaces]
    rules = await agentos.branches.governance(caller, whose)
    rows: list[tuple[str, Any]] = [("namespace_policies", asdict(policy))]
    rows += [("keys", {"prefix": one.prefix, "principal": one.principal, "role": one.role}) for one in opened]
    rows += [("grants", asdict(one)) for one in await agentos.principals.list_grants(caller) if one.namespace == whose]
    rows += [("governance", {"namespace": whose, "review": rules.review})]
    rows += [("watches", {"namespace": whose, "watch": str(one), "demands": one.demands}) for one in rules.watches]
    own = await agentos.branches.origin_of(caller, whose)
    branches = [*([] if own is None else [own]), *await agentos.branches.branches(caller, whose)]
    rows += [("branches", asdict(one)) for one in branches]
    return rows + [("branch_merges", asdict(one)) for one in await agentos.branches.merges(caller, whose, 200)]
