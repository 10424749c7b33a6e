"""The domain types of tiers: pages with their turns, segments, and what a recall over the tiers brings."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

HOT = 5.0
"""The heat from which on a segment is promoted."""
PROMOTION = "promotion"
"""The type of the queue's rows that ask for a promotion."""


class Tier(StrEnum):
    """How near a memory is at hand. A view: computed from what it is and where it stands, never stored."""

    WORKING = "working"
    SHORT = "short"
    MID = "mid"
    LONG = "long"
    PROCEDURAL = "procedural"


class Side(StrEnum):
    """Whom long-term knowledge is about."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True)
class TierSettings:
    """How much each tier holds: turns of a session, pages of a session, segments of a namespace, memories a side."""

    working_turns: int = 20
    short_term_pages: int = 10
    mid_term_segments: int = 2000
    knowledge_per_side: int = 100


@dataclass(frozen=True)
class Placement:
    """Where a turn stands: how many turns and pages of its session came after it and its page, whether the session is
    open, and whether the page's segment was evicted.
    """

    turns_after: int
    pages_after: int
    is_open: bool
    is_evicted: bool = False


@dataclass(frozen=True)
class PageTurn:
    """A turn as rules read it."""

    memory_id: str
    version: int
    role: str
    text: str
    occurred_at: datetime


@dataclass(frozen=True)
class Page:
    """A question with its answers: of its session the `number`-th, from 0.

    `session` is the id of its session, `segment` the id of its segment (None: none yet), `chain` the id of the first
    page of what it continues, `gist` what a chain that begins here is about. Hidden turns are not among its `turns`.
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
        """All that is said on it, a turn a line."""
        return "\n".join(turn.text for turn in self.turns)

    def said_by(self, role: str) -> str:
        """What one role says on it."""
        return "\n".join(turn.text for turn in self.turns if turn.role == role)

    @property
    def occurred_at(self) -> datetime | None:
        """When it began; None where all of it is hidden."""
        return self.turns[0].occurred_at if self.turns else None


@dataclass(frozen=True)
class Segment:
    """Pages about one topic. `visits` and `interactions` (pages) count since its last promotion, `retrievals` and
    `pages` always.

    Its summary is empty while it waits to be written anew.
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
class Restored:
    """A segment that is in mid-term memory, and the ids of those that were archived to make room for it."""

    segment: Segment
    archived: tuple[str, ...] = ()


class Outline(NamedTuple):
    """What tells a segment from others at a glance: a tuple, since a recall makes thousands. `keywords` are JSON."""

    id: str
    summary: str
    keywords: str
    pages: int


@dataclass(frozen=True)
class Topic:
    """What a text is about: its most central sentence, its keywords with their stems, and a unit-length vector if a
    model is there.

    `turns` are the memories that it was read from, with their versions: it holds as long as they stand so.
    """

    summary: str
    keywords: tuple[str, ...]
    stems: frozenset[str] = frozenset()
    vector: bytes | None = None
    turns: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Placing:
    """Where a page goes, a new segment where `segment` is None, and what that segment is about from then on.

    `newest` is the newest segment that was known when this was decided (None: there was none).
    """

    page: str
    segment: str | None
    newest: str | None
    topic: Topic


@dataclass(frozen=True)
class RetrievedPage:
    """A page that a recall found: its score (cosine, 0..1) and what its segment is about."""

    page: Page
    score: float
    about: tuple[str, ...]


@dataclass(frozen=True)
class Knowledge:
    """A long-term memory with the ids of the turns that it was drawn from."""

    memory_id: str
    text: str
    kind: str
    confidence: float
    occurred_at: datetime
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class TierRecall:
    """What every tier has to say to a query; `notes` say what is degraded and why."""

    query: str
    at: datetime
    short_term: tuple[Page, ...]
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
    """What the tiers hold, the hottest segments, and what waits: pages that are due to move down, promotions.

    `counts` are turns in working, pages in short-term, segments in mid-term, else memories. `dead` promotions were
    given up after their last attempt.
    """

    counts: Mapping[Tier, int]
    hottest: tuple[HeatedSegment, ...]
    due_pages: int
    promotions: int
    dead: int
    evicted_segments: int
