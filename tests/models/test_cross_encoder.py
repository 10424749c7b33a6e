"""A reranker on sentence-transformers, over a real, tiny cross-encoder that is made here."""

from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.modules.agentos import AgentOS
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.cross_encoder import CrossEncoderReranker, load_reranker
from agentos.storage.embedding.lazy import LazyPairModel, NoEmbedder
from agentos.storage.embedding.locate import RerankerUnavailable, locate_reranker
from tests.integration.memory.test_reranker import NS, TEXTS


def make_model(
    folder: Path, labels: int = 1, words: str = "kayak red wood the a is of in june trips she paints"
) -> Path:
    """A cross-encoder with random weights, a thousandth of a real one, as a library would save it."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir()
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words.split()]))
    BertTokenizerFast(vocab=str(vocabulary), model_max_length=64).save_pretrained(folder)
    torch.manual_seed(7)
    shape = BertConfig(
        vocab_size=5 + len(words.split()),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        num_labels=labels,
        initializer_range=0.5,
    )
    BertForSequenceClassification(shape).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("rerankers") / "tiny")


def test_a_cross_encoder_in_a_folder_judges_each_text_as_itself(model: Path, tmp_path: Path) -> None:
    reranker = load_reranker(str(model), tmp_path)
    scores = reranker.scores("red kayak", TEXTS)
    assert len(set(scores)) == len(TEXTS)
    for text, score in zip(TEXTS, scores, strict=True):
        assert reranker.scores("red kayak", [text]) == [pytest.approx(score, abs=1e-4)]
    assert reranker.scores("june trips", TEXTS) != pytest.approx(scores)
    assert any(not 0 <= score <= 1 for score in scores), "logits, not probabilities"
    assert reranker.fingerprint.startswith("tiny@")
    odd = reranker.scores("half \ud83d an emoji " * 1_000, ["", "kayak " * 10_000, "half \ud83d"])
    assert len(odd) == 3


async def test_the_settings_name_it_and_a_search_is_judged_by_it(
    model: Path, open_store: Any, home: Path, clock: Any
) -> None:
    settings = config.load(home=home, reranker_model=str(model), reranker_wait_s=60, reranker_weight=100)
    reranker = database.open_reranker(settings)
    assert isinstance(reranker, LazyPairModel)
    agentos = AgentOS.over(await open_store(), NoEmbedder(), settings, clock, reranker)
    for text in TEXTS:
        await agentos.memory.store(NS, StoreRequest(text))
    result = await agentos.memory.search(NS, "red kayak")
    expected = CrossEncoderReranker(locate_reranker(str(model), home / "models")).scores("red kayak", TEXTS)
    order = sorted(TEXTS, key=lambda text: -expected[TEXTS.index(text)])
    assert [hit.memory.content for hit in result.hits] == order
    assert await reranker.ready(0)
    await agentos.close()
    assert not await reranker.ready(0)
    with pytest.raises(RerankerUnavailable, match="the reranker is closed"):
        await reranker.scores("red kayak", TEXTS)
