"""The domain types of extraction: a turn as it is read, and a fact that was found in it."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any

from ..records import dataclass

READER, MODEL_READER = "extraction", "extraction:llm"
"""Under this name it is noted which turns have been read."""
MAX_EVIDENCE = 8
"""Turns kept as evidence of a fact, at most."""


class FactType(StrEnum):
    """The type of a fact."""

    EVENT = "event"
    STATE = "state"
    PREFERENCE = "preference"
    IDENTITY = "identity"


class About(StrEnum):
    """The speaker whose words a fact is based on: a user's about their world, or the assistant's about its own work."""

    USER = "user"
    ASSISTANT = "assistant"


class Method(StrEnum):
    """The method by which facts were found."""

    RULES = "rules"
    LLM = "llm"


@dataclass(frozen=True)
class SpokenTurn:
    """A turn of a conversation: `text` without the leading name, which is the `speaker`, if it has one.

    `trust` is that of its source (0..1); a later reading compares the `version`.
    """

    memory_id: str
    namespace: str
    role: str
    speaker: str | None
    text: str
    occurred_at: datetime
    trust: float = 1.0
    version: int = 1
    project: str = ""

    @property
    def about(self) -> About | None:
        """The speaker that its facts are about; None for turns of tools and systems."""
        return About(self.role) if self.role in tuple(About) else None

    @property
    def name(self) -> str:
        """The speaker's name, as a fact's text has it."""
        return self.speaker or ("The assistant" if self.about is About.ASSISTANT else "The user")


@dataclass(frozen=True)
class ExtractedFact:
    """A fact: a self-contained `text`, when it happened, when it was said, and the turns that say so.

    An event may be only `planned`. `confidence` (0..1) is how sure it is that somebody stated it.
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
        """The metadata that a memory keeps beside its text."""
        fields: dict[str, Any] = {
            "about": self.about.value,
            "type": self.type.value,
            "method": self.method.value,
            "mentioned_at": self.mentioned_at.isoformat(),
        }
        return {**fields, "planned": True} if self.planned else fields


@dataclass(frozen=True)
class ExtractionOutcome:
    """The result of reading turns: the ids of facts they support, how many are new, how many had no evidence.

    `method` is how they were found; `notes` say what is degraded, and why.
    """

    fact_ids: tuple[str, ...] = ()
    new: int = 0
    rejected: int = 0
    method: Method = Method.RULES
    notes: tuple[str, ...] = field(default=())
