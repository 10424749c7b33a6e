"""The webhook of events: each change is reported once, signed, and again while that fails."""

import asyncio
import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from standardwebhooks import Webhook

from agentos.daemon_pkg import scheduler, webhook
from agentos.daemon_pkg.index_worker import IndexWorker
from agentos.daemon_pkg.jobs import queue_worker
from agentos.daemon_pkg.work import call_webhook
from agentos.modules.agentos import AgentOS
from agentos.modules.events.models import ChangeEvent
from agentos.modules.store_request import StoreRequest

SECRET = "a-secret-of-more-than-24-characters"
WITHIN_S = 60
EVENT = ChangeEvent(5, datetime(2026, 3, 1, tzinfo=UTC), "ada", "memory.store", "mem_1", {})


class NoIndex(IndexWorker):
    """A worker without an index."""

    def __init__(self) -> None:
        pass

    async def tick(self) -> None:
        pass


class Listener:
    """What was heard, and with what status it is answered."""

    def __init__(self) -> None:
        self.received: list[tuple[dict[str, str], bytes]] = []
        self.heard = threading.Semaphore(0)
        self.status = 200
        self.url = ""


@pytest.fixture
def listener() -> Iterator[Listener]:
    listener = Listener()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            listener.received.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(listener.status)
            self.send_header("Content-Length", "0")
            self.end_headers()
            listener.heard.release()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        listener.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
        yield listener
        server.shutdown()
        thread.join(60)


def signed_by_hand(key: bytes, headers: Mapping[str, str], body: bytes) -> str:
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


async def test_each_change_is_reported_once_signed_and_again_while_that_fails(
    agentos: AgentOS, listener: Listener, clock: Any
) -> None:
    call_webhook(agentos, listener.url, SECRET)
    await agentos.memory.store("ada", StoreRequest("Before the daemon began"))
    await agentos.events.deliver()
    listener.status = 500
    stored = await agentos.memory.store("ada", StoreRequest("The pier is closed"))
    await queue_worker.work_queue(agentos)
    listener.status = 200
    for _ in range(2):
        clock.advance(minutes=5)
        await queue_worker.work_queue(agentos)
    assert (
        len(listener.received) == 2 and listener.received[0][0]["webhook-id"] == listener.received[1][0]["webhook-id"]
    )
    headers, body = listener.received[-1]
    event = json.loads(body)
    assert (event["type"], event["subject"], event["namespace"]) == ("memory.store", stored.memory.id, "ada")
    assert b"pier" not in body
    assert headers["webhook-signature"] == signed_by_hand(SECRET.encode(), headers, body)
    assert int(headers["webhook-timestamp"]) > int(listener.received[0][0]["webhook-timestamp"])


@pytest.mark.parametrize("is_hinted", [True, False], ids=["hinted at", "written by a process that does not hint"])
async def test_a_change_is_reported_within_seconds_without_the_job_of_every_minute(
    agentos: AgentOS, listener: Listener, monkeypatch: Any, is_hinted: bool
) -> None:
    assert scheduler.EVENTS_S <= 5
    call_webhook(agentos, listener.url, SECRET)
    running = scheduler.Scheduler(agentos, (), NoIndex())
    if not is_hinted:
        monkeypatch.setattr(running, "_work_when_hinted", asyncio.Event().wait)
    await agentos.memory.store("ada", StoreRequest("Before the daemon began"))
    await running.start()
    try:
        stored = await agentos.memory.store("ada", StoreRequest("The first change after it began"))
        await asyncio.to_thread(listener.heard.acquire, timeout=WITHIN_S)
    finally:
        running.stop()
    assert [json.loads(body)["subject"] for _, body in listener.received] == [stored.memory.id]


async def test_the_libraries_of_the_standard_take_what_is_signed_with_their_kind_of_secret(
    agentos: AgentOS, listener: Listener, clock: Any
) -> None:
    clock.now = datetime.now(UTC)  # they refuse what is old
    secret = "whsec_" + base64.b64encode(bytes(range(32))).decode()
    call_webhook(agentos, listener.url, secret)
    await agentos.events.deliver()
    await agentos.memory.store("ada", StoreRequest("The pier is open"))
    await queue_worker.work_queue(agentos)
    [(headers, body)] = listener.received
    assert Webhook(secret).verify(body, dict(headers))["type"] == "memory.store"


@pytest.mark.parametrize(
    "secret", ["Schlüssel, länger als 24 Zeichen", "whsec_no base64, and longer than that", SECRET]
)
def test_a_secret_in_any_words_signs(secret: str) -> None:
    signed = hmac.new(secret.encode(), b"evt_5.1.{}", hashlib.sha256).digest()
    assert webhook.signature(secret, "evt_5", "1", b"{}") == "v1," + base64.b64encode(signed).decode()


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n" + 100_000 * b"x", None),
        (b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", None),
        (b"HTTP/1.1 307 Moved\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n", "answers 307"),
        (b"HTTP/1.1 200 OK\r\n" + 1_000 * (b"X-Long: " + 1_000 * b"y" + b"\r\n"), "cannot be reached"),
        (b"\0\xff" * 100, "cannot be reached"),
        (b"", "cannot be reached"),
        (b"HTTP/1.1 200 O", "no answer in 0.5 s"),
    ],
    ids=["endless body", "early hints", "redirect", "endless head", "no HTTP", "nothing", "halting"],
)
async def test_whatever_an_address_answers_is_taken_or_given_up(
    answer: bytes, problem: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave = asyncio.Event()

    async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        if answer.endswith(b"O"):
            await leave.wait()
        writer.close()

    if problem and "no answer" in problem:
        monkeypatch.setattr(webhook, "WITHIN_S", 0.5)
    server = await asyncio.start_server(answered, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with contextlib.nullcontext() if problem is None else pytest.raises(webhook.WebhookFailed, match=problem):
        await webhook.post_event(f"http://127.0.0.1:{port}/", SECRET, EVENT, EVENT.at)
    leave.set()
    server.close()


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999/", "http://[::1/", f"http://{64 * 'a'}/", "http://", "x"])
async def test_what_is_no_address_fails_as_one_that_cannot_be_reached(url: str) -> None:
    with pytest.raises(webhook.WebhookFailed):
        await webhook.post_event(url, SECRET, EVENT, EVENT.at)
