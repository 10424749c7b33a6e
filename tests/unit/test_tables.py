"""Tables of cases: every row is tried, and each that fails is named."""

import inspect

import pytest

from tests.tables import every


def test_every_row_is_tried_and_each_that_fails_is_named() -> None:
    tried = []

    @every(("number", "half"), [(2, 1), (3, 1), (4, 2), (5, 2)])
    def halved(number: int, half: int) -> None:
        tried.append(number)
        assert number == 2 * half

    with pytest.raises(ExceptionGroup, match="2 of 4 rows") as raised:
        halved()
    assert tried == [2, 3, 4, 5]
    assert [error.__notes__ for error in raised.value.exceptions] == [
        ["row: {'number': 3, 'half': 1}"],
        ["row: {'number': 5, 'half': 2}"],
    ]


async def test_rows_of_coroutines_and_refusals_that_do_not_come_are_told_too() -> None:
    @every("text", ["1", "x"])
    async def is_refused(text: str) -> None:
        with pytest.raises(ValueError):
            int(text)

    with pytest.raises(ExceptionGroup, match="1 of 2 rows"):
        await is_refused()


def test_what_a_table_does_not_give_is_a_fixture_and_two_tables_give_all_pairs() -> None:
    seen = []

    @every("one", [1, 2])
    @every("other", "ab")
    def pairs(place: str, one: int, other: str) -> None:
        seen.append((one, other, place))

    assert list(inspect.signature(pairs).parameters) == ["place"]
    pairs(place="here")
    assert seen == [(1, "a", "here"), (1, "b", "here"), (2, "a", "here"), (2, "b", "here")]


def test_a_table_without_rows_and_a_row_that_is_too_short_prove_nothing() -> None:
    with pytest.raises(ValueError, match="without rows"):
        every("text", [])

    @every(("one", "other"), [(1,)])
    def never(one: int, other: int) -> None: ...

    with pytest.raises(ValueError):
        never()
