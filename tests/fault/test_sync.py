"""Devices that lose touch in hundreds of ways, of which unit/sync/test_schedules.py plays the first ones."""

import pytest

from tests.unit.sync.schedules import problem
from tests.unit.sync.test_schedules import SCHEDULES


@pytest.mark.parametrize("start", range(SCHEDULES, 300, 30))
def test_whatever_the_order_all_devices_end_with_the_same_and_nothing_is_lost(start: int) -> None:
    for seed in range(start, start + 30):
        assert not problem(seed)
