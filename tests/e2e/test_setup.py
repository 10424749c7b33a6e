"""`agentos setup` as a command, and the clients that can run here: from an empty home they say that it is connected."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.e2e.conftest import DEADLINE_S

COMMAND = (sys.executable, "-c", "from agentos.interfaces.cli import main; main()", "setup")


class EmptyHome:
    """A user who has nothing yet, and the programs that are on the PATH."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        self.home.mkdir()
        self.project.mkdir()

    @property
    def environment(self) -> Mapping[str, str]:
        path = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "TMPDIR") if name in os.environ}
        return {**path, "HOME": str(self.home), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command, env=self.environment, cwd=self.project, capture_output=True, text=True, timeout=DEADLINE_S
        )

    def setup(self, *options: str) -> "subprocess.CompletedProcess[str]":
        return self.run(*COMMAND, *options)

    def files(self) -> set[Path]:
        return {path for path in self.home.rglob("*") if ".local" not in path.parts}


@pytest.fixture
def user(tmp_path: Path) -> EmptyHome:
    return EmptyHome(tmp_path)


def test_the_command_sets_up_lists_and_takes_back(user: EmptyHome) -> None:
    done = user.setup("--client", "claude-code,codex", "--client", "zed", "--yes", "--json")
    assert done.returncode == 0, done.stderr
    changes = json.loads(done.stdout)["changes"]
    assert [(change["client"], change["purpose"], change["action"]) for change in changes] == [
        ("claude-code", "server", "added"),
        ("claude-code", "hooks", "added"),
        ("codex", "server", "added"),
        ("codex", "hooks", "added"),
        ("zed", "server", "added"),
    ]
    entry = json.loads((user.home / ".claude.json").read_text(encoding="utf-8"))["mcpServers"]["agentos"]
    assert Path(entry["command"]).is_absolute() and "env" not in entry
    listed = json.loads(user.setup("--list", "--json").stdout)
    states = {row["client"]: row["state"] for row in listed["clients"]}
    assert states["codex"] == "registered" and states["windsurf"] == "absent"
    assert "Zed                registered" in user.setup("--list").stdout
    assert user.setup("--uninstall", "--yes").returncode == 0
    assert user.files() == set()


def test_what_says_which_memory_it_is_goes_with_the_entry(user: EmptyHome, tmp_path: Path) -> None:
    moved = {"AGENTOS_HOME": str(tmp_path / "elsewhere"), "AGENTOS_EMBEDDING_API_KEY": "secret"}
    subprocess.run((*COMMAND, "-c", "codex", "-y"), env={**user.environment, **moved}, cwd=user.project, check=True)
    config = (user.home / ".codex" / "config.toml").read_text(encoding="utf-8")
    assert f'AGENTOS_HOME = "{tmp_path / "elsewhere"}"' in config and "secret" not in config


def test_setup_reports_what_it_does_not_understand(user: EmptyHome) -> None:
    unknown = user.setup("--client", "emacs")
    assert unknown.returncode == 2 and "claude-code" in unknown.stderr
    assert user.setup("--scope", "planet").returncode == 2
    broken = user.home / ".cursor" / "mcp.json"
    broken.parent.mkdir()
    broken.write_text("{", encoding="utf-8")
    refused = user.setup("--client", "cursor", "--yes")
    assert refused.returncode == 3 and str(broken) in refused.stdout and "line 1" in refused.stderr
    assert broken.read_text(encoding="utf-8") == "{"
    assert user.setup("--dry-run").returncode == 3


def test_the_wizard_asks_before_it_writes(user: EmptyHome) -> None:
    (user.home / ".cursor").mkdir()
    (user.home / ".codex").mkdir()
    terminal, side = pty.openpty()
    process = subprocess.Popen(
        COMMAND,
        stdin=side,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**user.environment, "PATH": "/nowhere"},
        text=True,
    )
    os.close(side)
    os.write(terminal, b"y\ny\nn\nn\ny\ny\n")  # both, but then not what would be written for Cursor
    shown, _ = process.communicate(timeout=DEADLINE_S)
    os.close(terminal)
    assert process.returncode == 0, shown
    assert "Found on this machine: Cursor, Codex" in shown and "+[mcp_servers.agentos]" in shown
    assert not (user.home / ".cursor" / "mcp.json").exists()
    assert (user.home / ".codex" / "config.toml").exists()
    assert not (user.home / ".cursor" / "hooks.json").exists() and (user.home / ".codex" / "hooks.json").exists()


def test_hooks_can_be_left_out(user: EmptyHome) -> None:
    assert user.setup("--client", "claude-code", "--yes", "--no-hooks").returncode == 0
    assert {path.name for path in user.files()} == {".claude.json"}
    shown = user.setup("--client", "claude-code", "--list").stdout
    assert "registered" in shown and "absent" in shown and "settings.json (hooks)" in shown
