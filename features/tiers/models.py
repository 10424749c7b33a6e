"""The domain types of tiers: pages with their turns, segments, and the result of a recall over the tiers."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from ...modules.records import dataclass

HOT = 5.0
"""The heat from which a segment is promoted."""
PROMOTION = "promotion"
"""The type of queue rows that ask for a promotion."""


class Tier(StrEnum):
    """The tier of a memory, by how readily it is available. Computed from its kind and its placement, never stored."""

    WORKING = "working"
    SHORT = "short"
    MID = "mid"
    LONG = "long"
    PROCEDURAL = "procedural"


class Side(StrEnum):
    """The subject of long-term knowledge."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True)
class TierSettings:
    """The capacity of each tier: turns per session, pages per session, segments per namespace, memories per side."""

    working_turns: int = 20
    short_term_pages: int = 10
    mid_term_segments: int = 2000
    knowledge_per_side: int = 100


@dataclass(frozen=True)
class Placement:
    """The placement of a turn.

    How many turns and pages of its session came after it and its page, whether the session is open, and whether the
    page's segment was evicted.
    """

    turns_after: int
    pages_after: int
    is_open: bool
    is_evicted: bool = False


@dataclass(frozen=True)
class PageTurn:
    """A turn with its text, as the rules read it."""

    memory_id: str
    version: int
    role: str
    text: str
    occurred_at: datetime


@dataclass(frozen=True)
class TierPage:
    """A question with its answers: number `number` of its session, from 0.

    `session` is the id of its session, `segment` the id of its segment (None: none yet), `chain` the id of the first
    page of the chain it continues, `gist` the topic of a chain that begins here. `turns` leaves hidden turns out.
    """

    id: str
    session: str
    number: int
    chain: str
    gist: str
    segment: str | None
    turns: tuple[PageTurn, ...]

    @property
    def text(self) -> str:
        """The text of all its turns, one per line."""
        return "\n".join(turn.text for turn in self.turns)

    def text_by(self, role: str) -> str:
        """Return the text of one role's turns."""
        return "\n".join(turn.text for turn in self.turns if turn.role == role)

    @property
    def occurred_at(self) -> datetime | None:
        """The time of its first turn; None if all of them are hidden."""
        return self.turns[0].occurred_at if self.turns else None


@dataclass(frozen=True)
class Segment:
    """Pages about one topic. `visits` and `interactions` (pages) count since its last promotion, `retrievals` and
    `pages` always.

    The summary is empty until it is written anew.
    """

    id: str
    namespace: str
    summary: str
    keywords: tuple[str, ...]
    visits: int
    interactions: int
    promotions: int
    retrievals: int
    last_visit_at: datetime
    created_at: datetime
    archived_at: datetime | None = None
    pages: int = 0


@dataclass(frozen=True)
class RestoredSegment:
    """A segment restored to mid-term memory, and the ids of those archived to make room for it."""

    segment: Segment
    archived: tuple[str, ...] = ()


class Outline(NamedTuple):
    """The description by which segments are compared: a tuple, since a recall makes thousands. `keywords` are JSON."""

    id: str
    summary: str
    keywords: str
    pages: int


@dataclass(frozen=True)
class Topic:
    """The topic of a text: its most central sentence, its keywords with their stems, and a unit vector if a model is
    available.

    `turns` are the memories that it was read from, with their versions: it is valid while these are current.
    """

    summary: str
    keywords: tuple[str, ...]
    stems: frozenset[str] = frozenset()
    vector: bytes | None = None
    turns: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Placing:
    """The segment that a page moves to (None: a new one), and the topic of that segment from then on.

    `newest` is the newest segment known when this was decided (None: there was none).
    """

    page: str
    segment: str | None
    newest: str | None
    topic: Topic


@dataclass(frozen=True)
class RetrievedPage:
    """A page that a recall found, with its score (cosine, 0..1) and the keywords of its segment."""

    page: TierPage
    score: float
    about: tuple[str, ...]


@dataclass(frozen=True)
class Knowledge:
    """A long-term memory with the ids of the turns that it was drawn from, and of what may have replaced it."""

    memory_id: str
    text: str
    kind: str
    confidence: float
    occurred_at: datetime
    evidence: tuple[str, ...]
    newer: str | None = None


@dataclass(frozen=True)
class TierRecall:
    """The result of a recall over every tier; `notes` say what is degraded and why."""

    query: str
    at: datetime
    short_term: tuple[TierPage, ...]
    pages: tuple[RetrievedPage, ...]
    user_knowledge: tuple[Knowledge, ...]
    assistant_knowledge: tuple[Knowledge, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class HeatedSegment:
    """A segment with its heat at a moment."""

    segment: Segment
    heat: float


@dataclass(frozen=True)
class TierStatus:
    """Counts per tier, the hottest segments, and what is pending: pages due to move down, promotions.

    `counts` are turns in working, pages in short-term, segments in mid-term, else memories. `dead` counts promotions
    that were given up after their last attempt.
    """

    counts: Mapping[Tier, int]
    hottest: tuple[HeatedSegment, ...]
    due_pages: int
    promotions: int
    dead: int
    evicted_segments: int
