"""What a search leaves aside (found facts, summaries) ranks nothing: it is as if it were not there, until it is asked
for or confirmed. Its words lie in a text index of their own, whoever writes them."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentos.database import OpenedStore
from agentos.modules.agentos import AgentOS
from agentos.modules.memory.models import Kind, MemoryFilter, SearchResult, Status
from agentos.modules.memory.ranking import RankingProfile
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest
from agentos.modules.text.scripts import words
from agentos.storage.repositories.scrub import ScrubRows
from agentos.storage.sqlite import text_functions
from tests.places import RELEASED

pytestmark = pytest.mark.sqlite("it reads its text index")

NS = "ada"
MANY = 1_000
NOTES = (
    "The boat lies in the harbour of Como, berth PX-4417",
    "Maria sails the boat on Sundays",
    "The engine of the boat was repaired by Tomas in May",
    "Berth fees are paid every quarter",
    "The garden shed needs new paint",
    "Sundays are for rest",
)
QUERIES = ("Who sails the boat?", "PX-4417", "engine repaired in May", "berth", "what is paid?", "zeppelin hangar")


async def find(agentos: AgentOS, number: int, text: str = "The user sails the boat to berth") -> str:
    stored = await agentos.memory.keep_found(
        NS, f"{text} {number}.", "fact", 0.35, "extraction:rules", {"about": "user"}, agentos.clock()
    )
    return stored.memory.id


async def asked(agentos: AgentOS, profile: RankingProfile) -> list[SearchResult]:
    return [await agentos.memory.recall(NS, query, MemoryFilter(), 10, profile) for query in QUERIES]


def texts(home: Path) -> dict[str, list[Any]]:
    """What each part of the text index holds."""
    with closing(sqlite3.connect(home / "agentos.db")) as connection:
        return {
            index: connection.execute(f"SELECT summary, content, tags FROM {index} ORDER BY content, tags").fetchall()
            for index in ("memory_text", "memory_text_aside")
        }


def contents(home: Path, index: str) -> list[str]:
    return [content for _, content, _ in texts(home)[index]]


def contents_of(result: SearchResult) -> list[str]:
    return [hit.memory.content for hit in result.hits]


@pytest.mark.parametrize("by_words_alone", [False, True])
async def test_a_thousand_found_facts_change_neither_order_nor_score(
    agentos: AgentOS, lexical: AgentOS, by_words_alone: bool
) -> None:
    agentos = lexical if by_words_alone else agentos
    for note in NOTES:
        await agentos.memory.store(NS, StoreRequest(note))
    for turn in ("Ann: the boat is my joy", "Bob: mine is the garden", "Ann: on Sundays I sail"):
        await agentos.memory.store(NS, StoreRequest(turn, session="talk"))
    assert by_words_alone or await agentos.memory.embedded(60)
    before = {profile: await asked(agentos, profile) for profile in RankingProfile}
    assert any(result.hits for results in before.values() for result in results)
    for number in range(MANY):
        await find(agentos, number)
    assert by_words_alone or await agentos.memory.embedded(120)
    after = {profile: await asked(agentos, profile) for profile in RankingProfile}
    assert after == before, "hits, scores and their parts, support, and what is told of the query"


async def test_summaries_change_neither_order_nor_score(agentos: AgentOS) -> None:
    for turn in ("Ann: the boat lies in Como", "Ann: the boat is blue", "Ann: the boat sails on Sundays") * 3:
        await agentos.turns.add(NS, "talk", "user", turn)
    await agentos.memory.embedded(60)
    before = await asked(agentos, RankingProfile.DEFAULT)
    made = await agentos.of_feature("consolidation").consolidate(NS, "talk", keep=0)
    await agentos.memory.embedded(60)
    assert made.summaries and await asked(agentos, RankingProfile.DEFAULT) == before
    found = await agentos.memory.recall(NS, "boat", MemoryFilter(kinds=(Kind.SUMMARY,)), 10)
    assert {hit.memory.id for hit in found.hits} <= {summary.id for summary in made.summaries} and found.hits


@pytest.mark.parametrize(
    "where",
    [
        MemoryFilter(kinds=(Kind.FACT,)),
        MemoryFilter(kinds=(Kind.FACT,), found_about="user"),
        MemoryFilter(source="extraction:rules"),
        MemoryFilter(statuses=(Status.CANDIDATE,)),
        MemoryFilter(statuses=(Status.ACTIVE, Status.CANDIDATE)),
    ],
    ids=["kind", "about", "source", "candidates", "also candidates"],
)
async def test_who_asks_for_what_was_found_finds_it_by_its_words(lexical: AgentOS, where: MemoryFilter) -> None:
    await find(lexical, 1, "The user keeps the boat at PX-4418, berth")
    await find(lexical, 2, "The user likes tea, number")
    assert (await lexical.memory.search(NS, "boat")).hits == (), "in a namespace that has nothing else, too"
    for query in ("boat", "boats at a berth", "PX-4418"):
        found = await lexical.memory.search(NS, query, where)
        assert contents_of(found) == ["The user keeps the boat at PX-4418, berth 1."], query


async def test_what_is_left_aside_and_what_is_not_are_both_found_where_both_are_asked_for(lexical: AgentOS) -> None:
    await lexical.memory.store(NS, StoreRequest("My boat is blue", kind="fact"))
    await find(lexical, 1)
    for number in range(5):
        await lexical.memory.store(NS, StoreRequest(f"Note {number} on the garden"))
    found = await lexical.memory.search(NS, "boat", MemoryFilter(kinds=(Kind.FACT,)))
    assert sorted(contents_of(found)) == ["My boat is blue", "The user sails the boat to berth 1."]


async def test_confirming_makes_it_a_hit_and_undoing_that_leaves_it_aside_again(lexical: AgentOS, home: Path) -> None:
    fact = await find(lexical, 1)
    assert (len(contents(home, "memory_text")), len(contents(home, "memory_text_aside"))) == (0, 1)
    change = (await lexical.lifecycle.feedback(NS, fact, "confirm"))[1]
    assert [hit.memory.id for hit in (await lexical.memory.search(NS, "boat")).hits] == [fact]
    assert (len(contents(home, "memory_text")), len(contents(home, "memory_text_aside"))) == (1, 0)
    assert change is not None
    await lexical.lifecycle.revert(NS, change.id)
    assert (await lexical.memory.search(NS, "boat")).hits == ()
    assert (len(contents(home, "memory_text")), len(contents(home, "memory_text_aside"))) == (0, 1)


async def test_words_are_counted_apart_and_together(lexical: AgentOS, store: OpenedStore) -> None:
    await lexical.memory.store(NS, StoreRequest("The boat is blue"))
    await lexical.memory.store("bob", StoreRequest("The garden is green"))
    for number in range(3):
        await find(lexical, number)
    words = ["boat", "berth", "garden", "absent"]
    apart = await store.memory.memories.frequencies(NS, words)
    assert (apart.counts, apart.memories) == ({"boat": 1, "berth": 0, "garden": 0, "absent": 0}, 1)
    together = await store.memory.memories.frequencies(NS, words, with_aside=True)
    assert (together.counts, together.memories) == ({"boat": 4, "berth": 3, "garden": 0, "absent": 0}, 4)
    assert together.absent == {"garden", "absent"}


async def test_a_new_text_and_an_erased_one_are_found_as_they_are(lexical: AgentOS, home: Path) -> None:
    where = MemoryFilter(source="extraction:rules")
    fact = await find(lexical, 1)
    await lexical.memory.update(NS, fact, MemoryChanges(content="The user rides a horse", tags=["hobby horse", "b"]))
    assert texts(home)["memory_text_aside"] == [("the user rides a horse",) * 2 + ("hobby horse b",)]
    assert (await lexical.memory.search(NS, "boat", where)).hits == ()
    assert contents_of(await lexical.memory.search(NS, "horse", where)) == ["The user rides a horse"]
    await lexical.memory.delete(NS, fact)
    assert texts(home) == {"memory_text": [], "memory_text_aside": []}
    assert (await lexical.memory.search(NS, "horse", where)).hits == ()


async def test_a_scrub_leaves_no_secret_in_either_part(
    lexical: AgentOS, store: OpenedStore, home: Path, clock: Any
) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    await find(lexical, 1)
    await lexical.memory.store(NS, StoreRequest("a note"))
    with closing(sqlite3.connect(home / "agentos.db", isolation_level=None)) as connection:
        text_functions.add_to(connection)
        connection.execute("UPDATE memories SET content = content || ' ' || ?", (secret,))
    indexed = secret.replace("_", " ").lower()
    assert str(texts(home)).count(indexed) == 2, "the text index follows the memories, whoever writes them"
    await ScrubRows(store._sqlite).run(clock(), apply=True)
    assert indexed not in str(texts(home))
    assert len(contents(home, "memory_text_aside")) == 1


async def test_what_is_carried_to_another_store_lies_as_it_lay(
    lexical: AgentOS, home: Path, wire: Any, clock: Any, tmp_path: Path, engine: Any
) -> None:
    for note in NOTES:
        await lexical.memory.store(NS, StoreRequest(note, tags=["a note", "b"]))
    ids = [await find(lexical, number) for number in range(3)]
    await lexical.lifecycle.feedback(NS, ids[0], "confirm")
    await lexical.portability.export(tmp_path / "all.jsonl")
    other = await engine(tmp_path / "other", tmp_path / "other" / "agentos.db", clock)
    try:
        await wire(other).portability.import_bundle(tmp_path / "all.jsonl")
        assert texts(tmp_path / "other") == texts(home)
        assert len(contents(home, "memory_text_aside")) == 2
    finally:
        await other.close()


NEWEST = RELEASED / "schema-009.sql"


def of_schema_9(home: Path, rows: Sequence[tuple[str, str, str]]) -> None:
    home.mkdir(mode=0o700)
    with closing(sqlite3.connect(home / "agentos.db")) as connection:
        connection.executescript(NEWEST.read_text(encoding="utf-8"))
        columns = [row[1] for row in connection.execute("PRAGMA table_info(memories)") if row[1] != "seq"]
        for status, source, text in rows:
            own = {"id": f"'{text}'", "content_hash": f"'{text}'", "content": f"'{text}'", "summary": f"'{text}'"}
            own |= {"status": f"'{status}'", "source": f"'{source}'", "session": "NULL", "place": "NULL"}
            connection.execute(
                f"INSERT INTO memories ({', '.join(columns)}) SELECT {', '.join(own.get(c, c) for c in columns)} "
                "FROM memories ORDER BY seq LIMIT 1"
            )
            connection.execute(
                "INSERT INTO memory_text (rowid, summary, content, tags) "
                "SELECT seq, summary, content, '' FROM memories WHERE id = ?",
                (text,),
            )
        connection.commit()


async def test_what_older_versions_kept_is_told_apart_by_the_migration(home: Path, open_store: Any) -> None:
    of_schema_9(
        home, [("candidate", "extraction:rules", "found"), ("active", "procedures", "known"), ("candidate", "", "own")]
    )
    before = texts_of_schema_9(home)
    await open_store()
    assert contents(home, "memory_text_aside") == ["found"]
    assert contents(home, "memory_text") == sorted(" ".join(words(text)) for text in before if text != "found")


def texts_of_schema_9(home: Path) -> list[str]:
    with closing(sqlite3.connect(home / "agentos.db")) as connection:
        return [text for (text,) in connection.execute("SELECT content FROM memory_text ORDER BY content, tags")]
