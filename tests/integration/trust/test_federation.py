"""What is taken over from other namespaces counts less the older it is and the less its author is trusted."""

from typing import Any

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.errors import InvalidInput
from agentos.modules.identifiers import Source
from agentos.modules.memory.several_namespaces import DISCOUNT
from agentos.modules.store_request import StoreRequest
from agentos.tools.search import memory_search_across
from tests.integration.trust.test_trust import NS, remember, says

TEAM = [Source(NS)]
QUERY = "where are the flood gates"


async def found(agentos: AgentOS) -> dict[str, dict[str, float]]:
    result = await agentos.memory.search("ann", QUERY, limit=9, also=TEAM, federated=True)
    for hit in result.hits:
        assert hit.score == pytest.approx(sum(hit.parts.values()), abs=1e-5)
    return {hit.memory.content: {**hit.parts, "score": hit.score} for hit in result.hits}


async def test_a_federated_search_leaves_out_ones_own_and_discounts_by_age_and_trust(
    agentos: AgentOS, clock: Any
) -> None:
    await agentos.memory.store("ann", StoreRequest("Ann thinks the flood gates are upstream"))
    await remember(agentos, "bob", "The flood gates are by the mill")
    await agentos.memory.embedded(5.0)
    [(text, new)] = (await found(agentos)).items()
    assert text == "The flood gates are by the mill"
    undiscounted = new["score"] - new[DISCOUNT]
    assert new["score"] == pytest.approx(undiscounted * 0.5, rel=1e-4), "an unknown author is neutral"
    for number in range(3):
        await says(agentos, "cleo", "confirm", await remember(agentos, "bob", f"Lock {number} has {number + 2} doors"))
    trusted = (await found(agentos))[text]
    assert trusted["score"] / (trusted["score"] - trusted[DISCOUNT]) == pytest.approx(5.5 / 6.5, rel=1e-3)
    clock.advance(days=60)
    old = (await found(agentos))[text]
    assert old["score"] / (old["score"] - old[DISCOUNT]) == pytest.approx(5.5 / 13, rel=1e-3)
    for number in range(9):
        await says(agentos, "cleo", "reject", await remember(agentos, "bob", f"Weir {number} has {number + 2} steps"))
    assert text not in await found(agentos), "nothing is taken over from who has proved wrong"


async def test_the_tool_asks_others_alone_where_that_is_wanted(agentos: AgentOS) -> None:
    await agentos.memory.store("ann", StoreRequest("Ann thinks the flood gates are upstream"))
    await remember(agentos, "bob", "The flood gates are by the mill")
    both = await memory_search_across(agentos, "ann", TEAM, query=QUERY)
    others = await memory_search_across(agentos, "ann", [*TEAM, Source("ann")], query=QUERY, federated=True)
    assert len(both.results) == 2 and [one.id[:4] for one in others.results] == ["mem_"]
    with pytest.raises(InvalidInput, match="no other namespace"):
        await memory_search_across(agentos, "ann", [Source("ann")], query=QUERY, federated=True)
