"""How likely a newer memory replaces an older one: one logistic model over the pair model's opinion and the cosine."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .logistic import chance_of, log_odds

WEIGHTS = Path(__file__).with_name("supersession_weights.json")


@dataclass(frozen=True)
class SupersessionModel:
    """Weights, and from which chance on an answer asks, and a label is kept."""

    weights: Mapping[str, float]
    asked: float
    labelled: float

    def chance(self, older: str, newer: str, cosine: float, opinion: float | None) -> float:
        """How likely the newer text replaces the older one, 0..1; an opinion of None says nothing."""
        if opinion is None:
            return 0.0
        known = {"bias": 1.0, "odds": log_odds(opinion, 0.0025), "cosine": cosine}
        return chance_of(sum(weight * known[name] for name, weight in self.weights.items()))


def bundled() -> SupersessionModel:
    """The model that comes with AgentOS."""
    written = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return SupersessionModel(written["weights"], written["asked"], written["labelled"])
