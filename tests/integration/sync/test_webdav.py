"""A server that speaks WebDAV as what carries: one that keeps to RFC 4918 to the letter, and such as mean harm."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import unquote

import pytest

from agentos.features.sync import webdav
from agentos.features.sync.carriers import opened, usable
from agentos.features.sync.webdav import Login, WebDav
from agentos.modules.errors import InvalidInput, StorageUnavailable
from tests.tables import every

LOGIN = Login("maria", "päss:word with spaces")
BASIC = "Basic bWFyaWE6cMOkc3M6d29yZCB3aXRoIHNwYWNlcw=="
ABOUT = '<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">{}</D:multistatus>'
ONE = (
    "<D:response><D:href>{}</D:href><D:propstat><D:prop/><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
)


class Strict(BaseHTTPRequestHandler):
    """Files in memory, served as RFC 4918 says; a folder that is missing is never made by the way."""

    protocol_version = "HTTP/1.1"
    files: ClassVar[dict[str, bytes | None]]  # None is a folder
    connections: ClassVar[list[Any]]

    def setup(self) -> None:
        super().setup()
        self.connections.append(self.request)

    def answer(self, status: int, text: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def handle_one(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = unquote(self.path).rstrip("/")
        parent = path.rpartition("/")[0]
        if self.headers["Authorization"] != BASIC:
            return self.answer(401, b"<html>", WWW_Authenticate='Basic realm="x"')
        if self.command in ("PUT", "MKCOL"):
            if parent not in self.files:
                return self.answer(409)
            if self.command == "MKCOL" and path in self.files:
                return self.answer(405)
            is_new = path not in self.files
            self.files[path] = body if self.command == "PUT" else None
            return self.answer(201, b"<html>made</html>") if is_new else self.answer(204)
        if path not in self.files:
            return self.answer(404, b"<html>none</html>")
        if self.command == "DELETE":
            del self.files[path]
            return self.answer(204)
        text = self.files[path]
        if self.command == "GET":
            assert text is not None
            return self.answer(200, text)
        assert self.headers["Depth"] == "1"
        listed = [f"{path}/", *(one for one in self.files if one.rpartition("/")[0] == path)]
        hrefs = [f"http://proxy.example{one}".replace(" ", "%20").replace("ü", "%C3%BC") for one in listed]
        return self.answer(207, ABOUT.format("".join(ONE.format(one) for one in hrefs)).encode())

    do_GET = do_PUT = do_DELETE = do_MKCOL = do_PROPFIND = handle_one

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def strict() -> Iterator[type[Strict]]:
    class Here(Strict):
        files: ClassVar[dict[str, bytes | None]] = {"/dav": None, "/dav/b ü": None}
        connections: ClassVar[list[Any]] = []

    yield Here


def test_files_are_written_listed_read_and_removed_over_one_connection(strict: type[Strict], tmp_path: Path) -> None:
    with serving(strict) as address:
        carrier = opened(usable(f"{address}/dav/b%20%C3%BC/", tmp_path), LOGIN)
        assert carrier.names("g") == [] and carrier.read("g", "one", most=9) is None
        carrier.write(b"first", "g", "devices", "x", "card")
        carrier.write(b"x" * 300_000, "g", "devices", "x", "a b")
        carrier.write(b"", "g", "devices", "x", ".hidden")
        assert carrier.names("g") == ["devices"] and carrier.names("g", "devices", "x") == ["a b", "card"]
        assert carrier.read("g", "devices", "x", "card", most=4) == b"firs"
        assert carrier.read("g", "devices", "x", "a b", most=300_001) == b"x" * 300_000
        assert len(strict.connections) == 1
        assert carrier.read("g", "devices", "x", "a b", most=5) == b"xxxxx", "the rest is not waited for"
        carrier.write(b"again", "g", "devices", "x", "card")
        carrier.remove("g", "devices", "x", "a b")
        carrier.remove("g", "devices", "x", "a b")
        assert carrier.names("g", "devices", "x") == ["card"]
        strict.connections[-1].shutdown(2)  # as a server does with one that was idle for long
        assert carrier.read("g", "devices", "x", "card", most=9) == b"again"
        carrier.close()
        with closing(WebDav(f"{address}/nowhere", LOGIN)) as lost:
            with pytest.raises(StorageUnavailable, match="create the folder on the server"):
                lost.write(b"", "g", "x")


@contextmanager
def asking(address: str) -> Iterator[WebDav]:
    with closing(WebDav(f"{address}/dav", LOGIN)) as carrier:
        yield carrier


def hostile(status: int, body: bytes = b"", **headers: str) -> type[BaseHTTPRequestHandler]:
    """A server with one answer to everything."""

    class Hostile(Strict):
        connections: ClassVar[list[Any]] = []

        def handle_one(self) -> None:
            self.answer(status, body, **headers)

        do_GET = do_PUT = do_DELETE = do_MKCOL = do_PROPFIND = handle_one

    return Hostile


def listing(*hrefs: str, before: str = "") -> bytes:
    return (
        before + ABOUT.format("".join(ONE.format(one) for one in hrefs)).replace('<?xml version="1.0"?>', "")
    ).encode()


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
LISTS: list[tuple[bytes, str]] = [
    (listing("/dav/g/", before=BOMB), "document type"),
    (listing("/dav/g/", before='<!DOCTYPE x SYSTEM "file:///etc/passwd">'), "document type"),
    (listing("/other/", "/other/a"), "another folder"),
    (listing(), "another folder"),
    (listing("/dav/g/", "/dav/g/" + "x" * 9_000), "too long"),
    (listing("/dav/g/", "/dav/g/%ff"), "as no WebDAV server"),
    (b"<a>" * 1_000, "too deeply"),
    (b"no xml", "as no WebDAV server"),
    (listing("/dav/g/")[:-9], "as no WebDAV server"),
]


@every("text, says", LISTS)
def test_a_list_that_is_none_is_refused(text: bytes, says: str) -> None:
    with serving(hostile(207, text)) as address, asking(address) as carrier:
        with pytest.raises(StorageUnavailable, match=says):
            carrier.names("g")


def test_of_a_list_only_plain_names_in_that_folder_are_taken() -> None:
    names = [
        "a",
        "..",
        ".",
        "%2e%2e",
        "..%2F..%2Fetc",
        "b/c",
        ".new-1",
        "%1b%5b2J",
        "",
        "b%20b",
        "../d",
        "https%3A%2F%2Fx",
    ]
    text = listing("/dav/g", *(f"/dav/g/{one}" for one in names), "/dav/e", "https://evil.example/f")
    with serving(hostile(207, text)) as address, asking(address) as carrier:
        assert carrier.names("g") == ["a", "b b"]


def test_a_list_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webdav, "MOST_OF_A_LIST", 100_000)
    text = listing("/dav/g/", *(f"/dav/g/{number}" for number in range(2_000)))
    with serving(hostile(207, text)) as address, asking(address) as carrier:
        with pytest.raises(StorageUnavailable, match="more than any group has"):
            carrier.names("g")


@every(
    "status, says",
    [
        *[(401, "AGENTOS_SYNC_USER"), (403, "AGENTOS_SYNC_PASSWORD"), (405, "no folder of a WebDAV"), (423, "busy")],
        *[(429, "tries again"), (503, "tries again"), (507, "is full"), (500, "answered 500"), (200, "no WebDAV")],
        *[(301, "another address"), (307, "another address")],
    ],
)
def test_what_a_server_refuses_is_told_with_what_to_do(status: int, says: str) -> None:
    asked: list[str] = []

    class Elsewhere(Strict):
        connections: ClassVar[list[Any]] = []

        def do_GET(self) -> None:
            asked.append(self.path)
            self.answer(200)

        do_PROPFIND = do_GET

    with serving(Elsewhere) as elsewhere, serving(hostile(status, b"x", Location=f"{elsewhere}/dav/g/")) as address:
        with asking(address) as carrier, pytest.raises(StorageUnavailable, match=says) as refused:
            carrier.names("g")
    assert address in str(refused.value) and LOGIN.password not in str(refused.value)
    assert not asked, "nothing is sent to where a server points"


def cut_off(part: bytes, *, trickles: bool = False) -> type[BaseHTTPRequestHandler]:
    """A server that ends, or goes on by a byte now and then, in the middle of its answer."""

    class CutOff(Strict):
        connections: ClassVar[list[Any]] = []

        def do_GET(self) -> None:
            self.close_connection = True
            self.wfile.write(part)
            give_up = time.monotonic() + 20
            try:
                while trickles and time.monotonic() < give_up:
                    self.wfile.write(b"x")
                    time.sleep(0.02)
            except OSError:
                pass

    return CutOff


def test_an_answer_that_ends_early_or_never_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    beginning = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nabc"
    for handler in (cut_off(beginning), cut_off(b""), cut_off(b"SSH-2.0\r\n")):
        with serving(handler) as address, asking(address) as carrier:
            with pytest.raises(StorageUnavailable, match="does not answer"):
                carrier.read("g", most=100_000)
    monkeypatch.setattr(webdav, "WITHIN_S", 0.2)
    for slow in (cut_off(beginning, trickles=True), cut_off(b"HTTP/1.1 200 OK\r\nX: ", trickles=True)):
        with serving(slow) as address, asking(address) as carrier:
            with pytest.raises(StorageUnavailable, match="does not answer"):
                carrier.read("g", most=100_000)
    with asking(address) as carrier, pytest.raises(StorageUnavailable, match="does not answer"):
        carrier.read("g", most=9)


@every(
    "where, says",
    [
        *[("http://nas.example/dav", "https"), ("http://192.168.1.2/dav", "https"), ("ftp://nas.example/dav", "https")],
        *[("https://maria:secret@nas.example/dav", "AGENTOS_SYNC_USER"), ("https://maria@nas.example", "AGENTOS_SYNC")],
        *[("https:///dav", "WebDAV"), ("https://nas.example/dav?x=1", "WebDAV"), ("https://nas.example/a b", "WebDAV")],
        *[("https://nas.example/\r\nX: y", "WebDAV"), ("https://[::1/dav", "WebDAV"), ("https://nas:99999/", "WebDAV")],
    ],
)
def test_an_address_is_safe_or_refused(where: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=says) as refused:
        usable(where, tmp_path)
    assert "secret" not in str(refused.value)


def test_safe_addresses_are_taken(tmp_path: Path) -> None:
    open_: Callable[[str], Any] = lambda where: opened(usable(where, tmp_path), LOGIN)  # noqa: E731
    for where in (
        "https://nas.example/dav/",
        "http://127.0.0.1:8420/sync/maria",
        "https://192.168.1.2",
        "http://[::1]:9/x",
    ):
        assert open_(where).place == where.rstrip("/")
