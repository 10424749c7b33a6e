"""Reranking: what a judgement does to an order, and what becomes of a search whose reranker is late or broken."""

import asyncio
import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest

from agentos.modules.memory.models import RankedTurn
from agentos.modules.memory.ranking import Ranked, RankingProfile
from agentos.modules.memory.reranking import PART, Reranking, RerankingSettings, judged
from tests.tables import every


class FakeReranker:
    """Judges by a function, or fails, or takes for ever; remembers what it was asked."""

    def __init__(self, judge: Callable[[str], float] = float, problem: str | None = None) -> None:
        self.judge = judge
        self.problem = problem
        self.loaded = problem is None
        self.failure: Exception | None = None
        self.gate = asyncio.Event()
        self.gate.set()
        self.asked: list[tuple[str, list[str]]] = []
        self.given_up = False

    async def ready(self, wait_s: float) -> bool:
        return self.loaded

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.asked.append((query, list(texts)))
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.given_up = True
            raise
        if self.failure is not None:
            raise self.failure
        return [self.judge(text) for text in texts]

    def close(self) -> None:
        self.loaded = False


def candidates(*scores: float) -> list[Ranked]:
    """Rows from 0, best first."""
    return [Ranked(row, {"text": score}) for row, score in enumerate(scores)]


def rows(ranked: Sequence[Ranked]) -> list[int]:
    return [one.row for one in ranked]


async def reranked(
    reranker: FakeReranker, ranked: Sequence[Ranked], **settings: float
) -> tuple[list[Ranked], tuple[str, ...]]:
    return await Reranking(reranker, RerankingSettings(**settings))("q", ranked, lambda one: str(one.row))  # type: ignore[arg-type]


def test_the_judgement_is_one_more_part_in_deviations_above_the_lowest_on_the_scale_of_the_scores() -> None:
    before = candidates(6.0, 4.0, 2.0)  # deviation 1.633
    found = judged(before, [0.0, 10.0, 20.0], 0.5)  # deviation 8.165
    assert [one.parts[PART] for one in sorted(found, key=lambda one: one.row)] == pytest.approx([0.0, 1.0, 2.0])
    assert [one.score for one in found] == pytest.approx([6.0, 5.0, 4.0])
    assert rows(judged(before, [0.0, 10.0, 20.0], 2.0)) == [2, 1, 0]
    for one in found:
        assert one.score == sum(one.parts.values())
        assert one.parts["text"] == before[one.row].parts["text"]


@every("scale", [0.001, 1.0, 1000.0])
def test_how_much_a_reranker_says_depends_neither_on_its_scale_nor_on_the_profiles(scale: float) -> None:
    scores = [1.0, 2.0, 5.0, 0.0]
    plain = rows(judged(candidates(5.0, 4.0, 2.5, 2.0), scores, 1.0))
    assert rows(judged(candidates(5.0, 4.0, 2.5, 2.0), [scale * score - 7 for score in scores], 1.0)) == plain
    assert rows(judged(candidates(*(scale * s for s in (5.0, 4.0, 2.5, 2.0))), scores, 1.0)) == plain


def test_scores_that_hardly_differ_count_for_little_where_it_is_known_what_is_much() -> None:
    before, scores = candidates(6.0, 4.0, 2.0), [0.0, 0.5, 1.0]  # deviation .41
    assert rows(judged(before, scores, 2.0)) == [2, 1, 0]
    assert rows(judged(before, scores, 2.0, 2.0)) == [0, 1, 2]
    assert judged(before, [10 * score for score in scores], 2.0, 2.0) == judged(before, scores, 2.0)


def test_equal_judgements_change_nothing_and_equal_candidates_are_told_apart() -> None:
    before = candidates(3.0, 2.0, 1.0)
    assert judged(before, [4.0, 4.0, 4.0], 1.0) == before
    assert rows(judged(candidates(1.0, 1.0, 1.0), [1.0, 3.0, 2.0], 1.0)) == [1, 2, 0]


def test_what_standing_takes_of_a_score_it_takes_of_the_judgement() -> None:
    contested = Ranked(1, {"text": 4.0, "status": -1.2})
    found = {one.row: one for one in judged([*candidates(6.0), contested], [0.0, 8.0], 1.0)}
    assert found[1].parts[PART] == pytest.approx(2 * 1.6 * 0.7)  # as much as both deviations are, less its share


def test_of_a_query_that_it_cannot_read_whole_nothing_is_judged() -> None:
    known = Reranking(FakeReranker(), RerankingSettings(of_answers=True))
    best = [_turn(None)]
    assert [known.judges("q" * chars, RankingProfile.DEFAULT, 100, best) for chars in (300, 301)] == [True, False]
    assert not known.judges("q", RankingProfile.DEFAULT, 100, [one._replace(vector=None) for one in best])


def test_that_a_candidate_has_the_very_thing_makes_the_judgement_count_no_more() -> None:
    plain = {one.row: one.parts[PART] for one in judged(candidates(6.0, 4.0, 2.0), [0.0, 1.0, 2.0], 1.0)}
    stated = [Ranked(0, {"text": 6.0, "slot": 8.0}), *candidates(6.0, 4.0, 2.0)[1:]]
    assert {one.row: one.parts[PART] for one in judged(stated, [0.0, 1.0, 2.0], 1.0)} == plain


async def test_what_tells_answers_says_so_of_each_and_of_one_alone() -> None:
    ranked, _ = await reranked(FakeReranker(), candidates(3.0, 2.0), of_answers=True)
    assert {one.row: one.answers for one in ranked} == {0: 0.0, 1: 1.0}
    ranked, _ = await reranked(FakeReranker(), candidates(3.0), of_answers=True)
    assert [(one.answers, one.score) for one in ranked] == [(0.0, 3.0)]
    ranked, _ = await reranked(FakeReranker(), candidates(3.0, 2.0))
    assert [one.answers for one in ranked] == [None, None]


@every(("most", "judges"), [(None, True), (100, True), (99, False)])
def test_in_a_namespace_of_too_many_nothing_is_judged(most: int | None, judges: bool) -> None:
    assert (
        Reranking(FakeReranker(), RerankingSettings(memories_max=most)).judges("q", RankingProfile.DEFAULT, 100, [])
        is judges
    )


def _turn(session: str | None) -> RankedTurn:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return RankedTurn(1, "mem", "said", session, None, None, now, now, 0.5, now, b"vector")


@every(("of_talks", "judges"), [(0, True), (2, True), (3, False)])
def test_conversations_are_not_judged_by_what_knows_notes_alone(of_talks: int, judges: bool) -> None:
    best = [_turn("talk" if number < of_talks else None) for number in range(4)]
    assert (
        Reranking(FakeReranker(), RerankingSettings(of_answers=True)).judges("q", RankingProfile.DEFAULT, 100, best)
        is judges
    )
    assert Reranking(FakeReranker(), RerankingSettings()).judges("q", RankingProfile.DEFAULT, 100, best)


@every("profile", [RankingProfile.RRF, RankingProfile.WEIGHTED, RankingProfile.AGENTOS])
def test_a_profile_that_is_a_formula_stays_one(profile: RankingProfile) -> None:
    assert not Reranking(FakeReranker(), RerankingSettings(of_answers=True)).judges("q", profile, 100, [])
    assert Reranking(FakeReranker(), RerankingSettings()).judges("q", profile, 100, [])


async def test_only_the_best_are_judged_and_they_stay_before_the_others() -> None:
    fake = FakeReranker()
    ranked, notes = await reranked(fake, candidates(5.0, 4.0, 3.0, 2.9, 2.8), depth=3, weight=100.0)
    assert rows(ranked) == [2, 1, 0, 3, 4]
    assert fake.asked == [("q", ["0", "1", "2"])]
    assert [PART in one.parts for one in ranked] == [True, True, True, False, False]
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    assert notes == ()


@every(
    ("chars", "depth", "judged"),
    [(40, 10, 10), (79, 10, 10), (199, 10, 4), (2_000, 10, 3), (2_000, 2, 2), (40, 3, 3)],
)
async def test_what_tells_answers_reads_fewer_of_long_texts(chars: int, depth: int, judged: int) -> None:
    fake = FakeReranker(lambda text: -len(text))
    reranking = Reranking(fake, RerankingSettings(depth=depth, of_answers=True))
    before = candidates(*range(32, 20, -1))
    ranked, _ = await reranking("q", before, lambda one: "x" * chars)
    [(_, texts)] = fake.asked
    assert len(texts) == judged
    assert rows(ranked) == rows(before)
    assert [one.answers is not None for one in ranked] == [place < judged for place in range(12)]


@every(("scores", "judged"), [((10, 9, 8, 4, 3.9), 4), ((10, 3, 2, 1, 0), 3), ((10, 9, 8, 7, 6), 5), ((1,), 1)])
async def test_what_is_far_behind_the_best_is_not_read(scores: Sequence[float], judged: int) -> None:
    fake = FakeReranker()
    ranked, _ = await reranked(fake, candidates(*scores), of_answers=True)
    assert [len(texts) for _, texts in fake.asked] == [judged]
    assert len(ranked) == len(scores)


@every("count", [0, 1])
async def test_what_has_no_order_is_not_judged(count: int) -> None:
    fake = FakeReranker()
    before = candidates(*[1.0] * count)
    assert await reranked(fake, before) == (before, ())
    assert fake.asked == []


async def test_a_reranker_that_is_late_is_given_up_and_the_order_stays() -> None:
    fake = FakeReranker()
    fake.gate.clear()
    before = candidates(3.0, 2.0)
    assert await reranked(fake, before, wait_s=0.01) == (
        before,
        ("not reranked: the reranker did not answer within 0.01 s",),
    )
    assert fake.given_up


async def test_a_caller_that_leaves_takes_its_question_along() -> None:
    fake = FakeReranker()
    fake.gate.clear()
    search = asyncio.create_task(reranked(fake, candidates(3.0, 2.0), wait_s=60))
    while not fake.asked:
        await asyncio.sleep(0.001)
    search.cancel()
    with pytest.raises(asyncio.CancelledError):
        await search
    assert fake.given_up


@every(
    ("problem", "note"),
    [
        (None, "not reranked: the reranker is still loading"),
        ("there is no such model", "not reranked: there is no such model"),
    ],
)
async def test_without_a_model_the_order_stays_and_a_note_says_why(problem: str | None, note: str) -> None:
    fake = FakeReranker(problem=problem)
    fake.loaded = False
    before = candidates(3.0, 2.0)
    assert await reranked(fake, before) == (before, (note,))


async def test_loading_that_takes_longer_than_the_wait_is_reported_as_loading() -> None:
    class Loading(FakeReranker):
        async def ready(self, wait_s: float) -> bool:
            await asyncio.Event().wait()
            return True

    _, notes = await reranked(Loading(), candidates(3.0, 2.0), wait_s=0.01)
    assert notes == ("not reranked: the reranker is still loading",)


async def test_a_reranker_that_breaks_costs_its_judgement_alone(caplog: pytest.LogCaptureFixture) -> None:
    fake = FakeReranker()
    fake.failure = RuntimeError("bad tensor")
    before = candidates(3.0, 2.0)
    assert await reranked(fake, before) == (before, ("not reranked: the reranker failed: RuntimeError: bad tensor",))
    assert "bad tensor" in caplog.text


@every("judge", [lambda _: math.nan, lambda _: math.inf])
async def test_scores_that_are_no_numbers_count_as_none(judge: Callable[[str], float]) -> None:
    before = candidates(3.0, 2.0)
    assert await reranked(FakeReranker(judge), before) == (
        before,
        ("not reranked: the reranker gave no usable scores for 2 texts",),
    )


@every(
    ("english_only", "text", "reads"),
    [
        (True, "Where are the spare keys?", True),
        (True, "备用钥匙在哪里?", False),
        (True, "Wohin kamen gestern alle Ersatzschlüssel?", False),
        (False, "备用钥匙在哪里?", True),
    ],
)
async def test_beside_another_embedding_model_english_alone_is_read(english_only: bool, text: str, reads: bool) -> None:
    reranking = Reranking(FakeReranker(), RerankingSettings(of_answers=True, english_only=english_only))
    assert reranking.reads(text) is reads
    assert reranking.judges(text, RankingProfile.DEFAULT, 100, [_turn(None)]) is reads
