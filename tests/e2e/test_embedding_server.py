"""A server, its daemon and its doctor with an embedding server: it is asked, and its key is nowhere to be read."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.commands import ran
from tests.e2e.conftest import environment

KEY = "sk-never-to-be-seen"


class Handler(BaseHTTPRequestHandler):
    """Vectors by whether a text speaks of a cat; whoever has not the key is sent away."""

    inputs: list[str]

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        if self.headers["Authorization"] != f"Bearer {KEY}":
            self.send_error(401)
            return
        self.inputs += texts
        vectors = [[1.0, 0.1] if "cat" in text or "kitten" in text else [0.1, 1.0] for text in texts]
        data = [{"index": index, "embedding": vector} for index, vector in enumerate(vectors)]
        body = json.dumps({"data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Says nothing."""


@pytest.fixture
def inputs() -> Iterator[tuple[str, list[str]]]:
    """The base URL of a running server, and the texts that it has been sent."""
    handler = type("Noting", (Handler,), {"inputs": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1", handler.inputs  # type: ignore[attr-defined]
    server.shutdown()
    server.server_close()
    thread.join(60)


DAEMON = ("-m", "agentos.daemon")


def printed(home: Path, settings: dict[str, str], *command: str) -> str:
    own = {name: value for name, value in os.environ.items() if not name.startswith("AGENTOS_")}
    done = subprocess.run(
        (sys.executable, *command),
        env={**own, "AGENTOS_HOME": str(home), **settings},
        cwd=home.parent,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout + done.stderr


def test_memories_are_embedded_by_the_server_and_its_key_is_nowhere_to_be_read(
    inputs: tuple[str, list[str]], start: Any, home: Path
) -> None:
    url, sent = inputs
    settings = {
        "AGENTOS_EMBEDDING_URL": url,
        "AGENTOS_EMBEDDING_API_KEY": KEY,
        "AGENTOS_SEARCH_GATE": "0",  # the stub's vectors know no distance in between
        "AGENTOS_LOG_LEVEL": "DEBUG",
        "AGENTOS_DAEMON_LOG_LEVEL": "DEBUG",
    }
    wire = start(settings=settings)
    wire.initialize()
    wire.call("memory_store", content="The cat sleeps on the sofa.")
    wire.call("memory_store", content="Rent is due on Monday.")
    hits = wire.search_by_meaning("where is my kitten")
    assert hits[0]["content"] == "The cat sleeps on the sofa."
    assert hits[0]["similarity"] == pytest.approx(1.0, abs=1e-4)
    assert "The cat sleeps on the sofa." in sent and "where is my kitten" in sent
    output = printed(home, settings, *DAEMON, "--status")
    assert "running" in output
    checked = ran(("doctor", "--json", "--deep"), {**environment(home), **settings})
    output += checked.stdout + checked.stderr
    assert "it embeds a text with 2 values" in output
    assert wire.end() == 0
    output += wire.stderr() + "".join(wire.lines)
    assert KEY not in output
    for path in home.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
