"""What consolidation needs of storage and of the embedding model."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from .models import Consolidation, Evidence, Level, Plan, SessionTurns, Source, Summary


class ConsolidationRepository(Protocol):
    """Summaries and what they were made of. What is hidden, expired or no longer true is no source."""

    async def session(self, namespace: str, session: str, generation: int | None, now: datetime) -> SessionTurns:
        """What there is to consolidate of a session. Raises NotFound where there is no such session of turns."""

    async def loose(
        self, namespace: str, level: Level, generation: int | None, now: datetime, limit: int
    ) -> list[Source]:
        """The newest summaries of a level that none of the level above covers, oldest first."""

    async def due(
        self, namespace: str, tokens: int, now: datetime, session: str | None = None
    ) -> list[tuple[str, int]]:
        """Sessions whose uncovered turns have at least so many tokens, with these; but for those in which nothing was
        said since a consolidation has seen them.
        """

    async def keep(self, namespace: str, plan: Plan, now: datetime) -> tuple[Consolidation, list[Summary]]:
        """Store what a plan drafts, and that its candidates were seen: all of it in one durable transaction.

        A draft whose sources changed, went or were covered meanwhile is left out. Raises Conflict where none is left.
        """

    async def note_seen(self, namespace: str, session: str) -> None:
        """Note that a consolidation has seen the turns of a session that no summary covers."""

    async def undo(self, namespace: str, consolidation_id: str, now: datetime) -> Consolidation:
        """Archive the summaries of a consolidation and free their sources. Raises NotFound, Conflict where later
        summaries are made of these."""

    async def consolidations(self, namespace: str, session: str | None, limit: int) -> list[Consolidation]:
        """What was consolidated, newest first."""

    async def summaries(
        self, namespace: str, session: str | None, level: Level | None, now: datetime, limit: int
    ) -> list[Summary]:
        """The summaries that stand, newest first; of a session, its episodes and what was made of them."""

    async def evidence(self, namespace: str, summaries: Sequence[str], now: datetime) -> Mapping[str, list[Evidence]]:
        """What each of some summaries was made of and may still be shown, in order."""


class TextEncoder(Protocol):
    """Vectors of texts that are no memories."""

    async def generation(self) -> int | None:
        """Which vectors of memories may be compared with these; None while there is no model."""

    async def caught_up(self, wait_s: float) -> bool:
        """Whether each memory has its vector, waiting at most so long."""

    def embed_soon(self, memory_id: str, text: str) -> None:
        """Give a memory that was just written its vector, in the background; does not block."""

    async def vectors(self, texts: Sequence[str]) -> list[bytes]:
        """A unit vector for each text, float32, little-endian. Raises AgentOSError while there is no model."""
