"""Three processes serve the same stores behind a proxy that knows nothing of HTTP: any of them answers any request."""

import asyncio
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from agentos.interfaces.cli.running import run
from agentos.modules.clock import system_clock
from agentos.modules.principals.logins import LoginLinks
from agentos.storage.server_key import NAME, ServerKeyFile
from tests.e2e.conftest import DEADLINE_S
from tests.e2e.test_serve import Serving

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("at_a_terminal")]
API = "/api/v1"
CHUNK = 65_536


class Proxy:
    """Joins each connection to the next port in turn that takes it, and passes bytes on."""

    def __init__(self, ports: list[int]) -> None:
        self._ports = ports
        self._turn = 0
        self.answered: Counter[int] = Counter()
        self.last = 0

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[int]:
        server = await asyncio.start_server(self._join, "127.0.0.1", 0)
        async with server:
            yield server.sockets[0].getsockname()[1]

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in self._ports:
            port = self._ports[self._turn % len(self._ports)]
            self._turn += 1
            try:
                there, to_there = await asyncio.open_connection("127.0.0.1", port)
                break
            except OSError:
                continue
        else:
            writer.close()
            return
        self.answered[port] += 1
        self.last = port
        await asyncio.gather(self._pass(reader, to_there), self._pass(there, writer))

    @staticmethod
    async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while chunk := await reader.read(CHUNK):
                writer.write(chunk)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()


@pytest.fixture
def three(
    tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[tuple[list[Serving], dict[str, str]]]:
    """Three served homes with one server key, and the key of the owner of each of two stores."""
    settings = {
        "AGENTOS_DATABASE_URL": postgres_url,
        "AGENTOS_DATABASE_SCHEMA": f"beside_{os.getpid()}",
        "AGENTOS_DATABASE_TENANT": "house",
        "AGENTOS_DATABASE_TENANTS": "5",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    homes = [tmp_path / name for name in "abc"]
    keys = {}
    for store in ("acme", "birch"):
        capsys.readouterr()
        assert run(["tenants", "create", store, "--home", str(homes[0]), "--json"]) == 0
        keys[store] = json.loads(capsys.readouterr().out)["key"]
    for home in homes[1:]:
        home.mkdir(mode=0o700)
        shutil.copy2(homes[0] / NAME, home / NAME)
    started = [Serving(home, **settings) for home in homes]
    yield started, keys
    for serving in started:
        serving.process.kill()
        serving.process.wait()
        assert serving.process.stderr is not None
        serving.process.stderr.close()


def client(port: int, key: str | None = None) -> httpx2.AsyncClient:
    """A client that makes a connection for each request, so that each goes to the next process."""
    headers = {"connection": "close", **({"authorization": f"Bearer {key}"} if key else {})}
    return httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=DEADLINE_S)


async def events(asking: httpx2.AsyncClient, last: str | None = None) -> AsyncIterator[dict[str, Any]]:
    """The events of a stream, with their ids, until it is cut; the first says where it begins."""
    headers = {"last-event-id": last} if last else {}
    try:
        async with asking.stream("GET", f"{API}/events", headers=headers) as answer:
            assert answer.status_code == 200
            event: dict[str, Any] = {}
            async for line in answer.aiter_lines():
                name, _, value = line.partition(": ")
                if name in ("id", "data"):
                    event[name] = value
                elif not line and "id" in event:
                    yield event
                    event = {}
    except httpx2.TransportError:
        return


async def test_keys_sessions_and_streams_hold_whichever_process_answers_and_while_one_is_killed(
    three: tuple[list[Serving], dict[str, str]], tmp_path: Path
) -> None:
    started, keys = three
    proxy = Proxy([serving.port for serving in started])
    async with proxy.serving() as port, client(port, keys["acme"]) as acme, client(port, keys["birch"]) as birch:
        for number in range(3):
            stored = await acme.post(f"{API}/memories", json={"content": f"the crane number {number} of acme"})
            assert stored.status_code == 201, stored.text
            assert len((await acme.get(f"{API}/memories")).json()["results"]) == number + 1
            assert (await birch.get(f"{API}/memories")).json()["results"] == []
        token = (await acme.post(f"{API}/auth/token", json={"role": "reader"})).json()["token"]
        here = {"origin": f"http://127.0.0.1:{port}", "sec-fetch-site": "same-origin"}
        link = await LoginLinks(ServerKeyFile(tmp_path / "a"), system_clock).make(is_person=True)
        async with client(port, token) as reading, client(port) as browser, client(port) as another:
            entered = [await another.post("/dashboard/enter", data={"link": link}, headers=here) for _ in range(3)]
            assert sum(one.status_code == 303 for one in entered) == 1  # a link opens one session, not one for each
            signed_in = await browser.post("/dashboard/sign-in", data={"key": keys["acme"]}, headers=here)
            assert signed_in.status_code == 303, signed_in.text
            for _ in range(3):
                assert (await reading.get(f"{API}/memories")).status_code == 200
                page = await browser.get("/dashboard/memories")
                assert page.status_code == 200 and "crane number 2" in page.text
            assert len(proxy.answered) == 3

            following = events(acme)
            seen = [await anext(following)]
            streams_from = proxy.last
            await acme.post(f"{API}/memories", json={"content": "told by another process"})
            seen.append(await anext(following))
            [killed] = [serving for serving in started if serving.port == streams_from]
            killed.process.kill()
            assert [one async for one in following] == []  # it is cut, and goes on elsewhere
            missed = [
                await acme.post(f"{API}/memories", json={"content": f"while nobody listened: {number * 7919}"})
                for number in range(4)
            ]
            going_on = events(acme, seen[-1]["id"])
            told = [await anext(going_on) for _ in range(1 + len(missed))]
            subjects = [json.loads(one["data"])["subject"] for one in told if "data" in one]
            assert subjects == [answer.json()["id"] for answer in missed]
            await going_on.aclose()
            for _ in range(3):
                assert (await reading.get(f"{API}/memories")).status_code == 200
                assert (await browser.get("/dashboard/memories")).status_code == 200

            form = re.search(r'name="token" value="(\w+)"', (await browser.get("/dashboard/memories")).text)
            assert form
            cookie = dict(browser.cookies)
            await browser.post("/dashboard/sign-out", data={"token": form[1]}, headers=here)
            browser.cookies.update(cookie)
            assert [(await browser.get("/dashboard/memories")).status_code for _ in range(3)] == [303] * 3
