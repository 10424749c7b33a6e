"""Support: which of the best hits are kept, by their odds beside the best one's."""

from datetime import UTC, datetime

import pytest

from agentos.modules.memory import support
from agentos.modules.memory.features import Evidence
from agentos.modules.memory.models import RankedTurn, WordFrequencies
from agentos.modules.memory.query import read_without_dates
from agentos.modules.memory.ranking import Ranked, RankingProfile
from agentos.modules.memory.support import SupportModel

DAY = datetime(2026, 3, 2, tzinfo=UTC)
MODEL = support.bundled()


def turn(number: int, content: str, **more: object) -> RankedTurn:
    known = {"vector": b"", "session": None, **more}
    return RankedTurn(
        number,
        f"mem_{number}",
        content,
        known.pop("session"),
        None,
        None,
        DAY,
        DAY,
        0.5,
        DAY,
        known.pop("vector"),
        **known,
    )


def judged(*chances: float) -> list[Ranked]:
    return [Ranked(row, {"text": 1.0}, support=chance) for row, chance in enumerate(chances)]


@pytest.mark.parametrize(
    ("chances", "expected"),
    [
        ((0.9, 0.5, 0.001), [0, 1]),  # the odds of the last one are a 9,000th
        ((0.05, 0.02, 0.001), [0, 1, 2]),  # where none is sure, any may be what answers
        ((0.001, 0.9), [0, 1]),  # the first one always is
        ((1.0, 0.0), [0]),
        ((), []),
    ],
)
def test_what_is_much_less_likely_than_the_best_is_left_out(chances: tuple[float, ...], expected: list[int]) -> None:
    turns = [turn(row, "text") for row in range(len(chances))]
    known = [{"coverage": 0.5}] * len(chances)
    assert [one.row for one in support.answering(judged(*chances), known, 0.003, turns)] == expected


def test_what_has_every_word_or_no_vector_and_what_may_have_replaced_a_kept_one_stays() -> None:
    turns = [turn(0, "old", outdated_by="mem_3"), turn(1, "new", vector=None), turn(2, ""), turn(3, ""), turn(4, "")]
    known = [{"coverage": share} for share in (0.5, 0.5, 0.5, 0.5, 1.0)]
    assert [one.row for one in support.answering(judged(0.99, 0, 0, 0, 0), known, 0.003, turns)] == [0, 1, 3, 4]


def test_an_answer_is_likelier_than_what_stands_beside_it_with_a_reranker_and_without() -> None:
    query = read_without_dates("Which port does the billing service use?")
    turns = [turn(0, "The billing service uses port 8080."), turn(1, "Lunch is at noon.")]
    evidence = Evidence(
        words=query.words,
        speakers=(),
        frequencies=WordFrequencies(dict.fromkeys(query.words, 1), 20, 8.0),
        text={},
        cosine={"mem_0": 0.7, "mem_1": 0.1},
        identifiers={},
        slots={},
        vector=b"",
        tokens=b"",
        token_words=(),
        signs={},
        absent=frozenset(),
        memories=20,
    )
    for odds in ((2.0, -7.0), (None, None)):
        ranked = [Ranked(0, {"text": 10.0}, odds[0]), Ranked(1, {"text": 2.0}, odds[1])]
        first, second = map(MODEL.of, support.features(query, evidence, turns, ranked))
        assert first > 0.5 > 0.05 > second
    assert support.judges(RankingProfile.DEFAULT, evidence, turns)
    assert not support.judges(RankingProfile.RRF, evidence, turns)
    assert not support.judges(
        RankingProfile.DEFAULT, evidence, [turn(0, "said", session="s1"), turns[1], turn(2, "", session="s1")]
    )
    assert support.judges(
        RankingProfile.DEFAULT, evidence, [turns[0], *(turn(n, "Nice.", session="s1") for n in (1, 2))]
    )


def test_the_file_has_a_weight_for_each_feature() -> None:
    assert isinstance(MODEL, SupportModel) and 0 < MODEL.least_share < 1
    assert set(MODEL.reranked) == {*support.RERANKED, "bias"} and set(MODEL.found) == {*support.FOUND, "bias"}
