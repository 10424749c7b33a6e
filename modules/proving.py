"""Lessons that prove themselves, as other parts of AgentOS see them: what was told, and how each lesson stands."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from .errors import NotFound
from .records import dataclass


class Way(StrEnum):
    """How a lesson was told: `before` the work, with the start of a session or a prompt; when its `tool` was about to
    run, whose run was decided by then; or in an `answer`, of which nobody knows the session."""

    BEFORE = "before"
    TOOL = "tool"
    ANSWER = "answer"


class LessonStanding(StrEnum):
    """How a lesson stands: a `quiet` one is told less, a `kept` one was brought back by a person."""

    UNPROVEN = "unproven"
    HELPS = "helps"
    QUIET = "quiet"
    RETIRED = "retired"
    KEPT = "kept"


@dataclass(frozen=True)
class Rate:
    """How many runs failed, as a share with its 95 % interval; the share of no runs is None."""

    runs: int
    failed: int
    share: float | None
    low: float
    high: float


@dataclass(frozen=True)
class ProvenLesson:
    """A lesson and its evidence.

    `told` counts tellings. Of a session at most one run counts in each state: those that failed as the lesson says,
    where it says how, else all that failed. `followed` and `ignored` are told runs; of others nobody can tell.
    """

    id: str
    text: str
    tool: str
    standing: str
    note: str
    changed_at: datetime
    told: int
    told_at: datetime | None
    before: Rate
    after: Rate
    followed: int
    ignored: int
    unknown: int


class Lessons(Protocol):
    """The lessons of one store."""

    def told(self, namespaces: Sequence[str], memory_ids: Sequence[str], way: Way, session: str | None = None) -> None:
        """Note, in the background, that memories were told, of which lessons matter; nothing for a person who looks."""

    async def standings(self, namespace: str) -> Mapping[str, LessonStanding]:
        """Return the lessons that help or are told less, by their ids."""

    async def prove(self) -> int:
        """Read the runs since the last time, judge, and retire what does not help; return how many were retired."""

    async def page(self, namespace: str) -> Sequence[ProvenLesson]:
        """Return the lessons of a namespace that name a tool, those with most evidence first."""

    async def get(self, namespace: str, memory_id: str) -> ProvenLesson:
        """Return one. Raises NotFound."""

    async def retire(self, namespace: str, memory_id: str, by: str) -> ProvenLesson:
        """Tell a lesson no longer, until it is restored. Raises NotFound, Conflict, PermissionDenied."""

    async def restore(self, namespace: str, memory_id: str, by: str) -> ProvenLesson:
        """Tell a retired lesson again; if a person does that, whatever figures say.

        Raises NotFound, Conflict; PermissionDenied where a person retired it, and no person asks.
        """

    async def settled(self) -> None:
        """Wait until what was told is written."""


class NoLessons:
    """Implements `Lessons` where nothing is proven."""

    def told(self, namespaces: Sequence[str], memory_ids: Sequence[str], way: Way, session: str | None = None) -> None:
        return None

    async def standings(self, namespace: str) -> Mapping[str, LessonStanding]:
        return {}

    async def prove(self) -> int:
        return 0

    async def page(self, namespace: str) -> Sequence[ProvenLesson]:
        return ()

    async def get(self, namespace: str, memory_id: str) -> ProvenLesson:
        raise no_lesson(memory_id)

    async def retire(self, namespace: str, memory_id: str, by: str) -> ProvenLesson:
        raise no_lesson(memory_id)

    async def restore(self, namespace: str, memory_id: str, by: str) -> ProvenLesson:
        raise no_lesson(memory_id)

    async def settled(self) -> None:
        return None


def no_lesson(memory_id: str) -> NotFound:
    """Return the error that there is no such lesson."""
    return NotFound(f"id: there is no lesson {memory_id[:60]!r} that names a tool; agentos lessons list has them all")
