"""Whether a newer statement replaces an older one: a model reads both at once."""

import math
from collections.abc import Sequence
from pathlib import Path

from .adapted_model import AdaptedModel, load_adapted
from .adapter import SUCCESSION_FILE
from .locate import SUCCESSION


class SuccessionModel(AdaptedModel):
    """Made by `python -m training.train_succession --write`."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """How likely a statement, the `query`, replaces each of the older ones, from 0 to 1."""
        return [1 / (1 + math.exp(-odds)) for odds in self.log_odds(query, texts)]


def load_succession_model(cache_dir: Path, installed: Path | None = None) -> SuccessionModel:
    """Load the model; `cache_dir` keeps digests and the graph. Never downloads. Raises SuccessionUnavailable.

    `installed` is where the weights are; see `locate`.
    """
    return load_adapted(SuccessionModel, SUCCESSION, SUCCESSION_FILE, cache_dir, installed)
