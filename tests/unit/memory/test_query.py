"""What a query asks for, read from its text."""

from datetime import UTC, datetime

from agentos.modules.memory.query import read
from tests.tables import every

NOW = datetime(2026, 3, 18, 15, 30, tzinfo=UTC)


@every(
    "text",
    [
        "MAX_POOL_SIZE",
        "What is MAX_POOL_SIZE set to?",
        "where is TokenBucket defined",
        "why does the worker get ECONNREFUSED",
        "billing-worker",
        "C++",
        "the error 'connection reset by peer'",
    ],
)
def test_a_look_up_is_recognised(text: str) -> None:
    assert read(text, NOW).identifier_first


@every(
    "text",
    [
        "",
        "What does Anna like?",
        "which of our services use GitHub",
        'What aspect of "The Witcher 3" does John find boring?',
        "We moved the whole billing pipeline to another provider after the incident with MAX_POOL_SIZE last year",
    ],
)
def test_a_question_in_plain_words_is_not_a_look_up(text: str) -> None:
    assert not read(text, NOW).identifier_first


def test_words_names_and_dates_are_told_apart() -> None:
    query = read("What did Anna's brother tell Björn about TokenBucket on 8 May 2023?", NOW)
    assert query.names == ("Anna", "Björn")
    assert {"brother", "tokenbucket", "bjorn"} <= set(query.words)
    assert [each.begin.isoformat() for each in query.dates] == ["2023-05-08T00:00:00+00:00"]
    assert not query.asks_when


@every("text", ["Where does she live now?", "the latest plan", "what did Bo paint recently"])
def test_the_most_recent_state_is_asked_for(text: str) -> None:
    assert read(text, NOW).asks_latest


@every("text", ["Now what?", "what is knowledge", "when did it happen first"])
def test_the_most_recent_state_is_not_asked_for(text: str) -> None:
    assert not read(text, NOW).asks_latest
