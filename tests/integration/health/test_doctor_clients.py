"""What doctor says of the clients on a machine: which programs they start, and which copies of the plugin they have."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentos.interfaces.cli.doctor.clients import look_at_entries, look_at_plugins
from agentos.interfaces.cli.setup.clients import CLIENTS, Machine
from agentos.interfaces.cli.setup.command import Setup, SetupOptions
from agentos.interfaces.cli.setup.launch import launch_of
from agentos.interfaces.cli.setup.receipts import Receipts
from agentos.modules.clock import system_clock
from agentos.modules.health.models import Severity
from agentos.modules.version import VERSION

Write = Callable[[str, Any], None]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Puts JSON, or a text, into a file of a user who has nothing else; the project is a folder of that home."""
    (tmp_path / "project").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.chdir(tmp_path / "project")
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)

    def write(name: str, content: Any) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")

    return write


def entry(command: str, *args: str) -> dict[str, Any]:
    return {"mcpServers": {"agentos": {"command": command, "args": list(args)}}}


OTHER = "/opt/other/bin/agentos-server"
HOOK = {"type": "command", "command": "/opt/other/bin/agentos", "args": ["hook", "stop", "--client", "claude-code"]}


@pytest.mark.parametrize(
    ("name", "content", "message", "remedy"),
    [
        (
            ".claude.json",
            entry("uvx", "agentos-mcp"),
            "uvx, which downloads another project's program",
            "--client claude-code",
        ),
        (".cursor/mcp.json", entry(OTHER, "--key", "secret"), OTHER, "--client cursor"),
        (".codex/config.toml", f'[mcp_servers.agentos]\ncommand = "{OTHER}"\n', OTHER, "--client codex"),
        (
            ".gemini/settings.json",
            {"mcpServers": {"agentos": {"url": "http://x"}}},
            "no program",
            "--client gemini",
        ),
        (".claude/settings.json", {"hooks": {"Stop": [{"hooks": [HOOK]}]}}, "Claude Code's hooks by /opt/other", ""),
        ("project/.mcp.json", entry("npx", "-y", "agentos-mcp"), "npx, which", "--scope project --client claude-code"),
    ],
)
def test_a_program_of_others_is_named_with_the_way_to_ours(
    write: Write, name: str, content: Any, message: str, remedy: str
) -> None:
    write(name, content)
    found = look_at_entries()
    assert found.severity is Severity.WARNING
    assert message in found.message and str(Path(sys.executable).parent) in found.message
    assert found.remedy is not None and found.remedy.startswith("agentos setup ") and remedy in found.remedy
    assert "secret" not in repr(found)


def test_several_are_reported_at_once(write: Write) -> None:
    write(".claude.json", entry("uvx", "agentos-mcp"))
    write(".cursor/mcp.json", entry(OTHER))
    write("project/.cursor/mcp.json", entry(OTHER))
    found = look_at_entries()
    assert found.remedy == "agentos setup --client claude-code,cursor && agentos setup --scope project --client cursor"
    assert len(found.details["entries"]) == 3


def test_what_setup_writes_is_ours_in_every_client(write: Write, tmp_path: Path) -> None:
    assert look_at_entries().message == "no client has an AgentOS entry"
    machine = Machine(sys.platform, tmp_path, {}, tmp_path / "project")
    setup = Setup(
        machine,
        replace(launch_of(sys.executable, {}), gateway="http://127.0.0.1:8377/proxy/openai/v1"),
        Receipts(tmp_path / "data"),
        system_clock,
    )
    keys = tuple(client.key for client in CLIENTS)
    assert setup.run(SetupOptions(keys, hooks=True, yes=True)) == 0
    assert setup.run(SetupOptions(keys, hooks=True, yes=True, scope="project")) == 0
    found = look_at_entries()
    assert found.severity is Severity.OK, found.message
    assert all(client.title in found.message for client in CLIENTS if not client.through_gateway)
    write(".cursor/mcp.json", "{")
    assert look_at_entries().severity is Severity.OK, "setup says what is wrong with it"


def test_copies_of_the_plugin_are_of_this_version(write: Write) -> None:
    assert look_at_plugins().message == "no client has the plugin"
    copies = ".claude/plugins/cache/agentos/agentos/{}/.claude-plugin/plugin.json"
    write(copies.format("0.1.0"), {"version": "0.1.0"})
    assert look_at_plugins().severity is Severity.OK, "it is not enabled"
    write(".claude/settings.json", {"enabledPlugins": {"agentos@agentos": True}})
    write(".codex/config.toml", '[plugins."agentos@agentos"]\nenabled = true\n')
    write(".codex/plugins/cache/agentos/agentos/0.1.0/.codex-plugin/plugin.json", {"version": "0.1.0"})
    write(".gemini/extensions/agentos/gemini-extension.json", {"name": "agentos", "version": "0.1.0"})
    found = look_at_plugins()
    assert found.severity is Severity.WARNING and "Gemini CLI's is of 0.1.0" in found.message
    assert found.remedy is not None
    assert found.remedy.split(" && ") == [
        "claude plugin update agentos@agentos",
        "codex plugin add agentos@agentos",
        "gemini extensions update agentos",
    ]
    write(copies.format(VERSION), {"version": VERSION})
    write(copies.format("broken"), "{")
    assert "Claude Code" not in look_at_plugins().message, "the older copy is left for running sessions"


def test_without_a_home_or_folder_nothing_is_looked_at(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").rmdir()
    assert look_at_entries().severity is look_at_plugins().severity is Severity.INFO
