"""What procedures need of storage, and of the service that keeps memories."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from ..store_request import StoreRequest
from .models import Backing, Evidence, Kept, Revision


class ProcedureRepository(Protocol):
    """The evidence of procedures, and what is kept of them beside their texts."""

    async def mark(self, namespace: str) -> tuple[int, ...]:
        """Changes whenever there is new evidence, or some of it goes; cheap to ask for."""

    async def evidence(self, namespace: str, limit: int) -> Evidence:
        """The newest `limit` turns, tool calls and actions each, sessions together and in order; nothing forgotten."""

    async def kept(self, namespace: str) -> list[Kept]:
        """The memories that hold procedures and lessons, in whatever status, in order of arrival."""

    async def revise(self, namespace: str, revisions: Sequence[Revision], now: datetime) -> frozenset[str]:
        """Bring metadata and evidence of memories up to date, in one transaction; the ids of those that changed.

        What changed counts as looked at: it was observed again. Evidence that is gone by now is left out.
        """

    async def back(self, memory_id: str, namespace: str, backing: Backing | None, now: datetime) -> bool:
        """Note what the evidence of a namespace says for a global habit, None: that it does not back it any longer.
        Its numbers follow in the same transaction. Whether that changed anything.
        """


class HasId(Protocol):
    """Something with an id."""

    @property
    def id(self) -> str: ...


class Stored(Protocol):
    """What storing gives back."""

    @property
    def memory(self) -> HasId: ...


class MemoryKeeper(Protocol):
    """Where procedures and lessons are kept: the memory service."""

    async def store(self, namespace: str, request: StoreRequest) -> Stored:
        """Keep a text once; the same one again gives back the first."""

    async def delete(self, namespace: str, memory_id: str) -> None:
        """Erase one memory. Raises NotFound."""

    async def shown(self, memory_ids: Sequence[str]) -> None:
        """Count an access for each of some memories."""
