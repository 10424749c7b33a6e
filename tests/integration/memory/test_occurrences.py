"""Occurrences: one text, told of several events."""

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
