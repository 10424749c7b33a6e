"""Late interaction over sign bits: the formula, and what it says of nothing."""

import numpy as np
import pytest

from agentos.modules.memory.late_interaction import token_similarities

DIMENSION = 64


def unit(rows: int, seed: int) -> np.ndarray:
    matrix = np.random.default_rng(seed).normal(size=(rows, DIMENSION))
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype("<f4")


def bits(matrix: np.ndarray) -> bytes:
    return np.packbits(matrix > 0, axis=1).tobytes()


def plain(query: np.ndarray, weights: list[float], passage: np.ndarray) -> float:
    """The formula, word for word."""
    total = 0.0
    for weight, token in zip(weights, query, strict=True):
        total += weight * max(float(token @ np.where(row > 0, 1, -1)) / DIMENSION**0.5 for row in passage)
    return total / sum(weights)


def scores(query: np.ndarray, weights: list[float], signs: dict[str, list[bytes]]) -> dict[str, float]:
    """IDF-weighted MaxSim of each memory."""
    given = np.array(weights, dtype=np.float32)
    best = token_similarities(query.tobytes(), given, list(signs), signs)
    return dict(zip(signs, (best @ given[given > 0] / given.sum()).tolist(), strict=True))


def test_it_is_the_weighted_mean_of_each_query_tokens_best_match_in_the_best_passage() -> None:
    query, weights = unit(7, 1), [0.5, 3.0, 1.0, 0.0, 2.0, 2.5, 0.1]
    passages = {f"mem_{n}": [unit(1 + 5 * part + n, 10 * n + part) for part in range(1 + n % 3)] for n in range(9)}
    found = scores(query, weights, {name: [bits(p) for p in ps] for name, ps in passages.items()})
    assert found == {
        name: pytest.approx(max(plain(query, weights, passage) for passage in of_one), abs=1e-5)
        for name, of_one in passages.items()
    }


def test_the_same_tokens_are_the_nearest() -> None:
    query = unit(5, 1)
    found = scores(query, [1.0] * 5, {"same": [bits(query)], "other": [bits(unit(40, 2))]})
    assert found["same"] > 0.7 > found["other"]


def test_a_memory_without_tokens_has_nothing_similar() -> None:
    query, weights = unit(2, 1).tobytes(), np.ones(2, dtype=np.float32)
    assert not token_similarities(query, weights, ["a", "b"], {}).any()
    found = token_similarities(query, weights, ["a", "b", "c"], {"a": [b"", bits(unit(2, 2))], "b": [b""]})
    assert found.shape == (3, 2)
    assert found[0].all()
    assert not found[1:].any()
