"""Tiers: heat, which tier a memory is in, and what a text is about; all of it pure."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agentos.features.tiers import topics
from agentos.features.tiers.formulas import heat, is_hot, jaccard, recency, tier_of, tiers_of
from agentos.features.tiers.models import Placement, Segment, Tier, TierSettings, Topic
from agentos.modules.memory.words import stem, tokens
from agentos.modules.stop_words import STOP_WORDS
from tests.tables import every

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
SETTINGS = TierSettings()


def words(text: str) -> list[str]:
    return [word for word in tokens(text) if word not in STOP_WORDS]


def topic(text: str) -> topics.Topic:
    return topics.topic_of(text, dict.fromkeys(words(text), 1.0), words, stem)


def segment(**fields: object) -> Segment:
    plain = Segment("seg_1", "default", "a summary", ("word",), 0, 0, 0, 0, NOW, NOW)
    return replace(plain, **fields)  # type: ignore[arg-type]


def test_heat_is_visits_and_interactions_and_recency() -> None:
    assert heat(segment(visits=2, interactions=3), NOW) == 6.0
    day = NOW + timedelta(hours=24)
    assert heat(segment(visits=2, interactions=3), day) == pytest.approx(5 + math.exp(-1))
    assert heat(segment(), day + timedelta(hours=24)) == pytest.approx(math.exp(-2)), "each day e^-1 again"
    assert recency(NOW, NOW - timedelta(days=3)) == 1.0, "a clock that went back"


@every(("used", "hours", "expected"), [(4, 0, True), (4, 1, False), (3, 0, False), (5, 1e6, True)])
def test_five_is_hot(used: int, hours: float, expected: bool) -> None:
    assert is_hot(segment(visits=used), NOW + timedelta(hours=hours)) is expected


@every(
    ("kind", "memory_type", "placement", "expected"),
    [
        ("episode", "episodic", Placement(19, 9, is_open=True), (Tier.WORKING, Tier.SHORT)),
        ("episode", "episodic", Placement(20, 9, is_open=True), (Tier.SHORT,)),
        ("episode", "episodic", Placement(0, 0, is_open=False), (Tier.SHORT,)),
        ("episode", "episodic", Placement(20, 10, is_open=True), (Tier.MID,)),
        ("episode", "episodic", Placement(12, 10, is_open=True), (Tier.WORKING, Tier.MID)),
        ("episode", "episodic", Placement(20, 10, is_open=False, is_evicted=True), ()),
        ("note", "working", None, (Tier.WORKING,)),
        ("fact", "semantic", None, (Tier.LONG,)),
        ("note", "episodic", None, (Tier.LONG,)),
        ("procedure", "semantic", None, (Tier.PROCEDURAL,)),
        ("note", "procedural", None, (Tier.PROCEDURAL,)),
    ],
)
def test_a_tier_follows_from_kind_and_place(
    kind: str, memory_type: str, placement: Placement | None, expected: tuple[Tier, ...]
) -> None:
    assert tiers_of(kind, memory_type, placement, SETTINGS) == expected
    assert tier_of(kind, memory_type, placement, SETTINGS) == (expected[0] if expected else None)


def test_jaccard_is_the_share_in_common() -> None:
    assert jaccard(frozenset("abc"), frozenset("bcd")) == 0.5
    assert jaccard(frozenset(), frozenset()) == 0.0


def test_keywords_are_rare_and_frequent_words_each_stem_once() -> None:
    text = "The oven bakes bread. Bake the bread in the oven. Nice bread!"
    rarity = {**dict.fromkeys(words(text), 1.0), "nice": 0.1}
    found = topics.topic_of(text, rarity, words, stem)
    assert found.keywords[0] == "bread" and set(found.keywords[1:3]) == {"oven", "bakes"}
    assert found.keywords[-1] == "nice", "a common word comes last"


def test_the_summary_is_the_sentence_that_has_most_of_what_is_said() -> None:
    text = "Hello there. The oven for the bread is hot. Is the oven hot enough for bread? I like cats."
    assert topic(text).summary in ("The oven for the bread is hot.", "Is the oven hot enough for bread?")
    long = topic("word " * 200).summary
    assert len(long) <= topics.SUMMARY_CHARS and long.endswith("…")
    assert topic("?!").summary == "?!" and topic("").summary == "" and topic("").keywords == ()


def test_topics_are_alike_by_vectors_and_keywords() -> None:
    import numpy as np

    def at(*values: float) -> bytes:
        return np.array(values, dtype="<f4").tobytes()

    def about(summary: str, keywords: str, vector: bytes | None) -> Topic:
        found = tuple(keywords.split())
        return Topic(summary, found, frozenset(map(stem, found)), vector)

    one = about("s", "bread oven", at(1, 0))
    others = [about("s", "bread ovens", at(0.6, 0.8)), about("s", "", at(0, 1)), about("bread", "oven", None)]
    assert topics.scores(one, others, words, stem) == pytest.approx([1.6, 0.0, 0.5])
    assert topics.scores(Topic("hot oven", ()), [Topic("oven hot", ())], words, stem) == pytest.approx([1.0]), (
        "without vectors words are compared"
    )
