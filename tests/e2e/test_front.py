"""The front: ready at once, one daemon for everybody, and a session that outlives its daemon."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from agentos.interfaces.stdio.front import handshake, hello
from agentos.interfaces.stdio.front.place import socket_path
from tests.e2e.conftest import DEADLINE_S, ON_LINUX

Start = Callable[..., Any]
META = {handshake.PROTOCOL_VERSION_KEY: handshake.MODERN, handshake.CAPABILITIES_KEY: {}}


def wait_until(done: Callable[[], Any]) -> Any:
    give_up = time.monotonic() + DEADLINE_S
    while not (result := done()):
        assert time.monotonic() < give_up
        time.sleep(0.02)
    return result


def status(home: Path) -> dict[str, Any]:
    answer: dict[str, Any] = wait_until(lambda: hello.ask_status(socket_path(home)))
    return answer


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def daemons_of(home: Path) -> list[int]:
    """The processes, apart from this one, that were told this home."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if b"--until-idle\0" + os.fsencode(home) in (process / "cmdline").read_bytes() and is_alive(
                int(process.name)
            ):
                found.append(int(process.name))
    return found


def daemon_of(home: Path) -> int:
    """The one daemon; another that was started at the same moment ends at once."""
    wait_until(lambda: len(daemons_of(home)) == 1)
    return daemons_of(home)[0]


def call(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def test_the_snapshot_is_what_the_live_server_answers() -> None:
    live = subprocess.run(
        (sys.executable, "-m", "agentos.server", "--handshake"), capture_output=True, check=True, timeout=DEADLINE_S
    )
    assert live.stdout == handshake.SNAPSHOT.read_bytes(), (
        "run: agentos-server --handshake > interfaces/stdio/front/handshake.jsonl"
    )


@ON_LINUX
def test_the_handshake_is_answered_before_there_is_a_daemon(start_plain: Start, home: Path) -> None:
    server = start_plain()
    assert server.initialize()["serverInfo"]["name"] == "agentos"
    assert server.request("ping")["result"] == {}
    assert len(server.request("tools/list")["result"]["tools"]) == 20
    assert server.call("memory_list")["total"] == 0
    assert socket_path(home).stat().st_mode & 0o777 == 0o600, "it is for its owner only"
    with closing(socket.socket(socket.AF_UNIX)) as stranger:
        stranger.settimeout(DEADLINE_S)
        stranger.connect(str(socket_path(home)))
        stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert stranger.recv(1) == b"", "who says no hello is told nothing"
    assert server.call("memory_list")["total"] == 0


@ON_LINUX
def test_many_sessions_that_start_at_once_find_one_daemon(start_plain: Start, home: Path) -> None:
    servers = [start_plain() for _ in range(4)]
    for number, server in enumerate(servers):
        server.initialize()
        server.send(call(100, "memory_store", content=f"fact {number}"))
    assert not any(server.response(100)["result"]["isError"] for server in servers)
    assert status(home)["sessions"] == 4
    daemon_of(home)
    for server in servers:
        assert server.call("memory_list")["total"] == 4


@ON_LINUX
def test_sessions_keep_their_own_agent_and_the_last_one_takes_the_daemon_with_it(
    start_plain: Start, home: Path
) -> None:
    ada, ben = (start_plain(settings={"AGENTOS_AGENT_ID": name}) for name in ("ada", "ben"))
    for server, name in ((ada, "ada"), (ben, "ben")):
        server.initialize()
        server.call("memory_store", content=f"written by {name}")
    daemon = daemon_of(home)
    assert daemon == status(home)["pid"] and status(home)["sessions"] == 2
    assert [memory["content"] for memory in ben.call("memory_list")["results"]] == ["written by ben"]
    assert ben.call("memory_list", agent_id="ada")["total"] == 1
    assert ada.end() == 0
    assert ben.call("memory_list")["total"] == 1 and daemon_of(home) == daemon
    assert ben.end() == 0
    assert not is_alive(daemon) and not socket_path(home).exists()
    assert (ada.stderr(), ben.stderr()) == ("", "")


@ON_LINUX
def test_a_daemon_may_be_asked_to_linger(start_plain: Start, home: Path) -> None:
    lingering = {"AGENTOS_DAEMON_LINGER_S": "600"}
    server = start_plain(settings=lingering)
    server.initialize()
    server.call("memory_list")
    daemon = daemon_of(home)
    assert server.end() == 0
    again = start_plain(settings=lingering)
    again.initialize()
    again.call("memory_list")
    assert daemons_of(home) == [daemon]
    os.kill(daemon, signal.SIGKILL)


@ON_LINUX
def test_a_daemon_of_another_version_is_left_alone(start_plain: Start, home: Path) -> None:
    home.mkdir(mode=0o700)
    with closing(socket.socket(socket.AF_UNIX)) as other:
        other.bind(str(socket_path(home)))
        other.listen()
        server = start_plain()
        server.initialize()
        connection, _ = other.accept()
        connection.recv(2**16)
        connection.sendall(b'{"agentos": {"protocol": 1, "version": "0.1.0", "accepted": true}}\n')
        assert "duplicate" not in server.call("memory_store", content="in process")
        assert "serving in process: the daemon cannot serve this session" in server.stderr()
        connection.close()


def test_other_names_lead_to_the_one_daemon_or_into_the_server_itself(
    start_plain: Start, home: Path, tmp_path: Path
) -> None:
    first = start_plain()
    first.initialize()
    first.call("memory_store", content="one database")
    (tmp_path / "link").symlink_to(home)
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    (other / "agentos.db").symlink_to(home / "agentos.db")
    shared = {"AGENTOS_DATABASE_URL": f"sqlite:///{home / 'agentos.db'}"}
    same = start_plain(tmp_path / "link")
    linked, named = start_plain(other), start_plain(tmp_path / "second", settings=shared)
    unlike = start_plain(settings={"AGENTOS_SNAPSHOT_MAX_TOKENS": "900"})
    for server in (same, linked, named, unlike):
        server.initialize()
        server.send(call(5, "memory_list"))
    for server in (same, linked, named, unlike):
        assert server.response(5)["result"]["structuredContent"]["total"] == 1
    assert status(home)["sessions"] == 2 and same.stderr() == ""
    for server in (linked, named):
        assert "serving in process" in server.stderr(), "two daemons of one database"
    assert "AGENTOS_SNAPSHOT_MAX_TOKENS" in unlike.stderr()


@ON_LINUX
def test_an_answer_that_came_before_the_daemons_end_is_passed_on(start_plain: Start, home: Path) -> None:
    home.mkdir(mode=0o700)
    with closing(socket.socket(socket.AF_UNIX)) as daemon:
        daemon.bind(str(socket_path(home)))
        daemon.listen()
        server = start_plain()
        server.initialize()
        connection, _ = daemon.accept()
        connection.recv(2**16)
        connection.sendall(hello.answer(accepted=True))
        server.send(call(5, "goal_add", title="sail"))
        received = b""
        while b'"goal_add"' not in received:
            received += connection.recv(2**16)
        server.send(call(6, "goal_add", title="x" * 3_000_000))  # is never read: the front has more to say
        result = {"content": [{"type": "text", "text": "y" * 300_000}], "isError": False}
        connection.sendall(json.dumps({"jsonrpc": "2.0", "id": 5, "result": result}).encode() + b"\n")
        connection.close()
        assert server.response(5)["result"] == result


@ON_LINUX
def test_without_a_daemon_everything_happens_in_the_server(start_plain: Start, home: Path) -> None:
    server = start_plain(settings={"AGENTOS_DAEMON": "off"})
    server.initialize()
    server.call("memory_store", content="alone")
    assert server.call("memory_search", query="alone")["results"]
    assert daemons_of(home) == [] and not socket_path(home).exists()
    assert server.end() == 0
    assert server.stderr() == ""


def test_a_large_request_and_its_answer_pass_complete(start_plain: Start) -> None:
    server = start_plain(settings={"AGENTOS_MAX_CONTENT_BYTES": "1048576"})
    server.initialize()
    content = "words " * 170_000
    stored = server.call("memory_store", content=content[:1_000_000])
    assert server.call("memory_get", memory_id=stored["id"])["content"] == content[:1_000_000]


def test_pipelined_requests_are_each_answered_once(shared_start: Start) -> None:
    server = shared_start()
    server.initialize()
    for number in range(300, 360):
        server.send(call(number, "memory_store", content=f"fact {number}") if number % 3 else call(number, "goal_list"))
    answered = [server.receive()["id"] for _ in range(60)]
    assert sorted(answered) == list(range(300, 360))


def test_ids_of_either_kind_are_kept_apart(shared_start: Start) -> None:
    server = shared_start()
    server.initialize()
    for identifier in (7, "7"):
        server.send({"jsonrpc": "2.0", "id": identifier, "method": "tools/list"})
        server.send({**call(0, "goal_list"), "id": identifier})
    answered = [server.receive()["id"] for _ in range(4)]
    assert sorted(map(repr, answered)) == ["'7'", "'7'", "7", "7"]


def test_both_eras_are_answered_as_by_the_live_server(shared_start: Start) -> None:
    """Whatever the front answers itself is what the live server answers to the same message."""
    fresh = handshake.Handshake()
    assert fresh.result_of({"id": 1, "method": "tools/list", "params": {}}) is None, "not before the handshake"
    assert fresh.result_of({"id": 1, "method": "tools/list", "params": {"_meta": META}}) is not None
    assert fresh.result_of({"id": 1, "method": "ping", "params": {"_meta": META}}) is None
    assert fresh.result_of({"id": 1, "method": "tools/list", "params": {"_meta": META, "cursor": "x"}}) is None
    broken = {"protocolVersion": "2025-11-25", "capabilities": [], "clientInfo": {"name": "x", "version": "1"}}
    assert fresh.result_of({"id": 1, "method": "initialize", "params": broken}) is None
    assert fresh.result_of({"id": True, "method": "initialize", "params": {}}) is None
    server = shared_start()
    for version, agreed in (("2024-11-05", "2024-11-05"), ("2026-07-28", "2025-11-25"), ("1999-01-01", "2025-11-25")):
        assert shared_start().initialize(version)["protocolVersion"] == agreed
    refused = server.request("initialize", broken)
    assert refused["error"]["code"] == -32602
