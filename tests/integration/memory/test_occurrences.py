"""Occurrences: one text, told of several events."""

from datetime import UTC, datetime
from typing import Any

import pytest

from agentos.modules.memory.models import MemoryFilter
from agentos.modules.store_request import StoreRequest

NS = "ada"
TEXT = "The ferry to the island was cancelled"


@pytest.mark.parametrize(
    ("memory_type", "dates", "kept"),
    [
        ("episodic", ("2026-03-02", "2026-03-09", "2026-02-01"), 3),
        ("episodic", ("2026-03-02", "2026-03-09", "2026-03-09", "2026-03-02"), 2),
        ("semantic", ("2026-03-02", "2026-03-09"), 1),
    ],
)
async def test_the_same_event_on_another_day_is_another_one_and_a_repeated_store_is_not(
    agentos: Any, memory_type: str, dates: tuple[str, ...], kept: int
) -> None:
    stored = [
        await agentos.memory.store(NS, StoreRequest(TEXT, memory_type, occurred_at=date), ask=True) for date in dates
    ]
    assert len({one.memory.id for one in stored}) == kept
    assert max(one.times for one in stored) == kept
    assert not any(one.may_replace for one in stored)
    page = await agentos.memory.page(NS, MemoryFilter(), 10, 0, None)
    assert {f"{one.occurred_at:%Y-%m-%d}" for one in page.memories} == set(dates[:kept])


async def test_an_event_without_a_date_is_told_again_after_an_hour(agentos: Any, clock: Any) -> None:
    request = StoreRequest(TEXT, "episodic")
    first = await agentos.memory.store(NS, request)
    clock.advance(minutes=5)
    assert (await agentos.memory.store(NS, request)).memory.id == first.memory.id
    clock.advance(hours=5)
    again = await agentos.memory.store(NS, request)
    clock.advance(minutes=5)
    retried = await agentos.memory.store(NS, request)
    assert not again.duplicate and again.times == 2
    assert retried.duplicate and retried.memory.id == again.memory.id


@pytest.mark.parametrize("query", ["what happened in {}?", "{}", "What happened on 7 {}?"])
async def test_a_query_that_is_only_a_time_is_answered_from_that_time(agentos: Any, query: str) -> None:
    events = {"January": "The kiln was fired", "March": "A pipe burst below the stairs", "April": "We hired a gardener"}
    for number, event in zip((1, 3, 4), events.values(), strict=True):
        await agentos.memory.store(NS, StoreRequest(event, "episodic", occurred_at=f"2025-{number:02}-07T10:00:00Z"))
    for month, event in events.items():
        found = await agentos.memory.search(NS, query.format(f"{month} 2025"))
        assert [hit.memory.content for hit in found.hits] == [event]


async def test_a_bounded_time_answers_a_vague_query(agentos: Any) -> None:
    for day in ("2026-01-05", "2026-02-05"):
        await agentos.memory.store(NS, StoreRequest(f"The kiln was fired {day[5:7]}", "episodic", occurred_at=day))
    where = MemoryFilter(since=datetime(2026, 2, 1, tzinfo=UTC))
    found = await agentos.memory.search(NS, "kiln matters", where)
    assert [f"{hit.memory.occurred_at:%m}" for hit in found.hits] == ["02"]


async def test_a_value_from_the_future_does_not_end_what_is_told_today(agentos: Any, clock: Any) -> None:
    slot = {"subject": "kiln", "attribute": "firing day"}
    clock.advance(days=400)
    await agentos.memory.store(NS, StoreRequest("The kiln is fired on Mondays", value="Monday", **slot))
    clock.advance(days=-400)
    today = (
        await agentos.memory.store(NS, StoreRequest("The kiln is fired on Fridays", value="Friday", **slot))
    ).memory
    assert today.valid_to is None
    found = await agentos.memory.search(NS, "when is the kiln fired?")
    assert found.hits[0].memory.id == today.id
