"""The protocol of the measured systems."""

from typing import Protocol

from ..data import Store


class SystemUnavailable(Exception):
    """A system cannot be measured here; the message says why and what would help."""


class System(Protocol):
    """A memory that is filled with stores and searched. Not thread-safe."""

    @property
    def name(self) -> str:
        """Its name in the report."""

    def fill(self, store: Store) -> None:
        """Store the items, in order, unless that has been done; later searches are in this store.

        Returns once they can be found by every means the system has. Raises SystemUnavailable.
        """

    def search(self, question: str, depth: int) -> list[str]:
        """Return the ids of at most `depth` items, best first. Raises SystemUnavailable."""

    def close(self) -> None:
        """Stop everything that was started."""
