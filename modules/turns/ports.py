"""What conversations need of storage."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from .models import Added, Branch, NewTurn, Opening, Page, Stretch, Turn


class TurnRepository(Protocol):
    """Turns, which are memories, and the pages that they stand on. What is archived or forgotten is not given."""

    async def add(
        self, opening: Opening, turns: Sequence[NewTurn], now: datetime, announce: Sequence[str] = ()
    ) -> Added:
        """Append turns to a session, all in one durable transaction; those whose key is known stay as they are.

        A turn of the user opens a page, others join the last one. The session, where it is new, is made with them.
        For each type in `announce` a task is put into the queue with them, where any turn was new. Raises NotFound for
        an unknown parent, Conflict where the session has another one.
        """

    async def branch(self, opening: Opening, place: int | None, now: datetime) -> Branch:
        """Make a session that branches off from its parent after a place, or after its last turn; once for a name.

        Raises NotFound for an unknown parent, Conflict where the session is there with another one.
        """

    async def lineage(self, namespace: str, session: str) -> list[Stretch]:
        """What a session consists of: its own turns, then those that it inherits, nearest first; empty if unknown."""

    async def last(self, namespace: str, lineage: Sequence[Stretch], limit: int) -> list[Turn]:
        """The last turns of a lineage, in order."""

    async def mark(self, namespace: str, lineage: Sequence[Stretch], limit: int) -> str:
        """Differs whenever `last` would: what lets a copy of it be trusted."""

    async def turns(self, namespace: str, session: str, after: int, limit: int) -> list[Turn]:
        """The turns of a session itself after a place, in order."""

    async def pages(self, namespace: str, session: str, after: int, limit: int) -> list[Page]:
        """The pages of a session itself after a number, in order."""
