"""From 0.1 to this version: its homes serve, and its servers go on beside our daemon (entries: test_setup.py)."""

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from agentos.interfaces.stdio.front import hello
from agentos.interfaces.stdio.front.place import socket_path
from agentos.modules.system import door
from agentos.modules.version import VERSION
from agentos.storage.sqlite import folder
from tests.commands import ran

from .conftest import DEADLINE_S, Start, environment

RELEASED = sorted((Path(__file__).parents[1] / "integration/released").glob("schema-*.sql"))


@pytest.fixture(params=[RELEASED[0], RELEASED[-1]], ids=lambda path: path.stem)
def home_of_01(request: pytest.FixtureRequest, home: Path) -> Path:
    """A data folder as a release of 0.1 left it."""
    home.mkdir(mode=0o700)
    folder.make_private(home / "agentos.db")
    with closing(sqlite3.connect(home / "agentos.db")) as connection:
        connection.executescript(request.param.read_text(encoding="utf-8"))
    return home


def test_a_home_of_0_1_serves_with_all_it_holds(home_of_01: Path, start: Start, tmp_path: Path) -> None:
    server = start(home_of_01, settings={"AGENTOS_AGENT_ID": "ada", "AGENTOS_EMBEDDING_MODEL": "none"})
    assert server.initialize()["serverInfo"]["version"] == VERSION
    found = server.call("memory_search", query="who reviews billing")["results"]
    assert found[0]["content"].startswith("Maria reviews the billing service")
    server.call("memory_store", content="Stored by the new version")
    assert (hello.ask_status(socket_path(home_of_01)) or {})["version"] == VERSION
    assert server.end() == 0
    own = {**environment(home_of_01), "HOME": str(tmp_path), "PATH": str(Path(sys.executable).parent)}
    done = ran(("doctor", "--json"), own)
    checks = {check["id"]: check for check in json.loads(done.stdout)["checks"]}
    assert {name for name, check in checks.items() if check["status"] == "error"} == set(), checks
    assert checks["database.schema"]["status"] == checks["clients.entries"]["status"] == "ok"


def test_a_server_of_0_1_is_refused_and_serves_itself(shared_start: Start, shared_home: Path) -> None:
    server = shared_start()
    server.initialize()
    server.call("memory_store", content="a daemon is there")
    for wants in ("session", "hook"):
        with door.connect(socket_path(shared_home), DEADLINE_S) as connection:
            greeting = {"agentos": {"protocol": hello.PROTOCOL, "version": "0.1.0", "wants": wants, "settings": {}}}
            connection.sendall(json.dumps(greeting).encode() + b"\n")
            answer = json.loads(connection.makefile().readline())["agentos"]
        assert (answer["accepted"], answer["reason"]) == (False, "it is of another version")
    assert server.call("memory_list")["total"] == 1
