"""Patterns: what repeats in a tally of actions."""

from datetime import UTC, datetime

from agentos.modules.reflection import patterns
from agentos.modules.reflection.models import ActionTally, PatternType
from tests.tables import every

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
FAILURE, SUCCESS, INEFFICIENCY = (
    PatternType.REPEATED_FAILURE,
    PatternType.SUCCESS_PATTERN,
    PatternType.INEFFICIENCY,
)


def tally(total: int, failures: int, last_failure: str | None = "boom") -> ActionTally:
    return ActionTally("deploy", total, failures, NOW, last_failure if failures else None)


@every(
    ("total", "failures", "expected"),
    [
        (2, 2, []),
        (3, 3, [FAILURE]),
        (3, 0, [SUCCESS]),
        (3, 2, [INEFFICIENCY]),
        (4, 2, []),  # half is not less than half
        (5, 3, [FAILURE, INEFFICIENCY]),
        (6, 3, [FAILURE, SUCCESS]),
        (9, 6, [FAILURE, SUCCESS, INEFFICIENCY]),
        (0, 0, []),
    ],
)
def test_what_repeats_is_found(total: int, failures: int, expected: list[PatternType]) -> None:
    found = patterns.find([tally(total, failures)], 3)
    assert [pattern.pattern_type for pattern in found] == expected


def test_the_frequency_is_a_number_and_never_part_of_the_words() -> None:
    few, many = patterns.find([tally(9, 6)], 3), patterns.find([tally(90, 60)], 3)
    assert [(p.description, p.suggested_action) for p in few] == [(p.description, p.suggested_action) for p in many]
    assert [p.frequency for p in few] == [6, 3, 9]
    assert all(p.suggested_action for p in few)


def test_the_last_error_is_shown_briefly_and_on_one_line() -> None:
    [pattern] = patterns.find([tally(3, 3, "line one\nline two " + "x" * 500)], 3)
    assert "line one line two" in pattern.suggested_action
    assert len(pattern.suggested_action) < 400
    assert "\n" not in pattern.suggested_action


def test_the_least_frequency_is_a_setting() -> None:
    assert patterns.find([tally(4, 4)], 5) == []
    assert len(patterns.find([tally(2, 2)], 2)) == 1
