"""Trust as numbers: five signals, beliefs with an interval, and a moving average between agents with one hop."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from agentos.modules.memory.models import RankedTurn
from agentos.modules.memory.ranking import Ranked
from agentos.modules.memory.ties import TRUST, more_trusted_first
from agentos.modules.trust import formulas
from agentos.modules.trust.judging import AGAINST, FOR
from agentos.modules.trust.models import NOTHING, Beta, TrustJudgement
from tests.tables import every

NOW = datetime(2026, 3, 2, tzinfo=UTC)
NEW = {
    "recency": 1.0,
    "reputation": NOTHING,
    "kind_of_source": 1.0,
    "coherence": 0.5,
    "outcome": NOTHING,
}


def word(judge: str, author: str, *, is_for: bool = True, of: str = "m", observed: bool = False) -> TrustJudgement:
    return TrustJudgement(judge, author, of, is_for, 1.5 if is_for else 2.0, observed)


@every(
    ("given", "score"),
    [
        ({}, 0.22 + 0.11 + 0.09 + 0.125),  # new, from a new source: neutral but for its recency
        ({"recency": 0.5}, 0.11 + 0.11 + 0.09 + 0.125),
        ({"recency": 0.0}, 0.11 + 0.09 + 0.125),
        ({"reputation": Beta(4.0, 1.0)}, 0.22 + 0.176 + 0.09 + 0.125),
        ({"reputation": Beta(4.0, 1.0), "kind_of_source": 0.3}, 0.22 + 0.066 + 0.09 + 0.125),  # from the web
        ({"coherence": 1.0}, 0.22 + 0.11 + 0.18 + 0.125),
        ({"outcome": Beta(1.0, 3.0)}, 0.22 + 0.11 + 0.09 + 0.0625),
        ({"reputation": Beta(1e9, 1.0), "coherence": 1.0, "outcome": Beta(1e9, 1.0)}, 0.87),
    ],
)
def test_the_trust_in_a_memory_is_the_weighted_sum_of_four_signals(given: dict[str, object], score: float) -> None:
    trust = formulas.trust(**{**NEW, **given})  # type: ignore[arg-type]
    assert trust.score == pytest.approx(score) == sum(trust.parts.values())
    assert 0.0 <= trust.low <= trust.score <= trust.high <= 1.0 + 1e-9


def test_signals_are_halved_and_scaled_as_they_say() -> None:
    assert [round(formulas.recency(NOW - timedelta(days=d), NOW), 3) for d in (-1, 0, 7, 14)] == [1.0, 1.0, 0.5, 0.25]
    assert [formulas.coherence(c) for c in (None, -1.0, 0.0, 1.0)] == [0.5, 0.0, 0.5, 1.0]


def test_a_belief_narrows_with_what_is_known_and_its_interval_holds_the_truth() -> None:
    widths = []
    for good, bad in ((0, 0), (6, 2), (60, 20)):
        trust = formulas.trust(**{**NEW, "reputation": Beta(1 + good, 1 + bad), "outcome": Beta(1 + good, 1 + bad)})
        widths.append(trust.high - trust.low)
    assert widths == sorted(widths, reverse=True)
    dice, held = random.Random(7), 0

    def verdicts(chance: float, author: str) -> list[TrustJudgement]:
        """What some judges say, each of one thing, that prove right by a chance."""
        approvals = [dice.random() < chance for _ in range(dice.randint(1, 30))]
        return [
            TrustJudgement(f"j{n}", author, f"m{n}", one, FOR if one else AGAINST) for n, one in enumerate(approvals)
        ]

    def limit(chance: float) -> float:
        return FOR * chance / (FOR * chance + AGAINST * (1 - chance))

    for _ in range(2_000):
        source, memory = dice.random(), dice.random()
        reputation = formulas.reputations(verdicts(source, "eve"))["eve"]
        outcome = formulas.outcome(verdicts(memory, "bob"))
        trust = formulas.trust(**{**NEW, "reputation": reputation, "outcome": outcome})
        fixed = trust.score - trust.parts["source"] - trust.parts["outcome"]
        held += trust.low <= fixed + 0.22 * limit(source) + 0.25 * limit(memory) <= trust.high
    assert 0.93 <= held / 2_000 <= 0.97


def test_no_unjudged_memory_is_too_little_trusted_to_be_shown_however_old_it_is() -> None:
    oldest = formulas.trust(**{**NEW, "recency": 0.0, "kind_of_source": 0.0, "coherence": 0.0})
    assert oldest.score < formulas.LOW and not formulas.is_low(oldest)
    refuted = formulas.trust(**{**NEW, "recency": 0.0, "reputation": Beta(1, 9), "outcome": Beta(1, 3)})
    assert formulas.is_low(refuted)


def test_a_callers_word_about_its_own_source_proves_nothing() -> None:
    praise = [word("eve", "eve", of=f"m{n}") for n in range(50)]
    assert formulas.reputations(praise) == {} and formulas.outcome(praise[:1]) == NOTHING
    assert formulas.between(praise) == []
    # An answer that was built on a memory is the author's own too: it says something of the memory, once.
    built_on = [word("daemon", "eve", observed=True)] * 9
    assert formulas.reputations(built_on) == {} and formulas.outcome(built_on) == Beta(2.5, 1.0)
    # Against itself its word counts, for that memory.
    assert formulas.outcome([word("eve", "eve", is_for=False)]).mean < 0.5
    assert formulas.reputations([word("eve", "eve", is_for=False)]) == {}


def test_each_judge_has_one_word_about_a_memory_the_last() -> None:
    spam = [word("ada", "eve")] * 9
    assert formulas.reputations(spam) == {"eve": Beta(2.5, 1.0)}
    assert formulas.reputations([*spam, word("ada", "eve", is_for=False)]) == {"eve": Beta(1.0, 3.0)}
    assert formulas.reputations([*spam, word("bob", "eve")]) == {"eve": Beta(4.0, 1.0)}
    [trust] = formulas.between(spam)
    assert trust.judgements == 1 and not trust.stable and trust.score == formulas.between(spam[:1])[0].score
    assert formulas.reputations([word("ada", "")]) == {}, "nobody is known to have stored it"


def test_trust_between_agents_moves_by_a_fifth_and_goes_one_hop_further() -> None:
    five = [word("a", "b", of=f"m{n}") for n in range(5)]
    [ab] = formulas.between(five)
    assert ab.score == pytest.approx(1 - 0.5 * 0.8**5) and ab.score > 0.8 and ab.stable
    [four] = formulas.between(five[:4])
    assert not four.stable
    network = {(one.judge, one.author): one for one in formulas.between([*five, word("b", "c", of="x")])}
    hop = network["a", "c"]
    assert hop.direct is None and hop.through == "b" and hop.judgements == 0
    assert hop.score == pytest.approx(0.7 * 0.5 + 0.3 * ab.score * 0.6)
    both = {(o.judge, o.author): o for o in formulas.between([*five, word("b", "c"), word("a", "c", is_for=False)])}
    assert both["a", "c"].score == pytest.approx(0.7 * 0.4 + 0.3 * ab.score * 0.6)
    assert ("a", "d") not in {(o.judge, o.author) for o in formulas.between([*five, word("b", "c"), word("c", "d")])}
    bounds = [formulas.moved(0.98, good=True), formulas.moved(0.05, good=False)]
    assert bounds == [formulas.MOST, formulas.LEAST]


@every(
    ("scores", "earned", "order"),
    [
        ((10.0, 10.0), {"m1": 0.1}, [1, 0]),  # of equals, the one that has proved right
        ((10.0, 9.9), {"m1": 0.235}, [1, 0]),
        ((10.0, 9.9), {"m0": -0.235}, [1, 0]),
        ((10.0, 9.9), {"m0": 0.1, "m1": 0.1}, [0, 1]),
        ((10.0, 9.5), {"m0": -0.235, "m1": 0.235}, [0, 1]),  # the most there can be does not beat evidence
        ((10.0, 9.9), {}, [0, 1]),
    ],
)
def test_trust_decides_between_equals_and_never_against_evidence(
    scores: tuple[float, ...], earned: dict[str, float], order: list[int]
) -> None:
    turns = [RankedTurn(n, f"m{n}", "", None, None, None, NOW, NOW, 0.5, NOW, None) for n in range(len(scores))]
    found = more_trusted_first(turns, [Ranked(row, {"text": score}) for row, score in enumerate(scores)], earned)
    assert [one.row for one in found] == order
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert all(TRUST in one.parts for one in found[:1]) or order[0] == 0
