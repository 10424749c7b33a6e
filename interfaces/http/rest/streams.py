"""Streams that are open: each keeps a connection for long, so that a caller has so many and no more."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..limits import Shares

MOST_OF_A_PRINCIPAL = 32


class Streams(Shares):
    """The streams that are open, by principal."""

    def __init__(self) -> None:
        super().__init__(MOST_OF_A_PRINCIPAL, "streams are open")
        self._ends: set[Callable[[], None]] = set()

    @contextmanager
    def ended_by(self, end: Callable[[], None]) -> Iterator[None]:
        """Have `end` called where the server leaves while the block runs."""
        self._ends.add(end)
        try:
            yield
        finally:
            self._ends.discard(end)

    def end(self) -> None:
        """Tell the streams that can take leave of their clients to do so."""
        for end in [*self._ends]:
            end()
