"""A peer in its own Python environment: its dependencies never meet those of AgentOS."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from ..data import Store
from ..embeddings import Embeddings, Matrix
from .system import SystemUnavailable

INSTALL = {"mem0": "mem0ai", "mcp-memory-service": "mcp-memory-service"}
"""The available peers, and the distribution of each."""

HOST = Path(__file__).with_name("peer_host.py")


class Peer:
    """One of INSTALL, run by `python`, the interpreter of its environment."""

    def __init__(self, name: str, python: Path, embeddings: Embeddings, folder: Path) -> None:
        """Start the peer. Raises SystemUnavailable if it cannot be started or is not installed there."""
        self.name = name
        self._embeddings = embeddings
        self._stderr = folder.with_name(f"{folder.name}.stderr")
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("AGENTOS_", "PYTHON"))}
        try:
            with self._stderr.open("wb") as stderr:
                self._process = subprocess.Popen(
                    [str(python), str(HOST), name, str(folder), str(embeddings.dimension)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=stderr,
                    env={**environment, "HOME": str(folder), "HF_HUB_OFFLINE": "1"},
                    cwd=folder,
                    text=True,
                    encoding="utf-8",
                )
        except OSError as error:
            raise SystemUnavailable(f"{python} cannot be run: {error.strerror}") from error
        self._filled = ""
        self._items: frozenset[str] = frozenset()
        try:
            self._answer()
        except SystemUnavailable as problem:
            self.close()
            raise SystemUnavailable(
                f"{problem}; install it in an environment of its own (pip install {INSTALL[name]}) "
                "and name that one's python by --peer-python"
            ) from problem

    def fill(self, store: Store) -> None:
        if store.name == self._filled:
            return
        self._items = frozenset(item.content for item in store.items)
        self._embeddings.vectors(list(self._items))  # all at once; the peer asks one by one
        items = [{"id": item.id, "content": item.content, "occurred_at": item.occurred_at} for item in store.items]
        self._ask({"do": "fill", "store": store.name, "items": items})
        self._filled = store.name

    def search(self, question: str, depth: int) -> list[str]:
        return [str(id_) for id_ in self._ask({"do": "search", "query": question, "depth": depth})["ids"]]

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self._send(request)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        """Return the answer to the last request; requests for vectors in between are served.

        Raises SystemUnavailable.
        """
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            answer: dict[str, Any] = json.loads(line)
            if "error" in answer:
                raise SystemUnavailable(answer["error"])
            if "embed" not in answer:
                return answer
            self._send({"vectors": [self._vector(text).tolist() for text in answer["embed"]]})
        last = self._stderr.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
        raise SystemUnavailable(f"it ended without an answer: {' '.join(last)}")

    def _vector(self, text: str) -> Matrix:
        if text in self._items:
            found: Matrix = self._embeddings.vectors([text])[0]
            return found
        return self._embeddings.query(text)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise SystemUnavailable(f"it has ended: {error.strerror}") from error
