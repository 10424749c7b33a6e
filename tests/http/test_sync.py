"""Sync through servers: another `agentos serve`, and a WebDAV server that others made."""

import importlib.util
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.conftest import DEADLINE_S
from tests.e2e.test_serve import KEY, Serving, Start
from tests.e2e.test_sync import House

DEVICE = "0123456789abcdef01234567"


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def serving(start: Start, house: House, listen: str = "127.0.0.1:0") -> Serving:
    """A server that carries for devices, which know its address and key."""
    server = start(listen, AGENTOS_HTTP_SYNC_MIB="100")
    house.where = f"{server.url}/sync/maria"
    house.settings = {"AGENTOS_SYNC_PASSWORD": KEY}
    return server


def test_devices_keep_one_memory_through_a_server_that_cannot_read_it(start: Start, house: House, home: Path) -> None:
    server = serving(start, house)
    house.run("laptop", "remember", "Maria likes green tea")
    house.run("desk", "remember", "The boiler is serviced in May")
    picture = house.folder / "plan.txt"
    picture.write_text("The warehouse has two doors")
    house.run("desk", "attach", str(picture), "--caption", "Plan of the warehouse")
    house.begin("laptop", "desk", "phone")
    house.settle("laptop", "desk", "phone")
    assert len(house.texts("laptop")) == 3 and house.texts("laptop") == house.texts("desk") == house.texts("phone")
    assert house.run("laptop", "sync", "status")["folder"] == house.where
    files = [one for one in (home / "sync").rglob("*") if one.is_file()]
    assert len(files) > 6
    assert not any(word in one.read_bytes() for one in files for word in (b"tea", b"boiler", b"warehouse"))

    house.settings["AGENTOS_SYNC_PASSWORD"] = "no-key-of-this-server-at-all"
    assert "AGENTOS_SYNC_PASSWORD" in str(house.run("laptop", "sync", "now", code=4))
    house.settings["AGENTOS_SYNC_PASSWORD"] = KEY
    house.run("laptop", "sync", "revoke", "phone", "--yes")
    assert "revoked" in str(house.run("phone", "sync", "now", code=3))

    assert server.end() == 0
    house.run("laptop", "remember", "Written while the server was away")
    assert "does not answer" in str(house.run("laptop", "sync", "now", code=4))
    assert "does not answer" in house.run("laptop", "sync", "status")["problem"]
    serving(start, house, f"127.0.0.1:{server.port}")
    house.settle("laptop", "desk")
    assert len(house.texts("desk")) == 4 and house.texts("laptop") == house.texts("desk")
    assert "Written while the server was away" not in house.texts("phone")
    assert house.run("desk", "sync", "leave", "--yes") == {"left": True, "problem": ""}
    house.run("laptop", "sync", "now")
    assert house.device("desk", "laptop")["state"] == "left"


def put(server: Serving, path: str, size: int) -> socket.socket:
    """Begin to send a file, and leave it at half."""
    stream = socket.create_connection(("127.0.0.1", server.port), DEADLINE_S)
    head = f"PUT /sync/maria/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {KEY}\r\nContent-Length: {size}\r\n\r\n"
    stream.sendall(head.encode() + b"x" * (size // 2))
    return stream


def test_a_file_that_was_cut_off_on_its_way_is_never_seen(start: Start, house: House, home: Path) -> None:
    server = serving(start, house)
    house.begin("laptop")
    path = f"agentos-sync/devices/{DEVICE}/card"
    server.request("MKCOL", f"/sync/maria/agentos-sync/devices/{DEVICE}")
    for killed in (False, True):
        stream = put(server, path, 200_000)
        give_up = time.monotonic() + DEADLINE_S
        while not any(home.glob(".upload-*/file")):
            assert time.monotonic() < give_up
            time.sleep(0.01)
        if killed:
            assert server.end(signal.SIGKILL) == -signal.SIGKILL
        stream.close()
        while not killed and any(home.glob(".upload-*")):
            assert time.monotonic() < give_up
            time.sleep(0.01)
    server = serving(start, house, f"127.0.0.1:{server.port}")
    assert not any(home.glob(".upload-*")) and not [*(home / "sync").rglob("card")][1:]
    assert server.request("GET", f"/sync/maria/{path}")[0] == 404


@contextmanager
def foreign(folder: Path) -> Iterator[str]:
    """A WebDAV server of others, over a folder."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = folder.with_suffix(".yaml")
    settings.write_text(
        f"host: 127.0.0.1\nport: {port}\nprovider_mapping:\n  /dav: {folder}\n"
        "simple_dc:\n  user_mapping:\n    '*':\n      maria:\n        password: a pass:word\n"
    )
    process = subprocess.Popen(
        (sys.executable, "-m", "wsgidav.server.server_cli", "--config", str(settings), "--server", "cheroot"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        give_up = time.monotonic() + DEADLINE_S
        while True:
            assert process.poll() is None and time.monotonic() < give_up
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/dav"
    finally:
        process.kill()
        process.wait()


@pytest.mark.skipif(importlib.util.find_spec("wsgidav") is None, reason='pip install -c constraints.txt -e ".[dev]"')
def test_devices_keep_one_memory_through_a_webdav_server_of_others(house: House) -> None:
    folder = house.shared
    with foreign(folder) as address:
        house.settings = {"AGENTOS_SYNC_USER": "maria", "AGENTOS_SYNC_PASSWORD": "a pass:word"}
        assert "create the folder" in str(house.run("laptop", "sync", "init", f"{address}/nowhere", code=4))
        house.where = address
        tea = house.run("laptop", "remember", "Maria likes green tea")["id"]
        picture = house.folder / "plan.txt"
        picture.write_text("The warehouse has two doors")
        plan = house.run("desk", "attach", str(picture), "--caption", "Plan of the warehouse")["memory_id"]
        house.begin("laptop", "desk")
        house.settle("laptop", "desk")
        assert len(house.texts("laptop")) == 2 and house.texts("laptop") == house.texts("desk")
        house.run("desk", "forget", tea, "--erase", "--yes")
        [beside] = folder.rglob("files/*")
        house.run("laptop", "attachments", "remove", plan, "--yes")
        house.settle("desk", "laptop", "desk")
        assert house.texts("laptop") == house.texts("desk") == set() and not beside.exists()
        house.settings["AGENTOS_SYNC_PASSWORD"] = "wrong"
        assert "AGENTOS_SYNC_PASSWORD" in str(house.run("laptop", "sync", "now", code=4))
