"""Hooks as clients run them: processes with JSON on their pipes, with a daemon and without."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentos.interfaces.hooks.clients import CLIENTS, EVENTS
from agentos.interfaces.stdio.front.place import socket_path
from tests.e2e.conftest import DEADLINE_S, ON_LINUX, at_hand, daemon_pid, end_daemon, environment

MODULE = (sys.executable, "-m", "agentos.interfaces.hooks")
STATUS_LINE = (sys.executable, "-c", "from agentos.interfaces.cli import main; main()", "status-line")
QUIET = {"AGENTOS_DAEMON": "off"}


class Client:
    """One session of a client: runs its hooks one after the other."""

    def __init__(self, home: Path, folder: Path, session: str = "s1", client: str = "claude-code") -> None:
        self.home, self.folder, self.session, self.client = home, folder, session, client
        self.settings: dict[str, str] = {}
        self.command = MODULE

    def run(self, *arguments: str, stdin: bytes, **settings: str) -> subprocess.CompletedProcess[bytes]:
        given = {"AGENTOS_EMBEDDING_MODEL": "none", **self.settings, **settings}
        return subprocess.run(
            (*self.command, *arguments),
            input=stdin,
            env={**environment(self.home), **given},
            cwd=self.folder,
            capture_output=True,
            timeout=DEADLINE_S,
        )

    def hook(self, event: str, **fields: Any) -> str:
        """The context that a hook gives; its process must be a good one."""
        payload = {"session_id": self.session, "cwd": str(self.folder), **fields}
        done = self.run(event, "--client", self.client, stdin=json.dumps(payload).encode())
        assert (done.returncode, done.stderr) == (0, b""), done
        output = json.loads(done.stdout).get("hookSpecificOutput", {})
        context: str = output.get("additionalContext", "")
        return context

    def spooled(self) -> list[Path]:
        return sorted((self.home / "spool").glob("*.json"))

    def rows(self, sql: str) -> list[Any]:
        with at_hand(self.home) as database:
            return list(map(tuple, database.execute(sql).fetchall()))

    def until(self, what: Callable[[], Any]) -> Any:
        give_up = time.monotonic() + DEADLINE_S
        while not (found := what()):
            assert time.monotonic() < give_up
            time.sleep(0.05)
        return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    return tmp_path / "app"


@pytest.fixture
def client(home: Path, folder: Path) -> Client:
    return Client(home, folder)


@pytest.fixture(autouse=True)
def nothing_is_left(home: Path) -> Iterator[None]:
    yield
    end_daemon(home)


@pytest.fixture
def daemon(client: Client) -> Iterator[subprocess.Popen[bytes]]:
    settings = {**environment(client.home), "AGENTOS_EMBEDDING_MODEL": "none"}
    started = subprocess.Popen((sys.executable, "-m", "agentos.daemon"), env=settings, cwd="/")
    client.until(lambda: daemon_pid(client.home))
    yield started
    started.kill()
    started.wait(DEADLINE_S)


def test_the_second_session_remembers_the_first(client: Client, daemon: subprocess.Popen[bytes]) -> None:
    assert "AgentOS" in client.hook("session-start", hook_event_name="SessionStart", source="startup")
    assert client.hook("prompt", hook_event_name="UserPromptSubmit", prompt="Fix the crash of the parser") == ""
    edited = {"tool_name": "Edit", "tool_input": {"file_path": f"{client.folder}/src/parser.py"}}
    assert client.hook("pre-tool", hook_event_name="PreToolUse", **edited) == ""
    client.hook("post-tool", hook_event_name="PostToolUse", tool_response={}, tool_use_id="toolu_1", **edited)
    client.hook("post-tool", hook_event_name="PostToolUse", tool_name="TodoWrite", tool_input={})
    client.hook("post-tool", tool_name="Bash", tool_input={"command": "pytest -q"}, error="Exit code 1\nFAILED test_a")
    client.hook("pre-compact", hook_event_name="PreCompact", trigger="auto")
    assert "## Where this session was" in client.hook("session-start", source="compact")
    client.hook("stop", hook_event_name="Stop", stop_hook_active=False, last_assistant_message="The parser is mended.")
    client.hook("session-end", hook_event_name="SessionEnd", reason="prompt_input_exit")
    assert [row[0] for row in client.rows("SELECT count(*) FROM events WHERE type = 'tool_call'")] == [2]
    second = Client(client.home, client.folder, "s2")
    briefing = second.hook("session-start", source="startup")
    assert "Fix the crash of the parser" in briefing and "src/parser.py" in briefing
    asked = "What was wrong with the crash of the parser?"
    assert second.hook("prompt", prompt=asked) == "", "the start of the session has told it"


def test_a_client_is_told_once_to_let_its_agent_keep_what_it_learnt(client: Client, request: Any) -> None:
    client.home.mkdir(mode=0o700, exist_ok=True)
    (client.home / ".env").write_text("AGENTOS_HOOK_ASK_TO_KEEP=true\n")
    request.getfixturevalue("daemon")

    def stop(**fields: Any) -> Any:
        payload = {"session_id": client.session, "cwd": str(client.folder), "hook_event_name": "Stop", **fields}
        return json.loads(client.run("stop", stdin=json.dumps(payload).encode()).stdout)

    client.hook("prompt", prompt="Fix the crash of the parser")
    client.hook("post-tool", tool_name="Edit", tool_input={"file_path": f"{client.folder}/parser.py"})
    asked = stop(stop_hook_active=False, prompt_id="p1", last_assistant_message="Done.")
    assert asked["decision"] == "block" and "memory_store" in asked["reason"]
    for active in (True, False):
        assert stop(stop_hook_active=active, prompt_id="p1", last_assistant_message=f"Kept {active}.") == {}


def test_a_hook_without_a_daemon_keeps_what_it_knows_and_a_daemon_takes_it_once(client: Client) -> None:
    client.settings = QUIET
    assert client.hook("session-start", source="startup") == ""
    for n in range(20):
        client.hook("post-tool", tool_name="Bash", tool_input={"command": f"make {n}"}, tool_use_id=f"toolu_{n}")
    client.hook("post-tool", tool_name="Bash", tool_input={"command": "make 0"}, tool_use_id="toolu_0")
    assert len(client.spooled()) == 21
    client.settings = {}
    client.hook("stop")  # it starts a daemon for the next one
    client.until(lambda: daemon_pid(client.home) and not client.spooled())
    assert client.rows("SELECT count(*) FROM events WHERE type = 'tool_call'") == [(20,)]
    assert client.rows("SELECT count(*) FROM events WHERE text = 'turn ended'") == [(1,)]


def test_the_first_hook_of_all_starts_a_daemon_that_the_next_ones_find(client: Client) -> None:
    client.hook("prompt", prompt="Add paging to the list of users")
    pid = client.until(lambda: daemon_pid(client.home))
    briefing = client.until(lambda: client.hook("prompt", prompt="and tests for it"))
    assert "AgentOS" in briefing, "the briefing that the start could not give"
    client.hook("session-end")
    assert daemon_pid(client.home) in (pid, 0)
    client.until(lambda: not client.spooled())
    assert client.rows("SELECT count(*) FROM events WHERE type = 'turn'")[0][0] >= 2


def test_hooks_and_a_server_share_one_daemon(client: Client, start: Callable[..., Any]) -> None:
    wire = start(settings={"AGENTOS_EMBEDDING_MODEL": "none"})
    wire.initialize()
    wire.call("memory_store", content="The release train leaves on Tuesdays", importance=0.9)
    assert "Tuesdays" in client.until(lambda: client.hook("session-start", source="clear"))
    assert wire.end() == 0
    assert daemon_pid(client.home), "the session of the hooks goes on"
    client.hook("session-end")
    client.until(lambda: not daemon_pid(client.home))


@pytest.mark.parametrize("client_name", CLIENTS)
@pytest.mark.parametrize("event", EVENTS)
def test_each_hook_of_each_client_says_nothing_where_there_is_nothing(
    client: Client, client_name: str, event: str
) -> None:
    payload = {"session_id": "s", "conversation_id": "s", "prompt": "Fix the parser", "tool_name": "Bash"}
    done = client.run(event, "--client", client_name, stdin=json.dumps(payload).encode(), **QUIET)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) in ({}, {"continue": True}) and done.stdout.count(b"\n") == 1


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (("stop",), b""),
        (("stop",), b"no json"),
        (("stop",), b"[1]"),
        (("stop",), b'{"session_id": 7}'),
        (("stop",), b'{"session_id": "\\ud800", "cwd": "\\ud800"}'),
        (("prompt",), b'{"session_id": "s", "prompt": ["x"]}'),
        (("post-tool",), b'{"session_id": "s", "tool_name": "' + b"x" * 3_000_000 + b'"}'),
        ((), b"{}"),
        (("unknown",), b"{}"),
        (("stop", "--client", "vim"), b"{}"),
        (("stop", "--home", "relative"), b'{"session_id": "s"}'),
        (("stop", "--home", "/proc/none"), b'{"session_id": "s"}'),
    ],
)
def test_whatever_is_wrong_the_agent_does_not_suffer(client: Client, arguments: tuple[str, ...], stdin: bytes) -> None:
    done = client.run(*arguments, stdin=stdin, **QUIET)
    assert done.returncode == 0 and json.loads(done.stdout) == {} and done.stdout == b"{}\n"
    assert b"Error" not in done.stderr  # it is said in words


def test_a_missing_home_a_deleted_folder_and_a_socket_of_nobody_are_no_failures(client: Client, tmp_path: Path) -> None:
    stdin = b'{"session_id": "s", "cwd": "/gone"}'
    bare = {"PATH": "/usr/bin:/bin", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        (*MODULE, "stop"), input=stdin, env={**bare, **QUIET}, capture_output=True, timeout=DEADLINE_S
    )
    assert (done.returncode, done.stdout) == (0, b"{}\n")
    gone = tmp_path / "gone"
    script = f"mkdir {gone} && cd {gone} && rmdir {gone} && exec {sys.executable} -P -m agentos.interfaces.hooks stop"
    done = subprocess.run(
        ("sh", "-c", script), input=stdin, env={**bare, **QUIET, "AGENTOS_HOME": str(client.home)}, capture_output=True,
        timeout=DEADLINE_S,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"{}\n")
    assert len(client.spooled()) == 1


@ON_LINUX
def test_a_hook_that_its_client_ends_leaves_its_payload_in_the_spool(client: Client, home: Path) -> None:
    home.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(socket_path(home)))
        listener.listen()
        command = (*MODULE, "post-tool")
        settings = environment(home)
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=settings) as hook:
            assert hook.stdin is not None and hook.stdout is not None
            hook.stdin.write(json.dumps({"session_id": "s1", "tool_name": "Bash", "tool_use_id": "toolu_1"}).encode())
            hook.stdin.close()
            connection, _ = listener.accept()
            with connection:
                assert connection.recv(1)  # it waits for an answer now
                hook.terminate()
                assert (hook.stdout.read(), hook.wait(DEADLINE_S)) == (b"{}\n", 0)
    (left,) = client.spooled()
    assert json.loads(left.read_text())["key"] == "claude-code:s1:post-tool:toolu_1"


def test_hooks_that_are_switched_off_do_nothing(client: Client) -> None:
    client.settings = {"AGENTOS_HOOKS": "off"}
    for event in EVENTS:
        assert client.hook(event, prompt="Fix the parser") == ""
    assert not client.home.exists()


def test_the_spool_is_private_and_holds_no_secret(client: Client) -> None:
    client.settings = QUIET
    key = "sk-ant-api03-" + "Zq3vT8wLx0Rk5Nd7" * 6
    client.hook("prompt", prompt=f"Fix the parser, the key is {key}")
    [path] = client.spooled()
    assert key not in path.read_text() and "Fix the parser" in path.read_text()
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert client.home.stat().st_mode & 0o777 == 0o700


def test_a_command_line_may_name_home_and_agent(client: Client, tmp_path: Path) -> None:
    stdin = json.dumps({"session_id": "s", "cwd": "/w", "prompt": "Fix it"}).encode()
    client.run("prompt", "--home", str(tmp_path / "other"), "--agent", "ada", stdin=stdin, **QUIET)
    [path] = (tmp_path / "other" / "spool").glob("*.json")
    assert json.loads(path.read_text())["agent"] == "ada" and not client.home.exists()


def test_the_status_line_is_green_while_a_daemon_runs_and_never_fails(client: Client) -> None:
    client.command = STATUS_LINE
    done = client.run(stdin=b"{}")
    assert (done.returncode, done.stdout.decode()) == (0, "\x1b[31m●\x1b[0m agentos is not running\n")
    client.command = MODULE
    client.hook("session-start", source="startup")  # starts a daemon
    client.command = STATUS_LINE
    client.until(lambda: b"no model: searches by words" in client.run("--home", str(client.home), stdin=b"").stdout)
    client.until(lambda: b"no model: searches by words" in client.run(stdin=b"{}").stdout)


@pytest.mark.usefixtures("unmeasured")  # a hook waits as long as a daemon takes to start, without a measure
def test_a_lesson_is_shown_before_its_tool_although_no_daemon_runs(client: Client, start: Callable[..., Any]) -> None:
    server = start(client.home, settings=QUIET)
    server.initialize()
    trigger = {"trigger": {"tool": "Bash", "contains": "git push"}}
    server.call("memory_store", content="Never push on Fridays", tags=["rule"], metadata=trigger)
    server.end()
    context, give_up = "", time.monotonic() + DEADLINE_S
    while not context and time.monotonic() < give_up:  # on a busy machine a daemon may take longer than a hook waits
        end_daemon(client.home)
        (client.home / "spool" / "starting").unlink(missing_ok=True)
        context = client.hook("pre-tool", tool_name="Bash", tool_input={"command": "git push origin"})
    assert "Never push on Fridays" in context
    assert client.hook("pre-tool", tool_name="Read", tool_input={"file_path": "a"}) == ""
