"""Strength over real SQLite equals the one formula, and nothing is ever subtracted."""

import random
from typing import Any

import pytest

from agentos.modules.memory import formulas
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest

NS = "ada"


async def filled(agentos: Any, clock: Any) -> list[Any]:
    chance = random.Random(7)
    for number in range(60):
        memory = (await agentos.memory.store(NS, StoreRequest(f"item {number}"))).memory
        importance = chance.choice([0.0, 1.0, chance.random(), chance.random()])
        await agentos.memory.update(NS, memory.id, MemoryChanges(importance=importance))
        clock.advance(hours=chance.uniform(0, 60))
    clock.advance(days=20)
    return list((await agentos.memory.page(NS, limit=200)).memories)


async def test_the_database_orders_by_the_same_strength_as_the_formula(agentos: Any, clock: Any) -> None:
    memories = await filled(agentos, clock)
    for rate in (0.0, 0.01, 0.3, 1.0):
        await the_database_orders_by_the_same_strength_as_the_formula(agentos, clock, memories, rate)


async def the_database_orders_by_the_same_strength_as_the_formula(
    agentos: Any, clock: Any, memories: list[Any], rate: float
) -> None:
    def value(memory: Any) -> float:
        return memory.importance * formulas.strength(rate, memory.importance, memory.accessed_at, clock.now)

    strongest = await agentos.archive.strongest(NS, rate, clock.now, 60)
    assert [value(m) for m in strongest] == pytest.approx(sorted(map(value, memories), reverse=True), abs=1e-9)
    for limit in (1, 4, 13):
        few = await agentos.archive.strongest(NS, rate, clock.now, limit)
        assert [m.id for m in few] == [m.id for m in strongest[:limit]], "what is less important is not read"
    for bound in (0.05, 0.2, 0.5, 0.9, 1.0):
        fading = await agentos.archive.fading(NS, rate, clock.now, 0.3, bound, 100)
        expected = {
            m.id
            for m in memories
            if m.importance >= 0.3 and formulas.strength(rate, m.importance, m.accessed_at, clock.now) < bound
        }
        assert {m.id for m in fading} == expected
        assert [m.importance for m in fading] == sorted((m.importance for m in fading), reverse=True)


async def test_a_clock_that_went_back_takes_no_strength_in_the_database_either(agentos: Any, clock: Any) -> None:
    await agentos.memory.store(NS, StoreRequest("from the future"))
    clock.advance(days=-400)
    assert await agentos.archive.fading(NS, 1.0, clock.now, 0.0, 1.0, 10) == []


async def test_many_rounds_of_looking_equal_one_closed_formula(agentos: Any, clock: Any) -> None:
    memory = (await agentos.memory.store(NS, StoreRequest("a lesson"))).memory
    for _ in range(30):
        clock.advance(days=1)
        await agentos.memory.fading(NS, 0.0, 1.0, 10)
        await agentos.memory.strongest(NS, 10)
    now, _ = await agentos.memory.get(NS, memory.id)
    assert now == memory
    assert agentos.memory.strength(now, clock.now) == pytest.approx(1 - 0.01 * (1 - memory.importance) * 30, abs=1e-9)


async def test_an_access_restores_the_strength(agentos: Any, clock: Any) -> None:
    memory = (await agentos.memory.store(NS, StoreRequest("a lesson"))).memory
    clock.advance(days=50)
    [hit] = (await agentos.memory.search(NS, "lesson")).hits
    assert hit.strength == pytest.approx(1 - 0.01 * (1 - memory.importance) * 50, abs=1e-9)
    now, _ = await agentos.memory.get(NS, memory.id)
    assert agentos.memory.strength(now, clock.now) == 1.0


async def test_the_rate_is_a_setting(store: Any, wire: Any, clock: Any) -> None:
    fast = wire(store, memory_decay_rate=0.5)
    memory = (await fast.memory.store(NS, StoreRequest("x"))).memory
    clock.advance(days=1)
    assert fast.memory.strength(memory, clock.now) == pytest.approx(1 - 0.5 * (1 - memory.importance), abs=1e-9)
