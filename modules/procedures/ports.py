"""The ports of procedures: storage, and the service that keeps memories."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from ..store_request import Kept, StoreRequest
from .models import Backing, ProcedureEvidence, ProcedureMemory, Revision


class ProcedureRepository(Protocol):
    """Storage of the evidence of procedures, and of what is kept beside their texts."""

    async def mark(self, namespace: str) -> tuple[int, ...]:
        """Return a mark that changes whenever evidence is added or removed; cheap to read."""

    async def evidence(self, namespace: str, limit: int) -> ProcedureEvidence:
        """Return the newest `limit` turns, tool calls and actions each, by session and in order; nothing forgotten."""

    async def memories(self, namespace: str) -> list[ProcedureMemory]:
        """Return the memories that hold procedures and lessons, in whatever status, in order of arrival."""

    async def revise(self, namespace: str, revisions: Sequence[Revision], now: datetime) -> frozenset[str]:
        """Update metadata and evidence of memories, in one transaction; return the ids of those that changed.

        A changed memory counts as accessed: it was observed again. Evidence that is gone by now is left out.
        """

    async def back(self, memory_id: str, namespace: str, backing: Backing | None, now: datetime) -> bool:
        """Store the backing of a global habit by a namespace; None: it no longer backs it.

        The habit's numbers follow in the same transaction. Returns whether anything changed.
        """


class MemoryKeeper(Protocol):
    """The memory service, which keeps procedures and lessons."""

    async def store(self, namespace: str, request: StoreRequest) -> Kept:
        """Store a text once; the same one again returns the first."""

    async def delete(self, namespace: str, memory_id: str) -> None:
        """Erase a memory. Raises NotFound."""

    async def shown(self, namespace: str, memory_ids: Sequence[str]) -> None:
        """Count an access of each memory."""
