"""Questions that a store's answer did not ask: each is asked once, of who stored, whatever is known when."""

import pytest

from agentos.modules.memory.questions import EACH, WAITING, Questions

ADA, BOB = ("team", "ada"), ("team", "bob")


@pytest.fixture
def questions() -> Questions:
    return Questions()


def test_what_is_found_after_the_answer_is_asked_once_of_who_stored(questions: Questions) -> None:
    questions.expect("new", ADA)
    assert questions.take(ADA) == []
    questions.found("new", ["old"])
    assert (questions.take(BOB), questions.take(ADA), questions.take(ADA)) == ([], [("old", "new")], [])


def test_an_answer_that_knew_only_some_leaves_the_others_to_a_later_one(questions: Questions) -> None:
    questions.expect("new", ADA)
    questions.asked("new", ADA, ["known"])
    questions.found("new", ["known", "without a vector until now"])
    assert questions.take(ADA) == [("without a vector until now", "new")]


def test_what_is_found_while_the_answer_is_on_its_way_is_not_asked_twice(questions: Questions) -> None:
    questions.expect("new", ADA)
    questions.found("new", ["old", "other"])
    questions.asked("new", ADA, ["old"])
    assert questions.take(ADA) == [], "the answer asks a question of its own"
    assert questions.take(ADA) == [("other", "new")]


def test_an_older_one_that_is_looked_at_after_the_newer_one_is_asked_about_as_well(questions: Questions) -> None:
    questions.expect("new", ADA)
    questions.found("new", ["old"])
    questions.found("new", ["old", "looked at later"])
    assert questions.take(ADA) == [("old", "new"), ("looked at later", "new")]
    questions.found("new", ["old"])
    assert questions.take(ADA) == []


def test_a_store_that_asks_about_its_own_memory_asks_nothing_else(questions: Questions) -> None:
    questions.expect("first", ADA)
    questions.found("first", ["old"])
    questions.expect("second", ADA)
    questions.asked("second", ADA, ["another"])
    assert (questions.take(ADA), questions.take(ADA)) == ([], [("old", "first")])


def test_after_a_cold_start_every_one_of_many_updates_is_asked_about(questions: Questions) -> None:
    pairs = [(f"old {number}", f"new {number}") for number in range(3 * EACH + 1)]
    for _, newer in pairs:
        questions.expect(newer, ADA)
    for older, newer in pairs:
        questions.found(newer, [older])
    results = [questions.take(ADA) for _ in range(5)]
    assert [len(one) for one in results] == [EACH, EACH, EACH, 1, 0]
    assert [pair for result in results for pair in result] == pairs


def test_what_was_not_written_asks_nothing_and_what_waits_has_a_bound(questions: Questions) -> None:
    questions.expect("new", ADA)
    questions.forget("new")
    questions.found("new", ["old"])
    questions.expect("nobody's", ())
    questions.found("nobody's", ["old"])
    assert questions.take(ADA) == questions.take(()) == []

    questions.expect("many", ADA)
    questions.found("many", [str(number) for number in range(WAITING + 7)])
    asked = [older for _ in range(WAITING) for older, _ in questions.take(ADA)]
    assert asked == [str(number) for number in range(7, WAITING + 7)]
