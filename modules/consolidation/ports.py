"""The ports of consolidation: storage and the embedding model."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from ..vectors import Familiar
from .models import Consolidation, Plan, SessionTurns, SourceShown, Summary, SummaryLevel, SummarySource


class ConsolidationRepository(Protocol):
    """Storage of summaries and their sources. What is hidden, expired or no longer true is no source."""

    async def session(self, namespace: str, session: str, generation: int | None, now: datetime) -> SessionTurns:
        """Return the turns of a session to consolidate. Raises NotFound if there is no such session of turns."""

    async def loose(
        self, namespace: str, level: SummaryLevel, generation: int | None, now: datetime, limit: int
    ) -> list[SummarySource]:
        """Return the newest summaries of a level that none of the level above covers, oldest first."""

    async def due(
        self, namespace: str, tokens: int, now: datetime, session: str | None = None
    ) -> list[tuple[str, int]]:
        """Return sessions whose uncovered turns have at least `tokens` tokens, with that number.

        Sessions in which nothing was said since a consolidation has seen them are left out.
        """

    async def keep(self, namespace: str, plan: Plan, now: datetime) -> tuple[Consolidation, list[Summary]]:
        """Store the drafts of a plan, and that its candidates were seen, in one durable transaction.

        A draft whose sources changed, went or were covered meanwhile is left out. Raises Conflict if none is left.
        """

    async def note_seen(self, namespace: str, session: str) -> None:
        """Store that a consolidation has seen the turns of a session that no summary covers."""

    async def undo(self, namespace: str, consolidation_id: str, now: datetime) -> Consolidation:
        """Archive the summaries of a consolidation and free their sources.

        Raises NotFound, and Conflict if later summaries are made of these.
        """

    async def consolidations(self, namespace: str, session: str | None, limit: int) -> list[Consolidation]:
        """Return consolidations, newest first."""

    async def summaries(
        self, namespace: str, session: str | None, level: SummaryLevel | None, now: datetime, limit: int
    ) -> list[Summary]:
        """Return the current summaries, newest first; of a session, its episodes and what was made of them."""

    async def evidence(
        self, namespace: str, summaries: Sequence[str], now: datetime
    ) -> Mapping[str, list[SourceShown]]:
        """Return, for each summary, its sources that may still be shown, in order."""


class TextEncoder(Protocol):
    """Embeds texts that are not memories."""

    async def generation(self) -> int | None:
        """Return the generation of memories' vectors that these are comparable with; None while there is no model."""

    async def caught_up(self, wait_s: float) -> bool:
        """Return whether each memory has its vector, waiting at most `wait_s` seconds."""

    def embed_soon(self, memory_id: str, text: str) -> None:
        """Embed a memory that was just written, in the background; does not block."""

    async def vectors(self, texts: Sequence[str]) -> list[bytes]:
        """Return a unit vector for each text (float32, little-endian). Raises AgentOSError while there is no model."""

    async def familiar(self, text: str) -> Familiar:
        """Return what brings cosines of texts in the language of this one to the scale of constants."""
