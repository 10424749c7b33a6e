"""The bundle, the plugin and the extension as their hosts take them: valid, installed, connected."""

import json
import subprocess
from pathlib import Path

import pytest

from agentos.modules.version import VERSION
from tests.clients.test_setup import EmptyHome, asked_of_codex
from tests.e2e.conftest import DEADLINE_S, Start
from tests.e2e.test_bundles import PLUGIN, searches_by_meaning, unpacked
from tests.places import ROOT


def test_uv_installs_what_the_bundle_needs_and_starts_it_without_a_network(
    built: Path, tmp_path: Path, start: Start
) -> None:
    command = unpacked(built, tmp_path / "installed")
    subprocess.run((*command, "--version"), check=True, timeout=600)
    searches_by_meaning(start(tmp_path / "home", command, tmp_path, {"PYTHONPATH": "", "UV_OFFLINE": "1"}))


def test_the_bundle_is_valid(built: Path, tmp_path: Path) -> None:
    folder = built / f"agentos-{VERSION}"
    subprocess.run(("mcpb", "validate", str(folder / "manifest.json")), check=True, timeout=DEADLINE_S)
    subprocess.run(("mcpb", "pack", str(folder), str(tmp_path / "x.mcpb")), check=True, timeout=DEADLINE_S)


@pytest.fixture
def user(tmp_path: Path) -> EmptyHome:
    return EmptyHome(tmp_path)


def test_the_plugin_is_valid_and_connects_in_claude_code(user: EmptyHome) -> None:
    for folder in (ROOT, PLUGIN):
        checked = user.run("claude", "plugin", "validate", "--strict", str(folder))
        assert checked.returncode == 0 and "warning" not in checked.stdout, checked.stdout
    assert user.run("claude", "plugin", "marketplace", "add", str(ROOT)).returncode == 0
    assert user.run("claude", "plugin", "install", "agentos@agentos").returncode == 0
    assert "memory, recall, remember, status" in user.run("claude", "plugin", "details", "agentos").stdout
    shown = user.run("claude", "mcp", "list").stdout
    assert "plugin:agentos:agentos" in shown and "✔ Connected" in shown


def test_the_plugin_connects_in_codex(user: EmptyHome) -> None:
    assert user.run("codex", "plugin", "marketplace", "add", str(ROOT)).returncode == 0
    assert user.run("codex", "plugin", "add", "agentos@agentos").returncode == 0
    status = asked_of_codex(user, [("initialize", {"clientInfo": {"name": "test", "version": "1"}})])
    server = next(server for server in status["data"] if server["name"] == "agentos")
    assert server["pluginId"] == "agentos@agentos" and "memory_store" in server["tools"]


def test_the_extension_is_valid_and_connects_in_gemini_cli(user: EmptyHome) -> None:
    assert user.run("gemini", "extensions", "validate", str(PLUGIN / "gemini")).returncode == 0
    trusted = user.home / ".gemini" / "trustedFolders.json"
    trusted.parent.mkdir(exist_ok=True)
    folders = (user.project, PLUGIN / "gemini")
    trusted.write_text(json.dumps(dict.fromkeys(map(str, folders), "TRUST_FOLDER")), encoding="utf-8")
    installed = user.run("gemini", "extensions", "install", "--consent", str(PLUGIN / "gemini"))
    assert installed.returncode == 0, installed.stdout + installed.stderr
    shown = user.run("gemini", "mcp", "list")
    assert "✓ agentos" in shown.stdout + shown.stderr
