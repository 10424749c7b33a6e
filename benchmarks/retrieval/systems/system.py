"""What the benchmark asks of every system."""

from typing import Protocol

from ..data import Store


class SystemUnavailable(Exception):
    """A system cannot be measured here; the message says why and what would help."""


class System(Protocol):
    """A memory that is filled with stores and asked. For one thread."""

    @property
    def name(self) -> str:
        """As in the report."""

    def fill(self, store: Store) -> None:
        """Store the items, in order, unless that has happened; searches are in this store from now on.

        Returns when they can be found by every means the system has. Raises SystemUnavailable.
        """

    def search(self, question: str, depth: int) -> list[str]:
        """The ids of at most `depth` items, best first. Raises SystemUnavailable."""

    def close(self) -> None:
        """End what was started."""
