"""Numbers of bytes, as people read them."""

import pytest

from agentos.modules.text.counting import bytes_counted


@pytest.mark.parametrize(
    ("size", "told"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (482_099, "470.8 KiB"), (5 * 2**30, "5.0 GiB")],
)
def test_a_number_of_bytes_has_the_unit_that_suits_it(size: int, told: str) -> None:
    assert bytes_counted(size) == told
