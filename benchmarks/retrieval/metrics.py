"""Metrics of a ranked list, given what answers the question. Pure functions of ids; every figure is 0 to 1."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

from .data import Question

DEPTHS = (1, 5, 10, 20, 50)
METRICS = (
    *(f"R@{k}" for k in DEPTHS),
    "any@10",
    "all@5",
    "NDCG@10",
    "MRR",
    "session any@5",
    "session all@5",
)
"""The names of all figures, in the order of the report."""

Measured = dict[str, float]


def recall(found: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return R@k, fractional: the share of the evidence that is among the first k."""
    return len(set(found[:k]) & set(gold)) / len(set(gold))


def hit(found: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return any@k: 1 if at least one piece of evidence is among the first k, else 0."""
    return float(bool(set(found[:k]) & set(gold)))


def complete(found: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return all@k, strict (LongMemEval's recall_all@k): 1 if all evidence is among the first k, else 0."""
    return float(set(gold) <= set(found[:k]))


def ndcg(found: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return NDCG@k with binary gains: Σ 1/log2(rank + 1) over evidence in the first k, over the best possible sum.

    The best possible list has all evidence, at most k pieces, at its head. A repeated id gains once.
    """
    wanted = set(gold)
    gained = sum(1 / math.log2(rank + 1) for rank, id_ in enumerate(_distinct(found)[:k], start=1) if id_ in wanted)
    return gained / sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(wanted)) + 1))


def reciprocal_rank(found: Sequence[str], gold: Collection[str]) -> float:
    """Return 1 / the rank of the first piece of evidence in the whole list, or 0. Its mean is the MRR."""
    wanted = set(gold)
    return next((1 / rank for rank, id_ in enumerate(found, start=1) if id_ in wanted), 0.0)


def measure(found: Sequence[str], question: Question, session_of: Mapping[str, str | None]) -> Measured:
    """Return every figure of METRICS for one answerable question.

    The session figures look at the first five *different* sessions of the ranked items. Figures without gold are left
    out: items if only sessions are known, sessions if the data has none.
    """
    figures: Measured = {}
    gold = question.evidence
    if gold:
        figures |= {f"R@{k}": recall(found, gold, k) for k in DEPTHS}
        figures["any@10"] = hit(found, gold, 10)
        figures["all@5"] = complete(found, gold, 5)
        figures["NDCG@10"] = ndcg(found, gold, 10)
        figures["MRR"] = reciprocal_rank(found, gold)
    sessions: set[str | None] = set(question.sessions) or {session_of[id_] for id_ in gold}
    if sessions and None not in sessions:
        wanted = {str(session) for session in sessions}
        ranked = _distinct(str(session_of[id_]) for id_ in found)
        figures["session any@5"] = hit(ranked, wanted, 5)
        figures["session all@5"] = complete(ranked, wanted, 5)
    return figures


def mean(rows: Sequence[Measured]) -> Measured:
    """Return the mean of each figure over the questions that have it, in the order of METRICS."""
    columns = {name: [row[name] for row in rows if name in row] for name in METRICS}
    return {name: math.fsum(values) / len(values) for name, values in columns.items() if values}


def _distinct(ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(ids))
