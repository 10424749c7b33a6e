"""A move that is killed: the next run goes on where it ended, and the copy has all of the store."""

import signal
from pathlib import Path

import pytest

from tests.fault.forked import running
from tests.integration.portability.test_bundle import Opened, lived_in

MOVER = """
import asyncio, itertools, os, signal, sys
from pathlib import Path
from agentos import config, database
from agentos.modules.clock import system_clock
from agentos.storage.moving.parts import MovedPart

write, steps = MovedPart.write, itertools.count(1)

async def killed(self, *given):
    await write(self, *given)
    if next(steps) == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

MovedPart.write = killed
settings = config.load({}, home=Path(sys.argv[1]))
asyncio.run(database.move(settings, sys.argv[2], system_clock, lambda *_: None))
"""


@pytest.mark.sqlite("the source has a file")
async def test_a_killed_move_goes_on_until_all_is_there(house: Opened, tmp_path: Path) -> None:
    source = await house("first")
    await lived_in(source)
    await source.memory.settled()
    known = await source.portability.canonical_hash()
    to = f"sqlite:{tmp_path / 'second' / 'agentos.db'}"
    for step, ends in ((1, -signal.SIGKILL), (4, -signal.SIGKILL), (9, -signal.SIGKILL), (0, 0)):
        with running(MOVER, tmp_path / "first", to, step) as process:
            assert process.wait(60) == ends
        assert (tmp_path / "second" / "agentos.db").exists() is (ends == 0)
    assert await (await house("second")).portability.canonical_hash() == known
