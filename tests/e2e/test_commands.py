"""The commands by hand: help and versions without heavy imports, and the demo."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from agentos.modules.version import SIGNATURE
from tests.places import ROOT

HEAVY = ("mcp", "pydantic", "chromadb", "torch", "sentence_transformers", "onnxruntime", "onnx", "numpy", "sqlalchemy")


@pytest.mark.parametrize(
    "command",
    [
        ("agentos.server", "--help"),
        ("agentos.server", "--version"),
        ("agentos.daemon", "--help"),
        ("agentos.daemon", "--version"),
        ("agentos.interfaces.cli", "--version"),
    ],
    ids=" ".join,
)
def test_help_and_version_import_nothing_heavy(command: tuple[str, str], tmp_path: Path) -> None:
    module, option = command
    code = (
        f"import sys; sys.argv = ['x', {option!r}]\n"
        f"import {module} as door\n"
        "try:\n    door.main()\nexcept SystemExit as leaving:\n    assert not leaving.code\n"
        f"print('heavy:', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    answer = subprocess.run((sys.executable, "-c", code), cwd=tmp_path, capture_output=True, text=True, check=True)
    assert answer.stdout.endswith("heavy: []\n"), answer.stdout
    assert len(answer.stdout.splitlines()) > 1


def test_a_command_that_asks_the_server_imports_neither_an_event_loop_nor_a_service(tmp_path: Path) -> None:
    code = (
        "import sys; sys.argv = ['agentos', 'recall', '--help']\n"
        "from agentos.interfaces.cli import main\n"
        "try:\n    main()\nexcept SystemExit as leaving:\n    assert not leaving.code\n"
        "unwanted = {'asyncio', 'mcp', 'agentos.modules.agentos', 'agentos.modules.memory.models'}\n"
        "print('unwanted:', unwanted & sys.modules.keys())"
    )
    answer = subprocess.run((sys.executable, "-c", code), cwd=tmp_path, capture_output=True, text=True, check=True)
    assert answer.stdout.endswith("unwanted: set()\n"), answer.stdout


def test_a_server_started_at_a_terminal_explains_itself(tmp_path: Path) -> None:
    terminal, wire = pty.openpty()
    process = subprocess.Popen(
        (sys.executable, "-m", "agentos.server"),
        stdin=wire,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "AGENTOS_HOME": str(tmp_path / "home")},
    )
    os.close(wire)
    os.write(terminal, b"\x04")
    stdout, stderr = process.communicate(timeout=60)
    os.close(terminal)
    assert stdout == ""
    assert str(tmp_path / "home") in stderr
    assert "claude mcp add" in stderr


def test_the_demo_lives_through_three_sessions(tmp_path: Path) -> None:
    answer = subprocess.run(
        (sys.executable, "-c", "from agentos.interfaces.cli import main; main()", "demo"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    for shown in (
        *("Session 1", "Maria reviews every change", "(40%, due ", "Session 2", "does this replace", "maybe outdated"),
        *("completed", "Session 3", "nothing here; 3 more in project shop"),
    ):
        assert shown in answer.stdout
    assert answer.stdout.count("three times run integration tests") == 1, "a failure is told once"


@pytest.mark.parametrize("script", ["server.py", "daemon.py"])
def test_a_checkout_runs_without_being_installed(script: str, tmp_path: Path) -> None:
    answer = subprocess.run(
        (sys.executable, str(ROOT / script), "--version"), cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert answer.stdout == f"{SIGNATURE}\n"
