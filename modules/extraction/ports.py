"""What extraction needs of storage, and of the memory that keeps what it finds."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from ..facts.models import Relation
from .models import SpokenTurn


class TurnReadings(Protocol):
    """Turns of conversations, and which of them were read."""

    async def turns(self, namespace: str, memory_ids: Sequence[str]) -> list[SpokenTurn]:
        """Those of the memories that are turns and may be read, in the order in which they were said."""

    async def read_before(self, namespace: str, memory_ids: Sequence[str], reader: str) -> frozenset[str]:
        """Those of the turns that a reader has read as they stand."""

    async def unread(self, limit: int) -> list[SpokenTurn]:
        """User turns of all namespaces that have not been read as they stand, the oldest first."""

    async def note_read(self, namespace: str, turns: Sequence[SpokenTurn], readers: Sequence[str]) -> None:
        """Note that turns have been read, and by whom."""

    async def standing_on(self, namespace: str, memory_ids: Sequence[str]) -> list[str]:
        """The ids of the facts that were found in turns, the oldest first."""

    async def evidence(self, namespace: str, fact_ids: Sequence[str]) -> dict[str, list[str]]:
        """The turns that each of some facts stands on, by the fact's id, the oldest first."""


class KeptMemory(Protocol):
    """What is kept, as extraction sees it."""

    @property
    def id(self) -> str: ...


class Stored(Protocol):
    """What became of a fact that was to be kept."""

    @property
    def memory(self) -> KeptMemory: ...
    @property
    def duplicate(self) -> bool: ...


class FactKeeper(Protocol):
    """Memory, as far as it keeps facts."""

    async def keep_found(
        self,
        namespace: str,
        content: str,
        kind: str,
        confidence: float,
        source: str,
        metadata: dict[str, Any],
        occurred_at: datetime,
    ) -> Stored:
        """Keep what a machine found in others' words; the same text twice is one memory. It overwrites nothing."""


class Relator(Protocol):
    """Memory, as far as it knows what stands on what."""

    async def relate(self, relations: Sequence[Relation], now: datetime) -> None:
        """Add relations; those that are there are left out."""
