"""Streams that are open: each keeps a connection for long, so that a caller has so many and no more."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager

from ....modules.principals.models import Caller
from ..limits import SHARE_RETRY_S, Shares
from ..problems import Problem

MOST_OF_A_PRINCIPAL = 32
MOST = 512
CHECKED_EVERY_S = 3.0
"""How long a stream goes on with a key or a grant that has ended."""


class Streams(Shares):
    """The streams that are open, by principal."""

    def __init__(self) -> None:
        super().__init__(MOST_OF_A_PRINCIPAL, "streams are open")
        self._open = 0
        self._ends: set[Callable[[], None]] = set()

    @contextmanager
    def one_of(self, principal: str) -> Iterator[None]:
        """Count one while the block runs. Raises Problem where the principal, or the server, has as many as it may."""
        if self._open >= MOST:
            raise Problem("overloaded", f"{MOST} streams are open already", retry_after=str(SHARE_RETRY_S))
        with super().one_of(principal):
            self._open += 1
            try:
                yield
            finally:
                self._open -= 1

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


async def renewed(renew: Callable[[], Awaitable[Caller]], namespaces: Iterable[str]) -> Caller:
    """Return the caller of a stream of some namespaces as its key and its grants are now.

    Raises Problem, AgentOSError where they have ended.
    """
    caller = await renew()
    for namespace in namespaces:
        caller.reading(namespace, "namespace")
    return caller
