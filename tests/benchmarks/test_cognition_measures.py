"""The measures of cognition: what is good scores high, what is empty scores nothing, and the conversation hints at
nothing."""

import random

import pytest

from agentos.benchmarks.cognition import measures, scores
from agentos.benchmarks.cognition.conversation import PROBES, SEEDED, WORK, conversation
from agentos.benchmarks.cognition.scores import Savings, Score
from agentos.benchmarks.cognition.walk import Context
from tests.tables import every

TURNS = (
    "Maria Olsen moved the service to heron-7 in Lisbon.",
    "We deploy with `make release` from ops/deploy.sh.",
    "Nothing else happened that day, and nobody said a word about it.",
    "Then lunch was served and it was a long and sunny afternoon.",
)


def context_of(*texts: str) -> Context:
    return Context(texts, "\n".join(texts))


def test_a_context_that_says_what_is_asked_is_more_relevant_than_another() -> None:
    query = [1.0, 0.0, 0.0]
    good = measures.context_relevance(query, [[0.9, 0.1, 0.0], [0.8, 0.0, 0.2]], [10, 20])
    arbitrary = measures.context_relevance(query, [[0.0, 1.0, 0.0], [0.1, 0.0, 0.9]], [10, 20])
    assert good > 0.9 > 0.2 > arbitrary
    assert measures.context_relevance(query, [], []) == 0.0
    assert measures.context_relevance(query, [[-1.0, 0.0, 0.0]], [5]) == 0.0
    diluted = measures.context_relevance(query, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [10, 90])
    assert diluted < measures.context_relevance(query, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [90, 10])


def test_a_perfect_summary_comes_near_one_and_an_empty_one_gets_nothing() -> None:
    assert measures.token_efficiency(10_000, 50, 40, 40) > 0.99
    assert measures.token_efficiency(10_000, 0, 0, 40) == 0.0
    assert measures.token_efficiency(10_000, 10_000, 40, 40) == 0.0
    assert measures.token_efficiency(10_000, 20_000, 40, 40) == 0.0, "what grew saved nothing"
    assert measures.token_efficiency(100, 70, 7, 10) == pytest.approx(0.458, abs=1e-3)
    assert measures.token_efficiency(0, 0, 0, 0) == 0.0
    assert measures.token_efficiency(100, 50, 0, 0) == pytest.approx(0.5**0.5)


def test_the_baseline_drops_the_oldest_thirty_percent() -> None:
    assert measures.dropped_oldest([str(n) for n in range(10)]) == ["3", "4", "5", "6", "7", "8", "9"]
    assert measures.dropped_oldest([]) == []


def test_memory_on_hits_and_memory_off_misses() -> None:
    facts = ["heron-7", "the ninth of September", "Maria Olsen"]
    on = [("the database is HERON-7", facts[0]), ("on september ninth, we said", facts[1]), ("maria\nolsen", facts[2])]
    assert measures.recalled(on) == 1.0
    assert measures.recalled([("", fact) for fact in facts]) == 0.0
    assert measures.recalled([("we talked of lunch", fact) for fact in facts]) == 0.0
    assert measures.recalled([]) == 0.0


def test_a_fact_is_held_by_seventy_percent_of_its_long_words() -> None:
    fact = "alpha bravo charlie delta"
    assert measures.holds("delta and charlie and bravo", fact)
    assert not measures.holds("delta and charlie", fact)
    assert not measures.holds("it is the one", "a b c"), "words of three letters say nothing"
    assert measures.holds("it is A  B\nC", "a b c")


def test_entities_are_names_and_exact_terms() -> None:
    found = measures.entities("\n".join(TURNS))
    assert {"maria olsen", "heron-7", "lisbon", "make", "ops/deploy.sh"} & found >= {"maria olsen", "heron-7", "lisbon"}
    assert "ops/deploy.sh" in found and not {"nothing", "then", "we"} & found
    assert measures.retained_entities(found, "\n".join(TURNS)) == found
    assert measures.retained_entities(found, "") == frozenset()
    assert measures.retained_entities(frozenset({"7"}), "it is 77") == frozenset(), "whole words only"


def test_efficiency_of_texts_is_between_that_of_nothing_and_of_everything() -> None:
    summary = ["Maria Olsen moved the service to heron-7 in Lisbon; ops/deploy.sh, 7."]
    assert scores.efficiency(TURNS, []) == 0.0
    assert scores.efficiency(TURNS, TURNS) == 0.0
    assert scores.efficiency(TURNS, summary) > scores.efficiency(TURNS, list(measures.dropped_oldest(TURNS)))


def test_what_two_prompts_begin_with_in_common_is_billed_at_a_tenth() -> None:
    assert measures.shared_prefix("abcd", "abxd") == 2
    assert measures.shared_prefix("", "x") == 0
    stable = "the same beginning " * 20
    twice = scores.billed([stable + "one", stable + "two"])
    changing = scores.billed(["one " + stable, "two " + stable])
    assert twice < changing
    assert scores.billed([]) == 0.0


def test_savings_may_be_negative() -> None:
    assert Savings(1, 50, 100, 10.0, 20.0).saved == 0.5
    assert Savings(1, 200, 100, 10.0, 5.0).saved_when_cached == -1.0
    assert Savings(0, 0, 0, 0.0, 0.0).saved == 0.0


def test_a_random_context_has_no_more_tokens_than_the_one_it_is_like() -> None:
    history = context_of(*TURNS)
    for seed in range(20):
        chosen = scores.at_random(history, context_of(TURNS[0], TURNS[1]), random.Random(seed))
        assert set(chosen.texts) <= set(TURNS)
        assert sum(map(scores.estimate, chosen.texts)) <= sum(map(scores.estimate, TURNS[:2]))


def test_overall_is_the_mean_of_the_three_measures() -> None:
    several = [
        Score("CRS", 0.6, 0.4, "a", 1),
        Score("CRS", 0.9, 0.0, "b", 1),
        Score("TES", 0.9, 0.5, "a", 1),
        Score("LCS", 0.9, 0.0, "a", 1),
        Score("LCS, another session", 0.1, 0.9, "a", 1),
    ]
    overall = scores.overall(several)
    assert (overall.ours, overall.baseline) == (pytest.approx(0.8), pytest.approx(0.3))
    assert overall.difference == pytest.approx(0.5)


@every("seed", range(40))
def test_a_seeded_conversation_states_five_facts_works_and_asks_without_hints(seed: int) -> None:
    talk = conversation(seed)
    assert talk == conversation(seed) and talk.facts != conversation(seed + 1).facts
    assert len(talk.exchanges) == SEEDED + WORK + PROBES == 25
    assert [one.user for one in talk.exchanges[:SEEDED]] == [fact.statement for fact in talk.facts]
    later = [text for one in talk.exchanges[SEEDED:] for text in (one.user, one.answer)]
    for fact in talk.facts:
        assert measures.holds(fact.statement, fact.value)
        assert not any(measures.holds(text, fact.value) for text in later)
        assert sum(one.asks == fact for one in talk.exchanges) == 2
