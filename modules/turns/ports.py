"""What conversations need of storage."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from .models import Added, Branch, Chain, NewTurn, Opening, Page, Stretch, Turn, Unweighed, Weighable


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

    async def chains(self, namespace: str, lineage: Sequence[Stretch], limit: int) -> list[Chain]:
        """The chains of several pages whose gist is known, what was said last first; none that goes on behind the end
        of its stretch, since its gist may be of there.
        """

    async def sizes(self, namespace: str, sessions: Sequence[str]) -> dict[str, tuple[int, int]]:
        """How many turns each of some sessions has itself, and their tokens."""

    async def unweighed(self, limit: int) -> list[Unweighed]:
        """Sessions with turns whose salience is not known yet."""

    async def weighable(
        self, namespace: str, session: str, since: int, generation: int | None, limit: int
    ) -> tuple[list[Weighable], int]:
        """The turns of a session itself from a place on, in order, with their vectors of a generation; and the place
        of the session's last turn."""

    async def weigh(self, found: Sequence[tuple[Weighable, float]]) -> None:
        """Note the salience of turns, of each that has not changed since it was read. Not fsynced: it can be worked
        out again."""

    async def link(self, joined: Sequence[tuple[str, str]], gists: Mapping[str, str]) -> None:
        """Let the chain that begins with a page go on with another one (page, chain), and note what chains are about.
        Not fsynced."""

    async def least_salient(self, namespace: str, session: str, share: float) -> list[Turn]:
        """The share of a session's own weighed turns that has the least salience, in order of place."""


class Vectors(Protocol):
    """Whether there are vectors to compare, and of which generation: the embedding of memories."""

    async def ready(self, wait_s: float) -> bool:
        """Whether there is a model, waiting at most so long for it."""

    async def generation(self) -> int | None:
        """The number of the model's generation of vectors; None while there is no model."""

    async def state(self) -> Mapping[str, str | None]:
        """Whether the model is `ready`, `loading` or `none`, as `state`."""
