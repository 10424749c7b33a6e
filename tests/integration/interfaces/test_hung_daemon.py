"""The front beside a daemon that took a request and then stands still: the session goes on with the next one."""

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentos.interfaces.stdio.front import hello, relay
from agentos.interfaces.stdio.front.place import Place

DEADLINE_S = 60.0


class Daemons:
    """A socket where the first daemon hears a request and says nothing more; the next one answers."""

    def __init__(self, path: Path) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self.hung: list[socket.socket] = []

    def take(self) -> tuple[socket.socket, Any]:
        """The next connection, and a file of its lines; a question for the status is left without an answer."""
        while True:
            connection, _ = self._listener.accept()
            connection.settimeout(DEADLINE_S)
            lines = connection.makefile("rb")
            greeting = hello.read(lines.readline())
            if greeting is not None and greeting["wants"] == "session":
                connection.sendall(hello.answer(accepted=True))
                return connection, lines
            self.hung.append(connection)

    def close(self) -> None:
        self._listener.close()
        for connection in self.hung:
            connection.close()


@pytest.fixture
def daemons(tmp_path: Path) -> Iterator[Daemons]:
    path = tmp_path / "daemon.sock"
    with closing(Daemons(path)) as there:
        yield there


def test_a_daemon_that_stands_still_is_left_for_the_next_one(
    daemons: Daemons, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seconds in (("SILENT_S", 0.05), ("ALIVE_WITHIN_S", 0.05), ("LOOK_ROUND_S", 0.05)):
        monkeypatch.setattr(relay, name, seconds)
    monkeypatch.setattr(relay, "_signals_as_input", lambda: os.pipe()[0])
    client_in, ask = os.pipe()
    answer, client_out = os.pipe()

    def refuse(_: socket.socket) -> None:
        raise AssertionError("it is not served in process")

    front = relay.Relay(Place(tmp_path, True, {}), refuse, client_in, client_out)
    running = threading.Thread(target=front.run)
    running.start()
    request = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "memory_list", "arguments": {}}}
    os.write(ask, json.dumps(request).encode() + b"\n")
    first, received = daemons.take()
    assert json.loads(received.readline())["id"] == 5
    second, repeated = daemons.take()
    assert json.loads(repeated.readline())["id"] == 5
    second.sendall(b'{"jsonrpc":"2.0","id":5,"result":{"content":[]}}\n')
    assert json.loads(os.read(answer, 2**16)) == {"jsonrpc": "2.0", "id": 5, "result": {"content": []}}
    for connection, lines in ((first, received), (second, repeated)):
        lines.close()
        connection.close()
    os.close(ask)
    running.join(DEADLINE_S)
    assert not running.is_alive()
    for descriptor in (client_in, answer, client_out):
        os.close(descriptor)
