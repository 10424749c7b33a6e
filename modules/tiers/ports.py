"""What tiers need of storage, of the embedding model, of the queue, and of the services beside them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from .models import Outline, Page, Placing, Restored, Segment, Side, Tier, TierSettings, Topic


class TierRepository(Protocol):
    """Pages on their way down, and segments; each change is one durable transaction."""

    async def due(self, namespace: str, short_term_pages: int, limit: int) -> list[Page]:
        """Pages beyond the newest `short_term_pages` of their session that are in no segment; those of a session
        together, oldest first.
        """

    async def place(self, namespace: str, placing: Placing, capacity: int, now: datetime) -> Segment | None:
        """Put a page into a segment, and ask for a promotion where that makes it hot; the segment as it is then.

        A new segment beyond `capacity` archives the least retrieved of those before it (of several the oldest). None,
        and nothing is changed, where the page is in a segment already, it is not its turn, or what decided about it
        has changed.
        """

    async def segments(self, namespace: str) -> list[Segment]:
        """The segments of mid-term memory, oldest first."""

    async def outlines(self, namespace: str) -> list[Outline]:
        """The segments of mid-term memory that are described, oldest first."""

    async def newest(self, namespace: str) -> str | None:
        """The id of the segment that was made last."""

    async def segment(self, namespace: str, segment_id: str) -> Segment | None:
        """One segment by id, evicted or not."""

    async def undescribed(self, namespace: str, limit: int) -> list[Segment]:
        """Segments whose summary has to be written anew and whose pages say something."""

    async def describe(self, segment: Segment, topic: Topic) -> bool:
        """Give a segment that has none its summary and keywords; False where its turns have changed meanwhile."""

    async def pages(self, namespace: str, segment_ids: Sequence[str], limit: int) -> list[Page]:
        """The newest pages of each of some segments, oldest first."""

    async def vectors(self, namespace: str, pages: Sequence[Page], generation: int) -> Mapping[str, list[bytes]]:
        """The vectors of all passages of the turns of pages, by the page's id."""

    async def segment_vectors(
        self, namespace: str, segment_ids: Sequence[str], generation: int, pages: int
    ) -> Mapping[str, list[bytes]]:
        """The vectors of the turns on the newest `pages` of segments, by the segment's id."""

    async def short(self, namespace: str, session: str, limit: int) -> list[Page]:
        """The newest pages of a session, by the name that its client gave it, oldest first."""

    async def unanalysed(self, segment: Segment, limit: int) -> list[Page]:
        """Pages of a segment that no promotion has read yet, oldest first."""

    async def analysed(self, page: Page, now: datetime) -> None:
        """Note that a promotion has read a page."""

    async def promoted(self, segment: Segment, now: datetime) -> bool:
        """Count a promotion of a segment that is as often promoted as `segment` says, and take back the visits and
        interactions that it says; False where somebody else has.
        """

    async def hot(self, namespace: str, now: datetime) -> int:
        """Ask for the promotion of every segment that is hot and waits for none; how many there were."""

    async def newest_memory(self, namespace: str) -> int:
        """Rises with every memory that comes."""

    async def evicted(self, namespace: str, limit: int) -> list[Segment]:
        """The segments that were archived to make room, the last one first."""

    async def restore(self, namespace: str, segment_id: str, capacity: int, now: datetime) -> Restored | None:
        """Bring an evicted segment back, as retrieved once more; beyond `capacity` the least retrieved of the others is
        archived. One that is not evicted stays as it is; None where there is none of that id.
        """

    async def listed(
        self, namespace: str, tier: Tier, settings: TierSettings, now: datetime, limit: int, before: int | None
    ) -> list[tuple[int, str]]:
        """Sequence numbers (below `before`) and ids of the memories of a tier, newest first."""

    async def counts(self, namespace: str, settings: TierSettings, now: datetime) -> Mapping[Tier, int]:
        """What each tier holds, in its own unit (`TierStatus`)."""

    async def waiting(self, namespace: str, short_term_pages: int) -> tuple[int, int, int, int]:
        """Pages that are due, promotions that wait, promotions given up, and evicted segments."""

    async def knowledge_over(self, namespace: str, side: Side, capacity: int, keep: Sequence[str]) -> list[str]:
        """Ids of the knowledge beyond `capacity` that goes first: the lowest access count × confidence, of several the
        oldest; never one of `keep`.
        """

    async def evidence(self, namespace: str, memory_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """The ids of the turns that are evidence of each of some memories."""


class Vocabulary(Protocol):
    """Which words say something, and how rare they are."""

    def words(self, text: str) -> list[str]:
        """The content words of a text in order, lower case, with repetitions."""

    def stem(self, word: str) -> str:
        """What forms of a word have in common."""

    async def rarity(self, words: Sequence[str]) -> Mapping[str, float]:
        """The inverse document frequency of each word."""


class HasData(Protocol):
    """A vector of a generation."""

    @property
    def generation(self) -> int: ...
    @property
    def data(self) -> bytes: ...


class QueryVector(Protocol):
    """The vector of a query, None without a model; `notes` say why."""

    @property
    def vector(self) -> HasData | None: ...
    @property
    def notes(self) -> tuple[str, ...]: ...


class Embedding(Protocol):
    """The vectors of queries, and whether memories have theirs: memory's embedding."""

    async def ready(self, wait_s: float) -> bool:
        """Whether the model can embed, waiting at most so long for it."""

    async def state(self) -> Mapping[str, str | None]:
        """What the `problem` is where there is no model."""

    async def caught_up(self, wait_s: float) -> bool:
        """Whether every memory has its vector, waiting at most so long for it."""

    async def generation(self) -> int | None:
        """The generation of the model's vectors; None without a model."""

    async def query_vector(self, query: str, wait_s: float) -> QueryVector:
        """The vector of a query, waiting at most so long for a model that loads."""


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


class LongTermMemory(Protocol):
    """The search for long-term knowledge, and the count of what was shown."""

    async def nearest(
        self, namespace: str, query: str, about: str, limit: int
    ) -> tuple[Sequence[Found], tuple[str, ...]]:
        """What was found about one side that is nearest to a query, best first, and notes on what is degraded."""

    async def shown(self, memory_ids: Sequence[str]) -> None:
        """Count an access of each; a turn's segment is visited."""


class Archiver(Protocol):
    """Takes memories out of every answer until they are restored."""

    async def archive(self, namespace: str, memory_id: str, by: str = ...) -> object:
        """Archive a memory. Raises NotFound, Conflict."""


class PageAnalyst(Protocol):
    """Reads pages for what is worth knowing for long."""

    async def analyse(self, namespace: str, turn_ids: Sequence[str]) -> Sequence[str]:
        """Keep the facts, preferences and knowledge about user and assistant that the turns of a page state, each with
        its turns as evidence; the ids of their memories. The same turns again give the same ids and add nothing.
        """
