"""What is stored in any script is found by its words, with and without a model, and in stores of older versions."""

import sqlite3
import unicodedata
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.database import OpenedStore
from agentos.modules.agentos import AgentOS
from agentos.modules.memory.embedding import UNKNOWN_SCRIPT
from agentos.modules.memory.exact_terms import exact_terms
from agentos.modules.memory.models import MemoryFilter, SearchMode
from agentos.modules.store_request import StoreRequest
from agentos.modules.text import scripts
from agentos.storage.sqlite import folder, migrate, text_functions

pytestmark = pytest.mark.sqlite("it reads its text index")

NS = "ada"
STORED = {
    "周四下午两点要给阳台的花换盆": "换盆",
    "岳母只喝普洱茶": "茶",
    "請負契約の更新は七月末までに済ませる": "契約",
    "ｺﾋﾟｰ用紙は三階の棚にある": "コピー",
    "주차권은 경비실에서 받으면 됩니다": "경비실",
    "กุญแจห้องประชุมอยู่ที่คุณมานี": "ห้องประชุม",
    "ກະແຈຢູ່ໃນລິ້ນຊັກ": "ລິ້ນຊັກ",
    "သော့က အံဆွဲထဲမှာရှိတယ်": "အံဆွဲ",
    "កូនសោនៅក្នុងថតតុ": "ថតតុ",
    "चाबी पड़ोसी के पास है": "पड़ोसी",
    "சாவி மேசையில் இருக்கிறது": "மேசையில்",
    "Ключ от подвала лежит у соседки Зои": "соседки",
    "Το κλειδί είναι στο συρτάρι": "ΣΥΡΤΆΡΙ",
    "مِفتاحُ المَخزَن عند الجارة": "مفتاح",
    "המפתח אצל השכנה בקומה שלוש": "השכנה",
    "🧯 stands for the line that nobody answers": "🧯",
    "👩🏽‍🚒 is on call in March": "👩",
    "Der Rasenmäher steht in der Schöneberger Straße": "STRASSE",
    "Die Zusatzkrankenversicherung läuft im Mai aus": "Krankenversicherung",
    "The retries are counted by RequestBudgetKeeper": "keeper",
    "ＱＲ－８８２１ goes to the upper shelf": "QR-8821",
    "Part WZ4471 is out of stock": "wz 4471",
    "Zoë met the café's naïve owner": "cafe owner",
}
FOREIGN = [text for text in STORED if scripts.is_foreign(text)]


async def filled(agentos: AgentOS) -> AgentOS:
    for text in STORED:
        await agentos.memory.store(NS, StoreRequest(text))
    return agentos


@pytest.fixture
async def real(store: OpenedStore, with_graphs: None, home: Path, clock: Any) -> AsyncIterator[AgentOS]:
    """The services with the real model and its reranker."""
    settings = config.load(home=home, embedding_wait_s=60)
    embedder, reranker = database.open_embedder(settings), database.open_reranker(settings)
    agentos = AgentOS.over(store, embedder, settings, clock, reranker)
    assert await agentos.embedding.ready(60)
    yield agentos
    await agentos.close()


async def first(agentos: AgentOS, query: str) -> str | None:
    hits = (await agentos.memory.search(NS, query)).hits
    return hits[0].memory.content if hits else None


async def test_every_script_is_found_by_words_alone(lexical: AgentOS) -> None:
    await filled(lexical)
    assert {text: await first(lexical, query) for text, query in STORED.items()} == {text: text for text in STORED}


async def test_every_script_is_found_with_a_model_that_knows_one_of_them(real: AgentOS) -> None:
    await filled(real)
    for text, query in STORED.items():
        found = await real.memory.search(NS, query)
        assert found.hits and found.hits[0].memory.content == text, (query, found.hits, found.gate)
        known = not scripts.is_foreign(query)
        assert (found.mode is SearchMode.HYBRID) is known
        assert (UNKNOWN_SCRIPT in found.notes) is not known


async def test_what_the_model_cannot_read_comes_by_its_words_or_not_at_all(real: AgentOS) -> None:
    await filled(real)
    found = await real.memory.search(NS, "who looks after the retries?", limit=20)
    assert found.hits[0].memory.content == "The retries are counted by RequestBudgetKeeper"
    assert not {hit.memory.content for hit in found.hits} & set(FOREIGN)
    await real.memory.store(NS, StoreRequest("RequestBudgetKeeper 由王工负责维护"))
    found = await real.memory.search(NS, "RequestBudgetKeeper", limit=20)
    assert "RequestBudgetKeeper 由王工负责维护" in {hit.memory.content for hit in found.hits}


async def test_a_short_word_counts_by_its_letters_and_not_by_its_stem(real: AgentOS) -> None:
    for name, sport in {"Аня": "плавание", "Оля": "гимнастику", "Юра": "карате"}.items():
        await real.memory.store(NS, StoreRequest(f"Близнец {name} ходит на {sport}"))
    for name in ("Аня", "Оля", "Юра"):
        assert f" {name} " in (await first(real, f"куда ходит {name}") or "")


async def test_nothing_is_found_for_words_that_nobody_wrote(lexical: AgentOS) -> None:
    await filled(lexical)
    for query in ("量子物理", "ядерный реактор", "화산", "🦖", "volcano"):
        assert await first(lexical, query) is None, query


async def test_full_width_is_the_same_letter_for_letter_and_case_is_not(lexical: AgentOS, store: OpenedStore) -> None:
    for text in ("ＱＲ－８８２１ goes up", "qr-8821 goes down", "QR-88210 is another"):
        await lexical.memory.store(NS, StoreRequest(text))
    found = await store.memory.memories.identifier_candidates(
        NS, exact_terms("QR-8821"), MemoryFilter(), lexical.clock(), 10
    )
    texts = {memory.id: memory.content for memory in await store.memory.memories.fetch(NS, [one.id for one in found])}
    scores = {texts[one.id]: one.score for one in found}
    assert scores == {"ＱＲ－８８２１ goes up": 1.0, "qr-8821 goes down": 0.7}


async def test_tags_and_texts_are_the_same_however_they_are_composed(lexical: AgentOS) -> None:
    apart = unicodedata.normalize("NFD", "Zürich")
    stored = await lexical.memory.store(NS, StoreRequest("Der Schlüssel liegt in Köln", tags=[apart, "ＡＢ"]))
    for tag in ("Zürich", apart, "ZÜRICH", "ab"):
        [found] = (await lexical.memory.page(NS, MemoryFilter(tags=(tag,)))).memories
        assert found.tags == (apart, "ＡＢ"), "what is shown is as it was written"
    assert (await lexical.memory.page(NS, MemoryFilter(tags=("Zurich",)))).total == 0
    again = await lexical.memory.store(NS, StoreRequest(unicodedata.normalize("NFD", "Der Schlüssel liegt in Köln")))
    assert (again.duplicate, again.memory.id) == (True, stored.memory.id)


async def test_a_long_text_shows_where_its_words_are(lexical: AgentOS) -> None:
    await lexical.memory.store(NS, StoreRequest("天气很好。" * 600 + "证书在周三轮换。" + "天气很好。" * 600))
    [hit] = (await lexical.memory.search(NS, "证书轮换")).hits
    assert hit.passage is not None and "证书在周三轮换" in hit.memory.content[slice(*hit.passage)]


async def test_long_words_of_others_are_not_shown_and_go_with_their_memory(lexical: AgentOS, home: Path) -> None:
    stored = await lexical.memory.store("bob", StoreRequest("Die Zusatzkrankenversicherung läuft aus"))
    for _ in range(2):
        await lexical.memory.store(NS, StoreRequest("Der Rasenmäher steht im Schuppen"))
    found = await lexical.memory.search(NS, "Krankenversicherung")
    assert found.reading is not None and found.reading.words == ("krankenversicherung",)
    await lexical.memory.delete("bob", stored.memory.id)
    with closing(sqlite3.connect(home / "agentos.db")) as connection:
        assert connection.execute("SELECT count(*) FROM compounds").fetchone() == (0,)


def of_schema_10(home: Path) -> None:
    """A store as it was before words were cut for every script."""
    home.mkdir(mode=0o700)
    folder.make_private(home / "agentos.db")
    migrate.apply(home / "agentos.db", migrate.known()[:10])
    with closing(sqlite3.connect(home / "agentos.db")) as connection, connection:
        connection.execute("INSERT INTO namespaces (id, created_at) VALUES (?, 0)", (NS,))
        for number, text in enumerate(STORED):
            connection.execute(
                "INSERT INTO memories (id, namespace, memory_type, content, summary, tags, importance, metadata, "
                "source, content_hash, occurred_at, created_at, updated_at, accessed_at) "
                "VALUES (?, ?, 'semantic', ?, ?, '[\"Zürich\"]', 0.5, '{}', '', ?, 0, 0, 0, 0)",
                (f"mem_{number}", NS, text, text, f"hash {number}"),
            )
        connection.execute("INSERT INTO memory_tags (tag, memory_seq) SELECT 'Zürich', seq FROM memories")


async def test_a_store_of_an_older_version_is_cut_anew(home: Path, open_store: Any, wire: Any) -> None:
    of_schema_10(home)
    agentos = wire(await open_store(), database.open_embedder(config.load(home=home, embedding_model="none")))
    assert {text: await first(agentos, query) for text, query in STORED.items()} == {text: text for text in STORED}
    assert (await agentos.memory.page(NS, MemoryFilter(tags=("zürich",)))).total == len(STORED)


async def test_a_store_that_could_not_be_cut_to_the_end_is_as_it_was(
    home: Path, open_store: Any, wire: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_schema_10(home)
    with monkeypatch.context() as broken:
        broken.setitem(text_functions.FUNCTIONS, "compounds_of", lambda text: 1 / 0)
        with pytest.raises(Exception, match="refused the call"):
            await open_store()
    with closing(sqlite3.connect(home / "agentos.db")) as connection:
        assert connection.execute("SELECT max(version) FROM schema_migrations").fetchone() == (10,)
        assert connection.execute("SELECT count(*) FROM memory_text WHERE memory_text MATCH 'retries'").fetchone() == (
            1,
        )
    agentos = wire(await open_store(), database.open_embedder(config.load(home=home, embedding_model="none")))
    assert await first(agentos, "契約") == "請負契約の更新は七月末までに済ませる"
