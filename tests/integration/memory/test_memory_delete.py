"""Deleting: gone from every table and index, and never more than was asked for."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agentos.modules.errors import InvalidInput, NotFound
from agentos.modules.memory.models import MemoryFilter, MemoryType, Status, Vector
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest
from tests.tables import every

NS = "ada"


def rows(at_hand: Path) -> dict[str, int]:
    """How many rows each place holds that knows of memories."""
    with at_hand() as database:
        counts = {
            table: database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("memories", "memory_tags", "memory_versions", "memory_text", "embeddings")
        }
        counts["words"] = database.execute(
            "SELECT count(*) FROM memory_text WHERE memory_text MATCH 'zebra'"
        ).fetchone()[0]
    database.close()
    return counts


@pytest.mark.sqlite("it searches the index beside it")
@pytest.mark.usefixtures("unmeasured")
async def test_a_deleted_memory_is_gone_everywhere(
    agentos: Any, store: Any, open_store: Any, wire: Any, home: Path, embedder: Any, at_hand: Any
) -> None:
    other = wire(await open_store())
    memory = (await agentos.memory.store(NS, StoreRequest("zebra crossing", tags=["a", "b"]))).memory
    await agentos.memory.update(NS, memory.id, MemoryChanges(importance=1.0))
    generation = await agentos.embedding.generation()
    index = store.vector_index(home / "chroma")
    await index.open(generation)
    vector = Vector(generation, embedder.vector("zebra crossing"))
    assert [c.id for c in await index.nearest(NS, vector, 5)] == [memory.id]
    assert (await other.memory.search(NS, "zebra")).hits[0].memory.id == memory.id

    await agentos.memory.delete(NS, memory.id)

    assert set(rows(at_hand).values()) == {0}
    for services in (agentos, other):
        assert (await services.memory.search(NS, "zebra")).hits == ()
        assert (await services.memory.page(NS)).total == 0
        with pytest.raises(NotFound, match="memory_id"):
            await services.memory.get(NS, memory.id)
    assert await index.nearest(NS, vector, 5) == []
    while await index.catch_up(100):
        pass
    assert (await index.state()).count == 0
    await index.close()


async def test_an_unknown_or_foreign_memory_is_not_deleted(agentos: Any) -> None:
    memory = (await agentos.memory.store("bob", StoreRequest("his"))).memory
    for memory_id in (memory.id, "mem_unknown", "%", "' OR 1=1 --"):
        with pytest.raises(NotFound, match="memory_id"):
            await agentos.memory.delete(NS, memory_id)
    with pytest.raises(InvalidInput, match="memory_id"):
        await agentos.memory.delete(NS, "")
    assert (await agentos.memory.page("bob")).total == 1


async def test_a_text_may_come_back_after_its_delete(agentos: Any) -> None:
    first = (await agentos.memory.store(NS, StoreRequest("text"))).memory
    await agentos.memory.delete(NS, first.id)
    second = await agentos.memory.store(NS, StoreRequest("text"))
    assert not second.duplicate
    assert second.memory.id != first.id
    assert (await agentos.memory.get(NS, second.memory.id))[1] == []


@every(
    "where",
    [
        MemoryFilter(),
        MemoryFilter(tags=[]),  # type: ignore[arg-type]
        MemoryFilter(min_importance=-1.0),
        MemoryFilter(min_importance=float("nan")),
    ],
)
async def test_a_filter_that_restricts_nothing_is_refused(agentos: Any, where: MemoryFilter) -> None:
    await agentos.memory.store(NS, StoreRequest("precious"))
    with pytest.raises(InvalidInput):
        await agentos.memory.delete_where(NS, where)
    assert (await agentos.memory.page(NS)).total == 1


async def test_delete_by_tags_takes_only_those_with_all_of_them(agentos: Any) -> None:
    for tags in (["a"], ["b"], ["a", "b"], ["a", "b", "c"], []):
        await agentos.memory.store(NS, StoreRequest(f"tagged {tags}", tags=tags))
    await agentos.memory.store("bob", StoreRequest("his", tags=["a", "b"]))
    assert await agentos.memory.delete_where(NS, MemoryFilter(tags=("a", "b"))) == 2
    assert sorted(m.tags for m in (await agentos.memory.page(NS)).memories) == [(), ("a",), ("b",)]
    assert (await agentos.memory.page("bob")).total == 1
    assert await agentos.memory.delete_where(NS, MemoryFilter(tags=("%",))) == 0


def _tails(word: str) -> list[bytes]:
    """What is looked for of a word: its tail, since the text index shares the beginnings of words."""
    return [word[4:].encode(), word[4:].upper().encode(), word[4:].encode("utf-16-le")]


def left_in(home: Path, words: Sequence[str]) -> list[str]:
    """Which words some file of a home holds, and which file."""
    files = [(path, path.read_bytes()) for path in home.rglob("*") if path.is_file()]
    return [f"{word} in {path.name}" for path, data in files for word in words if any(t in data for t in _tails(word))]


@pytest.mark.sqlite("it looks at its text index")
async def test_erasing_a_thousand_times_does_not_wear_the_text_index_out(
    agentos: Any, home: Path, at_hand: Any
) -> None:
    remaining = (await agentos.memory.store(NS, StoreRequest("the zebra crosses the harbour"))).memory.id
    gone = (await agentos.memory.store(NS, StoreRequest("qxzvbnmkplw is gone"))).memory.id
    with at_hand() as database:
        insert = "INSERT INTO memory_text (rowid, content) VALUES (?, ?)"
        database.executemany(insert, [(10_000_000 + number, f"word{number} of many") for number in range(300)])
        for number in range(600):  # as so many erasures leave it, with writes in between
            database.execute(insert, (20_000_000 + number, f"word{number}"))
            database.execute("DELETE FROM memory_text WHERE rowid = ?", (20_000_000 + number - 1,))
            database.execute("INSERT INTO memory_text (memory_text, rank) VALUES ('merge', -500)")
        database.execute("DELETE FROM memory_text WHERE rowid >= 10000000")
    database.close()
    await agentos.memory.delete(NS, gone)
    with at_hand() as database:
        [structure] = database.execute("SELECT length(block) FROM memory_text_data WHERE id = 10").fetchone()
        database.execute("INSERT INTO memory_text (memory_text) VALUES ('integrity-check')")
    database.close()
    assert structure < 300
    assert [hit.memory.id for hit in (await agentos.memory.search(NS, "zebra harbour")).hits] == [remaining]
    assert left_in(home, ["qxzvbnmkplw"]) == []


@pytest.mark.sqlite("it reads its files")
@pytest.mark.parametrize("seed", [1, 2])
async def test_no_word_of_what_was_erased_is_left_in_any_file(agentos: Any, home: Path, seed: int) -> None:
    """Of its text, earlier texts, tags, metadata, names and turns; while the store is open, and beside what stays."""
    chance = random.Random(seed)

    def word() -> str:
        return "".join(chance.choice("bcdfghjklmnpqrstvwxz") for _ in range(14))

    remaining, gone, ids = [], [], []
    for n in range(120):
        words = [word() for _ in range(8)]
        stored = await agentos.memory.store(
            NS,
            StoreRequest(
                " ".join([f"{words[0].capitalize()} {words[1].capitalize()} met them at", *words[2:5], "x" * n * 20]),
                tags=[words[5]],
                metadata={"about": words[6]},
                session="s1" if n % 3 == 0 else None,
            ),
        )
        await agentos.memory.update(NS, stored.memory.id, MemoryChanges(content=f"{' '.join(words[:5])} {words[7]}"))
        (gone if n % 2 else remaining).extend(words)
        ids += [stored.memory.id] if n % 2 else []
    await agentos.graph.read(NS)
    await agentos.memory.search(NS, " ".join(remaining[:4]))
    chance.shuffle(ids)
    for memory_id in ids[:5]:
        await agentos.memory.delete(NS, memory_id)
    assert len(left_in(home, gone)) > 0, "the others are there"
    for memory_id in ids[5:]:
        await agentos.lifecycle.forget(NS, memory_id)
    assert (
        await agentos.memory.delete_where(NS, MemoryFilter(statuses=(Status.FORGOTTEN,), include_superseded=True)) == 55
    )
    assert left_in(home, gone) == []
    assert (await agentos.memory.page(NS)).total == 60
    for looked_for in (remaining[2], remaining[-6]):
        assert (await agentos.memory.search(NS, looked_for)).hits


async def test_delete_by_date_takes_only_what_happened_before(agentos: Any, clock: Any) -> None:
    for day in (1, 2, 3):
        await agentos.memory.store(NS, StoreRequest(f"day {day}", occurred_at=f"2026-01-0{day}"))
    second = (await agentos.memory.page(NS)).memories[1].occurred_at
    assert await agentos.memory.delete_where(NS, MemoryFilter(until=second)) == 1
    assert [m.content for m in (await agentos.memory.page(NS)).memories] == ["day 3", "day 2"]


async def test_delete_by_type_leaves_the_other_types(agentos: Any) -> None:
    for kind in MemoryType:
        await agentos.memory.store(NS, StoreRequest(f"a {kind}", kind))
    assert await agentos.memory.delete_where(NS, MemoryFilter(memory_type=MemoryType.WORKING)) == 1
    assert (await agentos.memory.page(NS)).total == 3


async def test_the_audit_log_names_changes_without_their_text(agentos: Any, home: Path, at_hand: Any) -> None:
    memory = (await agentos.memory.store(NS, StoreRequest("zebra"))).memory
    await agentos.memory.update(NS, memory.id, MemoryChanges(content="giraffe"))
    await agentos.memory.delete(NS, memory.id)
    with at_hand() as database:
        entries = database.execute("SELECT action, subject, detail FROM audit ORDER BY seq").fetchall()
    assert [(action, subject) for action, subject, _ in entries] == [
        ("memory.store", memory.id), ("memory.update", memory.id), ("memory.erase", memory.id),
    ]  # fmt: skip
    assert "zebra" not in str(entries)
    assert "giraffe" not in str(entries)
