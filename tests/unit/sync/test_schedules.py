"""Devices that exchange in any order end with the same, and lose nothing."""

import asyncio

import pytest

from .schedules import played

SCHEDULES = 300


@pytest.mark.parametrize("tens", range(10))
def test_whatever_the_order_all_devices_end_with_the_same_and_nothing_is_lost(tens: int) -> None:
    for seed in range(tens * SCHEDULES // 10, (tens + 1) * SCHEDULES // 10):
        world = asyncio.run(played(seed))
        first, *others = [device.store.export() for device in world.devices]
        assert all(other == first for other in others), f"schedule {seed} diverged"
        assert not world.lost(), f"schedule {seed} lost {world.lost()}"
        assert not world.still_told(), f"schedule {seed}: erased texts are still in the folder"
