"""The value of the recalled context for a reader: its relevance to the question, and the tokens it saves."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agentos.modules.context import tokens

from .data import Store
from .embeddings import Embeddings

ITEMS = 10
"""Number of first items that make the context given to a reader."""


@dataclass(frozen=True)
class TokenSavings:
    """Mean estimated tokens per question: with the whole history in the prompt, and with the recalled context."""

    history: float
    context: float

    @property
    def share(self) -> float:
        """The share of the whole history that recall saves; 0 to 1."""
        return 1 - self.context / self.history if self.history else 0.0


def relevance(question: str, context: Sequence[str], random_context: Sequence[str], embeddings: Embeddings) -> float:
    """Return the context relevance score (CRS): how much closer to the question a context is than a random one.

    The mean cosine similarity of the question and each text of the context, less the same mean for the random
    context: 0 for what chance would have brought, higher is better, below 0 is worse than chance. An empty context
    has mean 0. The texts' vectors are those of the benchmark's model, whoever recalled them: it favours whoever
    ranks by them alone, so it stands beside recall and not in its place.
    """
    return _closeness(question, context, embeddings) - _closeness(question, random_context, embeddings)


def random_context(store: Store, question: str, seed: int) -> list[str]:
    """Return ITEMS random texts of the store; always the same ones for a question."""
    chance = random.Random(f"{seed} {store.name} {question}")
    return [item.content for item in chance.sample(store.items, min(ITEMS, len(store.items)))]


def savings(store: Store, found: Sequence[Sequence[str]]) -> TokenSavings:
    """Return the tokens of the whole store, and the mean tokens found per question: ITEMS items at most.

    Estimated as AgentOS estimates its own context (`modules/context/tokens.py`), on the high side for both.
    """
    cost = {item.id: tokens.estimate(item.content) for item in store.items}
    contexts = [sum(cost[id_] for id_ in ids[:ITEMS]) for ids in found]
    return TokenSavings(float(sum(cost.values())), math.fsum(contexts) / len(contexts) if contexts else 0.0)


def _closeness(question: str, texts: Sequence[str], embeddings: Embeddings) -> float:
    if not texts:
        return 0.0
    [asked] = embeddings.vectors([question])
    return float(np.mean(embeddings.vectors(texts) @ asked))
