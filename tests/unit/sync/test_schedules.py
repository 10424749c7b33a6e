"""Devices that exchange in any order end with the same, and lose nothing; many more orders: fault/test_sync.py."""

import pytest

from .schedules import problem

SCHEDULES = 30


@pytest.mark.parametrize("tens", range(SCHEDULES // 10))
def test_whatever_the_order_all_devices_end_with_the_same_and_nothing_is_lost(tens: int) -> None:
    for seed in range(tens * 10, (tens + 1) * 10):
        assert not problem(seed)


@pytest.mark.parametrize("seed", [101_089, 104_871])
def test_a_file_stays_that_comes_with_the_end_of_the_last_memory_that_had_it(seed: int) -> None:
    assert not problem(seed)
