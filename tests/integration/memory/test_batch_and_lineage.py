"""Many memories in one call, and what is known of one: where it comes from and how far it is trusted."""

from datetime import timedelta
from typing import Any

import pytest

from agentos.modules.errors import InvalidInput
from agentos.modules.principals.models import Door, local_owner
from agentos.modules.store_request import StoreRequest
from agentos.tools.batch import BATCH_TOOLS, MAX_MEMORIES, memory_store_batch
from agentos.tools.bound import BoundTool
from agentos.tools.calling import call
from agentos.tools.memory import memory_get

NS = "ada"


async def test_a_bad_row_of_many_is_refused_alone_and_named(agentos: Any) -> None:
    rows: list[dict[str, Any]] = [{"content": f"note number {n}", "tags": '["many"]'} for n in range(50)]
    rows[7] = {"content": "x", "importance": 7}
    rows[20] = {"colour": "red"}
    done = await memory_store_batch(agentos, NS, memories=[*rows, rows[0]])
    assert [one.index for one in done.results] == [n for n in range(51) if n not in (7, 20)]
    assert [(one.index, one.code, one.field) for one in done.refused] == [
        (7, "invalid_input", "importance"),
        (20, "invalid_input", "content"),
    ]
    assert done.results[-1].duplicate and done.results[-1].id == done.results[0].id
    page = await agentos.memory.page(NS, limit=1)
    assert page.total == 48 and page.memories[0].tags == ("many",)
    assert "Stored 49, refused 2." in done.as_text()


async def test_what_is_no_memory_is_refused_by_its_place(agentos: Any) -> None:
    given = {"memories": [{"content": "a note"}, "plain", 5, None, [], '{"content": "another note"}']}
    result = await call(BoundTool(BATCH_TOOLS[0]), _opened(agentos), local_owner(NS, None, Door.STDIO), "test", given)
    result_fields = result["structuredContent"]
    assert [one["index"] for one in result_fields["results"]] == [0, 5]
    assert [(one["index"], one["code"], one["field"]) for one in result_fields["refused"]] == [
        (place, "invalid_input", "memories") for place in (1, 2, 3, 4)
    ]
    assert '{"content": "…"}' in result_fields["refused"][0]["problem"]


async def test_a_row_may_name_a_time_and_the_beginning_of_an_id_as_the_tool_for_one_memory_takes_them(
    agentos: Any, clock: Any
) -> None:
    old = (await agentos.memory.store(NS, StoreRequest("The desk is red"))).memory.id
    rows = [
        {"content": "The desk is blue", "supersedes": [old[:12]], "valid_until": "tomorrow"},
        {"content": "x", "supersedes": ["mem_0000"] * 99},
    ]
    done = await memory_store_batch(agentos, NS, memories=rows)
    assert [one.index for one in done.results] == [0] and done.refused[0].field == "supersedes"
    memory, _ = await agentos.memory.get(NS, old)
    assert memory.valid_to is not None
    ends = (await agentos.memory.get(NS, done.results[0].id))[0].valid_to
    assert ends is not None and ends.date() == (clock() + timedelta(days=1)).date()


def _opened(agentos: Any) -> Any:
    async def opened() -> Any:
        return agentos

    return opened


async def test_a_batch_has_its_bounds(agentos: Any) -> None:
    for many in (0, MAX_MEMORIES + 1):
        with pytest.raises(InvalidInput, match="memories"):
            await memory_store_batch(agentos, NS, memories=[{"content": "x"}] * many)


async def test_a_memory_tells_its_lineage_its_decisions_and_its_trust(agentos: Any) -> None:
    def depot(city: str, source: str) -> StoreRequest:
        return StoreRequest(f"The depot is in {city}", source=source, subject="depot", attribute="city", value=city)

    old = (await agentos.memory.store(NS, depot("Turin", "survey"))).memory
    agentos.clock.advance(seconds=60)
    new = (await agentos.memory.store(NS, depot("Genoa", "survey"))).memory
    record = await memory_get(agentos, NS, memory_id=new.id)
    assert [(link.relation, link.id) for link in record.lineage] == [("supersedes", old.id)]
    before = await memory_get(agentos, NS, memory_id=old.id)
    assert [(link.relation, link.id) for link in before.lineage] == [("superseded_by", new.id)]
    assert before.source_trust == round(old.trust, 4)
    assert before.trust == pytest.approx(sum(before.trust_parts.values()), abs=0.03)
    assert [(one.action, one.by) for one in before.decisions] == [("supersede", "agent")]
    assert f"superseded_by {new.id}" in before.as_text()
