"""Uncertainty of figures: bootstrap intervals over conversations and questions, and means per conversation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Scores = Mapping[str, Sequence[float]]
"""One figure for every question, by store; compared systems have the questions in the same order."""

LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean and its 95 % interval."""

    mean: float
    low: float
    high: float


def bootstrap(scores: Scores, resamples: int, seed: int) -> Interval:
    """Return the percentile bootstrap of the mean over all questions.

    Each resample draws as many conversations as there are, with replacement, and in each of these as many questions
    as it has, with replacement: questions of one conversation are not independent of each other. With a single
    conversation the interval says nothing about other conversations.
    """
    values = [np.asarray(store, dtype=np.float64) for store in scores.values() if len(store)]
    return _interval(values, resamples, seed)


def paired(scores: Scores, baseline: Scores, resamples: int, seed: int) -> Interval:
    """Return the same for the difference to a baseline, per question: each resample draws the same ones of both."""
    differences = [
        np.asarray(store, dtype=np.float64) - np.asarray(baseline[name], dtype=np.float64)
        for name, store in scores.items()
        if len(store)
    ]
    return _interval(differences, resamples, seed)


def by_store(scores: Scores) -> dict[str, float]:
    """Return the mean of each conversation. What was tuned to some of them shows in the spread."""
    return {name: float(np.mean(store)) for name, store in scores.items() if len(store)}


def _interval(values: Sequence[NDArray[np.float64]], resamples: int, seed: int) -> Interval:
    chance = np.random.default_rng(seed)
    means = np.empty(resamples)
    for number in range(resamples):
        drawn = [values[index] for index in chance.integers(len(values), size=len(values))]
        total = sum(float(store[chance.integers(len(store), size=len(store))].sum()) for store in drawn)
        means[number] = total / sum(len(store) for store in drawn)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(np.concatenate(values).mean()), float(low), float(high))
