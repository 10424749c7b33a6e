"""The domain types of truth: what a text states, what a question asks for, and what a judgement changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class Action(StrEnum):
    """What a judgement does with a new claim beside those that it meets."""

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
    """It tells what held before: it ends where the older one begins."""
    CONTEST = "contest"
    """The rules cannot decide: both are contested and a human is asked."""


@dataclass(frozen=True)
class Statement:
    """What a text states: that `attribute` of `subject` is `value` (or is not, with `polarity` False).

    Subject and attribute are canonical and in lower case; `value` is as it is written, None where a text only ends
    something ("Tom quit his job"). `kind` is fact, preference or attribute (of a person's profile); `confidence` how
    sure the reading is (0..1). `since` and `until` are the dates that the text itself gives. What is not
    `changeable` (a birthplace) has one value for ever.
    """

    subject: str
    attribute: str
    value: str | None
    polarity: bool = True
    kind: str = "fact"
    confidence: float = 0.8
    marks_change: bool = False
    is_correction: bool = False
    since: datetime | None = None
    until: datetime | None = None
    changeable: bool = True


@dataclass(frozen=True)
class AskedSlot:
    """What a question asks for: `attribute` of `subject`, canonical as a statement's."""

    subject: str
    attribute: str
    confidence: float


class SlotLike(Protocol):
    """What a stored claim is about."""

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
    """What judgement reads of a memory."""

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
class Standing:
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
    """An edge between two memories, by its type (supersedes, contradicts, evidence_of)."""

    from_id: str
    to_id: str
    type: str
    weight: float = 1.0
    evidence: str = ""


@dataclass(frozen=True)
class ApprovalRequest:
    """What a human is asked: whether `new` may supersede `old`."""

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
    """What follows from a new claim: its own standing, those of others it changes, edges, and who must be asked.

    `revised` holds the new standing of each memory that changes, by its id; `reason` is a sentence for a human.
    """

    action: Action
    standing: Standing
    reason: str
    revised: Mapping[str, Standing] = field(default_factory=dict)
    relations: tuple[Relation, ...] = ()
    approval: ApprovalRequest | None = None
