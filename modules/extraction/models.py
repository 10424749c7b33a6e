"""The domain types of extraction: a turn as it is read, and a fact that was found in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

READER, MODEL_READER = "extraction", "extraction:llm"
"""Under this name it is noted which turns have been read."""
MAX_EVIDENCE = 8
"""So many turns are kept as evidence of a fact."""


class FactType(StrEnum):
    """What sort of thing a fact tells."""

    EVENT = "event"
    STATE = "state"
    PREFERENCE = "preference"
    IDENTITY = "identity"


class About(StrEnum):
    """Whose words a fact stands on: what a user said of their world, or what the assistant said of its own work."""

    USER = "user"
    ASSISTANT = "assistant"


class Method(StrEnum):
    """How facts were found."""

    RULES = "rules"
    LLM = "llm"


@dataclass(frozen=True)
class SpokenTurn:
    """A turn of a conversation: `text` without the name that it begins with, which is the `speaker`, if it has one.

    `trust` is how good its source is (0..1), `version` what a later reading is compared with.
    """

    memory_id: str
    namespace: str
    role: str
    speaker: str | None
    text: str
    occurred_at: datetime
    trust: float = 1.0
    version: int = 1

    @property
    def about(self) -> About | None:
        """Whose knowledge it may hold; None for what tools and systems say."""
        return About(self.role) if self.role in tuple(About) else None

    @property
    def name(self) -> str:
        """Who speaks, as a text names them."""
        return self.speaker or ("The assistant" if self.about is About.ASSISTANT else "The user")


@dataclass(frozen=True)
class ExtractedFact:
    """A fact: a `text` that stands by itself, when it happened, when it was said, and the turns that say so.

    An event may be `planned` only. `confidence` (0..1) is how sure it is that somebody stated it.
    """

    type: FactType
    about: About
    text: str
    occurred_at: datetime
    mentioned_at: datetime
    evidence: tuple[str, ...]
    confidence: float
    planned: bool = False
    method: Method = Method.RULES

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What a memory keeps of it beside its text."""
        kept: dict[str, Any] = {
            "about": self.about.value,
            "type": self.type.value,
            "method": self.method.value,
            "mentioned_at": self.mentioned_at.isoformat(),
        }
        return {**kept, "planned": True} if self.planned else kept


@dataclass(frozen=True)
class Analysis:
    """What came of reading some turns: the facts that stand on them, how many are new, how many had no evidence.

    `method` is how they were found; `notes` say what was degraded, and why.
    """

    kept: tuple[str, ...] = ()
    new: int = 0
    rejected: int = 0
    method: Method = Method.RULES
    notes: tuple[str, ...] = field(default=())
