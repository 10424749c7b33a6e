"""Times that questions name in many languages: what asks for a time alone, and what does not."""

import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agentos.modules.memory.asked_times import times_asked_alone, times_asked_for
from agentos.modules.memory.foreign_dates import MAX_TEXT, foreign_times
from tests.tables import every

NOW = datetime(2026, 3, 18, 15, 30, tzinfo=UTC)
"""A Wednesday."""
CASES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("times_in_languages.toml").read_text(encoding="utf-8"))
KEPT_BACK = CASES["times"].pop("kept_back")


def days(ranges: Any) -> list[str]:
    return [f"{one.begin:%Y-%m-%d} {one.end:%Y-%m-%d}" for one in ranges]


@every(("question", "expected"), [*CASES["times"].items(), *KEPT_BACK.items()])
def test_a_question_of_a_time_alone_is_of_that_time(question: str, expected: str) -> None:
    assert days(times_asked_alone(question, NOW)) == [expected]


@every("question", [*CASES["others"]["sentences"], *CASES["others"]["kept_back"]])
def test_a_question_of_something_else_asks_for_no_time_alone(question: str) -> None:
    assert times_asked_alone(question, NOW) == ()


@every(
    ("question", "expected"),
    [
        ("what happened in March 2026?", "2026-03-01 2026-04-01"),
        ("was geschah 2025?", "2025-01-01 2026-01-01"),
        ("en mars 2025", "2025-03-01 2025-04-01"),
        ("2025年に何がありましたか", "2025-01-01 2026-01-01"),
        ("Was geschah am Montag?", "2026-03-16 2026-03-17"),
        ("이번 주에 무슨 일이 있었나요?", "2026-03-16 2026-03-23"),
        ("was geschah im April 2025?", "2025-04-01 2025-05-01"),
        ("что произошло в июне 2025 года?", "2025-06-01 2025-07-01"),
        ("2025. március 11.", "2025-03-11 2025-03-12"),
        ("was geschah am 2025-05-01", "2025-05-01 2025-05-02"),
    ],
)
def test_years_days_and_english_are_read_too(question: str, expected: str) -> None:
    assert days(times_asked_alone(question, NOW)) == [expected]


@every(
    ("question", "expected"),
    [
        ("Welche Rechnung kam im Februar 2026?", ["2026-02-01 2026-03-01"]),
        ("¿Dónde está la factura de enero de 2026?", ["2026-01-01 2026-02-01"]),
        ("la planète Mars", []),
        ("Wer ist hier der Ansprechpartner?", []),
        ("the Mars 2026 mission", []),
        ("192.168.2.11 version 2.0 port 8080", []),
        ("por la mañana tomo café", []),
        ("Welche Rechnung kam seit Februar 2026?", ["2026-02-01 2026-03-18"]),
        ("Ma rang the bell", []),
        ("hier kiosk", []),
        ("昨日新聞", []),
    ],
)
def test_a_question_of_something_else_names_its_time_or_none(question: str, expected: list[str]) -> None:
    assert days(times_asked_for(question, NOW)) == expected


def test_what_is_long_is_not_read_in_other_languages() -> None:
    assert foreign_times("letzte Woche " + "x" * MAX_TEXT) is None
