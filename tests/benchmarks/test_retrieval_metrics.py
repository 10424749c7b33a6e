"""What the retrieval benchmark counts, on lists made by hand."""

import math
from pathlib import Path

import pytest

from agentos.benchmarks.retrieval import context, intervals, metrics
from agentos.benchmarks.retrieval.data import DataSet, Item, Question, Store
from agentos.benchmarks.retrieval.measuring import Outcome, Row, tier_of
from agentos.benchmarks.retrieval.off_topic import off_topic
from agentos.benchmarks.retrieval.report import Compared, ablation_table, in_red
from agentos.modules.context import tokens
from tests.tables import every

FOUND = ["a", "x", "b", "y", "z", "c"]


def test_recall_is_the_share_of_the_evidence() -> None:
    assert metrics.recall(FOUND, ["a", "b", "c", "d"], 1) == 0.25
    assert metrics.recall(FOUND, ["a", "b", "c", "d"], 5) == 0.5
    assert metrics.recall(FOUND, ["a", "b", "c", "d"], 10) == 0.75
    assert metrics.recall([], ["a"], 10) == 0


def test_any_and_all_look_at_the_head_of_the_list() -> None:
    assert [metrics.hit(FOUND, ["b", "c"], k) for k in (1, 2, 3, 6)] == [0, 0, 1, 1]
    assert [metrics.complete(FOUND, ["b", "c"], k) for k in (3, 5, 6)] == [0, 0, 1]


def test_ndcg_is_one_for_the_best_list_and_less_the_later_the_evidence_comes() -> None:
    assert metrics.ndcg(["a", "b", "x"], ["a", "b"], 10) == 1
    best = 1 + 1 / math.log2(3)
    assert metrics.ndcg(FOUND, ["a", "b"], 10) == pytest.approx((1 + 1 / math.log2(4)) / best)
    assert metrics.ndcg(FOUND, ["c"], 5) == 0
    many = [str(number) for number in range(20)]
    assert metrics.ndcg(many[:10], many, 10) == pytest.approx(1), "more evidence than places is no loss"
    assert metrics.ndcg(["a", "a", "a"], ["a", "b"], 10) < 1, "the same one again gains nothing"


def test_the_reciprocal_rank_is_that_of_the_first_hit() -> None:
    assert metrics.reciprocal_rank(FOUND, ["b", "c"]) == pytest.approx(1 / 3)
    assert metrics.reciprocal_rank(FOUND, ["nothing"]) == 0


def test_sessions_are_counted_once_each() -> None:
    session_of = {**{f"m{n}": "monday" for n in range(9)}, "t": "tuesday", "w": "wednesday"}
    found = [*(f"m{n}" for n in range(9)), "t", "w"]
    figures = metrics.measure(found, Question("?", "", ("t", "w")), session_of)
    assert (figures["session any@5"], figures["session all@5"]) == (1, 1)
    assert (figures["R@5"], figures["R@10"], figures["R@20"]) == (0, 0.5, 1)
    assert list(figures) == list(metrics.METRICS)
    assert metrics.measure(found[:9], Question("?", "", ("t",)), session_of)["session any@5"] == 0


def test_a_question_counts_only_where_it_has_gold() -> None:
    by_session = metrics.measure(["a"], Question("?", "", (), ("s1",)), {"a": "s1"})
    assert by_session == {"session any@5": 1, "session all@5": 1}
    without_sessions = metrics.measure(["a"], Question("?", "", ("a",)), {"a": None})
    assert "session any@5" not in without_sessions and without_sessions["R@1"] == 1
    assert metrics.mean([by_session, without_sessions])["R@1"] == 1


def test_an_interval_holds_the_mean_and_knows_no_doubt_where_there_is_none() -> None:
    certain = intervals.bootstrap({"one": [1.0] * 20, "two": [1.0] * 5}, 200, 7)
    assert (certain.mean, certain.low, certain.high) == (1, 1, 1)
    scores = {"one": [0.0, 1.0] * 20, "two": [0.0, 0.0, 1.0] * 10}
    unsure = intervals.bootstrap(scores, 500, 7)
    assert 0 < unsure.low < unsure.mean < unsure.high < 1
    assert unsure.mean == pytest.approx(30 / 70)
    assert unsure == intervals.bootstrap(scores, 500, 7), "the same seed gives the same interval"
    assert intervals.by_store(scores) == pytest.approx({"one": 0.5, "two": 1 / 3})


def test_paired_differences_are_surer_than_the_two_figures() -> None:
    worse = {"one": [0.0, 0.2, 0.8, 0.4] * 10, "two": [0.9, 0.1] * 10}
    better = {name: [value + 0.1 for value in values] for name, values in worse.items()}
    difference = intervals.paired(better, worse, 300, 7)
    assert difference.low == pytest.approx(0.1) and difference.high == pytest.approx(0.1)
    assert intervals.bootstrap(better, 300, 7).low < intervals.bootstrap(worse, 300, 7).high


def conversation(name: str, speaker: str) -> Store:
    items = tuple(Item(f"{name}{n}", "s", None, f"{speaker}: I did thing {n}") for n in range(4))
    return Store(name, items, (Question(f"What did {speaker} do?", "1", (items[0].id,)),))


def test_off_topic_questions_name_nobody_of_the_store() -> None:
    ada, bob = conversation("a", "Ada"), conversation("b", "Bob")
    data = DataSet("two", (ada, bob, conversation("c", "Bob")))
    nothing = off_topic(data, ada, 20, 7)
    assert nothing.foreign == ("What did Bob do?",) * 2
    assert len(nothing.gibberish) == 4 and not any(set("aeiou") & set(text) for text in nothing.gibberish)
    assert nothing == off_topic(data, ada, 20, 7)
    assert not off_topic(data, bob, 20, 7).foreign[1:], "the other Bob's questions could be answered"


def test_recall_saves_what_is_not_read() -> None:
    store = conversation("a", "Ada")
    total = sum(tokens.estimate(item.content) for item in store.items)
    saved = context.savings(store, [["a0"], ["a0", "a1"]])
    assert saved.history == total
    assert saved.share == pytest.approx(1 - 1.5 * tokens.estimate(store.items[0].content) / total, abs=0.02)


def outcome(name: str, *figures: float) -> Outcome:
    rows = [Row("s", Question("?", "1", ("a",)), ("a",), {"R@10": value}, None, 0.001) for value in figures]
    return Outcome(name, rows, items=1, seconds={1_000: [0.001]})


def test_the_report_compares_question_by_question() -> None:
    compared = Compared("data", [outcome("ours", 1, 1, 0.5), outcome("plain", 0.5, 1, 0.5)], "plain", 100)
    ours, plain = compared.as_json()["systems"]
    assert ours["figures"]["R@10"]["mean"] == pytest.approx(2.5 / 3)
    assert ours["difference"]["R@10"]["mean"] == pytest.approx(0.5 / 3)
    assert plain["difference"] == {}
    text = "\n".join(table.text() for table in compared.tables())
    assert "0.833" in text and "+0.167" in text
    [head, *_] = [table.markdown() for table in compared.tables()]
    assert head.startswith("### data: 3 questions\n\n| system | R@10 |\n| --- | ---: |\n| ours | 0.833 |")


def test_what_is_below_a_reference_is_marked_and_red_in_a_terminal() -> None:
    outcomes = [outcome("ours", 1, 0), outcome("bm25", 1, 1), outcome("vectors", 0, 0)]
    compared = Compared("data", outcomes, "bm25", 100, judged="ours", references=("bm25", "vectors", "pairs"))
    [beside] = [table for table in compared.tables() if "beside" in table.title]
    assert beside.rows == [["all", "2", "▼0.500", "1.000", "0.000"]]
    assert "\x1b[31m▼0.500\x1b[0m" in in_red(beside.text())
    better = Compared("data", outcomes[::-1], "bm25", 100, judged="bm25", references=("vectors",))
    assert not any("▼" in table.text() for table in better.tables())


def test_an_ablation_shows_what_is_lost_without_a_channel_and_a_failure_as_such() -> None:
    failed = Outcome("without time", problem="no daemon")
    compared = Compared("data", [outcome("agentos", 1, 1), outcome("without text", 0, 1), failed], "agentos", 100)
    [full, text, time] = ablation_table(compared).rows
    assert full[:2] == ["agentos", "1.000"]
    assert text[1] == "0.500" and text[2].startswith("-0.500 [-1.000, +0.000]")
    assert time[1] == "failed"


@every(("size", "tier"), [(0, 1_000), (1_000, 1_000), (1_001, 10_000), (2_000_000, 1_000_000)])
def test_a_store_belongs_to_the_smallest_tier_that_holds_it(size: int, tier: int) -> None:
    assert tier_of(size) == tier


def test_the_built_in_languages_can_be_asked() -> None:
    from agentos.benchmarks.retrieval.data import load

    [store] = load("languages").stores
    assert len(store.items) >= 30 and len({question.category for question in store.questions}) >= 5
    assert Path(metrics.__file__).with_name("languages.json").is_file()
