"""Whole sessions of real clients, whose model plays a script: what the second one is sent holds the first one's past.

The model is on loopback (`model_api.py`), the home is empty, and AgentOS got there by `agentos setup` or as a plugin.
"""

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.clients.model_api import Json, ModelApi, Use, serving
from tests.e2e.conftest import DEADLINE_S, daemon_pid
from tests.places import ROOT

SETUP = (sys.executable, "-m", "agentos.interfaces.cli", "setup", "--yes", "--client")

MEMORY = "The secret colour of the shop is vermilion"
RULE = "Say hello before anything else"
LAST_WORDS = "All is well with the shop."
MODEL = """
model = "gpt-5"
model_provider = "loopback"
[model_providers.loopback]
name = "loopback"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "LOOPBACK_KEY"
"""


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
    """Somebody with an empty home and one project."""

    def __init__(self, folder: Path, api: ModelApi) -> None:
        self.home, self.project, self.api = folder / "home", folder / "shop", api
        self.data = self.home / ".local/share/agentos"
        self.data.mkdir(parents=True, mode=0o700)
        self.project.mkdir()
        (self.data / ".env").write_text("AGENTOS_EMBEDDING_MODEL=none\n", encoding="utf-8")
        self._write(".codex/config.toml", MODEL.format(url=api.url))
        self._write(".gemini/settings.json", '{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
        trusted = {str(place): "TRUST_FOLDER" for place in (self.project, ROOT / "plugin/gemini")}
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
        return {**own, **claude, **gemini, **quiet, "HOME": str(self.home)}

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
        before = self.rows(ran)

        def until_recorded() -> None:
            give_up = time.monotonic() + DEADLINE_S
            while self.rows(ran) == before:
                assert time.monotonic() < give_up
                time.sleep(0.02)

        self.api.thinking = until_recorded
        done = self.run(*way.session, prompt)
        assert str(script[-1]) in done.stdout, done.stderr
        return self.api.received

    def rows(self, sql: str) -> list[Any]:
        if not (self.data / "agentos.db").exists():
            return [(0,)]
        with closing(sqlite3.connect(f"file:{self.data}/agentos.db?mode=ro", uri=True)) as connection:
            return connection.execute(sql).fetchall()


@pytest.fixture
def user(tmp_path: Path) -> Iterator[User]:
    with serving() as api:
        one = User(tmp_path, api)
        # Hooks start one too, but do not wait for it on a busy machine (test_hooks.py).
        with subprocess.Popen((sys.executable, "-m", "agentos.daemon"), env=one.environment, cwd="/") as daemon:
            try:
                give_up = time.monotonic() + DEADLINE_S
                while daemon_pid(one.data) != daemon.pid:
                    assert time.monotonic() < give_up
                    time.sleep(0.02)
                yield one
            finally:
                daemon.kill()


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


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Way:
    return WAYS[request.param]


def test_the_second_session_is_sent_what_the_first_one_stored(user: User, way: Way) -> None:
    for command in way.installed:
        user.run(*command)
    rule = {"content": RULE, "tags": ["rule"], "metadata": {"trigger": {"tool": way.shell_name}}}
    stored = {"content": MEMORY, "importance": 0.9}
    user.converses(way, "Look after the shop", Use(way.store, stored), Use(way.store, rule), way.shell, LAST_WORDS)
    events = user.rows("SELECT type, text, json_extract(structured, '$.command') FROM events ORDER BY seq")
    started, prompt, ran, *end = events
    assert started[:2] == ("signal", "session started")
    assert prompt[:2] == ("turn", "Look after the shop"), "what the user wrote, and nothing that hooks have added"
    assert ran == ("tool_call", "", "echo hello"), "our own tools leave no trace"
    assert [row[:2] for row in end] == [("turn", LAST_WORDS), ("signal", "turn ended"), ("signal", "session ended")]
    assert user.rows("SELECT DISTINCT state FROM sessions") == [("completed",)]

    first, *later = user.converses(way, "Go on", way.shell, "Done with it.")
    assert MEMORY in json.dumps(first, ensure_ascii=False) and RULE not in json.dumps(first)
    assert (RULE in json.dumps(later[-1])) is way.hears_rules, "a lesson comes with the tool that it is about"
    assert user.rows("SELECT count(*) FROM sessions") == [(2,)]


def test_after_a_compaction_the_agent_is_reminded_where_it_was(user: User) -> None:
    way = WAYS["claude, setup"]
    user.run(*way.installed[0])
    user.converses(way, "Fix the parser", way.shell, LAST_WORDS)
    user.api.script, user.api.thinking = ("<summary>There was a parser.</summary>",), lambda: None
    user.run("claude", "-c", "-p", "/compact")
    assert user.rows("SELECT count(*) FROM events WHERE text = 'compacting'") == [(1,)]
    user.api.script = (LAST_WORDS,)
    user.run("claude", "-c", "-p", "What next?")
    request = json.dumps(user.api.received[-1], ensure_ascii=False)
    assert "There was a parser." in request and "## Where this session was" in request and "Fix the parser" in request
