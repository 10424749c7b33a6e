"""Use is use by agents: who holds the credential tells whether what is shown counts, at every door."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.principals.models import Caller, Right, Role, local_owner
from agentos.modules.principals.models import Door as Where
from agentos.modules.store_request import StoreRequest
from agentos.modules.version import COMMAND_LINE
from agentos.tools.bound import bind
from agentos.tools.catalog import all_tools
from tests.integration.http.conftest import MakeKey, Served, authorised

NS = "ada"
TEXT = "The kiln stands in the barn"
QUESTION = "Where does the kiln stand?"
SHOWING = {
    "memory_search": {"query": QUESTION},
    "memory_ask": {"question": QUESTION},
    "context_compile": {"query": QUESTION},
}
SESSION = local_owner(NS, None, Where.STDIO)
BY_TOOL: dict[str, tuple[Caller, str, bool]] = {
    "an agent's session": (SESSION, "claude-code", True),
    "the library": (local_owner(NS, None, Where.LIBRARY), "library", True),
    "a command": (SESSION, COMMAND_LINE, False),
    "the dashboard": (replace(SESSION, is_person=True, is_looking=True), "dashboard", False),
}


async def uses(agentos: AgentOS) -> tuple[int, dict[str, float], int]:
    """Return how often the only memory was used, the parts of its trust, and how many hits were counted."""
    await agentos.memory.settled()
    [memory] = (await agentos.memory.page(NS)).memories
    trust = (await agentos.trust.of([memory]))[memory.id]
    shown = [one.hits for one in (await agentos.usage.since(1)).values()]
    earned = {part: value for part, value in trust.parts.items() if part != "coherence"}  # that waits for the vector
    return memory.access_count, earned, sum(shown)


async def opened(agentos: AgentOS) -> AgentOS:
    return agentos


@pytest.mark.parametrize("tool", SHOWING)
@pytest.mark.parametrize("door", BY_TOOL)
async def test_what_a_tool_shows_counts_as_use_where_an_agent_asked(agentos: AgentOS, door: str, tool: str) -> None:
    await agentos.memory.store(NS, StoreRequest(TEXT))
    _, trust, _ = await uses(agentos)
    caller, client, is_agent = BY_TOOL[door]
    [bound] = [one for one in bind(all_tools(None)) if one.tool.name == tool]
    for _ in range(3):
        (await bound.run(partial(opened, agentos), caller, client, dict(SHOWING[tool]))).note("")
    used, trust_after, shown = await uses(agentos)
    assert used == (3 if is_agent else 0)
    assert trust_after == trust
    assert shown == 0 or is_agent


@pytest.mark.parametrize(
    ("role", "is_agent"), [(Role.READER, True), (Role.WRITER, True), (Role.OPERATOR, False), (Role.OWNER, False)]
)
async def test_what_a_key_shows_counts_as_use_unless_it_is_for_people(
    served: Served, agentos: AgentOS, make_key: MakeKey, role: Role, is_agent: bool
) -> None:
    await agentos.memory.store(NS, StoreRequest(TEXT))
    _, trust, _ = await uses(agentos)
    secret = await make_key(NS, role, {NS: Right.WRITE})
    client = served.client(key=None)
    found: Any = await client.get("/api/v1/search", params={"query": QUESTION}, headers=authorised(secret))
    assert TEXT in found.text
    used, trust_after, shown = await uses(agentos)
    assert (used, trust_after, shown) == (int(is_agent), trust, int(is_agent))


async def test_exports_snapshots_and_lists_are_no_use(agentos: AgentOS, tmp_path: Path) -> None:
    await agentos.memory.store(NS, StoreRequest(TEXT))
    before = await uses(agentos)
    await agentos.portability.export(tmp_path / "all.jsonl")
    await agentos.context.snapshot(NS, query=QUESTION)
    await agentos.memory.page(NS)
    assert await uses(agentos) == before
