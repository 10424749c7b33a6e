"""What the retrieval benchmark reads: its own form, and LongMemEval's."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentos.benchmarks.retrieval import data, longmemeval
from agentos.benchmarks.retrieval.command import main
from agentos.benchmarks.retrieval.data import DataError, Part
from agentos.benchmarks.retrieval.metrics import measure
from tests.tables import every

ITEM = {"id": "1", "session": "s", "occurred_at": "2024-01-01T00:00:00Z", "content": "Ada: I have a cat"}
QUESTION = {"text": "Who has a cat?", "category": 1, "evidence": ["1", "1"]}


def small(**changes: Any) -> dict[str, Any]:
    return {"name": "small", "stores": [{"name": "a", "items": [ITEM], "questions": [QUESTION], **changes}]}


def test_a_data_set_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps(small()), encoding="utf-8")
    read = data.load(str(tmp_path / "x.json"))
    [store] = read.stores
    assert read.name == "small" and store.items[0].content == "Ada: I have a cat"
    assert store.questions[0].category == "1"
    assert store.questions[0].evidence == ("1",), "evidence that is named twice counts once"


@every(
    ("changes", "problem"),
    [
        ({"items": [ITEM, ITEM]}, "a: items must have different names: 1"),
        ({"items": "none"}, "a: 'items' must be a list"),
        ({"items": [{**ITEM, "content": " "}]}, "a, item 0: 'content' must be text"),
        ({"questions": [{**QUESTION, "evidence": ["2"]}]}, "a, question 0: its evidence 2 is no item"),
        ({"questions": [{**QUESTION, "evidence": None}]}, "a, question 0: 'evidence' must be a list"),
        ({"name": 7}, "store 0: 'name' must be text"),
    ],
)
def test_what_is_wrong_with_data_is_named(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        data.from_json(small(**changes), "small")


def test_a_part_of_the_data_can_be_taken() -> None:
    data_set = data.from_json(small(questions=[QUESTION, {**QUESTION, "category": 5}] * 3), "small")
    assert len(data_set.only(Part(questions=4)).stores[0].questions) == 4
    assert len(data_set.only(Part(stores=frozenset({"a"}), categories=frozenset({"5"}))).stores[0].questions) == 3
    with pytest.raises(DataError, match="there is no store b; there are a"):
        data_set.only(Part(stores=frozenset({"b"})))
    for nothing in (Part(first=0), Part(categories=frozenset({"7"}))):
        with pytest.raises(DataError, match="no question is left"):
            data_set.only(nothing)


def entry(**changes: Any) -> dict[str, Any]:
    return {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "What is my cat called?",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["noise_1", "answer_4be1"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 09:00"],
        "haystack_sessions": [
            [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": " "}],
            [
                {"role": "user", "content": "My cat is called Mia", "has_answer": True},
                {"role": "assistant", "content": "What a nice name", "has_answer": False},
            ],
        ],
        "answer_session_ids": ["answer_4be1"],
        **changes,
    }


def test_longmemeval_becomes_a_store_a_question() -> None:
    [store] = longmemeval.from_json([entry()], "oracle").stores
    assert [item.content for item in store.items] == [
        "user: Hello",
        "user: My cat is called Mia",
        "assistant: What a nice name",
    ]
    assert store.items[0].occurred_at == "2023-05-20T02:21:00+00:00"
    [question] = store.questions
    assert (question.evidence, question.sessions) == (("turn-2",), ("session-2",))
    figures = measure(["turn-3", "turn-1"], question, store.session_of)
    assert (figures["session all@5"], figures["all@5"]) == (1, 0)


def test_no_name_that_a_system_is_given_tells_the_answer() -> None:
    [store] = longmemeval.from_json([entry(question_id="gpt4_answer_1")], "s").stores
    given = [store.name, *(text for item in store.items for text in (item.id, item.session or ""))]
    assert not any("answer" in text or "4be1" in text or "noise" in text for text in given)


def test_questions_without_an_answer_are_asked_of_no_recall() -> None:
    [store] = longmemeval.from_json([entry(question_id="q1_abs")], "s").stores
    assert not store.questions[0].is_answerable
    [marked_by_session] = longmemeval.from_json([entry(haystack_sessions=[[], []])], "s").stores
    assert marked_by_session.questions[0].is_answerable


@every("value", [{}, [{}], [entry(haystack_dates=[])], [entry(haystack_sessions=[["x"], []])]])
def test_another_form_is_refused(value: Any) -> None:
    with pytest.raises(DataError):
        longmemeval.from_json(value, "s")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--systems", "x"], "--systems: there is no 'x'; there are agentos"),
        ([], "nothing to measure: give --data, --longmemeval or --lanes"),
        (["--data", "/no/such/file"], "cannot be read"),
        (["--lanes", "languages", "--peers", "y"], "--peers: there is no 'y'; there are mem0"),
        (["--lanes", "languages", "--peers", "mem0"], "DIR/bin/pip install mem0ai"),
        (["--lanes", "languages", "--systems", "bm25", "--ablate"], "--ablate leaves out channels of agentos"),
        (["--lanes", "latency", "--budget-ms", "much"], "--budget-ms are numbers"),
        (["--lanes", "latency", "--budget-ms", "5=1"], "5 is not among --sizes"),
    ],
)
def test_a_wrong_argument_is_named_before_anything_is_measured(
    arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert problem in capsys.readouterr().err
