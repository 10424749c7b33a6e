"""What sessions need of storage, of git, and of the services that keep what comes of them."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Protocol

from ..store_request import StoreRequest
from .models import Checkout, Event, NewEvent, Project, Session, SessionState, Stretch


class CheckoutReader(Protocol):
    """What a folder is to git."""

    async def read(self, folder: str) -> Checkout:
        """What identifies the repository of a folder. Takes bounded time and never fails: what it cannot find out is
        None. Runs nothing that a repository configures."""


class SessionRepository(Protocol):
    """Projects, sessions, and the append-only log of what happened in them."""

    async def projects(self, namespace: str) -> list[Project]:
        """Every project of a namespace, in order of arrival."""

    async def place(self, namespace: str, decide: Callable[[Sequence[Project]], Project], now: datetime) -> Project:
        """Insert the project that `decide` makes of those that are known, or bring the one with its id up to date.

        All in one transaction, so that several at once do not make one project twice.
        """

    async def open(self, session: Session) -> tuple[Session, bool]:
        """Insert a session, or find the one of the same client and key; True when it is new."""

    async def find(self, namespace: str, client: str, key: str) -> Session | None:
        """The session that a client calls so."""

    async def get(self, namespace: str, session_id: str) -> Session | None:
        """One session by id."""

    async def page(
        self, namespace: str, project: str | None, state: SessionState | None, limit: int, client: str | None
    ) -> list[Session]:
        """Sessions, the last active first; all of them, or those of a client."""

    async def append(self, session: Session, events: Sequence[NewEvent], now: datetime) -> int:
        """Append those events that are not there yet, in one transaction; how many were new.

        With any new event the session is active again, and has a title when one of them gives it one.
        """

    async def end(self, session_id: str, state: SessionState, at: datetime) -> None:
        """Note that a session ended."""

    async def events(self, session_id: str, after: int, until: int | None, limit: int) -> list[Event]:
        """The events of a session with `after` < seq <= `until`, in order."""

    async def tail(self, session_id: str, limit: int) -> list[Event]:
        """The last events of a session, in order."""

    async def last_said(self, session_id: str, before: int) -> str:
        """What the user said last before an event; "" if nothing."""

    async def unobserved(self, limit: int) -> list[tuple[Session, int]]:
        """Sessions with events that are in no stretch yet, and up to which event they are."""

    async def claim(self, session_id: str, observed: int, bounds: Sequence[tuple[Event, Event]]) -> bool:
        """Fix the bounds of the next stretches, unless somebody else has moved on from `observed`."""

    async def outstanding(self, limit: int) -> list[Stretch]:
        """Stretches of which no observation was made yet, oldest first."""

    async def purge(self, rested_before: datetime) -> int:
        """Delete the events of sessions that have rested since before a moment; how many that were.

        What a memory was made of stays, and what habits may still be found in.
        """

    async def finish(self, stretch_id: str, memory_id: str | None) -> None:
        """Note what became of a stretch."""

    async def stretch_of(self, namespace: str, memory_id: str) -> Stretch | None:
        """The stretch that an observation was made of."""

    async def observed_memories(self, session_id: str, limit: int) -> list[str]:
        """The ids of a session's observations, in order."""

    async def shown(self, session_id: str) -> frozenset[str]:
        """What was shown in a session without being asked for, and not taken back."""

    async def note_shown(self, session_id: str, entries: Collection[str], at: datetime) -> None:
        """Note what was shown."""

    async def forget_shown(self, session_id: str, prefix: str) -> None:
        """The agent has lost from its context what was shown in a session: the entries that begin so."""

    async def erase(self, namespace: str, session_id: str, at: datetime) -> bool:
        """Delete a session with all that happened in it; whether there was one."""


class HasId(Protocol):
    """Something with an id."""

    @property
    def id(self) -> str: ...


class Kept(Protocol):
    """What storing gives back."""

    @property
    def memory(self) -> HasId: ...


class ObservationKeeper(Protocol):
    """Where observations go: the memory service."""

    async def store(self, namespace: str, request: StoreRequest) -> Kept:
        """Keep a text once; the same one again gives back the first."""


class ActionLog(Protocol):
    """Where it is noted how actions ended: the reflection service."""

    async def log(
        self,
        namespace: str,
        action: str,
        outcome: str,
        success: bool,
        context: str | None = ...,
        goal_id: str | None = ...,
        tags: Sequence[str] = ...,
        key: str | None = ...,
    ) -> HasId:
        """Append an action; the same `key` again changes nothing."""
