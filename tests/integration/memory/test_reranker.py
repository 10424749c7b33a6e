"""The reranker within a search over a real store, and the adapter over a real, tiny cross-encoder made here."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.modules.agentos import AgentOS
from agentos.modules.memory.ports import PairJudge
from agentos.modules.memory.ranking import RankingProfile
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.cross_encoder import load_reranker
from agentos.storage.embedding.lazy import LazyPairModel, NoEmbedder
from agentos.storage.embedding.locate import RERANKER, RerankerUnavailable
from tests.places import SOURCE

NS = "ada"
TEXTS = ("the kayak is red", "a kayak of wood", "kayak trips in June", "she paints a kayak")


class ShortestFirst:
    """Implements the Reranker port."""

    def __init__(self) -> None:
        self.problem: str | None = None
        self.asked: list[list[str]] = []
        self.closed = False

    async def ready(self, wait_s: float) -> bool:
        return self.problem is None

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.asked.append(list(texts))
        return [-float(len(text)) for text in texts]

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def reranker() -> ShortestFirst:
    return ShortestFirst()


@pytest.fixture
async def wired(store: Any, home: Path, clock: Any, reranker: ShortestFirst) -> AsyncIterator[AgentOS]:
    settings = config.load(home=home, reranker_model="/models/shortest", reranker_weight=100)
    agentos = AgentOS.over(store, NoEmbedder(), settings, clock, reranker)
    yield agentos
    await agentos.close()


@pytest.mark.parametrize("profile", RankingProfile)
async def test_a_search_comes_in_the_rerankers_order_and_explains_it(wired: AgentOS, profile: RankingProfile) -> None:
    for text in TEXTS:
        await wired.memory.store(NS, StoreRequest(text))
    result = await wired.memory.search(NS, "kayak", profile=profile)
    assert [hit.memory.content for hit in result.hits] == sorted(TEXTS, key=len)
    for hit in result.hits:
        assert hit.score == pytest.approx(sum(hit.parts.values()))
        assert "reranker" in hit.parts
    assert not any("rerank" in note for note in result.notes)


async def test_a_search_without_its_reranker_is_the_search_before_and_says_so(
    wired: AgentOS, wire: Any, store: Any, reranker: ShortestFirst
) -> None:
    for text in TEXTS:
        await wired.memory.store(NS, StoreRequest(text))
    plain = await wire(store, NoEmbedder()).memory.search(NS, "kayak")
    reranker.problem = "it is not on this machine"
    result = await wired.memory.search(NS, "kayak")
    assert [(hit.memory.id, hit.score) for hit in result.hits] == [(hit.memory.id, hit.score) for hit in plain.hits]
    assert result.notes == (*plain.notes, "not reranked: it is not on this machine")


async def test_a_small_limit_does_not_narrow_what_is_judged(wired: AgentOS, reranker: ShortestFirst) -> None:
    texts = [f"kayak {'and more ' * number}" for number in range(20)]
    for text in texts:
        await wired.memory.store(NS, StoreRequest(text))
    result = await wired.memory.search(NS, "kayak", limit=1)
    assert [hit.memory.content for hit in result.hits] == [texts[0]]
    assert len(reranker.asked[-1]) == 10


async def test_of_a_long_memory_the_stretch_that_is_shown_is_judged(
    store: Any, home: Path, clock: Any, embedder: Any, reranker: ShortestFirst
) -> None:
    agentos = AgentOS.over(store, embedder, config.load(home=home), clock, reranker)
    await agentos.memory.store(NS, StoreRequest(f"{'nothing here ' * 300}|the kayak is red|{'nor there ' * 300}"))
    await agentos.memory.store(NS, StoreRequest("a kayak"))
    assert await agentos.embedding.caught_up(60)
    await agentos.memory.search(NS, "the kayak is red")
    assert sorted(reranker.asked[-1]) == ["a kayak", "the kayak is red"]
    lexical = AgentOS.over(store, NoEmbedder(), config.load(home=home), clock, reranker)
    await lexical.memory.search(NS, "the kayak is red")
    found = max(reranker.asked[-1], key=len)
    assert "the kayak is red" in found
    assert len(found) <= 1_000
    await agentos.close()
    await lexical.close()
    assert reranker.closed


async def test_the_name_of_a_slot_that_was_given_is_judged_with_the_text(
    wired: AgentOS, reranker: ShortestFirst
) -> None:
    await wired.memory.store(
        NS, StoreRequest("Azul it is.", subject="the user", attribute="loyalty card", value="Azul")
    )
    await wired.memory.store(NS, StoreRequest("Azul is blue."))
    await wired.memory.search(NS, "Azul")
    assert sorted(reranker.asked[-1]) == ["Azul is blue.", "the user's loyalty card: Azul it is."]


async def test_its_absence_is_a_note_that_names_the_setting(open_store: Any, home: Path, clock: Any) -> None:
    settings = config.load(home=home, reranker_model=str(home / "absent"), reranker_wait_s=60)
    agentos = AgentOS.over(await open_store(), NoEmbedder(), settings, clock, database.open_reranker(settings))
    for text in TEXTS:
        await agentos.memory.store(NS, StoreRequest(text))
    result = await agentos.memory.search(NS, "kayak")
    assert len(result.hits) == len(TEXTS)
    assert "not reranked: AGENTOS_RERANKER_MODEL names the folder" in result.notes[-1]
    await agentos.close()


def test_a_model_that_gives_no_single_score_is_refused_before_anything_is_imported(tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "model.safetensors").touch()
    for given, message in (
        ({"architectures": ["BertModel"]}, "BertModel"),
        ({"architectures": ["BertForSequenceClassification"], "id2label": {"0": "no", "1": "yes"}}, "2 labels"),
        ({}, "no architecture"),
        ([], "cannot be read"),
    ):
        (folder / "config.json").write_text(json.dumps(given))
        with pytest.raises(RerankerUnavailable, match=rf"{message}.*AGENTOS_RERANKER_MODEL"):
            load_reranker(str(folder), tmp_path / "cache")


def test_a_name_is_looked_for_in_the_hubs_cache_and_never_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("agentos.storage.embedding.locate.cached_model", asked.append)
    for name in ("ms-marco-MiniLM-L6-v2", "acme/judge"):
        with pytest.raises(RerankerUnavailable, match="not on this machine, and AgentOS downloads none"):
            load_reranker(name, tmp_path)
    assert asked == ["cross-encoder/ms-marco-MiniLM-L6-v2", "acme/judge"]


def test_nothing_is_loaded_before_it_is_needed_and_off_means_off() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, pathlib\n"
            "from agentos import config, database\n"
            "home = pathlib.Path('/nowhere')\n"
            "for off in ({'reranker_model': 'none'}, {'embedding_model': 'none'}):\n"
            "    assert database.open_reranker(config.load(home=home, **off)) is None\n"
            "assert database.open_reranker(config.load(home=home)) is not None\n"
            "from agentos.storage.embedding.locate import has_default_weights\n"
            "foreign = database.open_reranker(config.load(home=home, embedding_model='/models/another'))\n"
            "assert (foreign is not None) == has_default_weights(home / 'models')\n"
            "named = database.open_reranker(config.load(home=pathlib.Path('/nowhere'), reranker_model='/no/folder'))\n"
            "assert named is not None and named.problem is None\n"
            "print(sorted({'torch', 'transformers', 'sentence_transformers', 'numpy'} & set(sys.modules)))\n",
        ],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


class Gated:
    """A model that judges when it is told to."""

    fingerprint = "gated@0"

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.calls.append(list(texts))
        return [float(len(text)) for text in texts]


async def test_it_works_in_small_jobs_and_keeps_the_order() -> None:
    model = Gated()
    reranker: PairJudge = LazyPairModel(RERANKER, lambda: model)
    texts = ["x" * size for size in (9_000, 10, 2_000, *range(20, 40))]
    assert await reranker.scores("q", texts) == [float(len(text)) for text in texts]
    assert max(map(len, model.calls)) == 8
    assert model.calls[-1] == [texts[0]]
    assert await reranker.scores("q", []) == []
    reranker.close()


def test_without_the_extra_a_cross_encoder_says_what_brings_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.safetensors").touch()
    (tmp_path / "config.json").write_text('{"architectures": ["BertForSequenceClassification"], "num_labels": 1}')
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(RerankerUnavailable, match=r'pip install "\.\[models\]" in a checkout.*AGENTOS_RERANKER_MODEL'):
        load_reranker(str(tmp_path), tmp_path / "cache")
