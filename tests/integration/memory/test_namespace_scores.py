"""Word statistics of one namespace: what others write changes no score."""

import random
from collections.abc import Sequence

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.memory.models import MemoryFilter
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest
from agentos.storage.sqlite import own_words, text_index
from agentos.storage.sqlite.store import SqliteStore

pytestmark = pytest.mark.sqlite("it compares with FTS5")

COMMON = ("deploy", "database", "running", "runs", "Tuesday", "billing", "technology", "use", "using", "café", "日本語")
QUERIES = (
    "deploy the database",
    "runs on tuesday",
    "use technology possibly",
    "cafe 日本",
    "run word7",
    "absent word9",
)
FILTERS = (MemoryFilter(), MemoryFilter(min_importance=0.1), MemoryFilter(tags=("billing",)))


def texts(seed: int, words: Sequence[str], count: int) -> list[str]:
    made = random.Random(seed)
    return [f"{' '.join(made.choices(words, k=made.randint(3, 30)))} id{seed}x{n}" for n in range(count)]


async def answers(agentos: AgentOS) -> list[list[tuple[str, float]]]:
    found = [await agentos.memory.recall("ada", query, where, 10) for query in QUERIES for where in FILTERS]
    return [[(hit.memory.id, pytest.approx(hit.score, abs=1e-9)) for hit in (*one.hits, *one.misses)] for one in found]


async def words_of(store: SqliteStore, namespace: str) -> tuple[dict[str, int], int]:
    found = await store.memories.frequencies(namespace, ["deploy", "run", "word7", "absent"], with_aside=True)
    return found.counts, found.memories


@pytest.mark.parametrize(
    ("most_matches", "most_words"),
    [(text_index.MAX_MATCHES, own_words.WORDS_UP_TO), (text_index.MAX_MATCHES, 20), (20, own_words.WORDS_UP_TO)],
    ids=["small", "of long texts", "large"],
)
async def test_another_namespace_changes_no_score_and_no_count(
    lexical: AgentOS, store: SqliteStore, monkeypatch: pytest.MonkeyPatch, most_matches: int, most_words: int
) -> None:
    monkeypatch.setattr(own_words, "WORDS_UP_TO", most_words)
    monkeypatch.setattr(text_index, "MAX_MATCHES", most_matches)  # above it, a query is planned by the words' counts
    monkeypatch.setattr(own_words, "OWN_UP_TO", most_matches)  # up to it, the namespace is read instead
    for text in texts(1, [*COMMON, *(f"word{n}" for n in range(40))], 60):
        await lexical.memory.store("ada", StoreRequest(text, tags=("billing",) if "billing" in text else ()))
    alone, counted = await answers(lexical), await words_of(store, "ada")
    assert any(alone)
    is_small = min(most_matches, most_words) > 20
    assert await own_words.suffice(store.engine, "ada", with_aside=True) is is_small
    others = [(await lexical.memory.store("bob", StoreRequest(text))).memory for text in texts(2, COMMON, 40)]
    assert await answers(lexical) == alone and await words_of(store, "ada") == counted
    for memory in others[:20]:
        await lexical.memory.delete("bob", memory.id)
    await lexical.memory.update("bob", others[30].id, MemoryChanges(content="deploy deploy deploy word7"))
    assert await answers(lexical) == alone and await words_of(store, "ada") == counted
    for memory in others[20:]:
        await lexical.memory.delete("bob", memory.id)
    assert await answers(lexical) == alone
