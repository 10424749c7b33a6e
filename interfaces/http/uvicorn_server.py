"""Listening: uvicorn inside the process that owns the home, with the patience that uvicorn lacks."""

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from ...modules import foreign_files, private_files
from .sockets import bound

HEADERS_WITHIN_S = 30.0
"""How long a client may take to send the headers of a request."""
READ_WITHIN_S = 60.0
"""How long a client may leave what was sent unread, while more waits for it."""
IDLE_S = 10.0
GRACE_S = 0.8
"""How long answers under way may take when the server ends."""
MAX_CONNECTIONS = 2_000
BACKLOG = 512
MAX_HEADER_BYTES = 32 * 1024

log = logging.getLogger(__name__)


class PatientProtocol(H11Protocol):
    """HTTP/1.1 whose connections are cut when their headers take too long, when nobody reads what they are sent, or
    when there are too many of them.
    """

    def __init__(self, *arguments: Any, headers_within_s: float, read_within_s: float, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._headers_within_s = headers_within_s
        self._read_within_s = read_within_s
        self._waiting: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take what was sent; wait on where it is not yet the whole head of a request."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        else:
            self._wait_no_more()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._wait_no_more()
        self._read_again()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Hold answers back, and cut the connection if they are not read in time."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self._read_within_s, self.transport.abort)

    def resume_writing(self) -> None:
        """Let answers go on: what waited was read."""
        self._read_again()
        super().resume_writing()

    def _read_again(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(self._headers_within_s, self.transport.abort)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.running = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        self.running.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the process, which closes more than this server."""
        yield


class HttpListener:
    """One listening address, served until it is closed. Raises OSError where it cannot listen there."""

    def __init__(
        self,
        app: ASGIApp,
        host: str,
        port: int,
        tls: ssl.SSLContext | None = None,
        headers_within_s: float = HEADERS_WITHIN_S,
        read_within_s: float = READ_WITHIN_S,
    ) -> None:
        self._socket = bound(host, port)
        config = uvicorn.Config(
            app,
            http=partial(  # type: ignore[arg-type]
                PatientProtocol, headers_within_s=headers_within_s, read_within_s=read_within_s
            ),
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=int(IDLE_S),
            timeout_graceful_shutdown=1,
            backlog=BACKLOG,
            h11_max_incomplete_event_size=MAX_HEADER_BYTES,
        )
        config.timeout_graceful_shutdown = GRACE_S  # type: ignore[assignment]  # it is a wait's, which takes fractions
        config.load()
        config.ssl = tls
        self._server = _Server(config)
        self._serving: asyncio.Task[None] | None = None

    @property
    def address(self) -> tuple[str, int]:
        """The address that it listens at, with the port that the system chose where 0 was asked for."""
        host, port = self._socket.getsockname()[:2]
        return host, port

    async def start(self) -> None:
        """Begin to serve. Raises RuntimeError where the application does not start."""
        self._serving = asyncio.create_task(self._server.serve([self._socket]))
        started = asyncio.create_task(self._server.running.wait())
        await asyncio.wait([self._serving, started], return_when=asyncio.FIRST_COMPLETED)
        started.cancel()
        if self._serving.done():
            await self._serving

    async def close(self) -> None:
        """Stop listening, let answers under way end for a moment, and cut the rest."""
        self._server.should_exit = True
        if self._serving is not None:
            await self._serving
        self._socket.close()


def tls_of(certificate: str, key: str, client_ca: str) -> ssl.SSLContext | None:
    """Return the TLS of the files that settings name; None where they name none. Raises OSError.

    With the certificate of a `client_ca` only clients with a certificate of it are served.
    """
    if not certificate:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    load_certificate(context, certificate, key)
    if client_ca:
        context.load_verify_locations(cafile=client_ca)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def load_certificate(context: ssl.SSLContext, certificate: str, key: str) -> None:
    """Take a certificate for the connections to come. Raises OSError, naming the files."""
    secret = Path(key or certificate)
    try:
        for file in (Path(certificate), secret):
            foreign_files.opened(file).close()  # not a pipe, for which it would wait
        if private_files.strangers_can_read(secret):
            raise OSError(f"others can read {secret}: chmod 600 '{secret}', and replace the key if it may be known")
        context.load_cert_chain(certificate, key or None)
    except (OSError, ssl.SSLError) as error:
        raise OSError(f"the certificate {Path(certificate).name} cannot be used: {error}") from error
