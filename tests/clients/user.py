"""Somebody with an empty home who works with real clients, whose model is on loopback and plays a script."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.clients.model_api import Json, ModelApi, Use
from tests.e2e.conftest import DEADLINE_S, daemon_pid
from tests.places import ROOT

SETUP = (sys.executable, "-m", "agentos.interfaces.cli", "setup", "--yes", "--client")

MODEL = """
model = "gpt-5"
model_provider = "loopback"
[model_providers.loopback]
name = "loopback"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "LOOPBACK_KEY"
"""


CLOCK = Path(__file__).parent / "clock"


@dataclass(frozen=True)
class Way:
    """A client, and a way by which AgentOS came there."""

    key: str
    session: Sequence[str]
    installed: Sequence[Sequence[str]]
    store: str
    shell: Use
    hears_rules: bool = True

    @property
    def shell_name(self) -> str:
        """What hooks call the tool that runs commands."""
        return "run_shell_command" if self.key == "gemini" else "Bash"


class User:
    """Somebody with an empty home, who works in one project at a time; `ahead` is how far the clock is put forward."""

    def __init__(self, folder: Path, api: ModelApi, *others: Path) -> None:
        self.home, self.project, self.api, self.ahead = folder / "home", folder / "shop", api, timedelta(0)
        self.data = self.home / ".local/share/agentos"
        self.data.mkdir(parents=True, mode=0o700)
        self.project.mkdir()
        (self.data / ".env").write_text("AGENTOS_EMBEDDING_MODEL=none\n", encoding="utf-8")
        self._write(".codex/config.toml", MODEL.format(url=api.url))
        self._write(".gemini/settings.json", '{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
        trusted = {str(place): "TRUST_FOLDER" for place in (self.project, *others, ROOT / "plugin/gemini")}
        self._write(".gemini/trustedFolders.json", json.dumps(trusted))

    def _write(self, name: str, text: str) -> None:
        path = self.home / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    @property
    def environment(self) -> Mapping[str, str]:
        own = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "TMPDIR") if name in os.environ}
        claude = {"ANTHROPIC_BASE_URL": self.api.url, "ANTHROPIC_API_KEY": "none", "ENABLE_TOOL_SEARCH": "false"}
        gemini = {"GOOGLE_GEMINI_BASE_URL": self.api.url, "GEMINI_API_KEY": "none"}
        quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "HF_HUB_OFFLINE": "1", "LOOPBACK_KEY": "none"}
        clock = {"PYTHONPATH": str(CLOCK), "TESTS_CLOCK_AHEAD_S": str(self.ahead.total_seconds())} if self.ahead else {}
        return {**own, **claude, **gemini, **quiet, **clock, "HOME": str(self.home)}

    @contextmanager
    def daemon(self) -> Iterator[None]:
        """Run a daemon for the home. Hooks start one too, but do not wait for it on a busy machine (test_hooks.py)."""
        with subprocess.Popen((sys.executable, "-m", "agentos.daemon"), env=self.environment, cwd="/") as daemon:
            try:
                wait_until(lambda: daemon_pid(self.data) == daemon.pid)
                yield
            finally:
                daemon.kill()

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            [word.format(root=ROOT) for word in command],
            env=self.environment,
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=2 * DEADLINE_S,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"
        return done

    def converses(self, way: Way, prompt: str, *script: Use | str) -> list[Json]:
        """One session without a screen; the conversations that the model was sent. What ran before its end is kept."""
        self.api.script, self.api.received = script, []
        ran = "SELECT count(*) FROM events WHERE type = 'tool_call'"
        [(before,)] = self.rows(ran)
        expected = before + sum(isinstance(step, Use) and "agentos" not in step.tool for step in script)
        self.api.thinking = lambda: wait_until(lambda: self.rows(ran)[0][0] >= expected)
        done = self.run(*way.session, prompt)
        assert str(script[-1]) in done.stdout, done.stderr
        return self.api.received

    def rows(self, sql: str) -> list[Any]:
        if not (self.data / "agentos.db").exists():
            return [(0,)]
        with closing(sqlite3.connect(f"file:{self.data}/agentos.db?mode=ro", uri=True)) as connection:
            return connection.execute(sql).fetchall()


def wait_until(holds: Callable[[], bool]) -> None:
    give_up = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < give_up
        time.sleep(0.02)


CLAUDE = ("claude", "--allowedTools", "Bash,mcp__agentos,mcp__plugin_agentos_agentos", "-p")
CODEX = (
    *("codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"),
    "--dangerously-bypass-approvals-and-sandbox",
)
GEMINI = ("gemini", "-m", "gemini-2.5-pro", "--yolo", "-p")
SAY_HELLO = {"command": "echo hello", "description": "Say hello"}
BASH, EXEC, RUN = (
    Use("Bash", SAY_HELLO),
    Use("exec_command", {"cmd": "echo hello"}),
    Use("run_shell_command", SAY_HELLO),
)

WAYS = {
    "claude, setup": Way("claude-code", CLAUDE, [(*SETUP, "claude-code")], "mcp__agentos__memory_store", BASH),
    "claude, plugin": Way(
        *("claude-code", CLAUDE),
        [("claude", "plugin", "marketplace", "add", "{root}"), ("claude", "plugin", "install", "agentos@agentos")],
        "mcp__plugin_agentos_agentos__memory_store",
        BASH,
    ),
    "codex, setup": Way("codex", CODEX, [(*SETUP, "codex")], "mcp__agentos/memory_store", EXEC),
    "codex, plugin": Way(
        *("codex", CODEX),
        [("codex", "plugin", "marketplace", "add", "{root}"), ("codex", "plugin", "add", "agentos@agentos")],
        "mcp__agentos/memory_store",
        EXEC,
    ),
    "gemini, setup": Way(*("gemini", GEMINI, [(*SETUP, "gemini")], "mcp_agentos_memory_store", RUN), hears_rules=False),
    "gemini, extension": Way(
        *("gemini", GEMINI),
        [("gemini", "extensions", "install", "--consent", "{root}/plugin/gemini")],
        "mcp_agentos_memory_store",
        RUN,
        hears_rules=False,
    ),
}
