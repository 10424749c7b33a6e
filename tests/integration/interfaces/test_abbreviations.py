"""Ids by their beginning: the whole id where it is the only one, else an error that names those there are."""

from typing import Any

import pytest

from agentos.modules.errors import InvalidInput
from agentos.modules.store_request import StoreRequest
from agentos.tools.arguments import MOST_IDS, spelled_out

NS = "ada"


async def test_the_beginning_of_an_id_stands_for_it(agentos: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    names = iter(["mem_aaaa1111000000000000", "mem_aaaa2222000000000000", "mem_bbbb3333000000000000"])
    monkeypatch.setattr("agentos.modules.identifiers.new_id", lambda kind: next(names))
    for text in ("first thing", "second thing", "third thing"):
        await agentos.memory.store(NS, StoreRequest(text))
    monkeypatch.undo()
    goal = await agentos.goals.add(NS, "Ship", "")

    async def expanded(**given: Any) -> dict[str, Any]:
        return await spelled_out(agentos, NS, given)

    assert await expanded(memory_id="mem_bbbb") == {"memory_id": "mem_bbbb3333000000000000"}
    assert await expanded(supersedes=["mem_aaaa2", "mem_bbbb3333000000000000"]) == {
        "supersedes": ["mem_aaaa2222000000000000", "mem_bbbb3333000000000000"]
    }
    assert await expanded(goal_id=goal.id[:9], notes="mem_bbbb") == {"goal_id": goal.id, "notes": "mem_bbbb"}
    for unknown in ("mem_cccc", "mem_", "nothing_bbbb", "mem_BBBB", "mem_%%%%", "goal_x"):
        assert await expanded(memory_id=unknown) == {"memory_id": unknown}
    long = [f"mem_{number:06x}" for number in range(MOST_IDS)] + ["mem_bbbb"]
    assert await expanded(memory_ids=long) == {"memory_ids": long}, "what no tool takes is not looked up"
    assert await expanded(memory_ids=["mem_bbbb"] * 200) == {"memory_ids": ["mem_bbbb3333000000000000"] * 200}
    assert await spelled_out(agentos, "another", {"memory_id": "mem_bbbb"}) == {"memory_id": "mem_bbbb"}
    for short in ("mem_b", "mem_bbb", "goal_902"):
        with pytest.raises(InvalidInput, match=f"memory_id: {short} is too short; give at least four digits"):
            await expanded(memory_id=short)
    with pytest.raises(InvalidInput, match=r"memory_id: .*mem_aaaa1111.*mem_aaaa2222.*give more"):
        await expanded(memory_id="mem_aaaa")


async def test_an_id_is_shown_as_the_shortest_prefix_that_is_no_other_ones(
    agentos: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [
        "mem_aaaaaa11100000000000",
        "mem_aaaaaa11200000000000",
        "mem_bbbb3333000000000000",
        "mem_aaaaaa11110000000000",
    ]
    names = iter(ids)
    monkeypatch.setattr("agentos.modules.identifiers.new_id", lambda kind: next(names))
    for text, namespace in (("first", NS), ("second", NS), ("third", NS), ("fourth", "another")):
        await agentos.memory.store(namespace, StoreRequest(text))
    monkeypatch.undo()
    first, second, third, elsewhere = ids
    recalled = f'"see {third}, \\"{third}\\""'
    told = f'- {first} ends {second}, not {elsewhere}: {recalled}; feedback(memory_id="{third}")'
    short = await agentos.abbreviations.in_text(NS, told)
    assert short == f'- mem_aaaaaa111 ends mem_aaaaaa112, not {elsewhere}: {recalled}; feedback(memory_id="mem_bbbb33")'
    for given in ("mem_aaaaaa111", "mem_bbbb33"):
        assert (await spelled_out(agentos, NS, {"memory_id": given}))["memory_id"] in ids
    assert await agentos.abbreviations.in_text("another", elsewhere) == "mem_aaaaaa", "what others have is no matter"
    answer = {"id": first, "content": first, "label": f"see {second}", "parts": {third: 1.0}}
    fields = await agentos.abbreviations.in_fields(NS, answer)
    assert fields == {
        "id": "mem_aaaaaa111",
        "content": first,
        "label": "see mem_aaaaaa112",
        "parts": {"mem_bbbb33": 1.0},
    }
