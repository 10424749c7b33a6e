"""The succession model as it ships, and that what runs is what was trained."""

from pathlib import Path

import numpy as np
import pytest

from agentos.benchmarks.lifecycle.train_succession import Succession
from agentos.storage.embedding import adapter, succession_model
from agentos.storage.embedding.locate import SuccessionUnavailable
from agentos.storage.embedding.succession_model import SuccessionModel, load_succession_model, succession_files

OLDER = (
    "Priya Raman has a flat in Lisbon, near the river.",
    "Questions about Juniper go to #war-room.",
    "Everything.",
    "I indent with two spaces.",
)
NEWER = "Priya Raman packed everything up and moved to Graz."


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def model(cache: Path) -> SuccessionModel:
    return load_succession_model(cache)


def test_what_runs_is_what_was_trained(cache: Path) -> None:
    import torch

    files = succession_files(cache)
    torch.manual_seed(7)
    trained = Succession(files.folder)
    with torch.no_grad():
        for values in trained.products.values():
            values += 0.02 * torch.randn_like(values)
        trained.segments += 0.02 * torch.randn_like(trained.segments)
    running = SuccessionModel(files, adapter.read(trained.written(files.sha256)), cache)
    expected = trained.chances([(older, NEWER) for older in OLDER])
    assert np.ptp(expected) > 0.001  # it does tell them apart
    assert running.scores(NEWER, OLDER) == pytest.approx(expected, abs=0.005)


def test_a_pair_is_judged_the_same_alone_and_among_others(model: SuccessionModel) -> None:
    several = model.scores(NEWER, [*OLDER * 3])
    assert several == pytest.approx([*(model.scores(NEWER, [older])[0] for older in OLDER)] * 3, abs=1e-3)


def test_it_tells_an_update_from_what_looks_like_one(model: SuccessionModel) -> None:
    [update] = model.scores(NEWER, OLDER[:1])
    for beside in (
        "Priya Raman's brother packed everything up and moved to Graz.",
        "Priya Raman might move to Graz.",
        "Priya Castillo packed everything up and moved to Graz.",
        "Priya Raman spent a weekend in Graz.",
    ):
        [other] = model.scores(beside, OLDER[:1])
        assert other < 0.5 < update, beside


@pytest.mark.parametrize("text", ["", " ", "\ud800", "x" * 100_000, "🙂" * 500])
def test_any_text_is_judged(model: SuccessionModel, text: str) -> None:
    for newer, older in ((text, NEWER), (NEWER, text)):
        [chance] = model.scores(newer, [older])
        assert 0 <= chance <= 1
    assert model.scores(NEWER, []) == []


def test_other_weights_than_it_was_made_for_are_refused(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = adapter.succession()
    other = adapter.Adapter("0" * 64, made.digest, made.segments, made.layers, made.head)
    monkeypatch.setattr(succession_model.adapter, "succession", lambda: other)
    with pytest.raises(SuccessionUnavailable, match="AGENTOS_SECOND_OPINION"):
        load_succession_model(cache)
