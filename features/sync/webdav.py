"""A WebDAV server (RFC 4918) as what carries: GET, PUT, DELETE, MKCOL, and PROPFIND for what is in a folder."""

import base64
import http.client
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit
from xml.parsers import expat

from ...modules.errors import StorageUnavailable, cause

CONNECT_S, SILENT_S = 10.0, 30.0
WITHIN_S = 300.0
"""How long one request may take, whatever trickles in meanwhile."""
MOST_OF_A_LIST = 64 << 20
MOST_OF_AN_ADDRESS, DEEPEST = 8_000, 50
MOST_UNREAD = 64 << 10
"""How much of an answer that nobody needs is read, so that the connection serves for the next one."""
LISTING = b'<?xml version="1.0"?><propfind xmlns="DAV:"><prop><resourcetype/></prop></propfind>'
_HREF = ["DAV: multistatus", "DAV: response", "DAV: href"]
_LOGIN = "set AGENTOS_SYNC_USER and AGENTOS_SYNC_PASSWORD in the .env of the home, then agentos restart"
_BUSY = "is busy: the next exchange tries again"
_SAID = {
    401: f"does not take this user and password: {_LOGIN}",
    403: f"does not let this user do that: give it the right to write there, or take another: {_LOGIN}",
    404: "is not there: create the folder on the server, or give another address",
    405: "is no folder of a WebDAV server: give the address of one",
    408: "did not get all of a file in time: connect to it by a faster way",
    409: "is not there: create the folder on the server, or give another address",
    413: "takes no file as large as this one: raise the limit of the server or its proxy",
    421: "does not know that name of it: add it to its AGENTOS_HTTP_HOSTS, or give another address",
    423: _BUSY,
    429: _BUSY,
    501: "is no WebDAV server: give the address of one",
    503: _BUSY,
    507: "is full: make room there",
}
"""What is wrong and what to do, by the status of an answer."""


class Login(NamedTuple):
    """The user and password for a server; nothing is sent without a password."""

    user: str = ""
    password: str = ""


class WebDav:
    """A folder of a WebDAV server, over one connection. Redirects are not followed: files go where the user said."""

    if_missing = "check the address, or wait until the first device has written to it"

    def __init__(self, address: str, login: Login) -> None:
        parts = urlsplit(address)
        self.place = address
        self._host, self._port, self._has_tls = parts.hostname or "", parts.port, parts.scheme == "https"
        self._root = parts.path.rstrip("/")
        self._headers = {"User-Agent": "agentos"}
        if login.password:
            given = base64.b64encode(f"{login.user}:{login.password}".encode()).decode()
            self._headers["Authorization"] = f"Basic {given}"
        self._connection: http.client.HTTPConnection | None = None

    def read(self, *names: str, most: int) -> bytes | None:
        """Return the beginning of a file; None where there is none."""
        status, text = self._ask("GET", self._path(*names), most=most)
        if status == 404:
            return None
        self._require(status, 200)
        return text

    def write(self, text: bytes, *names: str) -> None:
        """Write a file; where the folders that it is in are missing, make them first."""
        path = self._path(*names)
        status, _ = self._ask("PUT", path, text)
        if status in (404, 409):
            for depth in range(1, len(names)):
                made, _ = self._ask("MKCOL", self._path(*names[:depth]) + "/")
                self._require(made, 200, 201, 405)  # 405: it is there
            status, _ = self._ask("PUT", path, text)
        self._require(status, 200, 201, 204)

    def names(self, *names: str) -> list[str]:
        """Return what is in a folder, in order; nothing where there is none."""
        path = self._path(*names) + "/"
        about = {"Depth": "1", "Content-Type": "application/xml"}
        status, text = self._ask("PROPFIND", path, LISTING, about, most=MOST_OF_A_LIST + 1)
        if status == 404:
            return []
        self._require(status, 207)
        if len(text) > MOST_OF_A_LIST:
            raise StorageUnavailable(f"{self.place} lists more than any group has: give the address of another folder")
        found, is_here = set(), False
        try:
            here = _names_in(path)
            for way in map(_names_in, _hrefs(text)):
                is_here |= way == here
                if way[:-1] == here:
                    found.add(way[-1])
        except (expat.ExpatError, ValueError) as error:
            raise StorageUnavailable(f"{self.place} lists files as no WebDAV server does: {cause(error)}") from error
        if not is_here:
            raise StorageUnavailable(f"{self.place} lists another folder than was asked for: check its proxy's paths")
        return sorted(one for one in found if one.isprintable() and not one.startswith(".") and "/" not in one)

    def remove(self, *names: str) -> None:
        """Remove a file, if it is there."""
        status, _ = self._ask("DELETE", self._path(*names))
        self._require(status, 200, 202, 204, 404)

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _path(self, *names: str) -> str:
        return "/".join([self._root, *(quote(one, safe="") for one in names)])

    def _require(self, status: int, *right: int) -> None:
        """Raise StorageUnavailable for another status than these."""
        if status in right:
            return
        said = _SAID.get(status, f"answered {status}: see the log of that server")
        if status in range(300, 400):
            said = "answers from another address: give that one, if it is yours"
        elif status in range(200, 300):
            said = _SAID[501]
        raise StorageUnavailable(f"{self.place} {said}")

    def _ask(
        self, method: str, path: str, body: bytes | None = None, about: Mapping[str, str] | None = None, most: int = 0
    ) -> tuple[int, bytes]:
        """Return the status of an answer, and the beginning of what it holds.

        A connection that was kept may have ended meanwhile: then a new one is asked, as nothing here does harm twice.
        """
        headers = {**self._headers, **(about or {})}
        for is_kept in (True, False):
            if is_kept and self._connection is None:
                continue
            try:
                connection = self._connection = self._connection or self._connected()
                with _cut_after(WITHIN_S, connection):
                    with suppress(BrokenPipeError, ConnectionResetError):  # refused before all was sent: see why
                        connection.request(method, path, body, headers)
                    answer = connection.getresponse()
                    text = answer.read(max(most, MOST_UNREAD))
                    if answer.length and len(text) < max(most, MOST_UNREAD):
                        raise http.client.IncompleteRead(text)
                    if answer.read(1):  # the next answer would begin after all of this one
                        self.close()
                return answer.status, text[:most]
            except (OSError, http.client.HTTPException) as error:
                self.close()
                if not is_kept:
                    raise StorageUnavailable(f"{self.place} does not answer: {cause(error)}") from error
        raise AssertionError("a new connection answers or fails")

    def _connected(self) -> http.client.HTTPConnection:
        connection = (
            http.client.HTTPSConnection(self._host, self._port, timeout=CONNECT_S, context=ssl.create_default_context())
            if self._has_tls
            else http.client.HTTPConnection(self._host, self._port, timeout=CONNECT_S)
        )
        connection.auto_open = 0  # a new one is opened here alone
        connection.connect()
        connection.sock.settimeout(SILENT_S)
        return connection


@contextmanager
def _cut_after(seconds: float, connection: http.client.HTTPConnection) -> Iterator[None]:
    """Cut a connection off that takes longer than the block may. Raises TimeoutError."""
    sock: socket.socket = connection.sock
    is_cut = threading.Event()

    def cut() -> None:
        is_cut.set()
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
    if is_cut.is_set():  # what was read before may look whole
        raise TimeoutError("it took too long")


def _names_in(address: str) -> list[str]:
    """Return the names on the way to what an address or a path of a server stands for. Raises UnicodeError."""
    return [unquote(one, errors="strict") for one in urlsplit(address).path.split("/") if one]


def _hrefs(text: bytes) -> list[str]:
    """Return the addresses that an answer to PROPFIND lists. Raises ExpatError, ValueError."""
    found: list[str] = []
    open_: list[str] = []

    def begin(name: str, _: Mapping[str, str]) -> None:
        open_.append(name)
        if len(open_) > DEEPEST:
            raise ValueError("it nests too deeply")
        if open_ == _HREF:
            found.append("")

    def end(_: str) -> None:
        open_.pop()

    def read(characters: str) -> None:
        if open_ == _HREF:
            found[-1] += characters
            if len(found[-1]) > MOST_OF_AN_ADDRESS:
                raise ValueError("an address is too long")

    def refuse(*_: object) -> None:
        raise ValueError("it has a document type")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = read, refuse
    parser.buffer_text = True
    parser.Parse(text, True)
    return [one.strip() for one in found]
