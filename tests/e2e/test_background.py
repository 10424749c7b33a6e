"""The daemon in the background: started, found running, restarted with its HTTP, stopped; and the dashboard's link."""

import json
import socket
import subprocess
from pathlib import Path
from typing import Any

import httpx2

from agentos.interfaces.stdio.front import hello
from agentos.interfaces.stdio.front.place import socket_path
from tests.commands import ran
from tests.e2e.conftest import end_daemon, environment


def agentos(home: Path, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = ran(arguments, {**environment(home), "AGENTOS_EMBEDDING_MODEL": "none"})
    assert done.returncode == code, done.stdout + done.stderr
    return done


def json_of(home: Path, *arguments: str, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(agentos(home, *arguments, "--json", code=code).stdout)
    return found


def test_where_the_address_is_taken_no_daemon_is_ended_for_it_and_a_setting_names_another(home: Path) -> None:
    try:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            assert f"cannot listen at {address}" in agentos(home, "start", "--listen", address, code=4).stderr
            first = json_of(home, "start")
            (home / ".env").write_text(f"AGENTOS_HTTP={address}\n", encoding="utf-8")
            for command in (("open", "--no-browser"), ("restart",), ("serve",)):
                error = json_of(home, *command, code=4)["error"]
                assert f"cannot listen at {address}" in error["message"] and "AGENTOS_HTTP" in error["message"]
                state = hello.ask_status(socket_path(home))
                assert state is not None and state["pid"] == first["pid"], command
    finally:
        end_daemon(home)


def test_the_dashboard_opens_beside_a_daemon_without_http(home: Path) -> None:
    try:
        first = json_of(home, "start")
        (home / ".env").write_text("AGENTOS_HTTP=127.0.0.1:0\n", encoding="utf-8")
        opened = agentos(home, "open", "--no-browser").stdout.partition("#")[0]
        assert httpx2.get(opened).status_code == 200 and json_of(home, "start")["pid"] != first["pid"]
    finally:
        end_daemon(home)


def test_it_starts_once_restarts_with_http_and_stops(home: Path) -> None:
    try:
        first = json_of(home, "start")
        assert first["http"] is None and json_of(home, "start") == first
        (home / ".env").write_text("AGENTOS_REDACTION_PATTERNS=\nAGENTOS_MEMORY_DECAY_RATE=0.5\n", encoding="utf-8")
        state = hello.ask_status(socket_path(home))
        assert state is not None and state["differs"] == ["AGENTOS_MEMORY_DECAY_RATE"], "a restart is needed"
        second = json_of(home, "restart", "--listen", "127.0.0.1:0")
        assert second["pid"] != first["pid"] and second["http"].startswith("http://127.0.0.1:")
        opened = agentos(home, "open", "--no-browser")
        address, _, link = opened.stdout.strip().partition("#")
        assert address.startswith(second["http"]) and link.startswith("agol_")
        assert "cannot decide approvals" in opened.stderr
        assert httpx2.get(address).status_code == 200
        assert json_of(home, "stop") == {"stopped": True}
        assert json_of(home, "stop", code=1) == {"stopped": False}
    finally:
        end_daemon(home)
