"""The HTTP door is killed while many write."""

import http.client
import signal
import threading
import time
from pathlib import Path

from tests.e2e.conftest import DEADLINE_S
from tests.e2e.test_serve import Serving


def test_what_was_acknowledged_before_a_kill_is_there_after_it(home: Path) -> None:
    serving = Serving(home)
    kept: set[str] = set()

    def store(worker: int) -> None:
        for number in range(1000):
            try:
                status, answer = serving.request("POST", "/api/v1/memories", {"content": f"note {worker} {number}"})
            except (OSError, http.client.HTTPException, ValueError):
                return
            assert status == 201, answer
            kept.add(answer["id"])

    workers = [threading.Thread(target=store, args=(number,)) for number in range(8)]
    for worker in workers:
        worker.start()
    give_up = time.monotonic() + DEADLINE_S
    while len(kept) < 100:
        assert time.monotonic() < give_up
        time.sleep(0.01)
    serving.end(signal.SIGKILL)
    for worker in workers:
        worker.join(DEADLINE_S)
    assert serving.process.stderr is not None
    serving.process.stderr.close()
    again = Serving(home)
    try:
        missing = [one for one in sorted(kept) if again.request("GET", f"/api/v1/memories/{one}")[0] != 200]
        assert not missing
    finally:
        again.end()
        assert again.process.stderr is not None
        again.process.stderr.close()
