"""The ports of sessions: storage, git, and the services that keep observations."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from ..store_request import Kept, KeptRecord, StoreRequest
from .models import Checkout, Event, EventStretch, NewEvent, Project, Session, SessionState


class CheckoutReader(Protocol):
    """Reads what git knows of a folder."""

    async def read(self, folder: str) -> Checkout:
        """Read what identifies the repository of a folder.

        Takes bounded time and never fails: what it cannot find out is None. Runs nothing that a repository configures.
        """


class SessionList(Protocol):
    """Projects and their sessions."""

    async def projects(self, namespace: str) -> list[Project]:
        """Return every project of a namespace, in order of arrival."""

    async def place(self, namespace: str, decide: Callable[[Sequence[Project]], Project], now: datetime) -> Project:
        """Insert the project that `decide` makes from the known ones, or update the one with its id.

        One transaction, so that concurrent calls do not make one project twice.
        """

    async def open(self, session: Session) -> tuple[Session, bool]:
        """Insert a session, or find the one of the same client and key; True if it is new."""

    async def find(self, namespace: str, client: str, key: str) -> Session | None:
        """Return the session of this client and key; None if there is none."""

    async def move(self, session: Session, project: Project) -> None:
        """Give a session to another project."""

    async def page(
        self, namespace: str, project: str | None, state: SessionState | None, limit: int, client: str | None
    ) -> list[Session]:
        """Return sessions, the last active first; all of them, or those of a client."""

    async def get(self, namespace: str, session_id: str) -> Session | None:
        """Return a session by id; None if there is none."""

    async def change(
        self,
        namespace: str,
        session_id: str,
        now: datetime,
        state: SessionState | None,
        title: str | None,
        ended_at: datetime | None = None,
    ) -> Session | None:
        """Store another state or title, those that are not None; return the session, or None if there is none.

        One that is not active any more ended now, or when it is said that it did.
        """

    async def erase(self, namespace: str, session_id: str, at: datetime) -> bool:
        """Delete a session with all its events; return whether there was one."""


class EventLog(Protocol):
    """The append-only log of what happened in sessions."""

    async def append(self, session: Session, events: Sequence[NewEvent], now: datetime) -> int:
        """Append the events that are not there yet, in one transaction; return how many were new.

        Any new event makes the session active again; one of them may give it a title.
        """

    async def events(self, namespace: str, session_id: str, after: int, until: int | None, limit: int) -> list[Event]:
        """Return the events of a session with `after` < seq <= `until`, in order."""

    async def tail(self, namespace: str, session_id: str, limit: int) -> list[Event]:
        """Return the last events of a session, in order."""

    async def user_turns_before(self, namespace: str, session_id: str, before: int, limit: int) -> list[str]:
        """Return the user's last turns before an event, the last one first."""

    async def purge_everywhere(self, rested_before: datetime) -> int:
        """Delete the events of sessions at rest since before a moment; return how many.

        Events that a memory was made of stay, and those in which habits may still be found.
        """


class Stretches(Protocol):
    """Stretches of events, each of which becomes an observation."""

    async def unobserved_everywhere(self, limit: int, after: str = "") -> list[tuple[Session, int]]:
        """Return sessions with events that are in no stretch yet, each with the seq up to which they are.

        By their ids, from the one that follows `after`.
        """

    async def claim(
        self, namespace: str, session_id: str, observed: int, bounds: Sequence[tuple[Event, Event]]
    ) -> bool:
        """Store the bounds of the next stretches; False if somebody else has moved on from `observed`."""

    async def outstanding_everywhere(self, limit: int) -> list[EventStretch]:
        """Return stretches without an observation yet, oldest first."""

    async def finish(self, namespace: str, stretch_id: str, memory_id: str | None) -> None:
        """Store the outcome of a stretch: its memory, or None."""

    async def stretch_of(self, namespace: str, memory_id: str) -> EventStretch | None:
        """Return the stretch that an observation was made of; None for any other memory."""

    async def observed_memories(self, namespace: str, session_id: str, limit: int) -> list[str]:
        """Return the ids of a session's observations, in order."""


class ShownContext(Protocol):
    """The entries that were shown in a session without being asked for."""

    async def shown(self, namespace: str, session_id: str) -> Mapping[str, datetime]:
        """Return the entries shown in a session without being asked for, and not withdrawn, and when each was."""

    async def note_shown(self, namespace: str, session_id: str, entries: Collection[str], at: datetime) -> None:
        """Store which entries were shown."""

    async def forget_shown(self, namespace: str, session_id: str, prefix: str) -> None:
        """Forget the shown entries with this prefix: the agent has lost them from its context."""


class SessionRepository(SessionList, EventLog, Stretches, ShownContext, Protocol):
    """The whole of what a backend offers: all of these in one."""


class ObservationKeeper(Protocol):
    """The memory service, which keeps observations."""

    async def store(self, namespace: str, request: StoreRequest) -> Kept:
        """Store a text once; the same one again returns the first."""


class StatedKeeper(Protocol):
    """The extraction service, which keeps what users state for good."""

    async def keep_stated(
        self,
        namespace: str,
        prompt: str,
        key: str,
        at: datetime,
        session: Mapping[str, Any],
        project: Mapping[str, Any],
    ) -> int:
        """Store what a prompt states for good as candidates; return how many are new."""


class ActionLog(Protocol):
    """The reflection service, which logs how actions ended."""

    async def log(
        self, namespace: str, action: str, outcome: str, success: bool, context: str, *, tags: Sequence[str], key: str
    ) -> KeptRecord:
        """Append an action; the same `key` again changes nothing."""
