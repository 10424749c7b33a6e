"""Calls to the server: commands are its clients, as agents are; the behaviour and the errors are those of the tools."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from ...modules.records import dataclass
from ...modules.version import COMMAND_LINE
from ..stdio.front.place import environment_for, of_environment
from .options import expanded
from .outcome import OF_CODES, CommandFailure, ExitCode
from .wording import of_refusal

PROTOCOL = "2025-11-25"
ANSWER_WITHIN_S = 300.0
"""How long a session may take; a first call may start the daemon and migrate the schema."""
LINGER_S = 300.0
"""How long a daemon that a command has started waits for the next command, which then need not start it again."""

INVALID_PARAMS = -32602
GONE = "the server has ended; agentos doctor has details"


@dataclass(frozen=True)
class ToolAnswer:
    """A tool's answer: for people, and as data."""

    text: str
    data: dict[str, Any]


class Wire(Protocol):
    """A transport of requests to a server and its answers back."""

    def request(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request. Raises CommandFailure where none comes."""
        ...


class Server:
    """A session with a server of our own, on this machine or another; `call` raises CommandFailure where it fails."""

    def __init__(self, wire: Wire, agent: str | None = None) -> None:
        self._wire = wire
        self._agent = agent
        self._number = 0

    def greet(self) -> None:
        """Introduce this client, where the server keeps a session."""
        client = {"name": COMMAND_LINE, "version": "1"}
        self._request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client})

    def call(self, tool: str, **arguments: Any) -> ToolAnswer:
        """Return the answer of a tool to the arguments that are not None. Raises CommandFailure where it refuses."""
        given = {name: value for name, value in arguments.items() if value is not None}
        if self._agent is not None:
            given.setdefault("agent_id", self._agent)
        result = self._request("tools/call", {"name": tool, "arguments": given})
        text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        if result.get("isError"):
            code = str((result.get("_meta") or {}).get("agentos/code", ""))
            raise CommandFailure(of_refusal(text), OF_CODES.get(code, ExitCode.REFUSED), code)
        return ToolAnswer(text, result["structuredContent"])

    def _request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        message = self._wire.request({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        if "error" in message:
            wrong = message["error"]["code"] == INVALID_PARAMS
            detail = of_refusal(message["error"]["message"].removeprefix("arguments."))
            raise CommandFailure(detail, ExitCode.WRONG_USE if wrong else ExitCode.UNAVAILABLE)
        result: dict[str, Any] = message["result"]
        return result


class Pipes:
    """Exchange JSON lines with a child process."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdin and process.stdout
        self._in, self._out = process.stdin, process.stdout

    def request(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request. Raises CommandFailure where the process has ended."""
        self.send(message)
        for line in self._out:
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == message["id"]:
                return answer
        raise CommandFailure(GONE, ExitCode.UNAVAILABLE)

    def send(self, message: dict[str, Any]) -> None:
        """Send a message that is not answered. Raises CommandFailure where the process has ended."""
        try:
            self._in.write(json.dumps(message) + "\n")
            self._in.flush()
        except BrokenPipeError as error:
            raise CommandFailure(GONE, ExitCode.UNAVAILABLE) from error


def is_elsewhere(home: Path | None) -> bool:
    """Return whether AGENTOS_URL names a server, and the command no home."""
    return home is None and bool(of_environment().url)


@contextmanager
def server(home: Path | None, agent: str | None, toolsets: Sequence[str] = ()) -> Iterator[Server]:
    """Yield a session with a server on a home, for an agent; the daemon answers, as for agents.

    Its tools are those of every server, and those of `toolsets`. Where AGENTOS_URL names a server, and the command no
    home, that server answers.
    """
    if is_elsewhere(home):
        from ... import config
        from .remote import RemoteWire

        settings = config.load()
        yield Server(
            RemoteWire(settings, toolsets, PROTOCOL), agent or of_environment().settings.get("AGENTOS_AGENT_ID")
        )
        return
    folder = None if home is None else expanded(home)
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "agentos.server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment_for(folder, agent, toolsets, LINGER_S),
        text=True,
        encoding="utf-8",
    )
    late = threading.Timer(ANSWER_WITHIN_S, process.kill)
    late.daemon = True
    late.start()
    try:
        pipes = Pipes(process)
        session = Server(pipes)
        session.greet()
        pipes.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        yield session
    finally:
        late.cancel()
        assert process.stdin and process.stdout
        process.stdin.close()
        process.stdout.close()
        process.wait()


def ask(
    tool: str, home: Path | None, agent: str | None, toolsets: Sequence[str] = (), /, **arguments: Any
) -> ToolAnswer:
    """Make one call in a session of its own."""
    with server(home, agent, toolsets) as session:
        return session.call(tool, **arguments)
