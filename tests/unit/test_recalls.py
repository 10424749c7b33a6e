"""The latest recalls: what was asked and found, and again when something of it was used."""

import asyncio
from datetime import UTC, datetime

from agentos.modules.usage.recalls import Recalls

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_a_recall_is_told_again_when_a_memory_of_it_is_used() -> None:
    recalls = Recalls()
    recalls.note(NOW, "ann", "codex", "memory_search", "where is the key", ["mem_1", "mem_2"])
    recalls.note(NOW, "ann", "codex", "memory_search", "who has the key", [])
    seen = asyncio.run(recalls.after(0, ["ann"]))
    assert [(one.id, one.hits, one.used) for one in seen] == [(1, 2, 0), (2, 0, 0)]
    for client, memory_id in (("codex", "mem_9"), ("zed", "mem_1"), *[("codex", "mem_1")] * 2):
        recalls.used("ann", client, memory_id)
    [again] = asyncio.run(recalls.after(seen[-1].number, ["ann"]))
    assert (again.id, again.query, again.used) == (1, "where is the key", 1)
    assert [one.query for one in asyncio.run(recalls.without_hits(["ann"]))] == ["who has the key"]


def test_a_question_is_unanswered_by_how_it_was_answered_last() -> None:
    recalls = Recalls()
    for query, shown in (("a", ()), ("b", ()), ("c", ()), ("a", ()), ("b", ("mem_1",))):
        recalls.note(NOW, "ann", "codex", "memory_search", query, shown)
    assert [one.query for one in asyncio.run(recalls.without_hits(["ann"]))] == ["a", "c"]
