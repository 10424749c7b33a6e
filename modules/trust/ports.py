"""The port of trust: what was judged, by whom, and who had stored it; all read from what is kept anyway."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from .models import Judged


class TrustReading(Protocol):
    """Judgements, with the principals behind them, and how near memories are to the others."""

    async def judged_after(self, namespace: str, number: int, limit: int) -> list[Judged]:
        """Return the newest judgements of a namespace after a number, in their order, at most `limit`."""

    async def judged_of(self, namespace: str, memory_ids: Sequence[str]) -> list[Judged]:
        """Return the judgements that touched any of some memories, in their order."""

    async def authors(self, namespace: str, memory_ids: Sequence[str]) -> Mapping[str, str]:
        """Return by memory the principal whose credential stored it, where the audit log has one."""

    async def vectors(self, namespace: str, memory_ids: Sequence[str]) -> Mapping[str, tuple[int, bytes]]:
        """Return by memory the newest generation that it has a vector of, and that of its first passage."""

    async def newest_vectors(self, namespace: str, generation: int, limit: int) -> list[bytes]:
        """Return the first vectors of a namespace's newest memories, in one generation."""
