"""The succession model: how likely a newer statement supersedes an older one, read together."""

import math
from collections.abc import Sequence
from pathlib import Path

from .adapted_model import AdaptedModel, load_adapted
from .adapter import SUCCESSION_FILE
from .locate import SUCCESSION


class SuccessionModel(AdaptedModel):
    """The model made by `python -m training.train_succession --write`."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the probability that the `query`, a statement, supersedes each of the older ones, from 0 to 1."""
        return [1 / (1 + math.exp(-odds)) for odds in self.log_odds(query, texts)]


def load_succession_model(cache_dir: Path, installed: Path | None = None) -> SuccessionModel:
    """Load the model; `cache_dir` keeps digests and the graph. Never downloads. Raises SuccessionUnavailable.

    `installed` is where the weights are; see `locate`.
    """
    return load_adapted(SuccessionModel, SUCCESSION, SUCCESSION_FILE, cache_dir, installed)
