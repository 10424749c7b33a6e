"""The clients themselves and a server by its address: after `agentos setup --remote URL` they say it is connected."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.clients.test_setup import asked_of_codex
from tests.e2e.test_serve import KEY, Serving
from tests.e2e.test_setup import EmptyHome


class RemoteUser(EmptyHome):
    """A user whose memory is on a server, with the key to it."""

    @property
    def environment(self) -> Mapping[str, str]:
        return {**super().environment, "AGENTOS_KEY": KEY}


@pytest.fixture
def serving(home: Path) -> Iterator[Serving]:
    server = Serving(home)
    yield server
    server.end()
    assert server.process.stderr is not None
    server.process.stderr.close()


@pytest.fixture
def user(tmp_path: Path) -> RemoteUser:
    return RemoteUser(tmp_path)


def test_claude_code_is_connected_by_url(user: RemoteUser, serving: Serving) -> None:
    assert user.setup("--client", "claude-code", "--remote", serving.url, "--yes").returncode == 0
    shown = user.run("claude", "mcp", "list").stdout
    assert f"agentos: {serving.url}/mcp" in shown and "✔ Connected" in shown, shown
    assert KEY not in (user.home / ".claude.json").read_text(encoding="utf-8")


def test_gemini_cli_is_connected_by_url(user: RemoteUser, serving: Serving) -> None:
    assert user.setup("--client", "gemini", "--remote", serving.url, "--yes").returncode == 0
    trusted = user.home / ".gemini" / "trustedFolders.json"
    trusted.write_text(json.dumps({str(user.project): "TRUST_FOLDER"}), encoding="utf-8")
    shown = user.run("gemini", "mcp", "list")
    assert "✓ agentos" in shown.stdout + shown.stderr and "Connected" in shown.stdout + shown.stderr, shown


def test_codex_is_connected_by_url_and_gets_the_tools(user: RemoteUser, serving: Serving) -> None:
    assert user.setup("--client", "codex", "--remote", serving.url, "--yes").returncode == 0
    status = asked_of_codex(user, [("initialize", {"clientInfo": {"name": "test", "version": "1"}})])
    servers = {server["name"]: server for server in status["data"]}
    assert "memory_search" in servers["agentos"]["tools"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_lists_and_calls_by_url(user: RemoteUser, serving: Serving, era: str) -> None:
    place = ("--server-url", f"{serving.url}/mcp", "--transport", "http", "--header", f"Authorization: Bearer {KEY}")
    options = ("mcp-inspector", "--cli", *place, "--protocol-era", era, "--format", "json", "-q")
    listed = user.run(*options, "--method", "tools/list", "--strict")
    assert listed.returncode == 0, listed.stderr
    assert "memory_search" in {tool["name"] for tool in json.loads(listed.stdout)["result"]["tools"]}
    called = user.run(*options, "--method", "tools/call", "--tool-name", "memory_store", "--tool-arg", "content=A note")
    assert called.returncode == 0, called.stderr
