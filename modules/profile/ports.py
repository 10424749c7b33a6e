"""What the profile needs of storage, and of the memory that keeps what is set."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from ..store_request import StoreRequest
from .models import Known, Said, Statement


class ProfileRepository(Protocol):
    """What memories say of the user."""

    async def statements(
        self, namespace: str, attributes: Sequence[str] | None, now: datetime, limit: int, *, ended: bool
    ) -> list[Statement]:
        """Statements about the user that hold now, the newest first; with `ended` also those that held once.

        Of certain `attributes`, or of all. What is hidden, or has expired, is left out.
        """

    async def said(self, namespace: str, now: datetime, limit: int) -> list[Said]:
        """What the user said last, and what is noted about them, each the newest first and at most `limit`."""

    async def known(self, namespace: str, about: str, limit: int) -> list[Known]:
        """What was learnt in conversations about the user, or the assistant, and still holds, the newest first."""


class KeptMemory(Protocol):
    """A memory that was kept."""

    @property
    def id(self) -> str: ...


class Stored(Protocol):
    """What became of a statement that was to be kept."""

    @property
    def memory(self) -> KeptMemory: ...


class StatementKeeper(Protocol):
    """Memory, as far as it keeps statements."""

    async def store(self, namespace: str, request: StoreRequest) -> Stored:
        """Keep a statement durably. Raises InvalidInput."""
