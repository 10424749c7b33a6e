"""Devices with real stores that exchange in any order end with the same, and lose nothing."""

import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from agentos.database import OpenedStore

from .real import close, played, world

SCHEDULES = 24


@pytest.mark.parametrize("sixth", range(6))
async def test_whatever_the_order_all_stores_end_with_the_same_and_nothing_is_lost(
    engine: Callable[..., Awaitable[OpenedStore]], new_home: Path, tmp_path: Path, sixth: int
) -> None:
    for seed in range(sixth * SCHEDULES // 6, (sixth + 1) * SCHEDULES // 6):
        made = await world(engine, new_home, tmp_path / str(seed), random.Random(seed))
        try:
            await played(made, 40)
            first, *others = [await device.export() for device in made.devices]
            for other in others:
                for kind in first:
                    assert other[kind] == first[kind], f"schedule {seed} diverged"
            assert not await made.lost(), f"schedule {seed} lost {await made.lost()}"
            wanted = {name.rpartition(" ")[2] for name in first["attachment"]}
            for device in made.devices:
                assert (await device.bytes_()).keys() == wanted, f"schedule {seed}: other files"
        finally:
            await close(made)
