"""`agentos doctor` and `agentos status` as a person starts them: beside live sessions, and where little works."""

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.commands import ran
from tests.e2e.conftest import DEADLINE_S


class Session(Protocol):
    def initialize(self) -> dict[str, Any]: ...
    def call(self, tool: str, **arguments: Any) -> dict[str, Any]: ...
    def search_by_meaning(self, query: str) -> list[dict[str, Any]]: ...
    def end(self) -> int: ...


class Start(Protocol):
    def __call__(self) -> Session: ...


def agentos(home: Path | None, *arguments: str, **settings: str) -> tuple[int, str]:
    """Exit code and output of a command."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("AGENTOS_")}
    path = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{own.get('PATH', '')}"}
    where = {} if home is None else {"AGENTOS_HOME": str(home)}
    where["HOME"] = str(Path(os.environ["XDG_DATA_HOME"]).parent)  # no clients of whoever runs the tests
    done = ran(arguments, {**own, **path, **where, **settings})
    return done.returncode, done.stdout


def doctor(home: Path | None, *arguments: str, **settings: str) -> tuple[int, dict[str, dict[str, Any]]]:
    code, output = agentos(home, "doctor", "--json", *arguments, **settings)
    return code, {check["id"]: check for check in json.loads(output)["checks"]}


def faults(checks: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {name: check["message"] for name, check in checks.items() if check["status"] in ("warning", "error")}


def status(home: Path) -> dict[str, Any]:
    code, output = agentos(home, "status", "--json")
    assert code == 0
    facts: dict[str, Any] = json.loads(output)
    return facts


def test_doctor_finds_nothing_wrong_beside_a_live_session(home: Path, start: Start) -> None:
    session = start()
    session.initialize()
    session.call("memory_store", content="Maria reviews the billing service", memory_type="semantic")
    session.call("memory_store", content="Deploys are on Tuesdays", memory_type="procedural", tags=["deploy"])
    session.call("goal_add", title="Ship", description="It")
    session.search_by_meaning("who looks at payments?")

    code, checks = doctor(home)
    assert (code, faults(checks)) == (0, {})
    assert checks["daemon.answers"]["details"]["sessions"] == 1

    facts = status(home)
    assert facts["daemon"]["state"] == "running" and facts["daemon"]["sessions"] == 1
    assert facts["daemon"]["pid"] == checks["daemon.answers"]["details"]["pid"]
    assert facts["daemon"]["uptime_s"] >= 0 and facts["daemon"]["model"]["state"] == "ready"
    assert session.end() == 0

    give_up = time.monotonic() + DEADLINE_S
    while (facts := status(home))["daemon"]["state"] == "running":
        assert time.monotonic() < give_up
    # One that has much to close when it is told to leave ends without a note.
    assert facts["daemon"]["state"] in ("stopped", "dead") and facts["jobs"]
    assert set(faults(doctor(home)[1])) <= {"daemon.record"}


def test_rows_are_mended_while_a_session_goes_on(home: Path, start_plain: Start) -> None:
    plain = {"AGENTOS_EMBEDDING_MODEL": "none"}
    session = start_plain()
    session.initialize()
    stored = session.call("memory_store", content="the porcelain teapot is in the cellar", tags=["kitchen"])
    with closing(sqlite3.connect(home / "agentos.db", isolation_level=None)) as connection:
        connection.execute("DELETE FROM memory_text")
        connection.execute("DELETE FROM memory_tags")
    assert set(faults(doctor(home, **plain)[1])) == {"rows.text_index", "rows.tags"}

    code, checks = doctor(home, "--repair", **plain)

    assert (code, faults(checks)) == (0, {})
    found = session.call("memory_search", query="porcelain", tags=["kitchen"])["results"]
    assert [hit["id"] for hit in found] == [stored["id"]]
    session.call("memory_store", content="and so is the kettle")
    assert session.end() == 0


def test_the_counts_are_those_of_sql_and_what_tells_them_loads_nothing_heavy(home: Path, start_plain: Start) -> None:
    session = start_plain()
    session.initialize()
    for namespace in ("ada", "bob é"):
        for number in range(4):
            kind = "working" if number == 3 else "semantic"
            session.call("memory_store", content=f"ä fact {number}", memory_type=kind, agent_id=namespace)
        goal = session.call("goal_add", title="Ship", description="It", agent_id=namespace)
        session.call("goal_update_progress", goal_id=goal["id"], progress=1.0, agent_id=namespace)
        session.call("goal_add", title="Rest", description="A little", agent_id=namespace)
        session.call("reflection_log", action="a", outcome="b", success=True, agent_id=namespace)
    session.end()

    agents = {agent["agent_id"]: agent for agent in status(home)["agents"]}

    assert set(agents) == {"ada", "bob é"}
    with closing(sqlite3.connect(home / "agentos.db")) as connection:
        for namespace, agent in agents.items():

            def sql(query: str, of: str = namespace) -> list[tuple[Any, ...]]:
                return connection.execute(query, (of,)).fetchall()

            assert agent["memories"]["by_type"] == dict(
                sql("SELECT memory_type, count(*) FROM memories WHERE namespace = ? GROUP BY 1")
            )
            contents = [row[0] for row in sql("SELECT content FROM memories WHERE namespace = ?")]
            assert agent["memories"]["total"] == len(contents) == 4
            assert agent["memories"]["bytes"] == sum(len(content.encode()) for content in contents)
            assert agent["goals"]["by_status"] == dict(
                sql("SELECT status, count(*) FROM goals WHERE namespace = ? GROUP BY 1")
            )
            assert [(agent["reflections"],)] == sql("SELECT count(*) FROM events WHERE namespace = ?")
            assert [(agent["open_insights"],)] == sql(
                "SELECT count(*) FROM insights WHERE status = 'open' AND namespace = ?"
            )
    assert status(home)["sizes"]["database"] == (home / "agentos.db").stat().st_size
    code, text = agentos(home, "status")
    assert code == 0 and re.search(r"^ada +4 ", text, re.MULTILINE)

    heavy = ("mcp", "chromadb", "torch", "sentence_transformers", "onnxruntime", "onnx", "numpy", "sqlalchemy")
    for command in ("doctor", "status"):
        code = (
            f"import sys; sys.argv = ['agentos', {command!r}]\nfrom agentos.interfaces.cli import main\n"
            f"try:\n    main()\nexcept SystemExit:\n    pass\n"
            f"print('heavy:', [name for name in {heavy!r} if name in sys.modules])"
        )
        environment = {**os.environ, "AGENTOS_HOME": str(home)}
        done = subprocess.run((sys.executable, "-c", code), env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.endswith("heavy: []\n"), done.stdout


@pytest.mark.parametrize("command", ["doctor", "status"])
def test_without_a_home_none_is_made(home: Path, command: str) -> None:
    code, text = agentos(home, command)
    assert code == 0 and "there is no data yet" in text
    assert not home.exists()


@pytest.mark.parametrize("command", ["doctor", "status"])
def test_a_damaged_database_is_reported_in_words(home: Path, command: str) -> None:
    home.mkdir(mode=0o700)
    (home / "agentos.db").write_bytes(b"not a database at all" * 100)
    (home / "agentos.db").chmod(0o600)
    code, text = agentos(home, command)
    assert code == {"doctor": 2, "status": 4}[command] and ("restore" in text or "doctor" in text)
    assert sorted(path.name for path in home.iterdir()) == ["agentos.db"]


def test_a_home_that_is_no_path_leaves_the_installation_to_look_at(home: Path) -> None:
    code, checks = doctor(None, AGENTOS_HOME="somewhere/else")
    assert code == 2 and "absolute" in faults(checks)["settings.values"]
    assert set(checks) >= {"installation.python", "installation.sqlite"} and "home.folder" not in checks


def test_an_env_file_that_cannot_be_read_is_named(home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / ".env").write_bytes(b"AGENTOS_AGENT_ID=\xff\xfe")
    (home / ".env").chmod(0o600)
    code, checks = doctor(home)
    assert code == 2 and ".env" in faults(checks)["settings.values"]
    assert checks["home.folder"]["status"] == "ok"
