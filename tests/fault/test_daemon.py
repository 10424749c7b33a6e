"""The daemon that is killed, hangs or has much to do: told as it is, and nothing is lost."""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.e2e.conftest import Start
from tests.e2e.test_daemon import DEADLINE_S, Daemon
from tests.e2e.test_doctor import doctor, faults, status


def test_two_servers_and_the_daemon_write_on_one_home_and_nothing_is_lost(
    daemon: Daemon, start: Callable[..., Any], home: Path
) -> None:
    daemon.wait_for_state("running")
    servers = [start(), start()]
    for server in servers:
        server.initialize()
    stored: list[list[str]] = [[], []]

    def write(number: int) -> None:
        for index in range(40):
            memory = servers[number].call("memory_store", content=f"server {number} noted heron-{number}-{index}")
            stored[number].append(memory["id"])
            servers[number].call("reflection_log", action=f"step {number}", outcome="no", success=False)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    for writer in writers:
        writer.start()
    for job in ("reflection_analyzer", "self_maintenance", "goal_monitor"):
        assert daemon.command("--once", job).returncode == 0
    for writer in writers:
        writer.join(DEADLINE_S)
    assert [len(ids) for ids in stored] == [40, 40]
    for number, server in enumerate(servers):
        other = 1 - number
        found = server.call("memory_search", query=f"heron-{other}-39", limit=5)
        assert stored[other][39] in [hit["id"] for hit in found["results"]]
        assert server.call("memory_list", limit=200)["total"] == 80
        assert "busy" not in server.stderr() and "locked" not in server.stderr()
    assert [server.end() for server in servers] == [0, 0]
    assert daemon.end() == 0
    index = daemon.command("--once", "index")
    assert "count=80" in index.stdout, index


def test_a_killed_daemon_is_not_taken_for_a_stopped_one_and_its_lock_ends_with_it(
    daemon: Daemon, home: Path, start: Callable[..., Any]
) -> None:
    daemon.wait_for_state("running")
    daemon.end(signal.SIGKILL)
    assert "daemon: stopped" not in daemon.command("--status").stdout
    assert daemon.command("--once", "index").returncode == 0, "nobody holds the lock any more"
    server = start()
    server.initialize()
    assert server.call("context_get_snapshot")["daemon_status"]["status"] in ("running", "dead")


def test_a_daemon_that_hangs_is_named_with_what_ends_it(home: Path, start: Start) -> None:
    session = start()
    session.initialize()
    session.call("memory_store", content="a fact")
    pid = status(home)["daemon"]["pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        code, checks = doctor(home)
        assert code == 2 and set(faults(checks)) == {"daemon.answers"}
        assert checks["daemon.answers"]["remedy"] == f"kill -9 {pid}"
        assert status(home)["daemon"] == {"state": "silent", "pid": pid}
    finally:
        os.kill(pid, signal.SIGCONT)
    assert session.end() == 0
