"""The HTTP door is killed while many write."""

import http.client
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.conftest import DEADLINE_S
from tests.e2e.test_serve import Serving


def test_what_was_acknowledged_before_a_kill_is_there_after_it(home: Path) -> None:
    serving = Serving(home)
    stored_ids: set[str] = set()

    def store(worker: int) -> None:
        for number in range(1000):
            try:
                status, answer = serving.request("POST", "/api/v1/memories", {"content": f"note {worker} {number}"})
            except (OSError, http.client.HTTPException, ValueError):
                return
            assert status == 201, answer
            stored_ids.add(answer["id"])

    workers = [threading.Thread(target=store, args=(number,)) for number in range(8)]
    for worker in workers:
        worker.start()
    give_up = time.monotonic() + DEADLINE_S
    while len(stored_ids) < 100:
        assert time.monotonic() < give_up
        time.sleep(0.01)
    serving.end(signal.SIGKILL)
    for worker in workers:
        worker.join(DEADLINE_S)
    assert serving.process.stderr is not None
    serving.process.stderr.close()
    again = Serving(home)
    try:
        missing = [one for one in sorted(stored_ids) if again.request("GET", f"/api/v1/memories/{one}")[0] != 200]
        assert not missing
    finally:
        again.end()
        assert again.process.stderr is not None
        again.process.stderr.close()


DIES_BEFORE_IT_ANSWERS = """
import os, signal, sys
from agentos.daemon import main
from agentos.interfaces.http.rest.resource import RouteMethod

async def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

RouteMethod._response = die
os.environ["AGENTOS_HTTP"] = sys.argv.pop()
del sys.argv[1:]
sys.exit(main())
"""


def test_a_request_whose_answer_was_lost_with_the_server_changes_nothing_twice(home: Path) -> None:
    body, named = {"title": "Paint the shed", "description": "in teal"}, {"Idempotency-Key": "k1"}
    dying = Serving(home, command=(sys.executable, "-c", DIES_BEFORE_IT_ANSWERS))
    with pytest.raises((OSError, http.client.HTTPException)):
        dying.request("POST", "/api/v1/goals", body, headers=named)
    assert dying.process.wait(DEADLINE_S) == -signal.SIGKILL
    assert dying.process.stderr is not None
    dying.process.stderr.close()
    again = Serving(home)
    try:
        _, listed = again.request("GET", "/api/v1/goals")
        [goal] = listed["results"]
        assert again.request("POST", "/api/v1/goals", body, headers=named)[1]["id"] == goal["id"]
        assert again.request("POST", "/api/v1/goals", {**body, "title": "t"}, headers=named)[0] == 409
        assert again.request("GET", "/api/v1/goals")[1]["total"] == 1
    finally:
        again.end()
        assert again.process.stderr is not None
        again.process.stderr.close()


LOOKED_AT = {
    "a backup": ("POST", "/api/v1/backups"),
    "the list of backups": ("GET", "/api/v1/backups"),
    "an examination": ("GET", "/api/v1/health"),
}
PASSER_BY = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT count(*) FROM memories").fetchone()
connection.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="locks there belong to the descriptor that took them")
def test_whatever_looks_at_the_database_it_stays_locked_and_its_log_in_place(home: Path) -> None:
    """Closing a descriptor drops a process's locks: the next to close the store would delete the log in use."""
    serving = Serving(home)
    database, log = home / "agentos.db", home / "agentos.db-wal"
    try:
        assert serving.request("POST", "/api/v1/memories", {"content": "the lamp is green"})[0] == 201
        assert locks_on(database)
        for name, (method, path) in LOOKED_AT.items():
            assert serving.request(method, path)[0] in (200, 201), name
            assert locks_on(database), name
            inode = log.stat().st_ino
            subprocess.run([sys.executable, "-c", PASSER_BY, str(database)], check=True)
            assert log.exists() and log.stat().st_ino == inode, name
        status, answer = serving.request("POST", "/api/v1/memories", {"content": "the door is blue"})
        assert status == 201
        serving.end(signal.SIGKILL)
        with closing(sqlite3.connect(database)) as after:
            assert after.execute("SELECT count(*) FROM memories WHERE id = ?", (answer["id"],)).fetchone() == (1,)
    finally:
        serving.process.kill()
        serving.process.wait()
        assert serving.process.stderr is not None
        serving.process.stderr.close()


def locks_on(path: Path) -> bool:
    """Return whether the system knows of a lock on a file; where it does not tell, True."""
    known = Path("/proc/locks")
    return not known.exists() or f":{path.stat().st_ino} " in known.read_text(encoding="ascii")
