"""The lanes of the retrieval benchmark, on small generated stores."""

import math
from pathlib import Path

import pytest

from agentos.benchmarks.corpus import Seeds
from agentos.benchmarks.figures import table
from agentos.benchmarks.retrieval import lanes


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Seeds:
    return Seeds(tmp_path_factory.mktemp("seeds"))


def test_latency_is_reported_by_tier_and_fails_over_its_budget(
    seeds: Seeds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "SEARCHES", 20)
    monkeypatch.setattr(lanes, "WARM_UP", 2)
    figures = list(lanes.latency(seeds, tmp_path, [50, 100], {50: math.inf, 100: 1e-6}))
    assert [(figure.name, figure.passed) for figure in figures] == [
        ("search, 50 memories, p50", None),
        ("search, 50 memories, p95", True),
        ("search, 100 memories, p50", None),
        ("search, 100 memories, p95", False),
    ]
    assert "FAIL" in table(figures)


def test_what_came_first_is_found_after_much_else(seeds: Seeds, tmp_path: Path) -> None:
    before, after = lanes.retention(seeds, tmp_path, 500)
    assert after.name == "any@10 of the first 100 memories, 1,500 stored"
    assert after.passed, after
    assert before.passed is None and before.reference == 1, "words alone find all of them in a small store"
