"""Devices that exchange in any order end with the same, and lose nothing."""

import pytest

from .schedules import problem

SCHEDULES = 300


@pytest.mark.parametrize("tens", range(10))
def test_whatever_the_order_all_devices_end_with_the_same_and_nothing_is_lost(tens: int) -> None:
    for seed in range(tens * SCHEDULES // 10, (tens + 1) * SCHEDULES // 10):
        assert not problem(seed)
