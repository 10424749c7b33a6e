"""A data folder under test, with all processes that work on it."""

import hashlib
import json
import os
import secrets
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from agentos import config, model_files

from . import processes
from .processes import Process
from .wire import DEADLINE_S, Refused, Wire

TOKEN_VARIABLE = "AGENTOS_BENCHMARK_TOKEN"
LONGEST_SOCKET_PATH = 100
CHECKOUT = Path(__file__).resolve().parent.parent


def command(name: str) -> list[str]:
    """Return the command line of `agentos-server`, `agentos-daemon` or `agentos`, as installed with this Python."""
    installed = Path(sys.executable).with_name(name)
    if installed.exists():
        return [str(installed)]
    module = {"agentos-server": "agentos.server", "agentos-daemon": "agentos.daemon"}.get(name)
    if module is None:
        return [sys.executable, "-c", "from agentos.interfaces.cli import main; main()"]
    return [sys.executable, "-m", module]


def plain_environment() -> dict[str, str]:
    """Return an environment without settings, that reaches no hub and runs this checkout."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("AGENTOS_")}
    paths = [str(CHECKOUT / ".src"), *filter(None, [own.get("PYTHONPATH")])]
    return {**own, "PYTHONPATH": os.pathsep.join(paths), "HF_HUB_OFFLINE": "1"}


def models_here() -> Path:
    """Return where the user running this has the embedding model's weights: the only data of theirs that is used."""
    return config.load().home / "models"


class Home:
    """A home folder. `mode` is the value of AGENTOS_DAEMON; with "off" the daemon is started by hand."""

    def __init__(self, folder: Path, mode: str = "auto", settings: Mapping[str, str] | None = None) -> None:
        """Create the folder; `settings` are further variables (AGENTOS_…) of every process."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        model_files.lend_model(config.load(), folder)
        self.folder = folder
        self.mode = mode
        self.settings = dict(settings or {})
        self.token = secrets.token_hex(8)
        self._scratch = folder.with_name(f"{folder.name}-stderr")
        self._scratch.mkdir(exist_ok=True)
        self._daemons: list[subprocess.Popen[bytes]] = []

    @property
    def database(self) -> Path:
        """The SQLite file."""
        return self.folder / "agentos.db"

    def environment(self, agent: str = "default") -> dict[str, str]:
        """Return the environment of the home's processes."""
        return {
            **plain_environment(),
            **self.settings,
            TOKEN_VARIABLE: self.token,
            "AGENTOS_HOME": str(self.folder),
            "AGENTOS_DAEMON": self.mode,
            "AGENTOS_AGENT_ID": agent,
        }

    def spawn(self, agent: str = "default") -> Wire:
        """Start a server process, without a handshake."""
        return Wire(command("agentos-server"), self.environment(agent), self._scratch)

    def session(self, agent: str = "default") -> Wire:
        """Start a server process and do the handshake."""
        wire = self.spawn(agent)
        wire.initialize()
        return wire

    @contextmanager
    def connected(self, agent: str = "default") -> Iterator[Wire]:
        """Open a session that is ended as a client ends it."""
        wire = self.session(agent)
        try:
            yield wire
        finally:
            wire.close()

    def run(self, name: str, *arguments: str, timeout_s: float = DEADLINE_S) -> subprocess.CompletedProcess[bytes]:
        """Run an AgentOS command on this home to its end."""
        return subprocess.run(
            [*command(name), *arguments],
            env=self.environment(),
            cwd=self._scratch,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )

    def begin(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start an AgentOS command on this home; the caller ends it and waits for it."""
        return subprocess.Popen(
            [*command(name), *arguments],
            env=self.environment(),
            cwd=self._scratch,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def processes(self, role: str | None = None) -> list[Process]:
        """Return the processes of this home, of one role or all."""
        for daemon in self._daemons:
            daemon.poll()  # reaps one that has ended
        found = processes.belonging_to(self.token, self.folder)
        return [process for process in found if role in (None, process.role)]

    def daemon(self, wait_s: float = 10.0) -> int:
        """Return the daemon's pid: of the one a front has started, or of one started by hand now."""
        by_hand = self.mode == "off" or bool(self._daemons)
        if not by_hand:
            self._waits_for(lambda: bool(self.processes("daemon")), wait_s)
        running = self.processes("daemon")
        if running:
            return running[0].pid
        self._daemons.append(self.begin("agentos-daemon"))
        self._waits_for(lambda: self._has_begun(self._daemons[-1]), wait_s)
        return self._daemons[-1].pid

    def status(self) -> dict[str, Any] | None:
        """Return the daemon's status; None while no daemon answers on its socket."""
        path = self.folder / "daemon.sock"
        if len(os.fsencode(path)) > LONGEST_SOCKET_PATH:
            digest = hashlib.sha256(str(self.folder).encode()).hexdigest()[:16]
            path = Path(tempfile.gettempdir()) / f"agentos-{os.getuid()}" / f"{digest}.sock"
        hello = {"agentos": {"protocol": 1, "version": "benchmark", "wants": "status", "settings": {}}}
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.settimeout(5.0)
                connection.connect(str(path))
                connection.sendall(json.dumps(hello).encode() + b"\n")
                with connection.makefile("rb") as lines:
                    answer: dict[str, Any] = json.loads(lines.readline())["agentos"]
        except (OSError, ValueError, KeyError):
            return None
        return answer if "pid" in answer else None

    def index_is_ready(self) -> bool:
        """Return whether the vector index has applied every change there is."""
        index = (self.status() or {}).get("index")
        if index is not None:
            is_current = index.get("state") == "ready" and index.get("applied") == index.get("newest")
            return bool(is_current or index.get("state") == "off")
        if not self.database.exists():
            return True
        with closing(sqlite3.connect(self.database, timeout=10)) as connection:
            newest = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'index_outbox'").fetchone()
            applied = connection.execute("SELECT applied FROM index_state").fetchone()
        return newest is None or bool(applied == newest)

    def wait_for_index(self, timeout_s: float) -> bool:
        """Wait until the index is ready, if there is a daemon to build it; return whether it is."""
        if not self.processes("daemon"):
            return False
        return self._waits_for(self.index_is_ready, timeout_s, pause_s=0.2)

    def vectors_owed(self) -> int:
        """Count the memories without a vector."""
        with closing(sqlite3.connect(self.database, timeout=10)) as connection:
            [owed] = connection.execute(
                "SELECT count(*) FROM memories m "
                "WHERE NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.memory_seq = m.seq)"
            ).fetchone()
        return int(owed)

    def judgements(self) -> tuple[int, int]:
        """Count the changes of standings, and the relations between memories."""
        with closing(sqlite3.connect(self.database, timeout=10)) as connection:
            changes, relations = connection.execute(
                "SELECT (SELECT count(*) FROM changes), (SELECT count(*) FROM relations)"
            ).fetchone()
        return int(changes), int(relations)

    def is_empty_of_processes(self, timeout_s: float) -> bool:
        """Wait until no process of this home is left; return whether that came true."""
        return self._waits_for(lambda: not self.processes(), timeout_s)

    def end(self) -> None:
        """End every process of this home: terminate first, kill after ten seconds."""
        for daemon in self._daemons:
            daemon.terminate()
        if not self.is_empty_of_processes(10.0):
            for process in self.processes():
                processes.kill(process.pid)
            self.is_empty_of_processes(10.0)
        for daemon in self._daemons:
            daemon.wait(DEADLINE_S)
        self._daemons.clear()

    def _has_begun(self, daemon: subprocess.Popen[bytes]) -> bool:
        if daemon.poll() is not None or not self.database.exists():
            return daemon.poll() is not None
        with closing(sqlite3.connect(self.database, timeout=10)) as connection:
            table = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'daemon_state'").fetchone()
            return table is not None and bool(
                connection.execute("SELECT 1 FROM daemon_state WHERE pid = ?", (daemon.pid,)).fetchone()
            )

    @staticmethod
    def _waits_for(condition: Callable[[], bool], timeout_s: float, pause_s: float = 0.02) -> bool:
        give_up_at = time.monotonic() + timeout_s
        while not condition():
            if time.monotonic() > give_up_at:
                return False
            time.sleep(pause_s)
        return True


def wait_for_meaning(wire: Wire, timeout_s: float = DEADLINE_S) -> bool:
    """Search until an answer used vectors too; False if that does not happen in time (there is no model)."""
    give_up_at = time.monotonic() + timeout_s
    while time.monotonic() < give_up_at:
        if wire.call("memory_search", query="warm up", limit=1).get("mode") != "lexical":
            return True
        time.sleep(0.05)
    return False


def call_until_answered(wire: Wire, timeout_s: float = DEADLINE_S) -> None:
    """Retry until a call succeeds; refusals in between are tolerated. Raises Refused after the timeout."""
    give_up_at = time.monotonic() + timeout_s
    while True:
        try:
            wire.call("memory_list", timeout_s=max(0.1, give_up_at - time.monotonic()), limit=1)
            return
        except Refused:
            if time.monotonic() > give_up_at:
                raise
            time.sleep(0.01)
