"""What a store, a search, a list and a snapshot read on SQLite: rows of their own namespace, found by an index."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.memory.models import MemoryFilter
from agentos.modules.store_request import StoreRequest

pytestmark = pytest.mark.sqlite("it reads the plans of SQLite")

OF_MANY = "memories|postings|compounds|memory_tags|embeddings|token_signs|relations|turns"
"""Tables that hold rows of all namespaces."""
STEP = re.compile(
    rf"(SCAN ([mewrc]|{OF_MANY})\b|SEARCH .*INDEX (sqlite_autoindex_)?({OF_MANY})_"
    rf"|SEARCH ([mewrc]|{OF_MANY}) USING INTEGER PRIMARY KEY \(rowid[<>])"
)
"""A step that reads such a table, by its name or an alias, if not by the number of a row."""
BOUND = re.compile(r"(namespace|shelf|memory_seq|embedding|id|seq)=|namespace>|memories_by_expiry")
"""What tells the rows of one namespace, or single ones; few memories expire in any store."""

ONCE = re.compile(r"SELECT \(SELECT count\(\*\) FROM embeddings|FROM memories m WHERE m.seq > \? AND NOT EXISTS")
"""What a process counts at its start, and the look from there on for what has no vector."""


def broad(plan: Sequence[str]) -> list[str]:
    """The steps of a plan that read a table of many beyond one namespace."""
    return [step for step in plan if STEP.match(step) and not BOUND.search(step)]


async def test_what_is_asked_of_a_namespace_reads_no_table_of_many_from_end_to_end(
    agentos: AgentOS, store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, plans = store.engine.read, {}

    async def explained(sql: str, parameters: Any = ()) -> Any:
        plans[sql] = [row["detail"] for row in await read(f"EXPLAIN QUERY PLAN {sql}", parameters)]
        return await read(sql, parameters)

    monkeypatch.setattr(store.engine, "read", explained)
    for namespace in ("ada", "bob"):
        for number in range(12):
            request = StoreRequest(f"deploy number{number} of the release-{number}.sh", tags=(f"kind{number % 3}",))
            await agentos.memory.store(namespace, request)
    assert await agentos.memory.embedded(60)
    await agentos.memory.settled()
    for where in (MemoryFilter(), MemoryFilter(tags=("kind1",)), MemoryFilter(min_importance=0.1)):
        found = await agentos.memory.recall("ada", "deploy the numbr3 release-3.sh, undeployable", where, 5)
        assert found.hits
        await agentos.memory.page("ada", where, 5)
    await agentos.context.snapshot("ada")
    for table in ("postings", "embeddings", "owed_looks"):
        assert any(table in sql for sql in plans)
    assert {sql: steps for sql, plan in plans.items() if not ONCE.search(sql) and (steps := broad(plan))} == {}
