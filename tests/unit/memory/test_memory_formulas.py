"""The numbers of memory: importance, strength, summary, fusion."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentos.modules.memory import formulas, ranking
from agentos.modules.memory.models import MemoryType
from tests.tables import every

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
E, S, P, W = MemoryType.EPISODIC, MemoryType.SEMANTIC, MemoryType.PROCEDURAL, MemoryType.WORKING


@every(
    ("content", "kind", "expected"),
    [
        ("", E, 0.35),
        ("x" * 250, E, 0.45),
        ("x" * 500, S, 0.59),
        ("x" * 5000, S, 0.59),  # length counts up to 500 characters
        ("x", P, 0.4304),
        ("important always critical essential crucial".ljust(500), P, 0.83),  # keywords give .2 at most
        ("x", W, 0.3504),
        ("IMPORTANT: the KEY".ljust(100), E, 0.49),  # two keywords, whatever their case
        ("always always always".ljust(100), E, 0.44),  # each keyword counts once
        ("you must remember this and never forget that".ljust(100), E, 0.49),
        ("é" * 250, S, 0.49),  # characters, not bytes
    ],
)
def test_the_importance_that_nobody_gave_follows_the_formula(content: str, kind: MemoryType, expected: float) -> None:
    assert formulas.importance(content, kind) == pytest.approx(expected, abs=1e-9)


@given(st.text(max_size=700), st.sampled_from(MemoryType))
def test_importance_stays_within_bounds(content: str, kind: MemoryType) -> None:
    assert 0.0 <= formulas.importance(content, kind) <= 1.0


@every(
    ("rate", "importance", "days", "expected"),
    [
        (0.01, 0.5, 0, 1.0),
        (0.01, 0.5, 10, 0.95),
        (0.01, 0.0, 100, 0.0),
        (0.01, 0.0, 1000, 0.0),
        (0.01, 1.0, 1000, 1.0),
        (0.02, 0.25, 3.5, 0.9475),
        (0.0, 0.0, 10_000, 1.0),
        (1.0, 0.4, 0.5, 0.7),
    ],
)
def test_strength_is_one_closed_formula(rate: float, importance: float, days: float, expected: float) -> None:
    accessed = NOW - timedelta(days=days)
    assert formulas.strength(rate, importance, accessed, NOW) == pytest.approx(expected, abs=1e-9)


def test_a_clock_that_went_back_takes_no_strength() -> None:
    assert formulas.strength(0.01, 0.5, NOW + timedelta(days=30), NOW) == 1.0


def test_daily_looks_change_nothing_but_an_access_restores() -> None:
    accessed = NOW
    looks = [formulas.strength(0.01, 0.2, accessed, NOW + timedelta(days=day)) for day in range(31)]
    assert looks[30] == pytest.approx(1 - 0.01 * 0.8 * 30, abs=1e-9)
    assert looks == sorted(looks, reverse=True)
    accessed = NOW + timedelta(days=30)
    assert formulas.strength(0.01, 0.2, accessed, accessed) == 1.0


def test_fusion_sums_reciprocal_ranks() -> None:
    fused = ranking.reciprocal_rank_fusion([["a", "b", "c"], ["c", "a"], []])
    assert fused == {
        "a": pytest.approx(1 / 61 + 1 / 62, abs=1e-12),
        "b": pytest.approx(1 / 62, abs=1e-12),
        "c": pytest.approx(1 / 63 + 1 / 61, abs=1e-12),
    }
    assert ranking.reciprocal_rank_fusion([]) == {}
    assert ranking.reciprocal_rank_fusion([["a"], ["b"]], k=1) == {"a": 0.5, "b": 0.5}
