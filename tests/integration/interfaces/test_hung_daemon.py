"""The front beside a daemon that took a request and then stands still: the session goes on with the next one."""

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from agentos.interfaces.stdio.front import hello, relay
from agentos.interfaces.stdio.front.place import Place
from agentos.modules.system.pipes import Input, Output

DEADLINE_S = 60.0


class Daemons:
    """A socket where the first daemon hears a request and says nothing more; the next one answers."""

    def __init__(self, path: Path) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self.hung: list[socket.socket] = []
        self.asked: Callable[[], object] = list
        """Called when it is asked for the status."""

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
            self.asked()

    def close(self) -> None:
        self._listener.close()
        for connection in self.hung:
            connection.close()


@pytest.fixture
def daemons(tmp_path: Path) -> Iterator[Daemons]:
    path = tmp_path / "daemon.sock"
    with closing(Daemons(path)) as there:
        yield there


CALL = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "memory_list", "arguments": {}}}


@contextmanager
def fronted(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, int]]:
    """A front on a home: where its client writes, and reads; it ends once the client has left."""
    silent, never_written = socket.socketpair()
    monkeypatch.setattr(relay, "signals_as_input", lambda _: silent)
    client_in, ask = os.pipe()
    answer, client_out = os.pipe()

    def refuse(_: socket.socket) -> None:
        raise AssertionError("it is not served in process")

    front = relay.Relay(Place(home, True, {}), refuse, Input(client_in), Output(client_out))
    running = threading.Thread(target=front.run)
    running.start()
    yield ask, answer
    os.close(ask)
    running.join(DEADLINE_S)
    assert not running.is_alive()
    for descriptor in (client_in, answer, client_out):
        os.close(descriptor)
    silent.close()
    never_written.close()


def written(*messages: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def test_a_daemon_that_stands_still_is_left_for_the_next_one(
    daemons: Daemons, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, seconds in (("SILENT_S", 0.05), ("ALIVE_WITHIN_S", 0.05), ("LOOK_ROUND_S", 0.05)):
        monkeypatch.setattr(relay, name, seconds)
    daemons.asked = lambda: monkeypatch.setattr(relay, "SILENT_S", DEADLINE_S)  # the next one may be slow
    with fronted(tmp_path, monkeypatch) as (ask, answer):
        os.write(ask, written(CALL))
        first, received = daemons.take()
        assert json.loads(received.readline())["id"] == 5
        second, repeated = daemons.take()
        assert json.loads(repeated.readline())["id"] == 5
        second.sendall(b'{"jsonrpc":"2.0","id":5,"result":{"content":[]}}\n')
        assert json.loads(os.read(answer, 2**16)) == {"jsonrpc": "2.0", "id": 5, "result": {"content": []}}
        for connection, lines in ((first, received), (second, repeated)):
            lines.close()
            connection.close()


def test_a_call_that_was_taken_back_by_its_id_as_a_text_is_awaited_no_more(
    daemons: Daemons, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay, "FINISH_WITHIN_S", 10 * DEADLINE_S)
    with fronted(tmp_path, monkeypatch) as (ask, _):
        os.write(
            ask, written(CALL, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "5"}})
        )
        daemon, received = daemons.take()
        assert [json.loads(received.readline()).get("id") for _ in range(2)] == [5, None]
    received.close()
    daemon.close()
