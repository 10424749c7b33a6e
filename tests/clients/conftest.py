"""What a lane of its own needs: the clients, which `.ci/clients` installs, and beside them the AgentOS that is here."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import home, start  # noqa: F401 - fixtures
from tests.e2e.test_bundles import built  # noqa: F401 - a fixture

PROGRAMS = ("claude", "codex", "gemini", "mcp-inspector", "mcpb", "uv", "opencode", "goose", "hermes", "aider")


@pytest.fixture(autouse=True)
def programs(monkeypatch: pytest.MonkeyPatch, nothing_from_outside: None) -> None:
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    assert not missing, f"not on the PATH: {', '.join(missing)}; .ci/clients installs them (see CONTRIBUTING.md)"
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}{os.pathsep}{Path(sys.executable).parent}")
