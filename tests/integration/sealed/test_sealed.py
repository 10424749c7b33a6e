"""Sealed memories: opaque texts that are found by their owner's vectors, and by nothing else."""

import base64
import hashlib
import math
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.features.sealed import rows
from agentos.features.sealed.service import MAX_DIMENSION
from agentos.modules.errors import InvalidInput, NotFound
from agentos.modules.health.service import examine
from tests.tables import every

NS = "ada"
PLAIN = {
    "the vault code is 4711081542": [1.0, 0.0, 0.0],
    "Maria likes espresso": [0.0, 2.0, 0.0],
    "the meeting is on Monday": [0.0, 0.5, 0.5],
}


def sealed_text(plain: str) -> str:
    """What a caller would send: no cipher, but as little to be read by the server as one."""
    key = hashlib.sha256(b"the caller's key").digest() * (len(plain) // 16 + 1)
    return base64.b64encode(bytes(a ^ b for a, b in zip(plain.encode(), key, strict=False))).decode()


def opened_text(content: str) -> str:
    raw = base64.b64decode(content)
    key = hashlib.sha256(b"the caller's key").digest() * (len(raw) // 16 + 1)
    return bytes(a ^ b for a, b in zip(raw, key, strict=False)).decode()


@pytest.fixture
async def ids(agentos: Any) -> dict[str, str]:
    return {
        plain: (await agentos.sealed.store(NS, sealed_text(plain), vector)).memory.id for plain, vector in PLAIN.items()
    }


async def test_what_is_near_is_found_and_its_owner_can_read_it(agentos: Any, ids: dict[str, str]) -> None:
    hits = await agentos.sealed.search(NS, [0.0, 3.0, 0.1], limit=2)
    assert [opened_text(hit.memory.content) for hit in hits] == ["Maria likes espresso", "the meeting is on Monday"]
    assert hits[0].similarity == pytest.approx(3.0 / math.hypot(3.0, 0.1), abs=1e-6)


@pytest.mark.sqlite("it reads its files")
async def test_the_server_never_sees_plain_text(agentos: Any, ids: dict[str, str], home: Path) -> None:
    stored = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    for plain in PLAIN:
        assert sealed_text(plain).encode() in stored
        assert not any(word.encode() in stored for word in (plain, "espresso", "4711081542", "Monday"))


async def test_it_is_neither_embedded_nor_indexed_nor_shown(
    agentos: Any, ids: dict[str, str], home: Path, embedder: Any, monkeypatch: pytest.MonkeyPatch, at_hand: Any
) -> None:
    async def encode(contents: Any) -> Any:
        raise AssertionError("a sealed text was given to the model")

    monkeypatch.setattr(embedder, "encode", encode)
    await agentos.memory.embedded(60)
    content = sealed_text("Maria likes espresso")
    assert (await agentos.memory.search(NS, content)).hits == ()
    assert (await agentos.memory.page(NS)).total == 0
    assert content not in str(await agentos.context.snapshot(NS))
    with at_hand() as connection:
        for table in ("memories", "memory_text", "embeddings", "index_outbox"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
        assert content not in str(connection.execute("SELECT * FROM audit").fetchall())


async def test_another_dimension_is_refused_and_changes_nothing(
    agentos: Any, ids: dict[str, str], home: Path, at_hand: Any
) -> None:
    def rows() -> list[Any]:
        with at_hand() as connection:
            return [
                connection.execute(f"SELECT * FROM {table}").fetchall()
                for table in ("sealed_memories", "audit", "namespaces")
            ]

    before = rows()
    with pytest.raises(InvalidInput, match=r"embedding: has 2 values, .* have 3"):
        await agentos.sealed.store(NS, sealed_text("something else"), [1.0, 0.0])
    with pytest.raises(InvalidInput, match=r"embedding: has 4 values, .* have 3"):
        await agentos.sealed.search(NS, [1.0, 0.0, 0.0, 0.0])
    assert rows() == before
    assert len(await agentos.sealed.search(NS, [1.0, 0.0, 0.0])) == 3


async def test_namespaces_are_apart_and_each_has_its_own_dimension(agentos: Any, ids: dict[str, str]) -> None:
    other = (await agentos.sealed.store("bob", "c2VhbGVk", [1.0, 1.0])).memory
    assert [hit.memory for hit in await agentos.sealed.search("bob", [1.0, 1.0], limit=50)] == [other]
    assert other.id not in {hit.memory.id for hit in await agentos.sealed.search(NS, [1.0, 1.0, 1.0], limit=50)}
    with pytest.raises(NotFound):
        await agentos.sealed.get(NS, other.id)
    with pytest.raises(NotFound):
        await agentos.sealed.delete(NS, other.id)


async def test_the_same_text_twice_is_kept_once(agentos: Any, ids: dict[str, str]) -> None:
    plain = "Maria likes espresso"
    again = await agentos.sealed.store(NS, sealed_text(plain), [0.0, 0.0, 1.0])
    assert (again.memory.id, again.duplicate) == (ids[plain], True)


async def test_what_is_deleted_is_gone(agentos: Any, ids: dict[str, str]) -> None:
    for memory_id in ids.values():
        assert (await agentos.sealed.get(NS, memory_id)).id == memory_id
        await agentos.sealed.delete(NS, memory_id)
        with pytest.raises(NotFound):
            await agentos.sealed.get(NS, memory_id)
    assert await agentos.sealed.search(NS, [1.0, 0.0, 0.0]) == []
    await agentos.sealed.store(NS, "c2VhbGVk", [1.0, 0.0])  # an empty namespace may begin with another model


@every(
    "values",
    [
        [],
        [0.0, 0.0],
        [math.nan, 1.0],
        [math.inf, 1.0],
        [1.7e308, 1.7e308],
        [10**400],
        ["1.0"],
        [True],
        [0.1] * (MAX_DIMENSION + 1),
    ],
)
async def test_what_is_no_direction_is_refused(agentos: Any, values: list[Any]) -> None:
    with pytest.raises(InvalidInput, match="embedding"):
        await agentos.sealed.store(NS, "c2VhbGVk", values)
    with pytest.raises(InvalidInput, match="embedding"):
        await agentos.sealed.search(NS, values)


@every("content", ["", " ", "\x00", "\ud800", "x" * 70_000])
async def test_a_text_that_cannot_be_kept_is_refused(agentos: Any, content: str) -> None:
    with pytest.raises(InvalidInput, match="content"):
        await agentos.sealed.store(NS, content, [1.0])


async def test_many_are_compared_in_parts(agentos: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "ROWS_AT_ONCE", 7)
    angles = [math.pi * number / 100 for number in range(50)]
    for angle in angles:
        await agentos.sealed.store(NS, f"c{angle}", [math.cos(angle), math.sin(angle)])
    hits = await agentos.sealed.search(NS, [math.cos(angles[30]), math.sin(angles[30])], limit=3)
    assert hits[0].memory.content == f"c{angles[30]}"
    assert {hit.memory.content for hit in hits[1:]} == {f"c{angles[29]}", f"c{angles[31]}"}


async def test_the_doctor_finds_nothing_wrong_with_them(
    agentos: Any, store: Any, ids: dict[str, str], home: Path, clock: Any
) -> None:
    await agentos.close()
    await store.close()
    settings = config.load({}, home=home, embedding_model="none")
    with database.health_checks(settings, clock, deep=True) as checks:
        report = examine(checks, repair=False)
    faults = {result.id: result.message for result in report.results if result.severity.is_fault}
    assert not {name for name in faults if name.startswith(("rows.", "database."))}, faults
