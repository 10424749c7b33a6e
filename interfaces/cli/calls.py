"""Commands are clients of the server, as agents are: what they do and how they fail is the tools' own affair."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from ..stdio.front.place import environment_for

PROTOCOL = "2025-11-25"
ANSWER_WITHIN_S = 300.0
"""A first call may start the daemon and bring the schema up to date."""

GONE = "the server has ended; agentos doctor tells more"
REFUSED, UNAVAILABLE = 1, 2
"""Exit codes: the server refused the call, or there is no server to ask."""


@dataclass(frozen=True)
class Answer:
    """What a tool answered: for people, and as data."""

    text: str
    data: dict[str, Any]


class Server:
    """A session with a server of our own; `call` ends the command with an exit code where it fails."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdin and process.stdout
        self._in, self._out = process.stdin, process.stdout
        self._number = 0
        client = {"name": "agentos-cli", "version": "1"}
        self._request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client})
        self._send({"method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> Answer:
        """The answer of a tool to the arguments that are not None; a refusal is told and ends the command with 1."""
        given = {name: value for name, value in arguments.items() if value is not None}
        result = self._request("tools/call", {"name": tool, "arguments": given})
        text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        if result.get("isError"):
            raise ended(text, REFUSED)
        return Answer(text, result["structuredContent"])

    def _request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        for line in self._out:
            message = json.loads(line)
            if message.get("id") != self._number:
                continue
            if "error" in message:
                raise ended(message["error"]["message"], REFUSED)
            result: dict[str, Any] = message["result"]
            return result
        raise ended(GONE, UNAVAILABLE)

    def _send(self, message: dict[str, Any]) -> None:
        try:
            self._in.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            self._in.flush()
        except BrokenPipeError as error:
            raise ended(GONE, UNAVAILABLE) from error


@contextmanager
def server(home: Path | None, agent: str | None, toolsets: Sequence[str] = ()) -> Iterator[Server]:
    """A session with a server on a home, for an agent; it is the daemon that answers, as it does agents.

    Its tools are those of every server, and those of `toolsets`.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "agentos.server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment_for(home, agent, toolsets),
        text=True,
        encoding="utf-8",
    )
    late = threading.Timer(ANSWER_WITHIN_S, process.kill)
    late.daemon = True
    late.start()
    try:
        yield Server(process)
    finally:
        late.cancel()
        assert process.stdin and process.stdout
        process.stdin.close()
        process.stdout.close()
        process.wait()


def ask(tool: str, home: Path | None, agent: str | None, **arguments: Any) -> Answer:
    """One call in a session of its own."""
    with server(home, agent) as session:
        return session.call(tool, **arguments)


def ended(message: str, code: int) -> typer.Exit:
    """The end of a command, to be raised, after a message on standard error."""
    typer.echo(f"agentos: {message}", err=True)
    return typer.Exit(code)
