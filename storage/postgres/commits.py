"""Commits whose answer was lost with the connection: a mark that each transaction leaves tells whether they happened.

The number of a transaction cannot tell it: after a crash the server gives the same ones out again.
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ...modules.records import dataclass

_MARK = (
    "INSERT INTO request_effects (principal, key, action, subject, digest, at) "
    "VALUES ('', '{slot}', 'commit', '', '\\x{mark}', {since}) "
    "ON CONFLICT (tenant, principal, key, action, subject) DO UPDATE SET digest = excluded.digest; COMMIT"
)
MARK_OF = "SELECT digest FROM request_effects WHERE principal = '' AND key = ? AND action = 'commit' AND subject = ''"
"""The query for the mark that was left last in a slot."""


@dataclass
class MarkerSlot:
    """A row that successive transactions update with their commit marker, so that markers do not accumulate."""

    name: str
    since: int
    mark: str = ""

    def commit(self, then: str = "") -> bytes:
        """Return what leaves a new mark and commits, in one trip, and asks `then`."""
        self.mark = secrets.token_hex(8)
        return (_MARK.format(slot=self.name, mark=self.mark, since=self.since) + then).encode()


class Slots:
    """The slots of one process: as many as transactions ran at once. Those of ended ones are purged after a day."""

    def __init__(self) -> None:
        self._process = secrets.token_hex(6)
        self._since = time.time_ns() // 1_000
        self._made = 0
        self._free: list[MarkerSlot] = []

    @contextmanager
    def taken(self) -> Iterator[MarkerSlot]:
        """Yield a slot that nobody else has meanwhile."""
        if not self._free:
            self._made += 1
            self._free.append(MarkerSlot(f"{self._process}-{self._made}", self._since))
        slot = self._free.pop()
        try:
            yield slot
        finally:
            self._free.append(slot)
