"""The domain types of consolidation."""

from collections.abc import Sequence
from datetime import datetime
from enum import IntEnum, StrEnum

from ...modules.records import dataclass


class SummaryLevel(IntEnum):
    """The level of a summary: of turns, of episodes that resemble each other, or of such patterns."""

    EPISODE = 1
    PATTERN = 2
    PRINCIPLE = 3


class SummaryMethod(StrEnum):
    """The method by which a summary was written: from sentences of its sources (extractive), or by a language model."""

    RULES = "rules"
    LLM = "llm"


@dataclass(frozen=True)
class SummarySource:
    """A source of a summary: a turn of a session, or a summary of the level below.

    `speaker` is a name or a role, "" if there is none; `salience` (0..1) is None while it is not known.
    `vectors` are those of its passages (unit-length float32, little-endian), empty while it has none. `origin` is the
    session of a turn, or the consolidation of a summary. `refused`: a summary of it was undone.
    """

    id: str
    version: int
    place: int
    speaker: str
    text: str
    tokens: int
    salience: float | None
    occurred_at: datetime
    vectors: tuple[bytes, ...]
    origin: str
    refused: bool = False


@dataclass(frozen=True)
class SessionTurns:
    """The turns of a session to consolidate.

    Those that no summary covers, in order, and the episodes that cover the rest. `places` are those of all its turns.
    """

    session: str
    uncovered: tuple[SummarySource, ...]
    places: tuple[int, ...]
    episodes: tuple[SummarySource, ...] = ()

    @property
    def tokens(self) -> int:
        """The tokens it takes, with episodes in place of the turns that they cover."""
        return sum(source.tokens for source in (*self.uncovered, *self.episodes))


@dataclass(frozen=True)
class SummaryDraft:
    """A summary that is not stored yet. `session` is None if its sources are of several."""

    id: str
    level: SummaryLevel
    method: SummaryMethod
    text: str
    tokens: int
    source_tokens: int
    sources: tuple[SummarySource, ...]
    session: str | None
    occurred_at: datetime


@dataclass(frozen=True)
class Plan:
    """The plan of a consolidation, or its record. Tokens are those of turns and episodes only.

    `left_alone` counts candidates whose summary would be no shorter; `repeated` counts summaries that
    say what an earlier one says, and are dropped; `without_vector` counts turns that have none yet. `session_before`
    and `session_after` are the tokens of the session, with summaries in place of what they cover. `reason` says why
    there is nothing to do, "" if there is; `notes` say what is degraded.
    """

    session: str | None
    drafts: tuple[SummaryDraft, ...]
    candidates: int = 0
    left_alone: int = 0
    repeated: int = 0
    without_vector: int = 0
    session_before: int = 0
    session_after: int = 0
    reason: str = ""
    notes: tuple[str, ...] = ()

    @property
    def episodes(self) -> Sequence[SummaryDraft]:
        """The summaries of turns."""
        return [draft for draft in self.drafts if draft.level is SummaryLevel.EPISODE]

    @property
    def tokens_before(self) -> int:
        """The tokens of the turns that the summaries cover."""
        return sum(draft.source_tokens for draft in self.episodes)

    @property
    def tokens_after(self) -> int:
        """The tokens of the summaries that cover them."""
        return sum(draft.tokens for draft in self.episodes)

    @property
    def method(self) -> SummaryMethod:
        """`llm` if a language model wrote any of it."""
        return (
            SummaryMethod.LLM
            if any(draft.method is SummaryMethod.LLM for draft in self.drafts)
            else SummaryMethod.RULES
        )


@dataclass(frozen=True)
class Summary:
    """A stored summary; `sources` are the ids of what it was made of, in order."""

    id: str
    level: SummaryLevel
    method: SummaryMethod
    text: str
    tokens: int
    session: str | None
    sources: tuple[str, ...]
    consolidation: str
    created_at: datetime


@dataclass(frozen=True)
class SourceShown:
    """A source of a summary, as it is shown."""

    id: str
    text: str
    occurred_at: datetime


@dataclass(frozen=True)
class Consolidation:
    """A consolidation that was done, with its summaries and counts; `undone_at` is when it was undone."""

    id: str
    session: str | None
    at: datetime
    method: SummaryMethod
    summaries: tuple[str, ...]
    sources: int
    tokens_before: int
    tokens_after: int
    undone_at: datetime | None = None


@dataclass(frozen=True)
class Done:
    """The result of a plan: the consolidation (None if there was nothing to do), and its summaries in order."""

    plan: Plan
    consolidation: Consolidation | None
    summaries: tuple[Summary, ...] = ()
