"""The ports of extraction: storage, and the memory service that keeps what it finds."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from ..facts.models import Relation
from ..store_request import Kept
from .models import SpokenTurn


class TurnReadings(Protocol):
    """Storage of turns of conversations, and of which of them were read."""

    async def turns(self, namespace: str, memory_ids: Sequence[str]) -> list[SpokenTurn]:
        """Return the memories that are turns and may be read, in the order in which they were said."""

    async def read_before(self, namespace: str, memory_ids: Sequence[str], reader: str) -> frozenset[str]:
        """Those of the turns that a reader has read as they stand."""

    async def unread_everywhere(self, limit: int) -> list[SpokenTurn]:
        """Return user turns of all namespaces that are unread at their current version, the oldest first."""

    async def note_read(self, namespace: str, turns: Sequence[SpokenTurn], readers: Sequence[str]) -> None:
        """Note that turns have been read, and by whom."""

    async def standing_on(self, namespace: str, memory_ids: Sequence[str]) -> list[str]:
        """Return the ids of the facts found in turns, the oldest first."""

    async def evidence(self, namespace: str, fact_ids: Sequence[str]) -> dict[str, list[str]]:
        """Return the turns that support each fact, by the fact's id, the oldest first."""


class KeptFact(Kept, Protocol):
    """The result of keeping a fact."""

    @property
    def duplicate(self) -> bool: ...


class FactKeeper(Protocol):
    """The memory service, as far as it keeps facts."""

    async def keep_found(
        self,
        namespace: str,
        content: str,
        kind: str,
        confidence: float,
        source: str,
        metadata: dict[str, Any],
        occurred_at: datetime,
    ) -> KeptFact:
        """Store what a machine found in others' words; the same text twice is one memory. It overwrites nothing."""


class Relator(Protocol):
    """The memory service, as far as it stores relations."""

    async def relate(self, namespace: str, relations: Sequence[Relation], now: datetime) -> None:
        """Add relations; existing ones are left out."""
