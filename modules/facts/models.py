"""The domain types of facts: what a claim is, what stands of it, and what a judgement changes."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from ..records import dataclass

SUPERSEDES, CONTRADICTS, EVIDENCE_OF, RELATES_TO = "supersedes", "contradicts", "evidence_of", "relates_to"
"""Types of relations, each from the newer memory to the older one."""
SAME_AS = "same_as"
"""The type of a relation from a memory to an older one that tells the same in other words."""
MAY_SUPERSEDE, BOTH_HOLD = "may_supersede", "both_hold"
"""A model's opinion that the newer replaces the older, its weight a probability; and somebody's word that both hold."""


class Effect(StrEnum):
    """The effect of a judgement on a new claim and its rivals."""

    ADD = "add"
    """It stands beside the others, or meets none."""
    CONFIRM = "confirm"
    """It says the same again: evidence for an older one."""
    SUPERSEDE = "supersede"
    """It holds from now on: what it replaces ends where it begins."""
    CORRECT = "correct"
    """It replaces what never held: the older one's interval becomes empty."""
    CLOSE = "close"
    """It denies an older one from now on ("no longer uses X")."""
    HISTORY = "history"
    """It tells what held before: it ends where the next one begins."""
    CONTEST = "contest"
    """It contradicts what it may not replace: it alone is contested, and a human is asked."""


class SlotLike(Protocol):
    """The subject matter of a stored claim."""

    @property
    def subject(self) -> str: ...
    @property
    def attribute(self) -> str: ...
    @property
    def value(self) -> str | None: ...
    @property
    def confidence(self) -> float: ...
    @property
    def polarity(self) -> bool: ...


class Claim(Protocol):
    """The part of a memory that judgement reads."""

    @property
    def id(self) -> str: ...
    @property
    def content(self) -> str: ...
    @property
    def occurred_at(self) -> datetime: ...
    @property
    def slot(self) -> SlotLike | None: ...
    @property
    def status(self) -> str: ...
    @property
    def confidence(self) -> float: ...
    @property
    def trust(self) -> float: ...
    @property
    def valid_from(self) -> datetime | None: ...
    @property
    def valid_to(self) -> datetime | None: ...
    @property
    def confirmations(self) -> int: ...
    @property
    def rejections(self) -> int: ...


@dataclass(frozen=True)
class FactState:
    """The part of a memory that judgement changes, without a new version of the memory.

    `status` is one of candidate, active, contested, stale, archived, forgotten. `valid_from` None: since the memory
    occurred; `valid_to` None: still holds.
    """

    status: str
    confidence: float
    valid_from: datetime | None
    valid_to: datetime | None
    confirmations: int = 0
    rejections: int = 0


@dataclass(frozen=True)
class Relation:
    """An edge between two memories, by its type."""

    from_id: str
    to_id: str
    type: str
    weight: float = 1.0
    evidence: str = ""


@dataclass(frozen=True)
class ContestQuestion:
    """A question to a human: whether `new` may supersede `old`."""

    new: str
    old: tuple[str, ...]
    reason: str
    resolution: str = "supersede"

    @property
    def payload(self) -> dict[str, object]:
        """The request as it is stored."""
        return {"new": self.new, "old": list(self.old), "resolution": self.resolution}


@dataclass(frozen=True)
class Judgement:
    """The outcome for a new claim: its own standing, those of others it changes, edges, and who must be asked.

    `revised` holds the new standing of each memory that changes, by its id; `reason` is a sentence for a human.
    """

    action: Effect
    standing: FactState
    reason: str
    revised: Mapping[str, FactState] = field(default_factory=dict)
    relations: tuple[Relation, ...] = ()
    approval: ContestQuestion | None = None
