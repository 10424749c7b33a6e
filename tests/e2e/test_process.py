"""The server as a process: pure output, clean ends, light starts, company on one home, and no network."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentos.interfaces.stdio.front.place import socket_path
from tests.e2e.conftest import DEADLINE_S

HEAVY = (
    *("chromadb", "torch", "sentence_transformers", "transformers", "onnxruntime", "onnx", "numpy", "sqlalchemy"),
    *("mcp", "mcp_types", "starlette", "uvicorn", "httpx2"),
)

WITH_A_LIST_OF_IMPORTS = f"""
import atexit, os, runpy, sys
leave = os._exit
def told(code):
    print("heavy:", [name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr, flush=True)
    leave(code)
os._exit = told
runpy.run_module("agentos.MODULE", run_name="__main__")
"""

WITHOUT_A_NETWORK = f"""
import sys
IS_STAND_IN = {not hasattr(socket, "AF_UNIX")}
def refuse(event, arguments):
    address = arguments[1] if event == "socket.connect" else ""
    if isinstance(address, str) and address or address and address[0] == "127.0.0.1" and IS_STAND_IN:
        return  # the daemon's door
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        print("network:", event, arguments, file=sys.stderr, flush=True)
        raise OSError("there is no network")
sys.addaudithook(refuse)
"""
DAEMON = "import runpy; runpy.run_module('agentos.daemon', run_name='__main__')"

Start = Callable[..., Any]


def listing_imports(module: str) -> tuple[str, ...]:
    """The command of a process that says at its end which heavy modules it has imported."""
    return sys.executable, "-c", WITH_A_LIST_OF_IMPORTS.replace("MODULE", module)


def wait_until_it_listens(home: Path) -> None:
    """Wait for a daemon that was just started: a server that comes before it starts another one."""
    give_up = time.monotonic() + DEADLINE_S
    while not socket_path(home).exists():
        assert time.monotonic() < give_up
        time.sleep(0.02)


def test_standard_output_holds_nothing_but_answers_each_to_one_request(shared_start: Start) -> None:
    server = shared_start()
    server.initialize()
    requests = [
        ("memory_store", {"content": "first\nsecond line"}),
        ("memory_store", {"content": ""}),
        ("memory_search", {"query": "line"}),
        ("memory_list", {}),
        ("no_such_tool", {}),
        ("goal_add", {"title": "one", "description": "two"}),
        ("context_get_snapshot", {}),
        ("reflection_log", {"action": "print", "outcome": "nothing", "success": True}),
    ]
    identifiers = list(range(1001, 1121))
    for identifier in identifiers:
        name, arguments = requests[identifier % len(requests)]
        params = {"name": name, "arguments": arguments}
        server.send({"jsonrpc": "2.0", "id": identifier, "method": "tools/call", "params": params})
        if identifier % 10 == 0:
            server.send(b"this is no message {")
    torn = sum(identifier % 10 == 0 for identifier in identifiers)
    answered = [server.receive().get("id") for _ in range(len(identifiers) + torn)]
    assert server.end() == 0
    assert answered.count(None) == torn, "what is not a message is answered without an id"
    assert sorted(one for one in answered if one is not None) == identifiers
    messages = [json.loads(line) for line in server.lines]
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    assert server.stderr() == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_cleanly_and_nothing_is_lost(number: signal.Signals, shared_start: Start) -> None:
    server = shared_start()
    server.initialize()
    stored = server.call("memory_store", content="The last thing before the end.")
    server.process.send_signal(number)
    assert server.wait() == 0
    assert "Traceback" not in server.stderr()
    after = shared_start()
    after.initialize()
    assert after.call("memory_get", memory_id=stored["id"])["content"] == "The last thing before the end."


def test_an_interrupt_and_a_termination_in_a_row_end_the_server_cleanly(shared_start: Start) -> None:
    server = shared_start()
    server.initialize()
    server.call("memory_store", content="Claude Code ends its servers in this way.")
    server.process.send_signal(signal.SIGINT)
    server.process.send_signal(signal.SIGTERM)
    assert server.wait() == 0
    assert "Traceback" not in server.stderr()


def test_the_end_of_input_ends_the_server_whenever_it_comes(shared_start: Start) -> None:
    at_once, greeted, busy = shared_start(), shared_start(), shared_start()
    assert at_once.end() == 0
    greeted.initialize()
    assert greeted.end() == 0
    busy.initialize()
    busy.call("memory_store", content="The model begins to load now.")
    assert busy.end() == 0


def test_a_client_that_is_gone_ends_the_server_quietly(home: Path) -> None:
    deaf = subprocess.Popen(
        (sys.executable, "-m", "agentos.server"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "AGENTOS_HOME": str(home)},
    )
    assert deaf.stdin and deaf.stdout and deaf.stderr
    deaf.stdout.close()
    deaf.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    deaf.stdin.flush()
    assert deaf.wait(DEADLINE_S) == 0
    assert deaf.stderr.read() == b""
    deaf.stdin.close()
    deaf.stderr.close()


def test_starting_and_listing_tools_imports_nothing_heavy(start: Start) -> None:
    server = start(command=listing_imports("server"), new=True)
    server.initialize()
    assert server.request("tools/list")["result"]["tools"]
    assert not server.home.exists()
    assert server.end() == 0
    assert "heavy: []" in server.stderr()


@pytest.mark.parametrize("method", ["tools/call", "no/such/method"])
def test_a_daemon_imports_the_sdk_of_mcp_for_what_is_no_plain_call(start: Start, home: Path, method: str) -> None:
    daemon = start(command=listing_imports("daemon"))
    wait_until_it_listens(home)
    server = start()
    server.initialize()
    server.call("memory_store", content="The build takes four minutes.")
    answer = server.request(method, {"name": "memory_list", "arguments": {}})
    daemon.process.send_signal(signal.SIGTERM)
    assert daemon.wait() == 0
    heavy = daemon.stderr().rpartition("heavy: ")[2]
    assert (repr("mcp") in heavy) == ("error" in answer) == (method != "tools/call")
    for name in ("torch", "sentence_transformers", "transformers", "sqlalchemy"):
        assert repr(name) not in heavy


@pytest.mark.parametrize("daemon", ["off", "auto"])
def test_a_memory_is_found_by_its_meaning_without_any_network_torch_or_other_eyes(
    start: Start, home: Path, daemon: str
) -> None:
    daemons = [start(command=(sys.executable, "-c", WITHOUT_A_NETWORK + DAEMON))] if daemon == "auto" else []
    if daemons:
        wait_until_it_listens(home)
    offline = (sys.executable, "-c", WITHOUT_A_NETWORK + WITH_A_LIST_OF_IMPORTS.replace("MODULE", "server"))
    server = start(command=offline, settings={"AGENTOS_DAEMON": daemon})
    server.initialize()
    for content in (
        "Production deploys happen on Tuesdays after the stand-up.",
        "The customer prefers invoices as PDF attachments.",
        "Maria is allergic to peanuts.",
        "The nightly backup writes to the second disk.",
    ):
        server.call("memory_store", content=content)
    hits = server.search_by_meaning("which foods must our colleague avoid?")
    assert hits[0]["content"] == "Maria is allergic to peanuts."
    assert hits[0]["similarity"] > max(hit["similarity"] for hit in hits[1:])
    assert [path for path in (home, *home.rglob("*")) if path.lstat().st_mode & 0o077] == []
    assert server.end() == 0
    assert "network:" not in server.stderr() + "".join(process.stderr() for process in daemons)
    assert f"heavy: {['onnxruntime', 'numpy'] if daemon == 'off' else []}" in server.stderr()


def test_two_servers_on_one_home_see_what_the_other_writes(shared_start: Start) -> None:
    one, other = shared_start(), shared_start()
    one.initialize()
    other.initialize()
    memories = []
    for number in range(10):
        writer, reader = (one, other) if number % 2 else (other, one)
        stored = writer.call("memory_store", content=f"Fact {number} is about zebra{number}.")
        memories.append(stored["id"])
        found = reader.call("memory_search", query=f"zebra{number}")
        assert found["results"][0]["id"] == stored["id"]
    for server in (one, other):
        assert {memory["id"] for memory in server.call("memory_list")["results"]} == set(memories)
    one.call("memory_delete", memory_id=memories[0])
    assert "memory_id" in other.refusal("memory_get", {"memory_id": memories[0]})
    goal = one.call("goal_add", title="Shared", description="by two servers")
    assert other.call("goal_update_progress", goal_id=goal["id"], progress=1)["status"] == "completed"
    assert one.call("goal_get_active")["total"] == 0
    assert (one.end(), other.end()) == (0, 0)
    assert one.stderr() == other.stderr() == ""


def test_a_line_beyond_all_bounds_is_answered_and_the_next_one_served(shared_start: Start) -> None:
    server = shared_start()
    server.initialize()
    server.send(b'{"jsonrpc":"2.0","id":77,"method":"ping","params":{"x":"' + b"x" * (33 * 2**20) + b'"}}')
    assert server.response(77)["error"]["code"] == -32600
    assert "result" in server.request("ping")
