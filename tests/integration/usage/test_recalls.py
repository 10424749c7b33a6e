"""Recalls: told as they happen and again when something of them is used, and kept with what they found."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from agentos.modules.agentos import AgentOS
from agentos.modules.deeds.models import Deed, Undo
from agentos.modules.principals.models import Door, local_owner
from agentos.modules.store_request import StoreRequest
from agentos.modules.usage.models import Answered
from agentos.modules.usage.recalls import KEPT_FOR
from tests.integration.conftest import Clock
from tests.integration.usage.test_usage import opened

DAY = timedelta(days=1)


async def test_a_recall_is_told_again_when_a_memory_of_it_is_used(agentos: AgentOS, clock: Clock) -> None:
    recalls = agentos.recalls
    recalls.note(clock(), "ann", "codex", "memory_search", "where is the key", ["mem_1", "mem_2"])
    recalls.note(clock(), "ann", "codex", "memory_search", "who has the key", [])
    seen = await recalls.after(0, ["ann"])
    assert [(one.id, one.hits, one.used) for one in seen] == [(1, 2, 0), (2, 0, 0)]
    for client, memory_id in (("codex", "mem_9"), ("zed", "mem_1"), *[("codex", "mem_1")] * 2):
        recalls.used("ann", client, memory_id)
    [again] = await recalls.after(seen[-1].number, ["ann"])
    assert (again.id, again.query, again.used) == (1, "where is the key", 1)


async def test_a_question_is_unanswered_by_how_it_was_answered_last(agentos: AgentOS, clock: Clock) -> None:
    for query, shown in (("a", ()), ("b", ()), ("c", ()), ("a", ()), ("b", ("mem_1",))):
        clock.advance(seconds=1)
        agentos.recalls.note(clock(), "ann", "codex", "memory_search", query, shown)
    agentos.recalls.note(clock(), "bob", "codex", "memory_search", "d", ())
    assert [one.question for one in await agentos.recalls.without_hits(["ann"], 5)] == ["a", "c"]
    assert {one.question for one in await agentos.recalls.without_hits(["ann", "bob"], 5)} == {"a", "c", "d"}
    assert [one.question for one in await agentos.recalls.without_hits(["ann"], 1)] == ["a"]


async def test_questions_survive_the_process_without_secrets_until_they_are_old(tmp_path: Path, engine: Any) -> None:
    clock = Clock()
    store, agentos = await opened(engine, tmp_path / "home", clock)
    secret = "ghp_" + "A1b2C3d4E5f6" * 3
    agentos.recalls.note(clock(), "ann", "codex", "memory_search", "x" * 185 + f" token {secret}", [])
    agentos.recalls.note(clock(), "ann", "codex", "memory_search", "where is the key", ["mem_1"])
    await agentos.recalls.flush()
    agentos.recalls.used("ann", "codex", "mem_1")
    await agentos.close()
    await store.close()
    store, agentos = await opened(engine, tmp_path / "home", clock)
    now = clock()
    kept = (await store.records.questions.texts("ann")).values()
    assert len(kept) == 2 and not [text for text in kept if "key" in text], "what was deleted may be named in one"
    found, total = await agentos.recalls.asked(["ann"], now - DAY, now + DAY, None, 10)
    assert total == 2 and not [one for one in found if "ghp_" in one.question]
    used, _ = await agentos.recalls.asked(["ann"], now - DAY, now + DAY, Answered.USED, 10)
    assert [(one.question, one.hits, one.used) for one in used] == [("where is the key", 1, 1)]
    assert await agentos.recalls.asked(["ann"], now + DAY, now + 2 * DAY, None, 10) == ([], 0)
    key = tmp_path / "home" / "server.key"
    own = key.read_bytes()
    key.write_bytes(bytes(reversed(own)))
    assert (await agentos.recalls.asked(["ann"], now - DAY, now + DAY, None, 10))[0] == []
    key.write_bytes(own)
    clock.advance(seconds=KEPT_FOR.total_seconds() + 1)
    await agentos.recalls.tidy_up()
    assert (await agentos.recalls.asked(["ann"], now - DAY, now + DAY, None, 10))[1] == 0
    await agentos.close()
    await store.close()


async def test_what_names_an_erased_subject_was_never_asked(agentos: AgentOS, clock: Clock) -> None:
    await agentos.memory.store("default", StoreRequest("Igor Holm likes tea."))
    kept = await agentos.memory.store("default", StoreRequest("The kettle is in the hall."))
    agentos.recalls.note(clock(), "default", "zed", "memory_search", "Igor Holm's kettle", [kept.memory.id])
    undo = Undo("/memories", {"do": "restore", "content": "Igor Holm likes tea."})
    whose = ("default", "default", "login", clock())
    for number, address in enumerate(("/dashboard/memories?q=Igor+Holm", "/dashboard/goals", "/dashboard/memory/1")):
        done = ("changed", "/memories", address, undo if number == 2 else None)
        await agentos.deeds.note(Deed(f"deed_{number}", *whose, *done))
    for namespace, query in (("default", "what does IGOR Holm drink"), ("default", "tea"), ("bob", "igor holm?")):
        agentos.recalls.note(clock(), namespace, "codex", "memory_search", query, [])
    found = await agentos.erasure.look(local_owner("default", None, Door.COMMAND_LINE), "default", "Igor Holm")
    await agentos.erasure.erase(found, "human")
    left = await agentos.recalls.without_hits(["default", "bob"], 9)
    assert {one.question for one in left} == {"tea", "igor holm?"}
    assert [one.id for one in await agentos.deeds.all_of("default")] == ["deed_1"]
    agentos.recalls.used("default", "zed", kept.memory.id)
    assert not await agentos.recalls.naming("default", "Igor Holm") and not await agentos.deeds.naming(
        "default", "igor"
    )


async def test_what_cannot_be_opened_is_forgotten_with_any_subject(tmp_path: Path, engine: Any) -> None:
    store, agentos = await opened(engine, tmp_path / "home", Clock())
    now = agentos.clock()
    agentos.recalls.note(now, "ann", "codex", "memory_search", "what does Igor Holm drink", [])
    await agentos.recalls.flush()
    (tmp_path / "home" / "server.key").write_bytes(b"x")
    memory = (await agentos.memory.store("ann", StoreRequest("Igor Holm likes tea."))).memory
    found = await agentos.erasure.look(local_owner("ann", None, Door.COMMAND_LINE), "ann", "Igor Holm")
    assert await agentos.erasure.erase(found, "human") == [] and [one.id for one in found.own] == [memory.id]
    assert not await store.records.questions.texts("ann")
    await agentos.close()
    await store.close()
