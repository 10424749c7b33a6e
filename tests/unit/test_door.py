"""The daemon's door on systems without sockets in files: a port of this machine, opened by a secret in the home."""

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from agentos.modules.system import door
from tests.tables import every

WITHIN_S = 30.0


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(door, "HAS_UNIX_SOCKETS", False)
    return door.path_in(tmp_path)


@asynccontextmanager
async def daemon(path: Path) -> AsyncIterator[list[bool]]:
    """A daemon that says "in" to whom it admits, and notes whom it does."""
    admitted: list[bool] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        admitted.append(await door.admits(listener, reader, writer))
        if admitted[-1]:
            writer.write(b"in\n")
        writer.close()

    listener = door.listen(path)
    async with await asyncio.start_server(answer, sock=listener.socket):
        yield admitted
    listener.close()


async def asked(call: Callable[[], bytes]) -> bytes:
    return await asyncio.wait_for(asyncio.to_thread(call), WITHIN_S)


def test_its_file_is_in_the_home_however_long_its_path_is(tmp_path: Path) -> None:
    assert door.path_in(tmp_path / ("x" * 200)) == tmp_path / ("x" * 200) / "daemon.port"


async def test_who_can_read_the_home_comes_in_and_the_file_is_its_owners(path: Path) -> None:
    def enter() -> bytes:
        with door.connect(path, WITHIN_S) as connection:
            return connection.recv(16)

    async with daemon(path) as admitted:
        assert path.stat().st_mode & 0o777 == 0o600
        assert await asked(enter) == b"in\n"
    assert admitted == [True] and not path.exists()


async def test_who_does_not_know_the_secret_stays_outside(path: Path) -> None:
    def knock() -> bytes:
        with socket.create_connection(("127.0.0.1", json.loads(path.read_text())["port"]), WITHIN_S) as connection:
            connection.sendall(b"0" * 64 + b"\n" + b"0" * 64 + b"\n")
            received = b""
            while chunk := connection.recv(4096):
                received += chunk
            return received

    async with daemon(path) as admitted:
        assert b"in" not in await asked(knock)
    assert admitted == [False]


def test_a_listener_on_the_port_that_does_not_know_the_secret_hears_nothing(path: Path) -> None:
    heard: list[bytes] = []
    with closing(door.listen(path)):
        told = path.read_text()
    with socket.create_server(("127.0.0.1", 0)) as impostor:
        path.write_text(json.dumps({**json.loads(told), "port": impostor.getsockname()[1]}))

        def listen() -> None:
            with impostor.accept()[0] as connection:
                connection.sendall(b"0" * 64 + b" " + b"0" * 64 + b"\n")
                while chunk := connection.recv(4096):
                    heard.append(chunk)

        listening = threading.Thread(target=listen)
        listening.start()
        with pytest.raises(ConnectionRefusedError):
            door.connect(path, WITHIN_S)
        listening.join(WITHIN_S)
    assert len(b"".join(heard)) == 65, "a number used once, and nothing else"


def test_a_door_that_nobody_opens_is_approached_without_waiting(path: Path) -> None:
    with closing(door.listen(path)):  # where nobody answers
        approach = door.Approach(path, WITHIN_S)
        assert approach.poll() is None
    approach = door.Approach(path, WITHIN_S)
    while True:
        try:
            assert approach.poll() is None
        except OSError:
            break


@every("content", ['{"port": 99999999, "secret": "00"}', '{"port": "x"}', "[]", "nothing"])
def test_a_file_that_tells_no_port_is_as_none(path: Path, content: str) -> None:
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(ConnectionRefusedError):
        door.connect(path, WITHIN_S)


def test_a_later_daemons_door_is_not_removed(path: Path) -> None:
    first = door.listen(path)
    second = door.listen(path)
    first.close()
    assert path.exists()
    second.close()
    assert not path.exists()
