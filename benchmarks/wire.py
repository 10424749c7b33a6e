"""A raw MCP client over standard input and output: no SDK between the clock and the server."""

import json
import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import processes

DEADLINE_S = 60.0
LEGACY = "2025-11-25"
MODERN = "2026-07-28"
CLIENT = {"name": "benchmark", "version": "1"}
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Gone(Exception):
    """The server has ended, or closed its output."""


class Refused(Exception):
    """The server answered with an error."""


class Wire:
    """A server process and its pipes. Not thread-safe; every wait is bounded.

    Answers may come in any order: `send` returns a number, `answer` waits for the answer to it.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        """Start a server with `folder` as its working directory; its stderr goes to a file there."""
        self.stderr_path = folder / f"stderr-{time.monotonic_ns()}.txt"
        with self.stderr_path.open("wb") as stderr:
            self.process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=dict(environment),
                cwd=folder,
                bufsize=0,
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._in, self._out = self.process.stdin.fileno(), self.process.stdout.fileno()
        self._pending = b""
        self._answers: dict[int, dict[str, Any]] = {}
        self._next_id = 0

    def send(self, method: str, params: Mapping[str, Any] | None = None) -> int:
        """Send a request and return its number at once. Raises Gone."""
        self._next_id += 1
        self._write({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": dict(params or {})})
        return self._next_id

    def send_call(self, tool: str, **arguments: Any) -> int:
        """Send a tool call and return its number at once. Raises Gone."""
        return self.send("tools/call", {"name": tool, "arguments": arguments})

    def answer(self, number: int, timeout_s: float = DEADLINE_S) -> dict[str, Any]:
        """Return the whole answer to a request. Raises Gone or TimeoutError."""
        give_up_at = time.monotonic() + timeout_s
        while number not in self._answers:
            self._read_available(give_up_at)
        return self._answers.pop(number)

    def arrived(self, timeout_s: float) -> dict[int, dict[str, Any]]:
        """Return the answers so far, waiting at most `timeout_s` for the first. Raises Gone once there are no more."""
        if not self._answers:
            try:
                self._read_available(time.monotonic() + timeout_s)
            except TimeoutError:
                return {}
        taken, self._answers = self._answers, {}
        return taken

    def request(
        self, method: str, params: Mapping[str, Any] | None = None, timeout_s: float = DEADLINE_S
    ) -> dict[str, Any]:
        """Return the result of a request. Raises Refused, Gone or TimeoutError."""
        return result_of(self.answer(self.send(method, params), timeout_s))

    def initialize(self) -> dict[str, Any]:
        """Do the handshake of a client of the protocol before 2026-07-28."""
        params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": CLIENT}
        answer = self.request("initialize", params)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def discover(self) -> dict[str, Any]:
        """Send `server/discover`, as a client of protocol 2026-07-28 does first; return the result."""
        return self.request("server/discover", {"_meta": MODERN_META})

    def call(self, tool: str, timeout_s: float = DEADLINE_S, **arguments: Any) -> dict[str, Any]:
        """Return the structured result of a tool. Raises Refused, Gone or TimeoutError."""
        return structured(self.answer(self.send_call(tool, **arguments), timeout_s))

    def close_input(self) -> None:
        """Close the server's input, as a client that has gone."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def close(self, timeout_s: float = 10.0) -> None:
        """End the server as a client does: close its input and wait; kill it after `timeout_s`."""
        self.close_input()
        try:
            self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            processes.kill(self.process.pid)
        self._release()

    def kill(self) -> None:
        """Kill the server."""
        self.process.kill()
        self._release()

    def drop_pipes(self) -> None:
        """Close both pipes without a word, as a crashed client does."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()

    def stderr(self) -> str:
        """Return what the server has written to standard error."""
        return self.stderr_path.read_text(encoding="utf-8", errors="replace")

    def _release(self) -> None:
        self.process.wait(DEADLINE_S)
        self.drop_pipes()

    def _write(self, message: Mapping[str, Any]) -> None:
        data = memoryview(json.dumps(message).encode() + b"\n")
        try:
            while data:
                data = data[os.write(self._in, data) :]
        except (BrokenPipeError, ValueError) as error:
            raise Gone("the server does not read any more") from error

    def _read_available(self, give_up_at: float) -> None:
        ready, _, _ = select.select([self._out], [], [], max(0.0, give_up_at - time.monotonic()))
        if not ready:
            raise TimeoutError("the server did not answer in time")
        data = os.read(self._out, 1 << 20)
        if not data:
            raise Gone(f"the server has ended: {self.stderr()[-300:]}")
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if isinstance(message.get("id"), int) and "method" not in message:
                self._answers[message["id"]] = message


def result_of(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result in an answer. Raises Refused."""
    if "error" in answer:
        raise Refused(answer["error"]["message"])
    result: dict[str, Any] = answer["result"]
    return result


def structured(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the structured content of a tool's answer. Raises Refused if the call was flagged as failed."""
    result = result_of(answer)
    if result.get("isError"):
        raise Refused(" ".join(part.get("text", "") for part in result["content"]))
    content: dict[str, Any] = result["structuredContent"]
    return content
