"""Streams that are open: each keeps a connection for long, so that a caller has so many and no more."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..problems import Problem

MOST_OF_A_PRINCIPAL = 32


class Streams:
    """The streams that are open, by principal: each keeps a connection for long."""

    def __init__(self) -> None:
        self._open: dict[str, int] = {}

    @contextmanager
    def one_of(self, principal: str) -> Iterator[None]:
        """Count a stream while it is open."""
        self._open[principal] = self._open.get(principal, 0) + 1
        try:
            yield
        finally:
            self._open[principal] -= 1
            if not self._open[principal]:
                del self._open[principal]

    def check(self, principal: str) -> None:
        """Raise Problem where a principal has as many as it may."""
        if self._open.get(principal, 0) >= MOST_OF_A_PRINCIPAL:
            raise Problem("too_many_requests", f"{MOST_OF_A_PRINCIPAL} streams are open already", retry_after="15")
