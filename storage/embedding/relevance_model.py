"""The relevance model: how well a memory answers a query, read together. The reranker that comes with AgentOS."""

from collections.abc import Sequence
from pathlib import Path

from .adapted_model import AdaptedModel, load_adapted
from .adapter import RELEVANCE_FILE
from .default_weights import DEFAULT_MODEL
from .locate import RELEVANCE


class RelevanceModel(AdaptedModel):
    """The model made by `python -m training.train_relevance --write`."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the log odds that each text answers the `query`."""
        return self.log_odds(query, texts)


def load_relevance_model(
    cache_dir: Path, installed: Path | None = None, weights: str = DEFAULT_MODEL
) -> RelevanceModel:
    """Load the model; `cache_dir` keeps digests and the graph. Never downloads. Raises RerankerUnavailable.

    `weights` is where the default embedding model is, by the value of its setting; `installed`, see `locate`.
    """
    return load_adapted(RelevanceModel, RELEVANCE, RELEVANCE_FILE, cache_dir, installed, weights)
