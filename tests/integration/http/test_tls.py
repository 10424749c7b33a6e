"""TLS with a certificate of one's own, and clients that must have one too."""

import asyncio
import ssl
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentos.interfaces.http.certificate import Certificate, make
from agentos.interfaces.http.uvicorn_server import HttpListener, load_certificate, tls_of
from tests.asgi import ok


async def asked(address: tuple[str, int], trusted: Certificate, client: Certificate | None = None) -> bytes:
    context = ssl.create_default_context(cafile=str(trusted.certificate))
    if client is not None:
        context.load_cert_chain(client.certificate, client.key)
    reader, writer = await asyncio.open_connection(*address, ssl=context, server_hostname="127.0.0.1")
    try:
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        return await reader.read()
    finally:
        writer.close()


async def is_refused(address: tuple[str, int], trusted: Certificate, client: Certificate | None) -> bool:
    """With TLS 1.3 a client hears of it when it reads."""
    try:
        return await asked(address, trusted, client) == b""
    except (ssl.SSLError, ConnectionError):
        return True


@pytest.fixture
def certificates(tmp_path: Path) -> list[Certificate]:
    now = datetime.now(UTC)
    return [make(tmp_path / name, ["127.0.0.1", "memory.example.com"], now) for name in ("server", "client", "other")]


async def test_only_clients_with_a_certificate_that_is_known_are_served(certificates: list[Certificate]) -> None:
    server, client, other = certificates
    assert stat.S_IMODE(server.key.stat().st_mode) == 0o600
    tls = tls_of(str(server.certificate), str(server.key), str(client.certificate))
    listener = HttpListener(ok, "127.0.0.1", 0, tls)
    await listener.start()
    try:
        assert (await asked(listener.address, server, client)).endswith(b"ok")
        for unknown in (None, other):
            assert await is_refused(listener.address, server, unknown)
        with pytest.raises(ssl.SSLCertVerificationError):
            await asked(listener.address, other, client)
        assert tls is not None
        load_certificate(tls, str(other.certificate), str(other.key))
        assert (await asked(listener.address, other, client)).endswith(b"ok"), "a reload is for the next connections"
    finally:
        await listener.close()


def test_a_certificate_that_cannot_be_used_is_named(tmp_path: Path, certificates: list[Certificate]) -> None:
    broken = tmp_path / "broken.pem"
    broken.write_text("no certificate")
    for path in (broken, tmp_path / "missing.pem"):
        with pytest.raises(OSError, match=path.name):
            tls_of(str(path), str(certificates[0].key), "")
    with pytest.raises(FileExistsError):
        make(certificates[0].key.parent, ["127.0.0.1"], datetime.now(UTC))
