"""The systems of the retrieval benchmark: what they find, with the real model, and what they say when they cannot."""

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agentos.benchmarks.retrieval import context
from agentos.benchmarks.retrieval.data import DataSet, Item, Question, Store
from agentos.benchmarks.retrieval.embeddings import Embeddings
from agentos.benchmarks.retrieval.measuring import Asking, measured
from agentos.benchmarks.retrieval.systems.chroma import Chroma
from agentos.benchmarks.retrieval.systems.contextual import ContextualText
from agentos.benchmarks.retrieval.systems.peer import Peer
from agentos.benchmarks.retrieval.systems.plain import PlainHybrid, PlainText, PlainVectors
from agentos.benchmarks.retrieval.systems.server import NO_MODEL, AgentOSServer
from agentos.benchmarks.retrieval.systems.system import System, SystemUnavailable

TEXTS = {
    "cat": "Ada: my kitten Mia sleeps on the radiator all day",
    "deploy": "Bob: we deploy the billing service on Tuesdays only",
    "error": "Bob: the checkout failed with ERR_4711 last night",
    "music": "Ada: I took up the cello last spring",
    "rent": "Bob: the office lease in Leipzig ends in March",
}
ITEMS = tuple(Item(name, "s1", "2024-03-01T10:00:00Z", text) for name, text in TEXTS.items())
STORE = Store("talk", ITEMS, (Question("Which error did the checkout show?", "1", ("error",)),))
OTHER = Store("other", (Item("dog", "s1", None, "Eve: my dog is called Rex"),), ())

FAKE_MEM0 = """
class Memory:
    @classmethod
    def from_config(cls, config):
        print("a peer may print what it likes")
        return cls()

    def __init__(self):
        self.kept = []

    def add(self, messages, user_id, metadata, infer):
        assert not infer
        text = messages[0]["content"]
        self.kept.append((text, self.embedding_model.embed(text, "add")))
        return {"results": [{"id": f"mem-{len(self.kept)}"}]}

    def search(self, query, top_k, filters, threshold):
        asked = self.embedding_model.embed(query, "search")
        scores = [-sum(a * b for a, b in zip(asked, vector)) for _, vector in self.kept]
        best = sorted(range(len(scores)), key=scores.__getitem__)[:top_k]
        return {"results": [{"id": f"mem-{number + 1}"} for number in best]}
"""


@pytest.fixture(scope="module")
def embeddings(tmp_path_factory: pytest.TempPathFactory) -> Embeddings:
    return Embeddings(tmp_path_factory.mktemp("models"))


@pytest.mark.parametrize(
    ("start", "question", "first"),
    [
        (lambda e, f: PlainText(), "deploying on which Tuesday?", "deploy"),
        (lambda e, f: ContextualText(), "deploying on which Tuesday?", "deploy"),
        (lambda e, f: PlainVectors(e), "where does the pet rest?", "cat"),
        (lambda e, f: PlainHybrid(e), "which error did the checkout show?", "error"),
        (lambda e, f: Chroma(e, f), "which instrument does she play?", "music"),
    ],
)
def test_references_find_the_answer_in_the_store_that_was_filled_last(
    start: Callable[[Embeddings, Path], System], question: str, first: str, embeddings: Embeddings, tmp_path: Path
) -> None:
    with closing(start(embeddings, tmp_path)) as system:
        system.fill(OTHER)
        system.fill(STORE)
        assert system.search(question, 3)[0] == first
        system.fill(OTHER)
        assert set(system.search(question, 3)) <= {"dog"}


def test_agentos_is_asked_through_its_own_server_and_again_without_a_channel(tmp_path: Path) -> None:
    with closing(AgentOSServer("agentos", tmp_path / "home")) as full:
        full.fill(STORE)
        assert full.search("where does the pet rest?", 5)[0] == "cat"
        with closing(full.without("text")) as part:
            part.fill(STORE)
            assert part.search("where does the pet rest?", 5)[0] == "cat", "the same memories under the same ids"


def test_without_a_model_agentos_has_words_alone(tmp_path: Path) -> None:
    with closing(AgentOSServer("agentos-without-model", tmp_path / "home", NO_MODEL)) as system:
        system.fill(STORE)
        assert system.search("ERR_4711", 5)[0] == "error"  # what was said around it may follow
        assert system.search("a word that nobody has said: zither", 5) == []


@pytest.fixture
def python_with_mem0(tmp_path: Path) -> Iterator[Path]:
    """An interpreter of another environment, which has a `mem0` of few lines."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "mem0.py").write_text(FAKE_MEM0)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path / "site"} exec {sys.executable} "$@"\n')
    python.chmod(0o700)
    yield python


def test_a_peer_runs_in_its_own_python_with_our_vectors(
    python_with_mem0: Path, embeddings: Embeddings, tmp_path: Path
) -> None:
    (tmp_path / "peer").mkdir()
    with closing(Peer("mem0", python_with_mem0, embeddings, tmp_path / "peer")) as peer:
        peer.fill(STORE)
        assert peer.search("where does the pet rest?", 2)[0] == "cat"


@pytest.mark.parametrize("python", [sys.executable, "/no/such/python"])
def test_a_peer_that_is_not_there_says_how_to_get_it(python: str, embeddings: Embeddings, tmp_path: Path) -> None:
    (tmp_path / "peer").mkdir()
    with pytest.raises(SystemUnavailable, match=r"pip install mcp-memory-service|cannot be run"):
        Peer("mcp-memory-service", Path(python), embeddings, tmp_path / "peer")


def test_a_system_that_fails_is_reported_and_costs_no_other(embeddings: Embeddings) -> None:
    def start() -> System:
        raise SystemUnavailable("there is none")

    messages: list[str] = []
    data = DataSet("d", (STORE, OTHER))
    broken = measured("broken", start, data, Asking(), embeddings, messages.append)
    assert broken.problem == "there is none" and messages == ["broken: there is none"]
    good = measured("bm25", PlainText, data, Asking(off_topic=10), embeddings, messages.append)
    assert good.rows[0].figures["R@1"] == 1 and good.problem is None
    assert all(good.gibberish)


def test_a_better_context_scores_higher_than_chance_and_nothing_scores_lower(embeddings: Embeddings) -> None:
    question = "Where does Ada's cat sleep?"
    chance = context.random_context(STORE, question, 7)
    good = context.relevance(question, [TEXTS["cat"]], chance, embeddings)
    poor = context.relevance(question, [TEXTS["rent"], TEXTS["deploy"]], chance, embeddings)
    assert good > 0 > poor
    assert context.relevance(question, chance, chance, embeddings) == 0
    assert context.relevance(question, [], chance, embeddings) < 0
