"""The second opinion: how two likelihoods become one, what the model is asked about, and what if it fails."""

import asyncio
from collections.abc import Sequence

import pytest

from agentos.modules.errors import AgentOSError
from agentos.modules.memory import second_opinion
from agentos.modules.memory.second_opinion import ASKED_AT_ONCE, PORTION, SecondOpinion, together
from tests.tables import every

OLDER, NEWER = "Dana has a flat in Lisbon.", "Dana packed up everything and calls Porto home."


class Model:
    """Says .8 of everything, after `takes_s`, or raises; notes what it was asked."""

    problem = None

    def __init__(self, *, error: Exception | None = None, takes_s: float = 0.0, is_ready: bool = True) -> None:
        self.error, self.takes_s, self.is_ready = error, takes_s, is_ready
        self.asked: list[str] = []

    async def ready(self, wait_s: float) -> bool:
        return self.is_ready

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.asked += texts
        await asyncio.sleep(self.takes_s)
        if self.error is not None:
            raise self.error
        return [0.8 for _ in texts]

    def close(self) -> None:
        self.asked.clear()


@every(
    ("chance", "opinion", "both"),
    [(0.5, 0.8, 0.8), (0.8, 0.5, 0.8), (0.7, 0.3, 0.5), (0.3, None, 0.3), (0.8, 0.8, 16 / 17), (0.0, 1.0, 0.5)],
)
def test_log_odds_are_added(chance: float, opinion: float | None, both: float) -> None:
    assert together(chance, opinion) == pytest.approx(both)


async def test_what_was_said_is_known() -> None:
    model = Model()
    opinion = SecondOpinion(model)
    assert await opinion.of(NEWER, [OLDER, OLDER]) == [0.8, 0.8]
    assert await opinion.of(NEWER, [OLDER]) == [0.8]
    assert model.asked == [OLDER]


@every(
    ("older", "newer"),
    [
        (OLDER, OLDER),
        (OLDER, NEWER + " Well." * 60),
        ("I use Vim.", "I use Helix now."),
        ("Maria works at Google.", "Maria works at Meta."),
    ],
)
async def test_what_it_cannot_know_it_is_not_asked(older: str, newer: str) -> None:
    model = Model()
    assert await SecondOpinion(model).of(newer, [older]) == [None]
    assert model.asked == []


async def test_some_words_may_be_repeated() -> None:
    older, newer = "Ana has health insurance with Allianz.", "Ana's car is insured with AXA, a new insurance."
    assert await SecondOpinion(Model()).of(newer, [older]) == [0.8]


@pytest.mark.parametrize(
    "model",
    [
        Model(is_ready=False),
        Model(error=AgentOSError("closed")),
        Model(error=RuntimeError("hung")),
        Model(error=KeyError("inner.weight")),
        Model(takes_s=60.0),
    ],
    ids=["loading", "no model", "hung", "broken", "slow"],
)
async def test_without_an_answer_there_is_no_opinion(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_opinion, "WAIT_S", 0.01)
    assert await SecondOpinion(model).of(NEWER, [OLDER]) == [None]


async def test_what_was_said_in_time_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slowing(Model):
        async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
            self.takes_s = 60.0 if self.asked else 0.0
            return await super().scores(query, texts)

    monkeypatch.setattr(second_opinion, "WAIT_S", 0.01)
    older = [f"Dana has flat {number}." for number in range(6)]
    found = await SecondOpinion(Slowing()).of(NEWER, older)
    assert found == [0.8] * PORTION + [None] * (6 - PORTION)


async def test_many_are_not_asked_about_at_once() -> None:
    model = Model()
    older = [f"Dana has flat {number}." for number in range(20)]
    found = await SecondOpinion(model).of(NEWER, older)
    assert found == [0.8] * ASKED_AT_ONCE + [None] * (20 - ASKED_AT_ONCE)


async def test_a_caller_that_gives_up_is_told_so() -> None:
    asking = asyncio.create_task(SecondOpinion(Model(takes_s=60.0)).of(NEWER, [OLDER]))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_close_forgets() -> None:
    model = Model()
    opinion = SecondOpinion(model)
    await opinion.of(NEWER, [OLDER])
    opinion.close()
    await opinion.of(NEWER, [OLDER])
    assert model.asked == [OLDER]
