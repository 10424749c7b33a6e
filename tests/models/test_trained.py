"""What runs is what was trained: a model that reads two texts, in torch and in ONNX Runtime."""

from pathlib import Path

import numpy as np
import pytest

from agentos.storage.embedding import adapter
from agentos.storage.embedding.adapted_model import SuccessionModel, adapted_files
from agentos.storage.embedding.locate import SUCCESSION
from agentos.training.pair_model import PairModel
from tests.integration.storage.test_adapted_models import NEWER, OLDER
from tests.places import needs_weights


@needs_weights
def test_what_runs_is_what_was_trained(tmp_path: Path) -> None:
    import torch

    files = adapted_files(SUCCESSION, tmp_path)
    torch.manual_seed(7)
    trained = PairModel(files.folder)
    with torch.no_grad():
        for values in trained.products.values():
            values += 0.02 * torch.randn_like(values)
        trained.segments += 0.02 * torch.randn_like(trained.segments)
    running = SuccessionModel(files, adapter.read(trained.written(files.sha256)), tmp_path)
    expected = trained.chances([(older, NEWER) for older in OLDER])
    assert np.ptp(expected) > 0.001  # it does tell them apart
    assert running.scores(NEWER, OLDER) == pytest.approx(expected, abs=0.005)
