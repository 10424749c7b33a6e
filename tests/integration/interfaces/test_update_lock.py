"""The lock of an update: who waits for it, whom it keeps from beginning, and that nothing of it is left behind."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentos import config, database
from agentos.interfaces.stdio.front import link
from agentos.interfaces.stdio.front.link import FrontLink
from agentos.interfaces.stdio.front.place import Place
from agentos.modules import update_lock
from agentos.modules.clock import system_clock
from agentos.modules.errors import Conflict, StorageUnavailable


@pytest.fixture
def updated(home: Path) -> Iterator[Path]:
    """A home that this process works on for an update."""
    home.mkdir(mode=0o700, exist_ok=True)
    lock = update_lock.home_lock(home)
    lock.take(0)
    yield home
    lock.release()
    assert update_lock.updater(home) is None


def test_a_second_update_learns_who_the_first_one_is(updated: Path) -> None:
    for alone in (True, False):
        with pytest.raises(Conflict, match=f"process {os.getpid()} is updating"):
            update_lock.home_lock(updated).take(0, alone=alone)


def test_what_is_shared_keeps_an_update_waiting_and_a_dead_owner_does_not(home: Path) -> None:
    home.mkdir(mode=0o700, exist_ok=True)
    shared = [update_lock.home_lock(home) for _ in range(2)]
    for lock in shared:
        lock.take(0, alone=False)
    with pytest.raises(Conflict):
        update_lock.home_lock(home).take(0)
    for lock in shared:
        lock.release()
    killed = """
import os, pathlib, sys
from agentos.modules import update_lock
lock = update_lock.home_lock(pathlib.Path(sys.argv[1]))
lock.take(0)
os.kill(os.getpid(), 9)
"""
    subprocess.run((sys.executable, "-c", killed, str(home)), check=False)
    assert (home / "update.lock").read_text().isdigit() and update_lock.updater(home) is None
    update_lock.home_lock(home).take(0)


async def test_nothing_begins_on_a_home_that_an_update_works_on(updated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = config.Settings(home=updated, embedding_model="none")
    with pytest.raises(StorageUnavailable, match=f"being updated by process {os.getpid()}: try again"):
        await database.open_store(settings, system_clock)
    env = {**os.environ, "AGENTOS_HOME": str(updated)}
    # the updater's own children examine what it has installed; whoever is started by others waits
    command = ("sh", "-c", f"'{sys.executable}' -m agentos.daemon; exit $?")
    refused = subprocess.run(command, env=env, capture_output=True, check=False)
    assert refused.returncode == 1 and b"is being updated by process" in refused.stderr
    monkeypatch.setattr(link, "spawn_daemon", lambda home: pytest.fail("a daemon was started"))
    clock = iter(range(100))
    front = FrontLink(Place(updated, True, {}), lambda connection: connection.close(), lambda: float(next(clock)))
    while not front.alone:
        front.poll()
