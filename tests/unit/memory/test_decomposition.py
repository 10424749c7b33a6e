"""Which queries are taken apart, into what, and how the answers become one."""

import random
from datetime import UTC, datetime

import pytest

from agentos.modules.memory.decomposition import (
    ORDINARY_CHARACTERS,
    PART_CHARACTERS,
    SUB_QUERIES_MAX,
    asked,
    fused,
    sub_queries,
    told,
)
from agentos.modules.memory.models import Memory, MemoryType, Reading, SearchHit, SearchMode, SearchResult
from tests.tables import every

NOW = datetime(2026, 3, 2, tzinfo=UTC)


@every(
    "text",
    [
        "When did Caroline go to the LGBTQ support group?",
        "What did Ann say about Lisbon? And when did she fly?",
        "x" * ORDINARY_CHARACTERS,
        "a b? " * 60,
        "",
        " \n ",
    ],
)
def test_an_ordinary_query_stays_as_it_is(text: str) -> None:
    assert sub_queries(text) == (text,)


TOLD = "The train was late again and the printer on our floor has eaten half of the minutes, so I start with a coffee."


@every(
    ("text", "question"),
    [
        (f"{TOLD} Where is the spare key of the boat house?", "Where is the spare key of the boat house?"),
        (f"Where is the spare key of the boat house? {TOLD}", "Where is the spare key of the boat house?"),
        (f"{TOLD} ¿Dónde está la llave del barco?", "¿Dónde está la llave del barco?"),
        ("Where is the spare key of the boat house?", None),
        (TOLD, None),
        (f"{TOLD} Can you?", None),
        ("Thanks. Where is the spare key of the boat house, and who has it?", None),
    ],
)
def test_what_a_message_asks_is_told_from_what_it_tells(text: str, question: str | None) -> None:
    assert asked(text) == question


def test_one_long_question_stays_as_it_is() -> None:
    text = "We have been arguing about the billing service for a while now, " * 8 + "so why did we split it?"
    assert ORDINARY_CHARACTERS < len(text) <= PART_CHARACTERS
    assert sub_queries(text) == (text,)


def test_several_questions_are_asked_one_by_one_each_with_what_leads_to_it() -> None:
    first = "Last spring Maria moved the billing service to the new cluster in Lisbon. Which database did she choose?"
    second = "How was the old one retired, and who reviewed the migration scripts before they were run in production?"
    third = "And what did the customers say about the downtime of the invoices in the second week of that migration?"
    assert sub_queries(f"{first} {second}\n{third} Thank you!") == (first, second, f"{third} Thank you!")


def test_a_document_is_cut_at_its_sentences() -> None:
    sentences = [f"Sentence number {number} speaks of gardens and of fountains." for number in range(60)]
    parts = sub_queries(" ".join(sentences))
    assert 1 < len(parts) <= SUB_QUERIES_MAX
    assert " ".join(parts) == " ".join(sentences)
    assert all(len(part) <= PART_CHARACTERS and part.endswith(".") for part in parts)


def test_many_short_questions_share_the_sub_queries() -> None:
    questions = [f"What did person {number} buy in the market on that day?" for number in range(40)]
    parts = sub_queries(" ".join(questions))
    assert len(parts) <= SUB_QUERIES_MAX
    assert " ".join(parts) == " ".join(questions)


def corpus(topics: list[str], seed: int = 1) -> str:
    """A document whose eighths have a topic each, among words that are everywhere or come once."""
    chance = random.Random(seed)
    lines = []
    for topic in topics:
        for number in range(300):
            noise = " ".join(f"{chance.choice('abcdefgh')}{chance.randrange(10**6)}" for _ in range(8))
            statement = f"the {topic} needs the {topic}s again" if number % 10 == 0 else "nothing was said that day"
            lines.append(f"The report says {noise} and {statement}.")
    return "\n".join(lines)


TOPICS = ["turbine", "orchard", "violin", "harbour", "glacier", "bakery", "comet", "saddle"]


def test_a_corpus_is_represented_by_what_each_eighth_of_it_is_about() -> None:
    text = corpus(TOPICS)
    assert len(text) > 200_000
    parts = sub_queries(text)
    assert len(parts) == SUB_QUERIES_MAX
    for topic, part in zip(TOPICS, parts, strict=True):
        assert topic in part
        assert len(part) <= PART_CHARACTERS


def test_a_question_in_a_corpus_is_asked() -> None:
    question = "Which of our suppliers delivered the turbine of which this report speaks?"
    parts = sub_queries(f"{question}\n{corpus(TOPICS)}")
    assert question in parts


@every(
    "text", ["x" * 1_000_000, "x " * 500_000, " " * 900_000 + "x", "?" * 500_000, "\n" * 999_999 + "y", "。" * 300_000]
)
def test_hostile_texts_give_few_short_sub_queries(text: str) -> None:
    parts = sub_queries(text)
    assert 1 <= len(parts) <= SUB_QUERIES_MAX
    assert all(0 < len(part) <= 3 * PART_CHARACTERS for part in parts)


def hit(name: str, similarity: float | None = None) -> SearchHit:
    memory = Memory(
        name, "ada", MemoryType.EPISODIC, name, name, (), 0.5, {}, "", NOW, NOW, NOW, NOW, access_count=0, version=1
    )
    return SearchHit(memory, 1.0, 1.0, similarity)


def result(*hits: SearchHit, mode: SearchMode = SearchMode.HYBRID, notes: tuple[str, ...] = ()) -> SearchResult:
    reading = Reading("default", ("word", hits[0].memory.id), (), (), False, (), False, True, 10)
    return SearchResult(hits, mode, notes, reading)


def test_the_best_of_each_sub_query_come_first_then_what_several_found() -> None:
    one = result(hit("a", 0.9), hit("c"), hit("both", 0.3))
    other = result(hit("b"), hit("both", 0.4), hit("d"), notes=("text index only",), mode=SearchMode.LEXICAL)
    found = fused([one, other], 4)
    assert [one.memory.id for one in found.hits] == ["a", "b", "both", "c"]
    both = found.hits[2]
    assert both.parts == {
        "best_rank": 1 / 2,
        "sub_query_1": pytest.approx(1 / 63),
        "sub_query_2": pytest.approx(1 / 62),
    }
    assert both.score == pytest.approx(sum(both.parts.values()))
    assert both.similarity == 0.4
    assert (found.mode, found.notes) == (SearchMode.HYBRID, ("text index only",))
    assert found.reading.words == ("word", "a", "b")
    assert found.reading.candidates == 20


def test_each_sentence_of_a_short_message_without_a_mark_is_looked_at_and_of_a_long_one_its_beginning_and_end() -> None:
    said = [f"The shop in street {number} sells lamps." for number in range(8)]
    assert told(" ".join(said[:5])) == said[:5]
    assert told(" ".join(said)) == [*said[:3], *said[-3:]]
    assert told(" ".join([*said, "Which lamp is mine?"])) == []
