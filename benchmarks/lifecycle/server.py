"""AgentOS under test: a real server over standard input and output, used through its tools alone."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..home import Home
from ..wire import Wire
from .cases import DatedText

READY_S = 900.0
"""Time limit for all vectors, in seconds."""
QUIET_S = 3.0
"""Seconds without a new judgement or relation after which the background is considered at rest."""

EXPLAINED = 1e-6
"""Tolerance between a score and the sum of its parts."""

Hit = dict[str, Any]
LABELS = ("may_be_outdated_by", "maybe_outdated_by")
"""Names of the label of a memory that may be outdated."""


class Server:
    """A home with one session. Every search asks for its explanation, and checks that it adds up."""

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        """Start the server; `settings` are AGENTOS_* variables."""
        self.settings = dict(settings or {})
        self._home = Home(folder, settings=settings)
        self._wire: Wire = self._home.session()
        self._is_closed = False
        self.explained = 0
        self.unexplained: list[str] = []

    @property
    def home(self) -> Home:
        """The folder and its processes."""
        return self._home

    def store(self, namespace: str, statement: DatedText, **more: Any) -> Hit:
        """Store a statement with the time since which it is true; return the tool's result."""
        return self.call(
            "memory_store", namespace, content=statement.text, occurred_at=statement.at.isoformat(), **more
        )

    def get(self, namespace: str, memory_id: str) -> Hit:
        """Return a memory in full."""
        return self.call("memory_get", namespace, memory_id=memory_id)

    def search(self, namespace: str, query: str, limit: int = 5, **more: Any) -> list[Hit]:
        """Return the hits, best first, with the parts of their scores."""
        found = self.call("memory_search", namespace, query=query, limit=limit, explain=True, detail="full", **more)
        hits: list[Hit] = found["results"]
        parts = (found.get("explanation") or {}).get("parts") or {}
        for hit in hits:
            hit["parts"] = parts.get(hit["id"], {})
            total = sum(hit["parts"].values())
            self.explained += 1
            if abs(total - hit["score"]) > EXPLAINED:
                self.unexplained.append(f"{query!r}: {hit['id']} has {hit['score']}, its parts make {total}")
        return hits

    def call(self, tool: str, namespace: str, **arguments: Any) -> dict[str, Any]:
        """Return the structured result of a tool. Raises Refused, Gone or TimeoutError."""
        return self._wire.call(tool, agent_id=namespace, **arguments)

    def settle(self) -> None:
        """Wait until every memory has its vectors and is judged. Raises TimeoutError."""
        give_up_at = time.monotonic() + READY_S
        while self._home.vectors_owed() or not self._home.index_is_ready():
            if time.monotonic() > give_up_at:
                raise TimeoutError(f"{self._home.vectors_owed()} memories have no vectors yet")
            time.sleep(0.2)
        self._wait_for_judgements(give_up_at)
        while self.call("memory_search", "warm-up", query="warm up", limit=1).get("mode") == "lexical":
            if time.monotonic() > give_up_at:
                raise TimeoutError("searches are by words alone: is there a model?")
            time.sleep(0.1)

    def _wait_for_judgements(self, give_up_at: float) -> None:
        """Wait until the background has been at rest for QUIET_S: it compares new memories once they have vectors."""
        seen, since = self._home.judgements(), time.monotonic()
        while time.monotonic() < min(since + QUIET_S, give_up_at):
            time.sleep(0.2)
            if (now := self._home.judgements()) != seen:
                seen, since = now, time.monotonic()

    def restarted(self, settings: Mapping[str, str]) -> "Server":
        """Return a server with other settings on the same home; this one is closed."""
        self.close()
        return Server(self._home.folder, settings)

    def close(self) -> None:
        """End the session and all processes of its home. Idempotent."""
        if self._is_closed:
            return
        self._is_closed = True
        self._wire.close()
        self._home.end()


def marked_by(hit: Hit) -> str | None:
    """Return the id of the memory that has probably replaced a hit, by its label; None without one."""
    found = next((hit[name] for name in LABELS if hit.get(name)), None)
    return str(found["id"]) if isinstance(found, dict) else found


def is_marked(hit: Hit) -> bool:
    """Return whether a hit is labelled as probably replaced."""
    return marked_by(hit) is not None


def named_in(answer: Hit) -> list[str]:
    """Return the older memories that the answer to a store asks about."""
    return [one["id"] if isinstance(one, dict) else str(one) for one in answer.get("may_replace") or ()]


def is_current(memory: Hit) -> bool:
    """Return whether a memory is shown as current: neither superseded, ended, contested nor archived."""
    ended = memory.get("valid_to")
    if ended is not None and datetime.fromisoformat(ended) <= datetime.now(UTC):
        return False
    return not memory.get("superseded_by") and memory.get("status", "active") in ("active", "candidate")
