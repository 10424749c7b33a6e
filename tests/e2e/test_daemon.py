"""The daemon as a process: beside two servers, one a folder, ended by signals, honest about its state."""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import DEADLINE_S, daemon_pid, environment

DAEMON = (sys.executable, "-m", "agentos.daemon")
WITHOUT_A_MODEL = pytest.mark.parametrize("daemon", [{"AGENTOS_EMBEDDING_MODEL": "none"}], indirect=True, ids=["plain"])


class Daemon:
    """A daemon process on a home."""

    def __init__(self, home: Path, **settings: str) -> None:
        self.environment = {**environment(home), **settings}
        self._home = home
        self.process = subprocess.Popen(
            DAEMON, env=self.environment, cwd=home.parent, stderr=subprocess.PIPE, text=True
        )

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            (*DAEMON, *arguments),
            env=self.environment,
            cwd=self._home.parent,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
        )

    def wait_for_state(self, state: str) -> str:
        give_up = time.monotonic() + DEADLINE_S
        while daemon_pid(self._home) != self.process.pid:  # costs less than to ask by a command
            assert time.monotonic() < give_up
            time.sleep(0.02)
        while state not in (report := self.command("--status").stdout):
            assert time.monotonic() < give_up, report
        return report

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(DEADLINE_S)


@pytest.fixture
def daemon(home: Path, request: pytest.FixtureRequest) -> Iterator[Daemon]:
    """A daemon with a model, or with what a test gives as its parameter."""
    started = Daemon(home, **getattr(request, "param", {}))
    yield started
    if started.process.poll() is None:
        started.process.kill()
    started.process.communicate()


def test_what_one_server_writes_the_other_finds_at_once_by_meaning(daemon: Daemon, start: Callable[..., Any]) -> None:
    writer, reader = start(), start()
    for server in (writer, reader):
        server.initialize()
        server.call("memory_store", content="the weather is fine")
        server.search_by_meaning("weather")
    memory = writer.call("memory_store", content="Maria likes her coffee without sugar")
    hits = reader.search_by_meaning("how does a colleague take a hot drink?")
    assert hits[0]["id"] == memory["id"] and "similarity" in hits[0]


@WITHOUT_A_MODEL
def test_a_second_daemon_says_who_is_there_and_a_signal_ends_the_first_cleanly(daemon: Daemon, home: Path) -> None:
    daemon.wait_for_state("running")
    second = daemon.command()
    assert second.returncode == 1 and "is already running for" in second.stderr
    answer = daemon.command("--once", "nonsense")
    assert answer.returncode == 2 and "goal_monitor" in answer.stderr, "an unknown job is refused with those there are"
    assert daemon.end() == 0
    assert "daemon: stopped" in daemon.command("--status").stdout
    assert (home / "logs" / "daemon.log").exists()
    for path in (home, *home.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, f"{path} is private"


def test_the_vector_index_folder_can_be_deleted_between_two_runs(daemon: Daemon, home: Path) -> None:
    daemon.wait_for_state("running")
    assert daemon.end(signal.SIGINT) == 0
    assert daemon.command("--once", "index").returncode == 0
    shutil.rmtree(home / "chroma")
    index = daemon.command("--once", "index")
    assert index.returncode == 0, index.stderr
    assert (home / "chroma" / "CURRENT").exists()


@WITHOUT_A_MODEL
def test_a_hangup_ends_no_daemon_and_lets_it_read_its_settings_again(daemon: Daemon, home: Path) -> None:
    daemon.wait_for_state("running")
    log = home / "logs" / "daemon.log"
    log.rename(home / "logs" / "moved.log")
    (home / ".env").write_text("AGENTOS_DAEMON_LOG_LEVEL=WARNING\nAGENTOS_STALE_DAYS=1\n")
    daemon.process.send_signal(signal.SIGHUP)
    give_up = time.monotonic() + DEADLINE_S
    while not log.exists() or "AGENTOS_STALE_DAYS" not in log.read_text():
        assert time.monotonic() < give_up and daemon.process.poll() is None
        time.sleep(0.02)
    text = log.read_text()
    assert "WARNING" in text and "read again" in text and " INFO " not in text
    (home / ".env").write_text("AGENTOS_DAEMON_LOG_LEVEL=loud\n")
    daemon.process.send_signal(signal.SIGHUP)
    while "stay as they are" not in log.read_text():
        assert time.monotonic() < give_up and daemon.process.poll() is None
        time.sleep(0.02)
    (home / ".env").unlink()
    assert daemon.end() == 0
