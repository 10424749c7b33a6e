"""The rows of one open transaction, as rules read and write them: they only get, insert, update, relate and note."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from ..approvals.models import ApprovalRequest
from ..branches.models import Review, Watch
from ..facts.models import FactState, Relation
from ..insights.models import InsightDraft
from ..memory.models import Change, Memory


class MemoryRows(Protocol):
    """Memories of a namespace."""

    async def get(self, namespace: str, memory_ids: Collection[str]) -> dict[str, Memory]:
        """Return those that exist: by id, in the order of the ids."""

    async def rivals(self, memory: Memory, now: datetime) -> list[Memory]:
        """Return the others that are certain of its slot and neither hidden nor expired; none without a slot.

        Those that still hold come first, then the newest; of many the first ones.
        """

    async def stand(self, memory: Memory, standing: FactState) -> None:
        """Update a standing; where that hides the memory or shows it again, what its conversation derived goes."""

    async def unslot(self, memory_id: str) -> None:
        """Update a memory to one that states no slot."""


class RelationRows(Protocol):
    """The relations between memories of one namespace."""

    async def begun(self, memory_ids: Collection[str], kind: str) -> list[Relation]:
        """Return those of a kind that begin at some memories."""

    async def against(self, memory_ids: Collection[str], kind: str) -> list[Relation]:
        """Return those of a kind that lead to some memories."""

    async def add(self, namespace: str, relation: Relation, now: datetime) -> bool:
        """Add one; False where it is there, or a memory of it is not in the namespace."""

    async def remove(self, relations: Collection[Relation]) -> None:
        """Delete some."""

    async def clear(self, memory_id: str) -> None:
        """Delete all of a memory."""


class ChangeRows(Protocol):
    """The record of judgements."""

    async def get(self, namespace: str, change_id: str) -> Change | None:
        """Return one by its id."""

    async def touching(
        self,
        namespace: str,
        memory_id: str,
        actions: Collection[str] = (),
        *,
        since: str | None = None,
        limit: int | None = None,
    ) -> list[Change]:
        """Return those that touched a memory and are not undone, nor an undoing, the newest first.

        Of some `actions` only, if given, and only after the change `since`.
        """

    async def have_touched(self, memory_id: str) -> bool:
        """Return whether any change, undone or not, touched a memory."""

    async def confirmed(self, namespace: str, memory_ids: Collection[str]) -> list[tuple[Memory, str]]:
        """Return memories that a person confirmed, each with the reason noted; once for each confirmation."""

    async def add(self, change: Change) -> None:
        """Insert one, and note it in the audit log."""

    async def undone(self, change_id: str, by: str) -> None:
        """Note the change by which one was undone."""

    async def clear(self, memory_id: str) -> None:
        """Remove a memory's id and all reasons from the changes that touched it."""


class QuestionRows(Protocol):
    """Questions to a person, one at a time for each subject and action."""

    async def ask(self, request: ApprovalRequest, now: datetime) -> str:
        """Ask, or renew what is asked already; return the approval's id."""

    async def withdraw(self, namespace: str, action: str, subject: str, now: datetime, why: str) -> None:
        """Close a question that needs no answer any more."""

    async def is_asked(self, namespace: str, action: str, subject: str) -> bool:
        """Return whether a question waits, or is answered and not yet carried out."""


class NamespaceRows(Protocol):
    """What holds for a whole namespace."""

    async def watches(self, namespace: str) -> tuple[Watch, ...]:
        """Return what is watched there."""

    async def review(self, namespace: str) -> Review:
        """Return when merges need a review there."""

    async def limits(self, namespace: str) -> tuple[int | None, int | None]:
        """Return how many memories and how many bytes of text it may hold; None for no limit."""

    async def memories(self, namespace: str) -> int:
        """Return how many memories it holds, without the hidden ones."""

    async def size_bytes(self, namespace: str) -> int:
        """Return the bytes of all its texts, each of which is looked at."""

    async def note(self, namespace: str, draft: InsightDraft, now: datetime) -> None:
        """Record a finding, once for each key."""


class Rows(Protocol):
    """All rows of one transaction."""

    @property
    def memories(self) -> MemoryRows: ...
    @property
    def relations(self) -> RelationRows: ...
    @property
    def changes(self) -> ChangeRows: ...
    @property
    def questions(self) -> QuestionRows: ...
    @property
    def namespaces(self) -> NamespaceRows: ...
