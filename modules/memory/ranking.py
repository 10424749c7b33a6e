"""Ranking: fusion of channels by reciprocal rank, then bounded modifiers."""

from collections.abc import Iterable, Sequence

RRF_K = 60
"""The constant of Cormack, Clarke and Büttcher (SIGIR 2009); damps the weight of the very first ranks."""

SEARCH_K = 10
TEXT_WEIGHT = 2.0
VECTOR_WEIGHT = 1.0
"""What search uses. With k = 60 and equal weights, two middling ranks beat one first rank, so that an exact
match of a rare word can drown and the fusion falls below its better channel; docs/architecture.md has figures."""

MODIFIER_RANGE = 0.1


def reciprocal_rank_fusion(
    channels: Iterable[Sequence[str]], k: int = RRF_K, weights: Sequence[float] | None = None
) -> dict[str, float]:
    """Σ weight/(k + rank) over the channels that name an id; ranks count from 1, weights are 1 if not given."""
    fused: dict[str, float] = {}
    for index, channel in enumerate(channels):
        weight = 1.0 if weights is None else weights[index]
        for rank, memory_id in enumerate(channel, start=1):
            fused[memory_id] = fused.get(memory_id, 0.0) + weight / (k + rank)
    return fused


def fuse(lexical: Sequence[str], semantic: Sequence[str]) -> dict[str, float]:
    """The fused score of every id that the text index or the vectors name, each list best first."""
    return reciprocal_rank_fusion([lexical, semantic], SEARCH_K, (TEXT_WEIGHT, VECTOR_WEIGHT))


def contenders(fused: dict[str, float], limit: int) -> list[str]:
    """The ids that can be among the best `limit` once modifiers are applied, which only move a score by so much."""
    best_first = sorted(fused, key=lambda memory_id: -fused[memory_id])
    if len(best_first) <= limit:
        return best_first
    least = fused[best_first[limit - 1]] * (1 - MODIFIER_RANGE) / (1 + MODIFIER_RANGE)
    return [memory_id for memory_id in best_first if fused[memory_id] >= least]


def modifier(strength: float, importance: float) -> float:
    """A factor from .9 to 1.1: what is alive and worth keeping rises a little, relevance still decides."""
    return 1.0 + MODIFIER_RANGE * (strength + importance - 1.0)
