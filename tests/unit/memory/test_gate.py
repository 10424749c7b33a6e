"""The gate: what counts as support, what never closes it, and what it says."""

import json
import math
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentos.modules.memory import gate
from agentos.modules.memory.calibration import Scale
from agentos.modules.memory.features import Evidence
from agentos.modules.memory.gate import (
    ANSWERED,
    FIXED,
    RELEVANCE,
    SIGNALS,
    SURE,
    GateSettings,
    decide,
    log_odds,
    signals,
    with_relevance,
)
from agentos.modules.memory.models import Candidate, GateDecision, RankedTurn, WordFrequencies
from agentos.modules.memory.query import read
from agentos.modules.memory.ranking import Model
from tests.tables import every

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
SETTINGS = GateSettings(0.3)
TURNS = [
    RankedTurn(number, str(number), text, None, None, None, NOW, NOW, 0.5, NOW, None)
    for number, text in enumerate(
        ("The payments service retries card charges at most twice.", "Ann keeps bees.", "Error 40P01 is a deadlock.")
    )
]


def evidence(query: str, *, absent: str = "", **found: object) -> Evidence:
    words = read(query, NOW).words
    frequencies = WordFrequencies({word: int(word not in absent.split()) for word in words}, 300, 10_000)
    return Evidence(words, (), frequencies, absent=frozenset(absent.split()), memories=300, **found)  # type: ignore[arg-type]


def decided(query: str, known: Evidence, settings: GateSettings = SETTINGS) -> GateDecision:
    return decide(read(query, NOW), known, TURNS, TURNS, settings)


def seen(query: str, known: Evidence) -> dict[str, float]:
    return signals(read(query, NOW), known, TURNS, TURNS)


def test_support_is_the_logistic_of_the_sum_of_its_parts() -> None:
    decision = decided("payments service retries", evidence("payments service retries"))
    assert decision.support == pytest.approx(1 / (1 + math.exp(-sum(decision.parts.values()))), abs=1e-4)
    assert decision.answered is (decision.support >= 0.3)


def test_what_a_model_has_read_of_the_best_counts_with_the_highest_odds() -> None:
    asked, request = read("Who keeps bees?", NOW), read("summarise the bees", NOW)
    closed = GateDecision(answered=False, support=0.2, threshold=0.3, parts={"coverage": 1.0, "bias": -2.4})
    opened = with_relevance(closed, asked, [-6.0, 3.0])
    assert opened.answered and opened.parts["relevance"] == RELEVANCE * 3.0 + ANSWERED
    assert opened.support == pytest.approx(1 / (1 + math.exp(-sum(opened.parts.values()))), abs=1e-4)
    assert with_relevance(opened, asked, [-7.0]).support < closed.support
    assert with_relevance(closed, request, [-7.0]) == closed and with_relevance(closed, request, [3.0]) == opened
    assert with_relevance(closed, asked, []) == closed
    for name in ("exact_term", "slot"):
        sure = GateDecision(answered=True, support=0.9, threshold=0.3, parts={name: SURE})
        assert with_relevance(sure, asked, [-8.0]) == sure
    off = GateDecision(answered=True, support=1.0, threshold=0.0)
    assert with_relevance(off, asked, [-8.0]) == off


def test_what_the_memories_say_is_answered_and_what_nobody_said_is_not() -> None:
    assert decided("payments service retries", evidence("payments service retries")).answered
    assert not decided("zeppelin obelisk", evidence("zeppelin obelisk", absent="zeppelin obelisk")).answered


def test_words_that_no_memory_has_are_charged_and_a_name_most() -> None:
    all_known = seen("retries of charges", evidence("retries of charges"))
    one_absent = seen("retries of zeppelins", evidence("retries of zeppelins", absent="zeppelins"))
    assert all_known["coverage"] == pytest.approx(1.0) and one_absent["coverage"] < 0.5
    named = "Why does Tim retry charges?"
    assert seen(named, evidence(named, absent="tim"))["absent_name"] == 1.0
    known = evidence(named, absent="tim")
    assert sum(log_odds(Model.WORDS, seen(named, known)).values()) < sum(
        log_odds(Model.WORDS, seen(named.lower(), known)).values()
    )


def test_an_exact_term_that_is_there_as_written_always_passes() -> None:
    known = evidence("40P01", identifiers={"2": 1.0})
    decision = decided("40P01", known, GateSettings(0.999))
    assert decision.answered and decision.parts["exact_term"] > 0
    assert "exact_term" not in decided("40P01", replace(known, identifiers={"2": 0.3})).parts


def test_a_threshold_of_nothing_never_withholds_and_no_candidate_is_no_support() -> None:
    assert decided("zeppelin", evidence("zeppelin", absent="zeppelin"), GateSettings(0.0)).answered
    nothing = decide(read("zeppelin", NOW), evidence("zeppelin"), [], [], SETTINGS)
    assert not nothing.answered and nothing.support == 0.0


def test_what_the_text_index_found_beyond_the_content_counts() -> None:
    query = "observability"
    assert seen(query, evidence(query))["coverage"] == 0.0
    assert seen(query, evidence(query, text={"1": 2.0}))["coverage"] == pytest.approx(1.0)  # a tag
    absent = evidence(query, absent=query, text={"1": 2.0})
    assert seen(query, absent)["coverage"] == 0.0


def test_a_memory_without_a_vector_yet_is_judged_by_its_words_too() -> None:
    query = "payments service retries"
    known = evidence(query, vector=b"\0" * 32, cosine={})
    assert decided(query, known).answered
    embedded = [turn._replace(vector=b"\0" * 32) for turn in TURNS]
    by_vectors = decide(read(query, NOW), known, embedded, embedded, SETTINGS)
    assert by_vectors.support <= decided(query, known).support


def test_the_cosines_of_another_model_are_brought_to_the_familiar_scale() -> None:
    scale = Scale(((-1.0, -1.0), (0.78, 0.1), (0.9, 0.6), (1.0, 1.0)))
    found = scale.of_candidates([Candidate("0", 0.92), Candidate("1", 0.78), Candidate("2", 0.84)])
    assert [one.score for one in found] == pytest.approx([0.68, 0.1, 0.35])
    assert Scale().of_candidates([Candidate("0", 0.92)])[0].score == 0.92


def test_every_model_has_a_weight_for_each_of_its_signals() -> None:
    weights = json.loads(Path(gate.__file__).with_name("gate_weights.json").read_text(encoding="utf-8"))["models"]
    known = seen("x", evidence("x"))
    for model in Model:
        assert weights[model].keys() == {*SIGNALS[model], "dialogue", "bias"}
        assert {*weights[model], *FIXED[model]} - {"bias"} <= known.keys()
        assert all(weights[model][name] > 0 for name in SIGNALS[model] if name != "absent_name")
        assert weights[model]["absent_name"] < 0


@every(
    ("text", "pieces", "share"),
    [
        ("zsbgsblk vpgvk", {"zsbgsblk": 5, "vpgvk": 4}, 1.0),
        ("payments zsbgsblk", {"payments": 1, "zsbgsblk": 5}, 0.5),
        ("marmalade observability", {"marmalade": 3, "observability": 3}, 0.0),
        ("+#*%+8+|18{|>5^8#99", {}, 1.0),
        ("how do I pay?", {}, 0.0),
    ],
)
def test_what_is_no_language_is_known_by_its_pieces(text: str, pieces: dict[str, int], share: float) -> None:
    query = read(text, NOW)
    known = evidence(text, absent="zsbgsblk vpgvk marmalade observability")
    known = replace(known, token_words=[word for word, count in pieces.items() for _ in range(count)])
    assert gate.unreadable(query, known) == share
    assert ("unreadable" in decided(text, replace(known, identifiers={"0": 0.5})).parts) is (share >= 0.5)
