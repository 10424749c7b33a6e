"""Daemons of several machines on one database in PostgreSQL, killed, cut off by the network, and healed."""

import http.client
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agentos.benchmarks.corpus import Seeds
from agentos.benchmarks.faults import daemons
from agentos.benchmarks.postgres import Server, running
from agentos.benchmarks.run import Run
from tests.e2e.conftest import environment

pytestmark = pytest.mark.postgres
WITHIN_S = 180.0
"""How long anything may take that must happen: machines of tests are slow."""
KEY = "a-key-of-more-than-24-characters"
FIRST_NUMBER = os.getpid() % 100 * 2
"""The number of the first machine, so that tests which run at the same time do not share networks."""
DATABASE, CONTROL = "10.77.{}.{}", "10.78.{}.{}"
"""The addresses of a machine's two networks, by its number: .1 is the host of the database, .2 the machine."""
SCHEMA, TENANT = "machines", "everyone"
"""The store of both machines, whatever store the other tests of this process share."""
WEBHOOK_PORT = 8099
SERVES_WEBHOOK = """
import http.server, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        print(self.headers["webhook-id"], flush=True)
        if sys.argv[2] == "hangs":
            time.sleep(3600)
        self.send_response(200)
        self.end_headers()
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print("listening", flush=True)
server.serve_forever()
"""


def test_daemons_that_are_killed_and_a_server_that_crashes_lose_nothing_and_no_caller_sees_it(tmp_path: Path) -> None:
    run = Run(scratch=tmp_path, seeds=Seeds(tmp_path / "seeds"), quick=True)
    seen, left = daemons.play(run, daemons=2, requests=80, kill_each_s=4.0)
    assert len(seen.acknowledged) == 80 and not seen.wrong and not seen.given_up
    assert (left.lost, left.extra, left.undone, left.undelivered, left.twice, left.vectors_owed) == (0, 0, 0, 0, 0, 0)
    assert not left.faults and left.tasks == 80


def ip(*words: str, check: bool = True) -> None:
    subprocess.run(["ip", *words], check=check, capture_output=True, text=True, timeout=WITHIN_S)


def has_namespaces() -> bool:
    try:
        ip("netns", "add", "agentos-probe")
        ip("netns", "delete", "agentos-probe")
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


class Machine:
    """A network namespace with a daemon in it: one network leads to the database, the other to the test."""

    def __init__(self, number: int, folder: Path, server: Server) -> None:
        self.number = number
        self.name = f"agentos-{os.getpid()}-{number}"
        self._link = f"aosd{number}"
        self._settings = {
            **environment(folder / f"machine-{number}"),
            "AGENTOS_DATABASE_URL": server.url(DATABASE.format(number, 1)),
            "AGENTOS_DATABASE_SCHEMA": SCHEMA,
            "AGENTOS_DATABASE_TENANT": TENANT,
            "AGENTOS_EMBEDDING_MODEL": "none",
            "AGENTOS_HTTP_KEY": KEY,
            "AGENTOS_HTTP_WITHOUT_TLS": "true",
            "AGENTOS_EVENT_WEBHOOK": f"http://127.0.0.1:{WEBHOOK_PORT}/",
        }
        self._webhook: subprocess.Popen[str] | None = None
        self.process: subprocess.Popen[str] | None = None
        self.port = 0

    def connect(self) -> None:
        """Lay both networks."""
        ip("netns", "add", self.name)
        ip("-n", self.name, "link", "set", "lo", "up")
        for link, addresses in ((self._link, DATABASE), (f"aosc{self.number}", CONTROL)):
            ip("link", "add", link, "type", "veth", "peer", "name", "eth", "netns", self.name)
            ip("address", "add", f"{addresses.format(self.number, 1)}/24", "dev", link)
            ip("-n", self.name, "link", "set", "eth", "name", f"to-{link}")
            ip("-n", self.name, "address", "add", f"{addresses.format(self.number, 2)}/24", "dev", f"to-{link}")
            ip("-n", self.name, "link", "set", f"to-{link}", "up")
            ip("link", "set", link, "up")

    def cut(self) -> None:
        """Let no packet pass to the database, nor back; nobody is told."""
        ip("link", "set", self._link, "down")

    def heal(self) -> None:
        ip("link", "set", self._link, "up")

    def _inside(self, *words: str) -> list[str]:
        return ["ip", "netns", "exec", self.name, sys.executable, "-m", "agentos.interfaces.cli", *words]

    def called(self) -> str:
        """Wait for a call of the webhook, and return the id of its event."""
        assert self._webhook is not None and self._webhook.stdout is not None
        return self._webhook.stdout.readline().strip()

    def start(self, webhook: str) -> None:
        """Start a webhook that `answers` or `hangs`, and the daemon."""
        serving = ["ip", "netns", "exec", self.name, sys.executable, "-c", SERVES_WEBHOOK, str(WEBHOOK_PORT), webhook]
        self._webhook = subprocess.Popen(serving, stdout=subprocess.PIPE, text=True)
        self.called()  # it listens
        address = CONTROL.format(self.number, 2)
        self.process = subprocess.Popen(
            self._inside("serve", "--listen", f"{address}:0"), env=self._settings, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stderr is not None
        found = re.search(r"http://\S*:(\d+)", line := self.process.stderr.readline())
        assert found, line + self.process.stderr.read()
        self.port = int(found[1])

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(CONTROL.format(self.number, 2), self.port, timeout=WITHIN_S)
        headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        content = json.loads(answer.read())
        connection.close()
        return answer.status, content

    def store(self, text: str) -> tuple[int, Any]:
        return self.ask("POST", "/api/v1/memories", {"content": text})

    def doctor(self) -> str:
        done = subprocess.run(
            self._inside("doctor"), env=self._settings, capture_output=True, text=True, timeout=WITHIN_S
        )
        return done.stdout + done.stderr

    def end(self) -> None:
        for process in (self.process, self._webhook):
            if process is not None:
                process.kill()
                process.communicate()
        ip("netns", "delete", self.name, check=False)
        for link in (self._link, f"aosc{self.number}"):
            ip("link", "delete", link, check=False)


def until(condition: Callable[[], Any], what: str) -> None:
    give_up_at = time.monotonic() + WITHIN_S
    while not condition():
        assert time.monotonic() < give_up_at, what
        time.sleep(0.1)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[tuple[Server, Sequence[Machine]]]:
    if not has_namespaces():
        pytest.skip("this machine lets nobody make network namespaces")
    with running("*") as server:
        both = [Machine(number, tmp_path, server) for number in (FIRST_NUMBER, FIRST_NUMBER + 1)]
        try:
            for machine in both:
                machine.connect()
            yield server, both
        finally:
            for machine in both:
                machine.end()


def rows(server: Server, query: str) -> list[Any]:
    import psycopg

    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(f"SET search_path TO {SCHEMA}".encode())
        try:
            return connection.execute(query.encode()).fetchall()
        except psycopg.errors.UndefinedTable:  # the first daemon is still making it
            return []


def test_a_machine_that_the_network_cuts_off_says_so_loses_nothing_and_recovers_by_itself(
    machines: tuple[Server, Sequence[Machine]],
) -> None:
    server, (here, there) = machines
    expected: dict[str, str] = {}

    def stored(machine: Machine, text: str) -> bool:
        status, answer = machine.store(text)
        if status == 201:
            expected[answer["id"]] = text
        return status == 201

    here.start("hangs")
    until(lambda: rows(server, "SELECT 1 FROM event_handlers"), "the webhook is not registered")
    assert stored(here, "heron is the staging database")
    task = here.called().removeprefix("evt_")  # it has leased it, and is cut off amid it
    here.cut()
    there.start("answers")
    of_task = f"SELECT state, attempts FROM queue WHERE key = '{task}'"
    assert rows(server, of_task) == [("leased", 1)]
    rows(server, f"UPDATE queue SET lease_until = 0 WHERE key = '{task}' RETURNING 1")  # as five minutes later
    assert stored(there, "egret is the production database")
    until(lambda: rows(server, of_task) == [("done", 2)], "the lease does not move")
    here.heal()
    until(lambda: here.ask("GET", "/readyz")[0] == 200, "it does not come back by itself")

    lately = [f"here writes {number} while it is cut off" for number in range(4)]
    answers: list[tuple[int, Any]] = []
    writing = [threading.Thread(target=lambda text=text: answers.append(here.store(text))) for text in lately]
    for one in writing:
        one.start()
    here.cut()
    # Whatever the other one holds, what is written here does not wait for it longer than the server lets it.
    assert all(stored(there, f"there writes {number} meanwhile") for number in range(4))
    gone = {"store": "storage_unavailable"}
    until(lambda: gone.items() <= here.ask("GET", "/readyz")[1]["components"].items(), "/readyz does not say why")
    assert here.ask("GET", "/readyz")[0] == 503
    assert there.ask("GET", "/readyz")[0] == 200
    for one in writing:
        one.join(WITHIN_S)
    status, refused = here.store("this is refused")
    assert status == 503 and "cannot be reached" in refused["detail"]
    assert "cannot be reached" in here.doctor()
    assert "daemons on the same store notify each other" in there.doctor()

    here.heal()
    until(lambda: here.ask("GET", "/readyz")[0] == 200, "it does not come back by itself")
    assert stored(here, "here writes again") and stored(there, "there writes on")
    expected |= {answer["id"]: answer["content"] for status, answer in answers if status == 201 and "content" in answer}
    acknowledged = {answer["id"] for status, answer in answers if status == 201}
    for machine in (here, there):
        listed = machine.ask("GET", "/api/v1/memories?limit=100")[1]["results"]
        contents = {one["id"]: one["content"] for one in listed}
        assert expected.items() <= contents.items() and acknowledged <= contents.keys()
        assert len(contents) == len({*contents.values()})
    assert rows(server, of_task) == [("done", 2)]
    assert all(machine.process and machine.process.poll() is None for machine in (here, there))
