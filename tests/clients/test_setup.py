"""The clients themselves, from an empty home: after `agentos setup` they say that AgentOS is connected."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.clients.model_api import Use, serving
from tests.e2e.test_setup import EmptyHome


@pytest.fixture
def user(tmp_path: Path) -> EmptyHome:
    return EmptyHome(tmp_path)


def test_claude_code_is_connected(user: EmptyHome) -> None:
    assert user.setup("--client", "claude-code", "--yes").returncode == 0
    assert "agentos: " in (shown := user.run("claude", "mcp", "list").stdout) and "✔ Connected" in shown
    assert user.setup("--client", "claude-code", "--uninstall", "--yes").returncode == 0
    assert "agentos" not in user.run("claude", "mcp", "list").stdout


def test_gemini_cli_is_connected(user: EmptyHome) -> None:
    assert user.setup("--client", "gemini", "--yes").returncode == 0
    trusted = user.home / ".gemini" / "trustedFolders.json"
    trusted.write_text(json.dumps({str(user.project): "TRUST_FOLDER"}), encoding="utf-8")
    shown = user.run("gemini", "mcp", "list")
    assert "✓ agentos" in shown.stdout + shown.stderr and "Connected" in shown.stdout + shown.stderr


def test_codex_is_connected_and_gets_the_tools(user: EmptyHome) -> None:
    assert user.setup("--client", "codex", "--yes").returncode == 0
    status = asked_of_codex(user, [("initialize", {"clientInfo": {"name": "test", "version": "1"}})])
    servers = {server["name"]: server for server in status["data"]}
    assert "memory_search" in servers["agentos"]["tools"]


def test_opencode_is_connected(user: EmptyHome) -> None:
    assert user.setup("--client", "opencode", "--yes").returncode == 0
    shown = user.run("opencode", "mcp", "list")
    assert "✓ agentos" in shown.stdout + shown.stderr and "connected" in shown.stdout + shown.stderr


def test_goose_calls_the_tools(user: EmptyHome) -> None:
    (user.home / ".config/goose").mkdir(parents=True)
    assert user.setup("--client", "goose", "--yes").returncode == 0
    with serving() as api:
        api.script = (Use("agentos__memory_store", {"content": "The harbour opens at six"}), "Done.")
        model = ("GOOSE_PROVIDER=anthropic", "GOOSE_MODEL=claude-sonnet-4-5", "ANTHROPIC_API_KEY=sk-none")
        quiet = (f"ANTHROPIC_HOST={api.url}", "GOOSE_DISABLE_KEYRING=1", "GOOSE_MODE=auto")
        user.run("env", *model, *quiet, "goose", "run", "--no-session", "--text", "say hi")
    assert "Stored mem_" in json.dumps(api.received[-1]["messages"])


def test_hermes_gets_the_tools(user: EmptyHome) -> None:
    assert user.setup("--client", "hermes", "--yes").returncode == 0
    assert "memory_search" in user.run("hermes", "mcp", "test", "agentos").stdout


def test_aider_calls_the_gateway_s_address_and_reads_the_instructions(user: EmptyHome) -> None:
    with serving() as api:
        settings = user.home / ".local/share/agentos"
        settings.mkdir(parents=True, mode=0o700)
        port = urlsplit(api.url).port
        (settings / ".env").write_text(f"AGENTOS_GATEWAY_PORT={port}\n", encoding="utf-8")
        assert user.setup("--client", "aider", "--instructions", "--yes").returncode == 0
        quiet = ("--no-git", "--yes-always", "--no-stream", "--no-check-update", "--analytics-disable")
        model = ("--openai-api-key", "sk-none", "--model", "openai/gpt-4o-mini", "--no-show-model-warnings")
        user.run("aider", *model, *quiet, "--message", "say hi")
    assert "agentos recall" in json.dumps(api.received[0])


def test_the_inspector_reads_the_file_of_a_client(user: EmptyHome) -> None:
    assert user.setup("--client", "cursor", "--yes").returncode == 0
    config = str(user.home / ".cursor" / "mcp.json")
    options = (
        "--config",
        config,
        "--server",
        "agentos",
        "--method",
        "tools/list",
        "--strict",
        "--format",
        "json",
        "-q",
    )
    shown = user.run("mcp-inspector", "--cli", *options)
    assert shown.returncode == 0, shown.stderr
    assert "memory_search" in {tool["name"] for tool in json.loads(shown.stdout)["result"]["tools"]}


def asked_of_codex(user: EmptyHome, opening: Sequence[tuple[str, Any]]) -> Any:
    """What Codex' own server says about its MCP servers."""
    with subprocess.Popen(
        ("codex", "app-server"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=user.environment,
        cwd=user.project,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            for number, (method, params) in enumerate([*opening, ("mcpServerStatus/list", {})]):
                process.stdin.write(json.dumps({"id": number, "method": method, "params": params}) + "\n")
                process.stdin.flush()
                answer: Any = {}
                while answer.get("id") != number:
                    answer = json.loads(process.stdout.readline())
                if number == 0:
                    process.stdin.write('{"method": "initialized"}\n')
            return answer["result"]
        finally:
            process.kill()
