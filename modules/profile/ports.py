"""The ports of the profile: storage, and the memory service that keeps what is set."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from ..store_request import Kept, StoreRequest
from .models import Known, UserStatement, UserText


class ProfileRepository(Protocol):
    """Storage of what memories say of the user."""

    async def statements(
        self, namespace: str, attributes: Sequence[str] | None, now: datetime, limit: int, *, ended: bool
    ) -> list[UserStatement]:
        """Return statements about the user that hold now, the newest first; with `ended`, former ones too.

        Of the given `attributes`, or of all (None). Hidden and expired ones are left out.
        """

    async def user_texts(self, namespace: str, now: datetime, limit: int) -> list[UserText]:
        """Return the user's latest texts, and notes about the user, each the newest first and at most `limit`."""

    async def known(self, namespace: str, about: str, limit: int) -> list[Known]:
        """Return current knowledge about the user or the assistant, learnt in conversations, the newest first."""


class StatementKeeper(Protocol):
    """The memory service, as far as it keeps statements."""

    async def store(self, namespace: str, request: StoreRequest) -> Kept:
        """Store a statement durably. Raises InvalidInput."""
