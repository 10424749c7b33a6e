"""What a question is answered with."""

from collections.abc import Collection
from datetime import datetime
from enum import StrEnum

from ...modules.memory.models import SearchHit
from ...modules.records import dataclass


class QuestionKind(StrEnum):
    """What a question asks for; a `stretch` is the sentence of a memory that answers it."""

    STRETCH = "stretch"
    COUNT = "count"
    LAST = "last"
    FIRST = "first"
    SINCE = "since"
    BEFORE = "before"
    CHANGE = "change"
    LIST = "list"


class AskOutcome(StrEnum):
    """How a question ends: answered, not known, or with a question which of several is meant."""

    ANSWERED = "answered"
    UNKNOWN = "unknown"
    WHICH = "which"


@dataclass(frozen=True)
class Sentence:
    """A sentence of an answer, and the ids of the memories that bear it."""

    text: str
    memories: tuple[str, ...]


@dataclass(frozen=True)
class Reply:
    """An answer: its sentences, or what may be meant."""

    outcome: AskOutcome
    sentences: tuple[Sentence, ...] = ()
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class AskEvidence:
    """What was found at a moment, best first; `successors` names what replaced some, `has_more` that there is more."""

    hits: tuple[SearchHit, ...]
    successors: dict[str, str]
    now: datetime
    has_more: bool = False

    def hit(self, memory_id: str | None) -> SearchHit | None:
        """Return what was found by its id."""
        return next((hit for hit in self.hits if hit.memory.id == memory_id), None)

    def newer(self, memory_id: str) -> SearchHit | None:
        """Return what may have replaced a memory."""
        older = self.hit(memory_id)
        return None if older is None or older.memory.outdated_by is None else self.hit(older.memory.outdated_by)

    def without(self, ids: Collection[str]) -> "AskEvidence":
        """Return what is left without some memories."""
        left = tuple(hit for hit in self.hits if hit.memory.id not in ids)
        return AskEvidence(left, self.successors, self.now, self.has_more)
