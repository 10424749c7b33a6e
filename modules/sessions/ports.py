"""The ports of sessions: git, what was shown, and the services that keep observations."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from ..store_request import Kept, KeptRecord, StoreRequest
from .models import Checkout


class CheckoutReader(Protocol):
    """Reads what git knows of a folder."""

    async def read(self, folder: str) -> Checkout:
        """Read what identifies the repository of a folder.

        Takes bounded time and never fails: what it cannot find out is None. Runs nothing that a repository configures.
        """


class ShownContext(Protocol):
    """The entries that were shown in a session without being asked for."""

    async def shown(self, namespace: str, session_id: str) -> Mapping[str, datetime]:
        """Return the entries shown in a session without being asked for, and not withdrawn, and when each was."""

    async def note_shown(self, namespace: str, session_id: str, entries: Collection[str], at: datetime) -> None:
        """Store which entries were shown."""

    async def forget_shown(self, namespace: str, session_id: str, prefix: str) -> None:
        """Forget the shown entries with this prefix: the agent has lost them from its context."""


class ObservationKeeper(Protocol):
    """The memory service, which keeps observations."""

    async def store(self, namespace: str, request: StoreRequest) -> Kept:
        """Store a text once; the same one again returns the first."""


class ActionLog(Protocol):
    """The reflection service, which logs how actions ended."""

    async def log(
        self, namespace: str, action: str, outcome: str, success: bool, context: str, *, tags: Sequence[str], key: str
    ) -> KeptRecord:
        """Append an action; the same `key` again changes nothing."""
