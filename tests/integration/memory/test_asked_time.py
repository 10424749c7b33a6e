"""A question that is a time, in any language, is answered by what is of that time; filters take times in words."""

from typing import Any

from agentos.modules.store_request import StoreRequest
from tests.tables import every

NS = "ada"
EVENTS = {
    "2025-02-11T09:00:00Z": "The kiln cracked while it was cooling",
    "2025-03-11T09:00:00Z": "Nadia signed the lease for the barn",
    "2025-04-11T09:00:00Z": "A customer returned forty tiles",
}
OF_MARCH = EVENTS["2025-03-11T09:00:00Z"]


@every(
    "question",
    ["what happened in March 2025?", "was geschah im März 2025?", "2025年3月", "¿qué pasó en marzo de 2025?"],
)
async def test_a_question_of_a_time_alone_gets_what_is_of_that_time(agentos: Any, question: str) -> None:
    for moment, event in EVENTS.items():
        await agentos.memory.store(NS, StoreRequest(event, memory_type="episodic", occurred_at=moment))
    found = await agentos.memory.search(NS, question)
    assert [hit.memory.content for hit in found.hits] == [OF_MARCH]
    other = await agentos.memory.search(NS, "was geschah im Juli 2019?")
    assert not other.gate.answered or not other.hits
