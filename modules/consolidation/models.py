"""The domain types of consolidation."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum


class Level(IntEnum):
    """How far a summary is from what was said: of turns, of episodes that resemble each other, of such patterns."""

    EPISODE = 1
    PATTERN = 2
    PRINCIPLE = 3


class Method(StrEnum):
    """How a summary was written: of sentences of its sources (extractive), or by a language model."""

    RULES = "rules"
    LLM = "llm"


@dataclass(frozen=True)
class Source:
    """What a summary may be made of: a turn of a session, or a summary of the level below.

    `speaker` is who says it, a name or a role, "" where nobody does; `salience` (0..1) is None while it is not known.
    `vectors` are those of its passages: unit-length float32, little-endian; none while it has none. `origin` is what
    it belongs to: the session of a turn, the consolidation of a summary. `refused`: a summary of it was undone.
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
    """What there is to consolidate of a session: its turns that no summary covers, in order, and the episodes that
    cover the others. `places` are those of all its turns.
    """

    session: str
    uncovered: tuple[Source, ...]
    places: tuple[int, ...]
    episodes: tuple[Source, ...] = ()

    @property
    def tokens(self) -> int:
        """What it takes, with episodes in the place of what they cover."""
        return sum(source.tokens for source in (*self.uncovered, *self.episodes))


@dataclass(frozen=True)
class Draft:
    """A summary that is not stored yet. `session` is None where its sources are of several."""

    id: str
    level: Level
    method: Method
    text: str
    tokens: int
    source_tokens: int
    sources: tuple[Source, ...]
    session: str | None
    occurred_at: datetime


@dataclass(frozen=True)
class Plan:
    """What a consolidation would do, or has done. Tokens are of turns and of episodes alone.

    `left_alone` are candidates that no summary takes, since they resemble nothing; `repeated` are summaries that say
    what an earlier one says, and are not kept; `without_vector` are turns that have none yet. `session_before` and
    `session_after` are the tokens that the session takes, summaries in the place of what they cover. `reason` says why
    there is nothing to do, "" where there is; `notes` say what is degraded.
    """

    session: str | None
    drafts: tuple[Draft, ...]
    candidates: int = 0
    left_alone: int = 0
    repeated: int = 0
    without_vector: int = 0
    session_before: int = 0
    session_after: int = 0
    reason: str = ""
    notes: tuple[str, ...] = ()

    @property
    def episodes(self) -> Sequence[Draft]:
        """The summaries of turns."""
        return [draft for draft in self.drafts if draft.level is Level.EPISODE]

    @property
    def tokens_before(self) -> int:
        """The tokens of the turns that the summaries cover."""
        return sum(draft.source_tokens for draft in self.episodes)

    @property
    def tokens_after(self) -> int:
        """The tokens of the summaries that cover them."""
        return sum(draft.tokens for draft in self.episodes)

    @property
    def method(self) -> Method:
        """`llm` where a language model wrote any of it."""
        return Method.LLM if any(draft.method is Method.LLM for draft in self.drafts) else Method.RULES


@dataclass(frozen=True)
class Summary:
    """A summary as it is stored; `sources` are the ids of what it was made of, in order."""

    id: str
    level: Level
    method: Method
    text: str
    tokens: int
    session: str | None
    sources: tuple[str, ...]
    consolidation: str
    created_at: datetime


@dataclass(frozen=True)
class Evidence:
    """Something that a summary was made of."""

    id: str
    text: str
    occurred_at: datetime


@dataclass(frozen=True)
class Consolidation:
    """A consolidation that was done: what it made, of how much; `undone_at` when that was undone."""

    id: str
    session: str | None
    at: datetime
    method: Method
    summaries: tuple[str, ...]
    sources: int
    tokens_before: int
    tokens_after: int
    undone_at: datetime | None = None


@dataclass(frozen=True)
class Done:
    """What became of a plan: the consolidation, None where nothing was to be done, and its summaries in order."""

    plan: Plan
    consolidation: Consolidation | None
    summaries: tuple[Summary, ...] = ()
