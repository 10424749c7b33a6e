"""Ranking: fusion of channels by reciprocal rank, then bounded modifiers."""

from collections.abc import Iterable, Sequence

RRF_K = 60
"""Cormack, Clarke and Büttcher (SIGIR 2009): damps the weight of the very first ranks."""

MODIFIER_RANGE = 0.1


def reciprocal_rank_fusion(channels: Iterable[Sequence[str]], k: int = RRF_K) -> dict[str, float]:
    """Σ 1/(k + rank) over the channels that name an id; ranks count from 1."""
    fused: dict[str, float] = {}
    for channel in channels:
        for rank, memory_id in enumerate(channel, start=1):
            fused[memory_id] = fused.get(memory_id, 0.0) + 1.0 / (k + rank)
    return fused


def modifier(strength: float, importance: float) -> float:
    """A factor from .9 to 1.1: what is alive and worth keeping rises a little, relevance still decides."""
    return 1.0 + MODIFIER_RANGE * (strength + importance - 1.0)
