"""The ledger of what was sent and acknowledged, and its audit: nothing lost, nothing made up, nothing twice."""

import itertools
import random
import secrets
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..corpus import sentence
from ..wire import Wire

PAGE = 200
FOUND_WITHIN_S = 2.0


@dataclass
class Audit:
    """The findings of an audit of the store, as texts or ids."""

    lost: list[str] = field(default_factory=list)
    ghosts: list[str] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)
    not_found: list[str] = field(default_factory=list)

    def add(self, other: "Audit") -> None:
        """Add the findings of another audit."""
        self.lost += other.lost
        self.ghosts += other.ghosts
        self.duplicates += other.duplicates
        self.not_found += other.not_found

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found wrong."""
        return not (self.lost or self.ghosts or self.duplicates or self.not_found)


class Ledger:
    """The client's record; thread-safe."""

    def __init__(self) -> None:
        self.sent: set[str] = set()
        self.acknowledged: dict[str, str] = {}
        self.deleted: set[str] = set()
        self._numbers = itertools.count()

    def new_text(self) -> str:
        """Return a text that nobody has sent before, recorded as sent. Its first word is in no other text."""
        text = f"{new_word()} {sentence(next(self._numbers))}"
        self.sent.add(text)
        return text

    def audit(self, wire: Wire, search: Iterable[str]) -> Audit:
        """Compare with the store: everything by list, the memories of the given ids also by search."""
        listed = everything(wire)
        ids, texts = Counter(id_ for id_, _ in listed), Counter(text for _, text in listed)
        contents = dict(listed)
        found = Audit()
        for id_, text in list(self.acknowledged.items()):
            if id_ not in self.deleted and contents.get(id_) != text:
                found.lost.append(f"{id_} {text}")
        found.ghosts = [text for text in texts if text not in self.sent]
        found.ghosts += [id_ for id_ in self.deleted if id_ in ids]
        found.duplicates = [name for name, count in (ids | texts).items() if count > 1]
        found.not_found = [id_ for id_ in search if not is_found_soon(wire, id_, self.acknowledged[id_])]
        return found

    def sample(self, ids: Iterable[str], count: int, chance: random.Random) -> list[str]:
        """Return at most `count` of the ids."""
        known = list(ids)
        return known if len(known) <= count else chance.sample(known, count)


def new_word() -> str:
    """Return a word that occurs nowhere else."""
    return f"w{secrets.token_hex(6)}"


def everything(wire: Wire) -> list[tuple[str, str]]:
    """Return (id, text) of every listed memory, page by page."""
    listed: list[tuple[str, str]] = []
    cursor: dict[str, Any] = {}
    while True:
        page = wire.call("memory_list", limit=PAGE, **cursor)
        listed += [(memory["id"], memory["content"]) for memory in page["results"]]
        if "next_cursor" not in page:
            return listed
        cursor = {"cursor": page["next_cursor"]}


def is_found(wire: Wire, id_: str, text: str) -> bool:
    """Return whether a search for a text's own words finds it."""
    found = wire.call("memory_search", query=text, limit=5)["results"]
    return any(memory["id"] == id_ for memory in found)


def is_found_soon(wire: Wire, id_: str, text: str) -> bool:
    """Return whether a search finds it within FOUND_WITHIN_S: a vector follows its memory within moments."""
    give_up_at = time.monotonic() + FOUND_WITHIN_S
    while not is_found(wire, id_, text):
        if time.monotonic() > give_up_at:
            return False
        time.sleep(0.05)
    return True


def seconds_until_visible(wire: Wire, id_: str, text: str, timeout_s: float) -> tuple[float, float]:
    """Return the seconds until another process lists a memory, and until it finds it; inf after the timeout."""
    began = time.monotonic()
    listed = found = float("inf")
    while time.monotonic() < began + timeout_s and (listed > timeout_s or found > timeout_s):
        if listed > timeout_s and any(m["id"] == id_ for m in wire.call("memory_list", limit=PAGE)["results"]):
            listed = time.monotonic() - began
        if found > timeout_s and is_found(wire, id_, text):
            found = time.monotonic() - began
    return listed, found
