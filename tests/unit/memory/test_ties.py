"""Importance decides between hits that answer nearly alike, and never outweighs a better answer."""

from datetime import UTC, datetime

from agentos.modules.memory.models import RankedTurn
from agentos.modules.memory.ranking import Ranked
from agentos.modules.memory.ties import IMPORTANCE, more_important_first
from tests.tables import every

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def turn(number: int, importance: float) -> RankedTurn:
    return RankedTurn(number, f"mem_{number}", "", None, None, None, NOW, NOW, importance, NOW, None)


@every(
    "given, order",
    [
        ([(10.0, 0.5, None), (9.6, 1.0, None)], [1, 0]),  # nearly equal, and raised
        ([(10.0, 0.5, None), (9.6, 0.6, None)], [0, 1]),  # nearly equal, and of nearly the same importance
        ([(10.0, 0.5, None), (9.0, 1.0, None)], [0, 1]),  # clearly the better answer
        ([(10.0, 0.5, 4.0), (9.6, 1.0, 1.0)], [0, 1]),  # so says the reranker
        ([(10.0, 0.5, 4.0), (9.6, 1.0, 3.5)], [1, 0]),
        ([(10.0, 0.0, None), (9.0, 1.0, None)], [1, 0]),  # the most that importance makes up for
        ([(10.0, 0.0, None), (8.3, 1.0, None)], [0, 1]),
        ([(10.0, 0.5, None), (9.8, 0.5, None), (9.6, 1.0, None)], [2, 0, 1]),  # past several, each nearly equal
        ([(10.0, 0.9, None), (9.8, 0.2, None), (9.6, 0.9, None)], [0, 2, 1]),
        ([(-1.0, 0.5, None), (-1.02, 1.0, None)], [1, 0]),
        ([], []),
    ],
)
def test_the_more_important_of_near_equals_goes_first(
    given: list[tuple[float, float, float | None]], order: list[int]
) -> None:
    turns = [turn(number, importance) for number, (_, importance, _) in enumerate(given)]
    ranked = [Ranked(row, {"text": score}, answers) for row, (score, _, answers) in enumerate(given)]
    lifted = more_important_first(turns, ranked)
    assert [one.row for one in lifted] == order
    scores = [one.score for one in lifted]
    assert scores == sorted(scores, reverse=True), "a part of the score says by how much"
    assert all(IMPORTANCE not in one.parts or one.parts[IMPORTANCE] > 0 for one in lifted)
