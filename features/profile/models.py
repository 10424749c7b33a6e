"""The domain types of the profile."""

from datetime import datetime
from enum import StrEnum

from ...modules.records import dataclass


class Level(StrEnum):
    """The strength of the evidence for a trait."""

    HIGH = "High"
    MEDIUM = "Medium"
    LOW = "Low"


@dataclass(frozen=True)
class UserStatement:
    """A memory's statement about the user: the `value` of an `attribute`, as its slot names it.

    It holds from `since` until `until` (None: it still does). `denies`: it says that this is not so.
    `newer` is a memory that may have replaced that one.
    """

    memory_id: str
    attribute: str
    value: str
    text: str
    kind: str
    status: str
    confidence: float
    since: datetime
    until: datetime | None
    denies: bool = False
    newer: str | None = None


@dataclass(frozen=True)
class ProfileValue:
    """A value of the profile, and the memory that states it; a `candidate` until somebody confirms it.

    `newer` is the memory that may have replaced that one.
    """

    value: str
    since: datetime
    until: datetime | None
    status: str
    memory_id: str
    newer: str | None = None


@dataclass(frozen=True)
class ProfileEntry:
    """The current values of a key, the surest first, and its former ones, the newest first."""

    key: str
    values: tuple[ProfileValue, ...]
    history: tuple[ProfileValue, ...] = ()


@dataclass(frozen=True)
class UserText:
    """A text that may speak for or against traits."""

    memory_id: str
    text: str


@dataclass(frozen=True)
class Trait:
    """A trait with the level that `supporting` and `contrary` memories give it; `evidence` are the newest of them."""

    name: str
    group: str
    level: Level
    supporting: int
    contrary: int
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Known:
    """Knowledge learnt in conversations, with the turns that support it and their pages."""

    memory_id: str
    text: str
    kind: str
    status: str
    confidence: float
    occurred_at: datetime
    turns: tuple[str, ...]
    pages: tuple[str, ...]


@dataclass(frozen=True)
class Profile:
    """The profile of a user. Knowledge that was not asked for is empty; `method` is how it was found."""

    entries: tuple[ProfileEntry, ...]
    traits: tuple[Trait, ...]
    knowledge: tuple[Known, ...]
    assistant_knowledge: tuple[Known, ...]
    method: str = "rules"
