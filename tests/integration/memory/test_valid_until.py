"""A memory with an end: current until then, history afterwards."""

from typing import Any

import pytest

from agentos.modules.errors import InvalidInput
from agentos.modules.memory.models import MemoryFilter
from agentos.modules.store_request import StoreRequest

NS = "ada"
TEXT = "The kiln stands in the barn"


async def told(agentos: Any, query: str = "Where does the kiln stand?", where: MemoryFilter | None = None) -> list[str]:
    return [hit.memory.content for hit in (await agentos.memory.search(NS, query, where)).hits]


async def test_what_holds_until_a_day_is_told_on_that_day_and_is_history_on_the_next(agentos: Any, clock: Any) -> None:
    last = f"{clock():%Y-%m-%d}"
    stored = await agentos.memory.store(NS, StoreRequest(TEXT, valid_until=last))
    assert await told(agentos) == [TEXT]
    assert TEXT in str(await agentos.context.snapshot(NS))
    before = clock()
    clock.advance(days=1)
    assert await told(agentos) == []
    assert TEXT not in str(await agentos.context.snapshot(NS))
    assert await told(agentos, where=MemoryFilter(as_of=before)) == [TEXT]
    assert (await agentos.memory.get(NS, stored.memory.id))[0].has_ended(clock())
    assert f"{stored.memory.valid_to:%Y-%m-%d}" == last, "labels tell the day that was given"


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("The lift is closed until the release on 3 May 2031", "2031-05-03"),
        ("Until 2031-05-03 the kiln stands in the yard.", "2031-05-03"),
        ("The lift is closed until the release. It comes on 3 May 2031.", None),
        ("The lift was closed until 3 May 2019", None),
        ("The lift is closed until further notice", None),
    ],
)
async def test_a_sentence_that_says_until_when_it_holds_is_history_then(agentos: Any, text: str, end: str) -> None:
    ends = (await agentos.memory.store(NS, StoreRequest(text))).memory.valid_to
    assert (ends and f"{ends:%Y-%m-%d}") == end


async def test_the_same_text_stored_again_with_an_end_has_that_end(agentos: Any, clock: Any) -> None:
    first = await agentos.memory.store(NS, StoreRequest(TEXT))
    clock.advance(days=1)
    again = await agentos.memory.store(NS, StoreRequest(TEXT, valid_until="2999-01-01T12:00:00+01:00"))
    assert again.duplicate and again.memory.id == first.memory.id
    assert again.memory.valid_to is not None and again.memory.valid_to.isoformat() == "2999-01-01T11:00:00+00:00"
    assert (await agentos.memory.store(NS, StoreRequest(TEXT))).memory.valid_to == again.memory.valid_to


async def test_a_value_for_a_time_stands_beside_the_lasting_one(agentos: Any, clock: Any) -> None:
    slot = {"subject": "kiln", "attribute": "place"}
    await agentos.memory.store(NS, StoreRequest("The kiln stands in the yard", value="yard", **slot))
    clock.advance(days=1)
    until = f"{clock():%Y-%m-%d}"
    await agentos.memory.store(NS, StoreRequest(TEXT, value="barn", valid_until=until, **slot))
    assert set(await told(agentos)) == {TEXT, "The kiln stands in the yard"}
    clock.advance(days=2)
    assert await told(agentos) == ["The kiln stands in the yard"]


@pytest.mark.parametrize("end", ["soon", "1999-01-01", ""])
async def test_an_end_that_is_no_date_or_lies_before_the_beginning_is_refused(agentos: Any, end: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await agentos.memory.store(NS, StoreRequest(TEXT, valid_until=end))
    assert refused.value.field == "valid_until"
    assert (await agentos.memory.page(NS)).total == 0
