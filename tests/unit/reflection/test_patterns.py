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


def tally(runs: str, last_failure: str | None = "boom") -> ActionTally:
    """Return the tally of runs like "..xx", failures as x, the last one at the end."""
    failures, recovered = runs.count("x"), len(runs) - len(runs.rstrip("."))
    cure = "passed after an install" if failures and recovered else None
    failing = len(runs) - len(runs.rstrip("x"))
    return ActionTally("deploy", len(runs), failures, NOW, last_failure if failures else None, failing, recovered, cure)


@every(
    ("runs", "expected", "words"),
    [
        ("", [], ""),
        ("xx", [], ""),
        ("xxx", [FAILURE], "keeps failing"),
        ("...", [SUCCESS], "works reliably"),
        ("xx.", [INEFFICIENCY], "33% of the time"),
        ("xx..", [SUCCESS], "works again"),
        ("x..x", [], ""),  # half is not less than half
        ("xxx..", [SUCCESS], "works again"),
        ("x.x.x.", [SUCCESS], "50% of the time"),
        ("xxx.........", [SUCCESS], "works again"),
        (".........xxx", [FAILURE], "keeps failing"),
        ("xx.xx.xx.", [INEFFICIENCY], "33% of the time"),
    ],
)
def test_an_action_has_one_pattern_that_follows_its_recent_outcomes(
    runs: str, expected: list[PatternType], words: str
) -> None:
    found = patterns.find([tally(runs)], 3)
    assert [pattern.pattern_type for pattern in found] == expected
    assert all(words in pattern.description for pattern in found)


def test_what_resolved_failures_is_told_with_the_pattern() -> None:
    [resolved] = patterns.find([tally("xxx..")], 3)
    assert "passed after an install" in resolved.suggested_action
    [reliable] = patterns.find([tally("....")], 3)
    assert "helped" not in reliable.suggested_action


def test_the_frequency_is_a_number_and_never_part_of_the_words() -> None:
    few, many = patterns.find([tally("xx." * 3)], 3), patterns.find([tally("xx." * 30)], 3)
    assert [(p.description, p.suggested_action) for p in few] == [(p.description, p.suggested_action) for p in many]
    assert [p.frequency for p in few] == [9]
    assert all(p.suggested_action for p in few)


def test_the_last_error_is_shown_briefly_and_on_one_line() -> None:
    [pattern] = patterns.find([tally("xxx", "line one\nline two " + "x" * 500)], 3)
    assert "line one line two" in pattern.suggested_action
    assert len(pattern.suggested_action) < 400
    assert "\n" not in pattern.suggested_action


def test_the_least_frequency_is_a_setting() -> None:
    assert patterns.find([tally("xxxx")], 5) == []
    assert len(patterns.find([tally("xx")], 2)) == 1
