"""The port of deeds: storage."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from .models import Deed


class DeedRepository(Protocol):
    """Storage of what people did."""

    async def add(self, deed: Deed) -> None:
        """Store a deed."""

    async def latest(self, namespace: str, principal: str, limit: int) -> Sequence[Deed]:
        """Return the last deeds of a principal in a namespace, the newest first."""

    async def last_of_session(self, namespace: str, session: str) -> Deed | None:
        """Return the last deed of a session in a namespace."""

    async def undone(self, namespace: str, deed_id: str, at: datetime) -> None:
        """Note that a deed was undone."""

    async def of_namespace(self, namespace: str) -> Sequence[Deed]:
        """Return every deed in a namespace, in order."""

    async def drop(self, namespace: str, ids: Sequence[str]) -> None:
        """Delete deeds for good."""

    async def drop_before_everywhere(self, moment: datetime) -> int:
        """Delete the deeds of before; return how many."""
