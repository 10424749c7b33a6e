"""Times in words: what they mean as the beginning, the end, or a deadline; and what is none stays as it is."""

from datetime import UTC, datetime

import pytest

from agentos.modules.memory.named_dates import AHEAD, BEGIN, END, iso_of, spelled_out

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)  # a Sunday


@pytest.mark.parametrize(
    ("words", "meant", "day"),
    [
        ("last week", BEGIN, "2026-11-16T00:00:00"),
        ("last week", END, "2026-11-22T23:59:59"),
        ("yesterday", BEGIN, "2026-11-28T00:00:00"),
        ("in March", BEGIN, "2026-03-01T00:00:00"),
        ("March", END, "2026-03-31T23:59:59"),
        ("friday", BEGIN, "2026-11-27T00:00:00"),
        ("Friday", AHEAD, "2026-12-04T23:59:59"),
        ("by friday", AHEAD, "2026-12-04T23:59:59"),
        ("tomorrow", AHEAD, "2026-11-30T23:59:59"),
        ("yesterday", AHEAD, "2026-11-28T23:59:59"),
        ("in two weeks", AHEAD, "2026-12-13T23:59:59"),
        ("in a day", AHEAD, "2026-11-30T23:59:59"),
        ("December 24", AHEAD, "2026-12-24T23:59:59"),
        ("15 March", AHEAD, "2027-03-15T23:59:59"),
        ("3 days ago", BEGIN, "2026-11-26T00:00:00"),
        ("letzte Woche", BEGIN, "2026-11-16T00:00:00"),
        ("la semana pasada", END, "2026-11-22T23:59:59"),
        ("hier", BEGIN, "2026-11-28T00:00:00"),
        ("先週", BEGIN, "2026-11-16T00:00:00"),
        ("mars 2026", END, "2026-03-31T23:59:59"),
        ("Freitag", AHEAD, "2026-12-04T23:59:59"),
        ("bis Freitag", AHEAD, "2026-12-04T23:59:59"),
        ("seit Freitag", BEGIN, "2026-11-27T00:00:00"),
        ("vor zwei Wochen", BEGIN, "2026-11-09T00:00:00"),
    ],
)
def test_words_for_a_time_mean_its_begin_its_end_or_the_next_one(words: str, meant: str, day: str) -> None:
    assert iso_of(words, meant, NOW) == f"{day}+00:00"


@pytest.mark.parametrize("words", ["soon", "ship it by friday", "monday at 5", "friday or saturday", "Mars-Mission"])
def test_what_is_not_one_time_and_nothing_else_is_none(words: str) -> None:
    assert iso_of(words, BEGIN, NOW) is None


async def test_only_arguments_that_hold_times_are_read() -> None:
    given = {"since": "yesterday", "until": "2026-11-29", "query": "yesterday", "deadline": None, "as_of": "whenever"}
    given |= {"valid_until": "Friday"}
    changed = {**given, "since": "2026-11-28T00:00:00+00:00", "valid_until": "2026-12-04T23:59:59+00:00"}
    assert await spelled_out(given, NOW) == changed
