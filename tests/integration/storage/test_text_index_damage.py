"""A damaged text index: the message names the remedy, and the remedy works."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.modules.clock import system_clock
from agentos.modules.errors import StorageRefused
from agentos.modules.health.service import examine
from agentos.modules.store_request import StoreRequest

pytestmark = pytest.mark.sqlite("it damages its text index")

NS = "ada"


async def hits(settings: config.Settings) -> list[str]:
    async with database.opened(settings, system_clock) as (agentos, _):
        return [hit.memory.content for hit in (await agentos.memory.search(NS, "harbour")).hits]


async def store(settings: config.Settings, *texts: str) -> None:
    async with database.opened(settings, system_clock) as (agentos, _):
        for text in texts:
            await agentos.memory.store(NS, StoreRequest(text))


async def read_index(settings: config.Settings) -> int:
    """Ask the text index itself, as nothing but erasing and examining does, and return how many it names."""
    opened: Any = await database.open_store(settings, system_clock)
    try:
        return len(await opened.engine.read("SELECT rowid FROM memory_text WHERE memory_text MATCH 'harbour'"))
    finally:
        await opened.close()


async def test_the_remedy_that_is_named_is_the_one_that_works(tmp_path: Path) -> None:
    settings = config.load({}, home=tmp_path / "home", embedding_model="none")
    await store(settings, "The harbour opens at nine.", "The heron stands in the shallows.")
    with closing(sqlite3.connect(settings.database)) as connection:
        connection.execute("UPDATE memory_text_data SET block = x'ffffffffffff' WHERE id > 10")
        connection.commit()
    assert await hits(settings) == ["The harbour opens at nine."]
    with pytest.raises(StorageRefused, match=r"text index is damaged, but the memories are not: .* --deep --repair"):
        await read_index(settings)
    with database.health_checks(settings, system_clock, deep=True) as checks:
        examine(checks, repair=True)
    assert await read_index(settings) == 1


async def test_an_erasure_takes_the_words_along_that_a_damaged_index_does_not_say(tmp_path: Path) -> None:
    settings = config.load({}, home=tmp_path / "home", embedding_model="none")
    await store(settings, "The harbour opens at nine.", "The heron stands in the shallows.")
    with closing(sqlite3.connect(settings.database)) as connection:
        [lost] = connection.execute("SELECT seq FROM memories WHERE content LIKE '%harbour%'").fetchone()
        connection.execute("DELETE FROM memory_text_content WHERE id = ?", (lost,))
        connection.commit()
    async with database.opened(settings, system_clock) as (agentos, _):
        [hit] = (await agentos.memory.search(NS, "harbour")).hits
        await agentos.memory.delete(NS, hit.memory.id, by="test")
    with closing(sqlite3.connect(settings.database)) as connection:
        assert {seq for (seq,) in connection.execute("SELECT memory_seq FROM postings")} == {3 - lost}
