"""The set of one-shot notes that recall is measured with: its shape, its counts, and that it asks what it says."""

from collections import Counter
from datetime import datetime

from agentos.benchmarks.retrieval import data
from agentos.benchmarks.retrieval.notes import load
from agentos.modules.memory.words import terms
from tests.tables import every

[STORE] = load()["stores"]
CONTENT = {item["id"]: item["content"] for item in STORE["items"]}
QUESTIONS = STORE["questions"]


def test_there_are_enough_notes_and_questions() -> None:
    categories = Counter(question["category"] for question in QUESTIONS)
    assert len(CONTENT) == len(STORE["items"]) >= 320
    assert set(categories) == {"paraphrase", "identifier"}
    assert categories["paraphrase"] >= 90
    assert categories["identifier"] >= 70
    assert len(QUESTIONS) >= 170
    assert sum(len(question["evidence"]) == 2 for question in QUESTIONS) >= 8


def test_notes_are_one_shot_and_no_two_are_the_same() -> None:
    assert len(set(CONTENT.values())) == len(CONTENT)
    for item in STORE["items"]:
        assert set(item) == {"id", "session", "occurred_at", "content"}
        assert item["session"] is None
        assert item["occurred_at"] is None or datetime.fromisoformat(item["occurred_at"]).tzinfo is not None


def test_no_question_is_asked_twice_and_each_has_its_evidence() -> None:
    assert len({question["text"] for question in QUESTIONS}) == len(QUESTIONS)
    for question in QUESTIONS:
        assert set(question) == {"text", "category", "evidence"}
        assert question["evidence"]
        assert set(question["evidence"]) <= set(CONTENT)


@every("question", [each for each in QUESTIONS if each["category"] == "paraphrase"])
def test_a_paraphrase_shares_few_words_with_its_note(question: dict[str, list[str]]) -> None:
    asked = set(terms(str(question["text"])))
    for evidence in question["evidence"]:
        assert len(asked & set(terms(CONTENT[evidence]))) <= 2


@every("name", ["developer", "everyday", "messages"])
def test_each_note_of_the_other_sets_answers_one_question_put_in_other_words(name: str) -> None:
    stores = data.load(name).stores
    questions = [question for store in stores for question in store.questions]
    assert len(questions) >= (130 if name == "messages" else 200)
    assert len({question.text for question in questions}) == len(questions)
    for store in stores:
        contents = {item.id: item.content for item in store.items}
        assert len(set(contents.values())) == len(contents)
        assert [question.evidence[0] for question in store.questions] == [item.id for item in store.items]
        assert all({*question.evidence} <= contents.keys() for question in store.questions), (
            "a few have two right answers"
        )
        if name != "messages":
            shared = [set(terms(q.text)) & set(terms(contents[q.evidence[0]])) for q in store.questions]
            assert max(map(len, shared)) <= 3 and sum(map(len, shared)) / len(shared) < 0.8
