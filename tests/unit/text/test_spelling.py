"""Words that differ as a slip of the fingers makes them differ."""

import pytest

from agentos.modules.text.spelling import may_be_misspelt, one_slip_apart


@pytest.mark.parametrize(
    ("one", "other", "slip"),
    [
        ("vortasel", "vortsael", True),
        ("vortasel", "vortase", True),
        ("vortasel", "vortassel", True),
        ("vortasel", "vortasex", True),
        ("vortasel", "vortasle", True),
        ("vortasel", "xvortasel", True),
        ("вортасел", "вортсаел", True),
        ("vortasel", "vortasel", False),
        ("vortasel", "vortalse", False),
        ("vortasel", "vortaxxl", False),
        ("vortasel", "vortas", False),
        ("vortasel", "", False),
    ],
)
def test_one_slip_is_a_letter_missing_added_wrong_or_in_the_neighbours_place(one: str, other: str, slip: bool) -> None:
    assert one_slip_apart(one, other) is slip and one_slip_apart(other, one) is slip


@pytest.mark.parametrize(
    ("word", "may_be"), [("vortasel", True), ("vort", False), ("rev8821", False), ("v" * 99, False)]
)
def test_codes_and_short_words_are_meant_as_they_are_written(word: str, may_be: bool) -> None:
    assert may_be_misspelt(word) is may_be
