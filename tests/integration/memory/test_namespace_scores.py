"""Word statistics of one namespace: what others write changes no score."""

import random
from collections.abc import Sequence

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.memory.models import MemoryFilter
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest
from agentos.storage.engine import text_ranking
from agentos.storage.sqlite.store import SqliteStore
from tests.tables import every

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
    found = await store.memory.memories.frequencies(namespace, ["deploy", "run", "word7", "absent"], with_aside=True)
    return found.counts, found.memories


@every("most_matches", [text_ranking.MAX_MATCHES, 20])
async def test_another_namespace_changes_no_score_and_no_count(
    lexical: AgentOS, store: SqliteStore, monkeypatch: pytest.MonkeyPatch, most_matches: int
) -> None:
    monkeypatch.setattr(text_ranking, "MAX_MATCHES", most_matches)  # above it, the rarest words are looked for
    for text in texts(1, [*COMMON, *(f"word{n}" for n in range(40))], 60):
        await lexical.memory.store("ada", StoreRequest(text, tags=("billing",) if "billing" in text else ()))
    alone, counted = await answers(lexical), await words_of(store, "ada")
    assert any(alone)
    others = [(await lexical.memory.store("bob", StoreRequest(text))).memory for text in texts(2, COMMON, 40)]
    assert await answers(lexical) == alone and await words_of(store, "ada") == counted
    for memory in others[:20]:
        await lexical.memory.delete("bob", memory.id)
    await lexical.memory.update("bob", others[30].id, MemoryChanges(content="deploy deploy deploy word7"))
    assert await answers(lexical) == alone and await words_of(store, "ada") == counted
    for memory in others[20:]:
        await lexical.memory.delete("bob", memory.id)
    assert await answers(lexical) == alone
