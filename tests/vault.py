"""A stub of HashiCorp Vault's Transit engine, over HTTP on this machine."""

import base64
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "hvs.a-token-of-the-test"


class Vault:
    """What the stub holds and does: `status` and `body` are told instead of an answer; `asked` are its requests."""

    def __init__(self) -> None:
        self.url = ""
        self.status = 200
        self.body: bytes | None = None
        self.version = 1
        self.oldest = 1
        self.keys: dict[str, bytes] = {}
        self.asked: list[str] = []

    def answer(self, path: str, token: str, given: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Answer a request as Vault does."""
        self.asked.append(path)
        if token != TOKEN:
            return 403, {"errors": ["permission denied"]}
        _, _, mount, action, *more = path.split("/")
        if mount != "transit" or more[-1] != "agentos":
            return 404, {"errors": []}
        if action == "datakey":
            return 200, self._wrapped(os.urandom(given["bits"] // 8))
        wrapped = given["ciphertext"]
        if wrapped not in self.keys or int(wrapped.split(":")[1][1:]) < self.oldest:
            return 400, {"errors": ["invalid ciphertext"]}
        if action == "rewrap":
            return 200, {"ciphertext": self._wrapped(self.keys[wrapped])["ciphertext"]}
        return 200, {"plaintext": base64.b64encode(self.keys[wrapped]).decode()}

    def _wrapped(self, key: bytes) -> dict[str, Any]:
        wrapped = f"vault:v{self.version}:{base64.b64encode(os.urandom(48)).decode()}"
        self.keys[wrapped] = key
        return {"plaintext": base64.b64encode(key).decode(), "ciphertext": wrapped}


@contextmanager
def serving() -> Iterator[Vault]:
    """Serve a stub on a free port of this machine."""
    vault = Vault()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, data = vault.answer(self.path, self.headers["X-Vault-Token"], given)
            status = status if vault.status == 200 else vault.status
            body = json.dumps({"data": data}).encode() if vault.body is None else vault.body
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    vault.url = f"http://127.0.0.1:{server.server_port}/transit/agentos"
    try:
        yield vault
    finally:
        server.shutdown()
        server.server_close()
