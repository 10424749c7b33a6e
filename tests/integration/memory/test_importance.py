"""An importance that somebody raises moves a memory before its near equals, at the next search."""

from agentos.modules.agentos import AgentOS
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest

NS = "ada"
QUERY = "what does the style guide ask for?"
TEXTS = (
    "Our style guide asks for short sentences.",
    "Our style guide asks for active verbs.",
    "The style of the old site was another one.",
)


async def test_raising_the_importance_of_a_near_equal_moves_it_up(agentos: AgentOS, lexical: AgentOS) -> None:
    stored = [(await agentos.memory.store(NS, StoreRequest(text))).memory.id for text in TEXTS]
    for service in (agentos, lexical):
        first, second = [hit.memory.id for hit in (await service.memory.search(NS, QUERY)).hits[:2]]
        assert {first, second} == set(stored[:2])
        await service.memory.update(NS, second, MemoryChanges(importance=1.0))
        await service.memory.update(NS, stored[2], MemoryChanges(importance=1.0))
        found = (await service.memory.search(NS, QUERY)).hits
        assert [hit.memory.id for hit in found[:2]] == [second, first], "but not what answers less"
        await service.memory.update(NS, second, MemoryChanges(importance=0.1))
        assert (await service.memory.search(NS, QUERY)).hits[0].memory.id == first
