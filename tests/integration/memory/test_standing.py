"""A standing instruction in searches: it keeps the last place of what is shown, once, and only among one's own."""

from agentos.modules.agentos import AgentOS
from agentos.modules.identifiers import Source
from agentos.modules.memory.models import MemoryFilter
from agentos.modules.memory.standing import KEPT
from agentos.modules.store_request import StoreRequest

NS = "default"
WANTED = "Name the library version when I ask about pages of the shop"
QUERY = "library used by the shop for its pages"
USES = ("pages", "its pages", "the pages", "all its pages", "most of its pages", "its pages too", "the pages also")


async def noted(agentos: AgentOS, namespace: str = NS) -> str:
    for number, use in enumerate(USES):
        await agentos.memory.store(namespace, StoreRequest(f"Library {number} is used by the shop for {use}"))
    stored = await agentos.memory.store(namespace, StoreRequest(WANTED))
    assert await agentos.embedding.caught_up(10)
    return stored.memory.id


async def shown(agentos: AgentOS, limit: int, cursor: str | None = None) -> tuple[list[str], str | None]:
    found = await agentos.memory.search(NS, QUERY, limit=limit, cursor=cursor)
    return [hit.memory.id for hit in found.hits], found.next_cursor


async def test_it_is_the_last_of_what_is_shown_and_one_or_two_answers_stay_alone(agentos: AgentOS) -> None:
    wanted = await noted(agentos)
    for limit in (3, 5):
        found, more = await shown(agentos, limit)
        assert len(found) == limit and found[-1] == wanted and more
    for limit in (1, 2):
        assert wanted not in (await shown(agentos, limit))[0]
    recalled = await agentos.memory.recall(NS, QUERY, MemoryFilter(), 4)
    assert recalled.hits[-1].memory.id == wanted and recalled.hits[-1].parts[KEPT] > 0


async def test_a_walk_gives_it_once_and_loses_nothing(agentos: AgentOS) -> None:
    wanted = await noted(agentos)
    walked, cursor = await shown(agentos, 3)
    while cursor:
        found, cursor = await shown(agentos, 3, cursor)
        walked += found
    assert walked[2] == wanted and len(walked) == len(set(walked)) == len(USES) + 1


async def test_in_a_message_it_keeps_its_place_too(agentos: AgentOS) -> None:
    wanted = await noted(agentos)
    message = f"I am new here and would like to be quick today. What {QUERY}?"
    found = await agentos.memory.search(NS, message, limit=3)
    assert [hit.memory.id for hit in found.hits][-1] == wanted


async def test_that_of_others_has_no_place_of_its_own(agentos: AgentOS) -> None:
    theirs = await noted(agentos, "bob")
    for number in range(4):
        await agentos.memory.store(NS, StoreRequest(f"Library {number} of ours is used by the shop for its pages"))
    assert await agentos.embedding.caught_up(10)
    found = await agentos.memory.search(NS, QUERY, limit=3, also=[Source("bob")])
    assert found.hits and theirs not in [hit.memory.id for hit in found.hits]
