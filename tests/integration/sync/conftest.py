"""Devices of one group."""

import random
from pathlib import Path
from typing import Any

import pytest

from .real import World, close, world


@pytest.fixture
async def make(engine: Any, new_home: Path, tmp_path: Path) -> Any:
    """Makes devices, and closes their stores after the test."""
    made: list[World] = []

    async def make() -> World:
        made.append(await world(engine, new_home, tmp_path / str(len(made)), random.Random(1)))
        return made[-1]

    yield make
    for one in made:
        await close(one)
