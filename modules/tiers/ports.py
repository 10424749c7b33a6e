"""The ports of tiers: storage, the embedding model, the queue, and the services beside them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from .models import Outline, Placing, RestoredSegment, Segment, Side, Tier, TierPage, TierSettings, Topic


class TierTexts(Protocol):
    """Pages and segments as they are read, with their vectors."""

    async def due(self, namespace: str, short_term_pages: int, limit: int) -> list[TierPage]:
        """Return pages beyond the newest `short_term_pages` of their session that are in no segment.

        Those of a session come together, oldest first.
        """

    async def outlines(self, namespace: str) -> list[Outline]:
        """Return the described segments of mid-term memory, oldest first."""

    async def pages(self, namespace: str, segment_ids: Sequence[str], limit: int) -> list[TierPage]:
        """Return the newest pages of each of the given segments, oldest first."""

    async def vectors(self, namespace: str, pages: Sequence[TierPage], generation: int) -> Mapping[str, list[bytes]]:
        """Return the vectors of all passages of the pages' turns, by the page's id."""

    async def segment_vectors(
        self, namespace: str, segment_ids: Sequence[str], generation: int, pages: int
    ) -> Mapping[str, list[bytes]]:
        """Return the vectors of the turns on the newest `pages` of segments, by the segment's id."""

    async def short(self, namespace: str, session: str, limit: int) -> list[TierPage]:
        """Return the newest pages of a session, by the name that its client gave it, oldest first."""

    async def evidence(self, namespace: str, memory_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Return, for each memory, the ids of the turns that are evidence of it."""


class TierPlacing(TierTexts, Protocol):
    """Pages on their way into segments; each change is one durable transaction."""

    async def place(self, namespace: str, placing: Placing, capacity: int, now: datetime) -> Segment | None:
        """Put a page into a segment and return the segment; queue a promotion if that makes it hot.

        A new segment beyond `capacity` archives the least retrieved of those before it (of several the oldest). None,
        and nothing is changed, if the page is in a segment already, it is not its turn, or what decided about it has
        changed.
        """

    async def newest(self, namespace: str) -> str | None:
        """Return the id of the segment that was made last."""

    async def undescribed(self, namespace: str, limit: int) -> list[Segment]:
        """Return segments whose summary has to be written anew and whose pages have text."""

    async def describe(self, segment: Segment, topic: Topic) -> bool:
        """Store the summary and keywords of a segment without any; False if its turns have changed meanwhile."""


class TierPromotion(Protocol):
    """Segments on their way into long-term memory; each change is one durable transaction."""

    async def segment(self, namespace: str, segment_id: str) -> Segment | None:
        """Return a segment by id, evicted or not."""

    async def unanalysed(self, segment: Segment, limit: int) -> list[TierPage]:
        """Return pages of a segment that no promotion has read yet, oldest first."""

    async def analysed(self, namespace: str, page: TierPage, now: datetime) -> None:
        """Mark a page as read by a promotion."""

    async def promoted(self, segment: Segment, now: datetime) -> bool:
        """Count a promotion of `segment`, and subtract its visits and interactions.

        False if somebody else has promoted it: its count of promotions differs.
        """

    async def knowledge_over(self, namespace: str, side: Side, capacity: int, keep: Sequence[str]) -> list[str]:
        """Return ids of the knowledge beyond `capacity`, to be archived first; never one of `keep`.

        The lowest access count × confidence goes first, of several the oldest.
        """


class TierViews(Protocol):
    """The contents of the tiers."""

    async def segments(self, namespace: str) -> list[Segment]:
        """Return the segments of mid-term memory, oldest first."""

    async def hot(self, namespace: str, now: datetime) -> int:
        """Queue a promotion of each hot segment without a pending one; return how many there were."""

    async def newest_memory(self, namespace: str) -> int:
        """Return a number that rises with each new memory."""

    async def evicted(self, namespace: str, limit: int) -> list[Segment]:
        """Return the segments that were archived to make room, the last one first."""

    async def restore(self, namespace: str, segment_id: str, capacity: int, now: datetime) -> RestoredSegment | None:
        """Restore an evicted segment, counting it as retrieved once more; return None if there is none of that id.

        Beyond `capacity` the least retrieved of the others is archived. A segment that is not evicted stays as it is.
        """

    async def listed(
        self, namespace: str, tier: Tier, settings: TierSettings, now: datetime, limit: int, before: int | None
    ) -> list[tuple[int, str]]:
        """Return sequence numbers (below `before`) and ids of the memories of a tier, newest first."""

    async def counts(self, namespace: str, settings: TierSettings, now: datetime) -> Mapping[Tier, int]:
        """Return the size of each tier, in its own unit (see `TierStatus`)."""

    async def waiting(self, namespace: str, short_term_pages: int) -> tuple[int, int, int, int]:
        """Count due pages, pending promotions, promotions given up, and evicted segments."""


class TierRepository(TierPlacing, TierPromotion, TierViews, Protocol):
    """The whole of what a backend offers: all of these in one."""


class ContentWords(Protocol):
    """Content words, and how rare they are."""

    def words(self, text: str) -> list[str]:
        """Return the content words of a text in order, lower case, with repetitions."""

    def stem(self, word: str) -> str:
        """Return the stem that forms of a word have in common."""

    async def rarity(self, namespace: str, words: Sequence[str]) -> Mapping[str, float]:
        """Return the inverse document frequency of each word."""


class HasData(Protocol):
    """A vector of an embedding generation."""

    @property
    def generation(self) -> int: ...
    @property
    def data(self) -> bytes: ...


class VectorOfQuery(Protocol):
    """The vector of a query, None without a model; `notes` say why."""

    @property
    def vector(self) -> HasData | None: ...
    @property
    def notes(self) -> tuple[str, ...]: ...


class Embedding(Protocol):
    """Query vectors, and the state of memories' vectors: the port to the embedding of the memory module."""

    async def ready(self, wait_s: float) -> bool:
        """Return whether the model can embed, waiting at most `wait_s` seconds for it."""

    async def state(self) -> Mapping[str, str | None]:
        """Return the state; `problem` says why there is no model."""

    async def caught_up(self, wait_s: float) -> bool:
        """Return whether each memory has its vector, waiting at most `wait_s` seconds for it."""

    async def generation(self) -> int | None:
        """Return the generation of the model's vectors; None without a model."""

    async def query_vector(self, query: str, wait_s: float) -> VectorOfQuery:
        """Return the vector of a query, waiting at most `wait_s` seconds for a model that loads."""


class Newer(Protocol):
    """What may have replaced a long-term memory."""

    @property
    def id(self) -> str: ...


class Found(Protocol):
    """A long-term memory that a search found."""

    @property
    def id(self) -> str: ...
    @property
    def content(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def confidence(self) -> float: ...
    @property
    def occurred_at(self) -> datetime: ...
    @property
    def may_be_outdated_by(self) -> Newer | None: ...


class LongTermMemory(Protocol):
    """The search for long-term knowledge, and the count of accesses."""

    async def nearest(
        self, namespace: str, query: str, about: str, limit: int
    ) -> tuple[Sequence[Found], tuple[str, ...]]:
        """Return what is known about one side that is nearest to a query, best first, and notes on what is degraded."""

    async def shown(self, namespace: str, memory_ids: Sequence[str]) -> None:
        """Count an access of each memory; a turn's segment is visited."""


class Archiver(Protocol):
    """Takes memories out of all results until they are restored."""

    async def archive(self, namespace: str, memory_id: str, by: str = ...) -> object:
        """Archive a memory. Raises NotFound, Conflict."""


class PageAnalyst(Protocol):
    """Reads pages for long-term knowledge."""

    async def analyse(self, namespace: str, turn_ids: Sequence[str]) -> Sequence[str]:
        """Store the facts, preferences and knowledge that the turns of a page state, and return their memory ids.

        They are about user and assistant, each with its turns as evidence. The same turns again give the same ids and
        add nothing.
        """
