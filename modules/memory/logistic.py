"""Log odds and the chances that they stand for."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Model:
    """Weights by feature, and the probability from which on it is sure."""

    weights: Mapping[str, float]
    bias: float
    threshold: float

    def probability(self, features: Mapping[str, float]) -> float:
        """Return the probability that these features speak for, 0..1."""
        odds = self.bias + sum(weight * features[name] for name, weight in self.weights.items())
        return chance_of(odds)


def read(name: str) -> Model:
    """Read the model in a file of this folder."""
    written = json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return Model(written["weights"], written["bias"], written["threshold"])


def log_odds(chance: float, least: float = 1e-4) -> float:
    """Return the log-odds of a chance, which is first clipped to `least`..1 - `least`."""
    bounded = min(max(chance, least), 1 - least)
    return math.log(bounded / (1 - bounded))


def chance_of(odds: float) -> float:
    """Return the chance, from 0 to 1, that has these log-odds."""
    return 1 / (1 + math.exp(-odds))
