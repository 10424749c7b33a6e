"""Dates in texts: which spans are dates, and which ranges they stand for."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from agentos.modules.memory.date_spans import asks_when, has_time_expression, names_date
from agentos.modules.memory.dates import DateRange, dates_in, distance_days
from tests.tables import every

NOW = datetime(2026, 3, 18, 15, 30, tzinfo=UTC)
"""A Wednesday."""

KNOWN = {
    "8 May 2023": "2023-05-08 2023-05-09",
    "on the 8th of May, 2023": "2023-05-08 2023-05-09",
    "on December 1,2023": "2023-12-01 2023-12-02",
    "2023-05-08": "2023-05-08 2023-05-09",
    "5/8/2023": "2023-05-08 2023-05-09",
    "8.5.2023": "2023-05-08 2023-05-09",
    "what was in May 2023": "2023-05-01 2023-06-01",
    "2023-05": "2023-05-01 2023-06-01",
    "late December 2022": "2022-12-01 2023-01-01",
    "in 2022": "2022-01-01 2023-01-01",
    "the 2019 marathon": "2019-01-01 2020-01-01",
    "who won the world cup 2022?": "2022-01-01 2023-01-01",
    "today": "2026-03-18 2026-03-19",
    "yesterday": "2026-03-17 2026-03-18",
    "last night": "2026-03-17 2026-03-18",
    "the day before yesterday": "2026-03-16 2026-03-17",
    "3 days ago": "2026-03-15 2026-03-16",
    "last week": "2026-03-09 2026-03-16",
    "a week ago": "2026-03-09 2026-03-16",
    "a couple of weeks ago": "2026-03-02 2026-03-09",
    "the week before last": "2026-03-02 2026-03-09",
    "a fortnight ago": "2026-03-02 2026-03-09",
    "two months ago": "2026-01-01 2026-02-01",
    "last month": "2026-02-01 2026-03-01",
    "a few years ago": "2023-01-01 2024-01-01",
    "last year": "2025-01-01 2026-01-01",
    "on Monday": "2026-03-16 2026-03-17",
    "last Friday": "2026-03-13 2026-03-14",
    "last Wednesday": "2026-03-11 2026-03-12",
    "last weekend": "2026-03-14 2026-03-16",
    "two weekends ago": "2026-03-07 2026-03-09",
    "the past 10 days": "2026-03-08 2026-03-19",
    "last May": "2025-05-01 2025-06-01",
    "last March": "2025-03-01 2025-04-01",
    "last summer": "2025-06-01 2025-09-01",
    "in the summer of 2021": "2021-06-01 2021-09-01",
    "in Q1 2024": "2024-01-01 2024-04-01",
    "Q4 of 2021": "2021-10-01 2022-01-01",
    "last winter": "2025-12-01 2026-03-01",
    "this winter": "2025-12-01 2026-03-01",
    "next week": "2026-03-23 2026-03-30",
    "between March and May 2023": "2023-03-01 2023-06-01",
    "between August 11 and August 15 2023": "2023-08-11 2023-08-16",
    "from 2019 to 2021": "2019-01-01 2022-01-01",
    "the week before 16 November 2023": "2023-11-06 2023-11-13",
    "two days after May 8, 2023": "2023-05-10 2023-05-11",
}
ANY_YEAR = {
    "May 8th": "2025-05-08 2025-05-09",
    "on May the 8th": "2025-05-08 2025-05-09",
    "Jan. 5th": "2026-01-05 2026-01-06",
    "in May": "2025-05-01 2025-06-01",
    "in march": "2026-03-01 2026-04-01",
    "Caroline's December trip": "2025-12-01 2026-01-01",
    "mid-June": "2025-06-01 2025-07-01",
    "in summer": "2025-06-01 2025-09-01",
    "on February 29": "2024-02-29 2024-03-01",
    "from June to August": "2025-06-01 2025-09-01",
    "between November and February": "2025-11-01 2026-03-01",
}
NO_DATE = (
    """
May I ask|she may come|they march on|what did April say|a spring roll|it fell in the stairs|a hot spring|the second time
version 2.0.2023|2000 pieces|issue #2023|src/2023/05/a.py|in a minute|by the way|10.20.2030.1|last time|how may we
fallen leaves|Augusta|in mayhem|v2023.1|for two years|31 June 2023|99/99/2023
""".strip()
    .replace("\n", "|")
    .split("|")
)


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@every(
    ("text", "days", "year_known"),
    [(*each, True) for each in KNOWN.items()] + [(*each, False) for each in ANY_YEAR.items()],
)
def test_a_date_becomes_a_range(text: str, days: str, year_known: bool) -> None:
    begin, end = map(day, days.split())
    assert names_date(text)
    assert dates_in(text, NOW) == (DateRange(begin, end, year_known),)


@every("text", NO_DATE)
def test_what_is_no_date_gives_none(text: str) -> None:
    assert dates_in(text, NOW) == ()


def test_since_means_until_now() -> None:
    assert dates_in("what happened since Monday", NOW) == (DateRange(day("2026-03-16"), NOW),)


def test_relative_expressions_count_from_a_full_date_beside_them() -> None:
    assert dates_in("what did Mia do last weekend, as of April 10, 2023", NOW) == (
        DateRange(day("2023-04-08"), day("2023-04-10")),
        DateRange(day("2023-04-10"), day("2023-04-11")),
    )


def test_days_begin_at_midnight_where_the_question_is_asked() -> None:
    berlin = datetime(2026, 3, 18, 0, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    [yesterday] = dates_in("yesterday", berlin)
    assert yesterday == DateRange(datetime(2026, 3, 16, 23, tzinfo=UTC), datetime(2026, 3, 17, 23, tzinfo=UTC))
    assert yesterday.begin.tzinfo is UTC


def test_distance_is_none_inside_and_counts_from_the_nearest_edge() -> None:
    [may] = dates_in("May 2023", NOW)
    assert distance_days(may, day("2023-05-31")) == 0
    assert distance_days(may, day("2023-04-29")) == 2
    assert distance_days(may, day("2023-06-02")) == 1
    assert distance_days(may, day("2025-05-15")) > 700


def test_without_a_year_the_nearest_one_counts() -> None:
    [may] = dates_in("in May", NOW)
    assert distance_days(may, day("2019-05-15")) == 0
    assert distance_days(may, day("2031-04-30")) == 1
    [december] = dates_in("in December", NOW)
    assert distance_days(december, day("2020-01-03")) == 2
    [leap] = dates_in("February 29", NOW)
    assert distance_days(leap, day("2023-02-28")) == 0


@every("moment", [datetime.min, datetime.max])
@every("text", ["in May", "in December", "29 February", "in winter"])
def test_distance_reaches_to_the_ends_of_the_calendar(text: str, moment: datetime) -> None:
    [dates] = dates_in(text, NOW)
    assert 0 <= distance_days(dates, moment.replace(tzinfo=UTC)) < 366


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(" ".join([*KNOWN, *ANY_YEAR, *NO_DATE, "999 31 29 Feb 1900 2099 since"]).split()), max_size=9
    )
)
def test_any_words_give_ranges_that_begin_before_they_end(words: list[str]) -> None:
    for dates in dates_in(" ".join(words), NOW):
        assert dates.begin < dates.end
        assert distance_days(dates, dates.begin) == 0
        assert distance_days(dates, dates.end + timedelta(days=1)) <= 1


@given(st.text(max_size=200))
def test_any_text_is_looked_through(text: str) -> None:
    names_date(text)
    asks_when(text)
    has_time_expression(text)


def test_a_text_without_a_date_loads_no_parser() -> None:
    program = (
        "import sys, datetime; from agentos.modules.memory.query import read\n"
        "read('what does foo_bar do in may', datetime.datetime.now(datetime.UTC)); assert 'dateparser' in sys.modules"
    )
    without = program.replace(" in may", "").replace("in sys", "not in sys")
    for each in (program, without):
        subprocess.run([sys.executable, "-c", each], check=True, timeout=60)


@every(
    "text",
    [
        "When did Caroline go?",
        "when was it",
        "What year did they move?",
        "How long ago was it?",
        "do you know when she arrives",
        "on which date did it fail",
        "What's the date of the party",
        "what time is it",
        "since when",
        "When?",
        "When exactly did it break",
        "how long has she been painting",
    ],
)
def test_a_question_for_a_time_is_recognised(text: str) -> None:
    assert asks_when(text)


@every(
    "text",
    [
        "What did he say when he left?",
        "When Bob left, what did he do?",
        "whenever it does",
        "when I was young I swam",
        "what did he play when he was a kid",
        "how often",
        "what happened the day the database died",
    ],
)
def test_when_as_a_conjunction_asks_for_no_time(text: str) -> None:
    assert not asks_when(text)


@every(
    "text",
    [
        "we met yesterday",
        "last week was hard",
        "on Tuesday",
        "two years ago",
        "in March we moved",
        "at 5pm",
        "in 1999",
        "I have done this for three months",
        "a few days later",
        "next month I will",
        "every summer",
    ],
)
def test_a_time_expression_is_recognised(text: str) -> None:
    assert has_time_expression(text)


@every("text", ["I may go", "the sun is up", "take five", "marching on", "thanks!", "a second chance"])
def test_a_text_without_a_time_has_no_time_expression(text: str) -> None:
    assert not has_time_expression(text)
