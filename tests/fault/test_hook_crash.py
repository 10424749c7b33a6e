"""Killing hooks and the daemon while they spool and replay: what a hook has finished telling is kept exactly once."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from agentos.interfaces.hooks.occurrence import Occurrence, bounded
from agentos.interfaces.hooks.spool import Spool
from agentos.interfaces.stdio.front import hello
from agentos.interfaces.stdio.front.place import socket_path

DEADLINE_S = 60.0
HOOK = (sys.executable, "-m", "agentos.interfaces.hooks", "post-tool")
DAEMON = (sys.executable, "-m", "agentos.daemon")
SPOOLED = 150
KILLED_HOOKS = 30


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def environment(home: Path, **settings: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("AGENTOS_")}
    return {**own, "AGENTOS_HOME": str(home), "AGENTOS_EMBEDDING_MODEL": "none", **settings}


def stored_commands(home: Path) -> list[str]:
    """The commands in the store, each as often as it is there."""
    if not (home / "agentos.db").exists():
        return []
    try:
        with closing(sqlite3.connect(f"file:{home}/agentos.db?mode=ro", uri=True)) as connection:
            rows = connection.execute("SELECT structured FROM events WHERE type = 'tool_call' ORDER BY seq").fetchall()
    except sqlite3.OperationalError:  # it is being made
        return []
    return [json.loads(row[0])["command"] for row in rows]


def occurrence(number: int) -> Occurrence:
    return Occurrence(
        event="post-tool", client="codex", agent="ada", session="s", folder="/w", key=f"toolu_{number}",
        at=str(1772452800 + number), tool="shell", given={"command": f"make {number}"},
    )  # fmt: skip


def test_a_daemon_that_is_killed_again_and_again_keeps_what_was_spooled_once_and_in_order(home: Path) -> None:
    spool = Spool(home)
    for number in range(SPOOLED):
        spool.put(bounded(occurrence(number)))
    kills = 0
    while spool.waiting():
        daemon = subprocess.Popen(DAEMON, env=environment(home), cwd="/", stderr=subprocess.DEVNULL)
        before, give_up = len(spool.waiting()), time.monotonic() + DEADLINE_S
        while (left := len(spool.waiting())) > max(0, before - SPOOLED // 5):
            assert time.monotonic() < give_up and daemon.poll() is None
            time.sleep(0.005)
        daemon.send_signal(signal.SIGKILL)
        daemon.wait(DEADLINE_S)
        kills += bool(left)
    assert kills >= 2
    assert stored_commands(home) == [f"make {number}" for number in range(SPOOLED)]


def test_hooks_that_are_killed_at_any_moment_leave_whole_files_or_none(home: Path) -> None:
    finished = set()
    rng = random.Random(7)
    for number in range(KILLED_HOOKS):
        fields = {"session_id": "s", "cwd": "/w", "tool_name": "Bash", "tool_use_id": f"toolu_{number}"}
        payload = json.dumps(
            {**fields, "tool_input": {"command": f"make {number}"}, "tool_response": "x" * 20_000}
        ).encode()
        hook = subprocess.Popen(
            HOOK, env=environment(home, AGENTOS_DAEMON="off"), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert hook.stdin is not None and hook.stdout is not None
        with hook, hook.stdin as stdin:
            stdin.write(payload)
            stdin.close()
            if number % 3:
                time.sleep(rng.uniform(0.0, 0.2))  # somewhere in its life, wherever that is
                hook.kill()
            if hook.wait(DEADLINE_S) == 0:
                finished.add(f"make {number}")
    spool = Spool(home)
    assert all(spool.read(path) for path in spool.waiting())
    daemon = subprocess.Popen(DAEMON, env=environment(home), cwd="/", stderr=subprocess.DEVNULL)
    give_up = time.monotonic() + DEADLINE_S
    while spool.waiting() or hello.ask_status(socket_path(home)) is None:
        assert time.monotonic() < give_up
        time.sleep(0.05)
    daemon.kill()
    daemon.wait(DEADLINE_S)
    counted = Counter(stored_commands(home))
    assert finished <= counted.keys() and set(counted.values()) == {1}
