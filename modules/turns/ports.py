"""The ports of conversations: storage, and the embedding of memories."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from .models import Added, Chain, NewTurn, Page, SessionBranch, SessionOpening, Stretch, Turn, Unweighed, Weighable


class TurnWriting(Protocol):
    """Turns as they are said, and what is found out about them. Archived and forgotten ones are left out."""

    async def add(self, opening: SessionOpening, turns: Sequence[NewTurn], now: datetime) -> Added:
        """Append turns to a session, all in one durable transaction; those with a known key stay as they are.

        A user's turn opens a page, others join the last one. A new session is created with them. Raises
        NotFound for an unknown parent, Conflict if the session has another one.
        """

    async def known(self, namespace: str, session: str, keys: Sequence[str]) -> list[str]:
        """Return those of the keys under which a session has a turn."""

    async def known_anywhere(self, namespace: str, keys: Sequence[str]) -> list[str]:
        """Return those of the keys under which any session has a turn."""

    async def branch(self, opening: SessionOpening, place: int | None, now: datetime) -> SessionBranch:
        """Create a session that branches off from its parent after a place, or after its last turn; once per name.

        Raises NotFound for an unknown parent, Conflict if the session exists with another one.
        """

    async def weigh(self, namespace: str, found: Sequence[tuple[Weighable, float]]) -> None:
        """Store the salience of turns that have not changed since they were read.

        Not fsynced: it can be computed again.
        """

    async def link(self, namespace: str, joined: Sequence[tuple[str, str]], gists: Mapping[str, str]) -> None:
        """Join chains, given as (page that begins one, chain it continues), and store the gists of chains.

        Not fsynced.
        """


class TurnReading(Protocol):
    """Turns, which are memories, and their pages. Archived and forgotten ones are left out."""

    async def lineage(self, namespace: str, session: str) -> list[Stretch]:
        """Return the parts of a session: its own turns, then those it inherits, nearest first; empty if unknown."""

    async def last(self, namespace: str, lineage: Sequence[Stretch], limit: int) -> list[Turn]:
        """Return the last turns of a lineage, in order."""

    async def mark(self, namespace: str, lineage: Sequence[Stretch], limit: int) -> str:
        """Return a mark that differs whenever `last` would, to validate a cached copy of it."""

    async def turns(self, namespace: str, session: str, after: int, limit: int) -> list[Turn]:
        """Return the turns of a session itself after a place, in order."""

    async def pages(self, namespace: str, session: str, after: int, limit: int) -> list[Page]:
        """Return the pages of a session itself after a number, in order."""

    async def chains(self, namespace: str, lineage: Sequence[Stretch], limit: int) -> list[Chain]:
        """Return the chains of several pages with a known gist, the latest first.

        A chain that goes on beyond the end of its stretch is left out, since its gist may be from there.
        """

    async def sizes(self, namespace: str, sessions: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Return the number of turns that each session has itself, and their tokens."""

    async def unweighed_everywhere(self, limit: int) -> list[Unweighed]:
        """Return sessions with turns whose salience is not known yet."""

    async def weighable(
        self, namespace: str, session: str, since: int, generation: int | None, limit: int
    ) -> tuple[list[Weighable], int]:
        """Return the turns of a session itself from a place on, in order, with their vectors of a generation.

        Also return the place of the session's last turn.
        """

    async def least_salient(self, namespace: str, session: str, share: float) -> list[Turn]:
        """Return the share of a session's own weighed turns with the least salience, in order of place."""


class TurnRepository(TurnWriting, TurnReading, Protocol):
    """The whole of what a backend offers: all of these in one."""


class Vectors(Protocol):
    """The embedding of memories: whether there are vectors to compare, and of which generation."""

    async def ready(self, wait_s: float) -> bool:
        """Return whether there is a model, waiting at most `wait_s` seconds for it."""

    async def generation(self) -> int | None:
        """Return the number of the model's generation of vectors; None while there is no model."""

    async def state(self) -> Mapping[str, str | None]:
        """Return the state of the model: `ready`, `loading` or `none`, as `state`."""
