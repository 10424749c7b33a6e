"""The interfaces of storage, the vector index and the models, as memory needs them."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from enum import StrEnum
from typing import Protocol

from ..facts.models import Relation
from ..records import dataclass
from .conflict_resolution import Addition, AddOutcome, ConflictResolver, Decision
from .exact_terms import ExactTerm
from .models import (
    Candidate,
    Change,
    EmbeddingGeneration,
    Memory,
    MemoryFilter,
    MemoryStatistics,
    MemoryVersion,
    Order,
    Passage,
    QueryEncoding,
    RankedTurn,
    Timeline,
    Vector,
    WordFrequencies,
)
from .runs import StoredBeside


class MemoryWriting(Protocol):
    """Memories as they are written, each change in one durable transaction; the vector of a new text is owed."""

    @property
    def read_only(self) -> str | None:
        """The reason why nothing can be stored just now, in words; None when it can."""

    async def add(self, addition: Addition) -> AddOutcome:
        """Store a memory, or find the one of the same content hash, unless it is hidden or had ended before.

        Others are read, judged and changed in the same transaction. Raises NotFound for one that is named and not
        there.
        """

    async def revise(
        self, memory: Memory, content_hash: str, expected_version: int, judge: ConflictResolver | None = None
    ) -> Memory:
        """Replace a memory's state and keep the replaced one in its history; a new text loses the old one's vectors.

        With a `judge` it is judged beside the others of its slot. Its standing stays as stored, but for the time that
        it holds. Raises Conflict for another version, or where another memory has the content; NotFound.
        """

    async def erase(
        self,
        namespace: str,
        memory_ids: Sequence[str],
        where: MemoryFilter | None,
        now: datetime,
        by: str = "agent",
        version: int | None = None,
    ) -> int:
        """Delete by ids, or by a non-empty filter: rows, history, text index, vectors. Return how many.

        Raises PermissionDenied, and deletes nothing, where a person vouches for one, or is to decide about one, and
        `by` is none; Conflict where one is at another `version`, if that is given.
        """

    async def touch(self, namespaces: Sequence[str], memory_ids: Sequence[str], at: datetime) -> None:
        """Count one access for each; not fsynced, since it is a statistic."""


class MemoryReading(Protocol):
    """Memories by id, and page by page."""

    async def get(self, namespace: str, memory_id: str) -> Memory | None:
        """Return one memory by id, or None; does not count as access."""

    async def fetch(self, namespace: str, memory_ids: Sequence[str]) -> list[Memory]:
        """Return the memories with these ids that still exist, in no order."""

    async def page(
        self, namespace: str, where: MemoryFilter, now: datetime, limit: int, offset: int, before: int | None
    ) -> list[tuple[int, Memory]]:
        """Return memories newest first with their sequence numbers (those below `before`)."""

    async def ordered(
        self,
        namespace: str,
        where: MemoryFilter,
        now: datetime,
        order: Order,
        limit: int,
        beyond: Sequence[float] | None = None,
        *,
        backwards: bool = False,
    ) -> list[tuple[tuple[float, ...], Memory]]:
        """Return memories in an order, each with its place in it: those after the place `beyond`, or before it.

        They are in the order asked for, also if `backwards`.
        """

    async def count(self, namespace: str, where: MemoryFilter, now: datetime) -> int:
        """Count the memories that a filter lets pass."""


class Neighbours(Protocol):
    """The memories that are nearest to one."""

    async def with_vector_everywhere(self, memory_id: str, generation: int) -> tuple[Memory, bytes] | None:
        """Return a memory of any namespace with its vector of that generation; None where it has none, or several.

        For what is done once a text has its vector, in the namespace that the memory names.
        """

    async def vector_candidates(
        self, namespace: str, vector: Vector, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        """Return the memories with the nearest passages of the same generation, best first: of each the best one."""

    async def fetch(self, namespace: str, memory_ids: Sequence[str]) -> list[Memory]:
        """Return the memories with these ids that still exist, in no order."""


class SearchCandidates(Protocol):
    """The candidates of each channel of a search, and what is known of them."""

    async def text_candidates(
        self, namespace: str, words: WordFrequencies, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        """Return the best matches of any of the words in the text index, with their BM25 score, best first.

        How often the words occur decides which of them are asked for in a large store. Memories that searches leave
        aside are ranked by themselves, and have as many places of their own.
        """

    async def identifier_candidates(
        self, namespace: str, identifiers: Sequence[ExactTerm], where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        """Return memories whose text contains exact terms as written, best first.

        A score is the share of the terms that a memory contains, of those that any memory contains (weak ones count
        half): 1 means all of them, letter for letter. A term counts less in other case or inside a longer one.
        """

    async def vector_candidates(
        self, namespace: str, vector: Vector, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        """Return the memories with the nearest passages of the same generation, best first: of each the best one."""

    async def first_ids(self, namespace: str, where: MemoryFilter, now: datetime, limit: int) -> list[str]:
        """Return the ids of any `limit` memories that a filter lets pass."""

    async def token_signs(
        self, namespace: str, memory_ids: Sequence[str], generation: int, limit: int
    ) -> dict[str, list[bytes]]:
        """Return the sign bits of the tokens of each memory's passages, in order; without memories that have none.

        Of `limit` passages at most: those of the first memories.
        """

    async def fetch(self, namespace: str, memory_ids: Sequence[str]) -> list[Memory]:
        """Return the memories with these ids that still exist, in no order."""


class WordCounts(Protocol):
    """The frequencies of words."""

    async def frequencies(self, namespace: str, words: Sequence[str], *, with_aside: bool = False) -> WordFrequencies:
        """Return in how many memories of the namespace each word occurs, in any of its forms, by the text index.

        Memories that searches leave aside unless they are asked for count only `with_aside`.
        """

    async def longer_words(self, namespace: str, words: Sequence[str], limit: int) -> dict[str, list[str]]:
        """Return long words of the namespace's memories that each word is part of, or that it has in it.

        At most `limit` of each, the shortest first: of "Versicherung" "Krankenversicherung".
        """

    async def spellings(self, namespace: str, words: Sequence[str], limit: int) -> dict[str, list[str]]:
        """Return words of the namespace's memories, as stems, that each word is a misspelling of; at most `limit`."""


class StatedSlots(Protocol):
    """The statements that are stored, by subject and attribute."""

    async def stating(
        self, namespace: str, subject: str, attribute: str, where: MemoryFilter, now: datetime, limit: int
    ) -> list[str]:
        """Return the ids of memories that state an attribute of a subject, the last that came to hold first.

        Those of a subject that has this one as a first name count too.
        """

    async def stated_of(self, namespace: str, subjects: Sequence[str], limit: int) -> list[tuple[str, str]]:
        """Return the slots, subject and attribute, of some subjects, and of those whose first name is one of these."""


class Searching(SearchCandidates, WordCounts, StatedSlots, Protocol):
    """All that a search reads."""


class MemoryRepository(MemoryWriting, MemoryReading, Neighbours, Searching, Protocol):
    """The whole of what a backend offers: all of these in one."""


Decide = Callable[[Sequence[Memory]], Sequence[Decision]]
"""Decides what is to change, given memories as they stand; pure, since it runs within the transaction."""


class MemoryJudgements(Protocol):
    """Judgements of memories, kept with all that undo needs. Each call is one durable transaction."""

    async def judge(
        self, namespace: str, memory_ids: Sequence[str], decide: Decide, by: str, now: datetime
    ) -> list[Change]:
        """Read memories as they stand, decide, and change what was decided; what changes nothing leaves no trace.

        `decide` is given the memories that exist, in the order of the ids. Nothing is changed if it raises.
        """

    async def revert(self, namespace: str, subject: str, by: str, now: datetime, *, keep_both: bool = False) -> Change:
        """Undo a change by its id, or the newest one that touched a memory, by that memory's id.

        What was there before is restored exactly, and a memory that had superseded or contested others is archived,
        or with `keep_both` stays without its slot. Raises NotFound where there is nothing to undo, Conflict where a
        later change stands in the way, PermissionDenied where a human had decided and `by` is none.
        """

    async def change(self, namespace: str, change_id: str) -> Change | None:
        """Return one change by its id, or None."""

    async def changes(self, namespace: str, memory_id: str | None, limit: int) -> list[Change]:
        """Return what was judged about a memory, newest first; without one, all but undoings and acts on many."""

    async def with_reason(self, namespace: str, memory_ids: Sequence[str], reason: str) -> list[Change]:
        """Return the judgements about some memories that have a reason, the oldest first."""

    async def carried_out(self, namespace: str, approval_id: str) -> Change | None:
        """Return the change that an approval has led to, or None."""

    async def successors(self, namespace: str, memory_ids: Sequence[str]) -> dict[str, str]:
        """Return the newest memory that superseded each of these, where one did."""

    async def relate(
        self, namespace: str, relations: Sequence[Relation], now: datetime, contents: Mapping[str, str] | None = None
    ) -> None:
        """Add relations that change no memory's status; those that exist, or leave the namespace, are left out.

        So are those of memories that no longer have the content that is named in `contents` for their ids.
        """

    async def derived(self, namespace: str, memory_ids: Sequence[str]) -> list[str]:
        """Return the ids of summaries made of memories, of summaries made of those, and of facts found in nothing else.

        "Nothing else" is no other memory that answers may contain. Facts that somebody confirmed are left out.
        """

    async def links(
        self, namespace: str, kind: str, limit: int, offset: int = 0, *, newest: bool = False
    ) -> list[Relation]:
        """Return relations of a kind from newer to older memories that answers may contain; the oldest first.

        With `newest` the newest first.
        """


class MemorySurroundings(StoredBeside, Protocol):
    """The surroundings of memories: turns of the same session, what came before and after, who spoke."""

    async def speakers(self, namespace: str) -> list[str]:
        """Return who speaks in the conversations of a namespace, each once, in alphabetical order; at most 1,000."""

    async def replacing(self, namespace: str, memory_ids: Sequence[str]) -> frozenset[str]:
        """Those of the memories that have replaced others."""

    async def turns(
        self, namespace: str, memory_ids: Sequence[str], now: datetime, generation: int | None, reach: int = 2
    ) -> list[RankedTurn]:
        """Return the memories with these ids, and those up to `reach` places from them in their session, each once.

        In no order, without the expired. Neighbours need not pass the filter. Vectors are of one `generation`, if any.
        """

    async def relations(self, namespace: str, memory_id: str, limit: int) -> list[Relation]:
        """The edges between a memory and others, the newest first."""

    async def related(
        self, namespace: str, memory_ids: Sequence[str], kinds: Sequence[str], limit: int
    ) -> list[Relation]:
        """The edges of some kinds between memories and others, those of the greatest weight first."""

    async def around(self, memory: Memory, now: datetime, before: int, after: int) -> Timeline:
        """Return the memories nearest to one, before and after it: in its session, else in the namespace by date."""


class MemoryAgeing(Protocol):
    """Which memories go first."""

    async def idle(
        self,
        namespace: str,
        statuses: Sequence[str],
        before: datetime,
        ignored_before: datetime,
        max_importance: float,
        limit: int,
    ) -> list[str]:
        """Return the ids of memories of these statuses that were last used before a moment.

        Those that three sessions or more were shown since, and none of their answers drew on, count from
        `ignored_before` on. Only of those less important than `max_importance`.
        """

    async def weakest(self, namespace: str, capacity: int, decay_rate: float, now: datetime, limit: int) -> list[str]:
        """Return the ids of up to `limit` memories beyond a capacity, the weakest first.

        Neither turns nor what expires counts; what is contested or was confirmed by a human is not returned.
        """

    async def unchanged_since(self, namespace: str, before: datetime, limit: int) -> list[str]:
        """Return the ids of memories that are not hidden and that nobody wrote since a moment, the oldest first."""

    async def erase_forgotten_everywhere(self, before: datetime, now: datetime) -> int:
        """Erase for good what was forgotten before a moment; return how many."""


class MemoryArchive(Protocol):
    """Memories asked for otherwise than by recall: the strongest, the fading, history, counts, expiry."""

    async def strongest(self, namespace: str, decay_rate: float, now: datetime, limit: int) -> list[Memory]:
        """Return memories by importance × strength, highest first; no candidates, which nobody has confirmed."""

    async def history(self, namespace: str, memory_id: str) -> list[MemoryVersion]:
        """Return a memory's earlier states, newest first."""

    async def known_hashes(self, namespace: str, hashes: Sequence[str]) -> Mapping[str, str]:
        """Return the ids of the memories of a namespace that have some content hashes, by these."""

    async def vouched(self, namespace: str, tag: str, now: datetime) -> list[Memory]:
        """Return the memories with a tag that hold and that a person confirmed as they read now, the newest first."""

    async def contesting(self, namespace: str, memory_id: str) -> list[str]:
        """Return the ids of the contested memories that contradict one."""

    async def statistics(self, namespace: str, now: datetime) -> MemoryStatistics:
        """Return counts over a namespace."""

    async def daily(self, namespace: str, since: datetime, until: datetime, zone: tzinfo = UTC) -> Mapping[date, int]:
        """Return how many memories happened on each day of a zone from a moment until another, where there are any."""

    async def happened_before(self, namespace: str, moment: datetime) -> bool:
        """Return whether any memory happened before a moment."""

    async def fading(
        self,
        namespace: str,
        decay_rate: float,
        now: datetime,
        min_importance: float,
        max_strength: float,
        limit: int,
    ) -> list[Memory]:
        """Return important memories whose strength has fallen below a bound, the most important first."""

    async def erase_expired_everywhere(self, now: datetime) -> int:
        """Delete working memories whose time is over; return how many."""


@dataclass(frozen=True)
class UnembeddedText:
    """A memory that has no vector of the current generation yet."""

    memory_id: str
    content: str


@dataclass(frozen=True)
class BacklogPosition:
    """The end of the last look for missing vectors: the last memory and the last change of a vector seen."""

    memory: int
    change: int


class EmbeddingBacklog(Protocol):
    """Vectors that are still owed: new and changed texts, and those that another model embedded."""

    async def generation(self, fingerprint: str, dimension: int) -> int:
        """Return the number of the generation that a model's fingerprint stands for; registered at first use."""

    async def is_stopped(self, generation: int) -> bool:
        """Return whether somebody has stopped the embedding of what is owed to a generation."""

    async def stop(self, generation: int, *, stopped: bool) -> None:
        """Stop the embedding of what is owed to a generation, for every process, or let it go on."""

    async def mark(self) -> tuple[int, int]:
        """Return a value that changes whenever a memory came that may lack a vector, or a vector changed; cheap."""

    async def beginning(self, generation: int) -> tuple[BacklogPosition, int, int]:
        """Return where a look for memories without a vector begins, behind those that all have one, and `coverage`."""

    async def owed(
        self, generation: int, position: BacklogPosition, limit: int
    ) -> tuple[list[UnembeddedText], BacklogPosition]:
        """Return memories after a position without a vector of this generation, oldest first, and where to go on.

        A text that lost its vector counts as coming after every position from before that.
        """

    async def coverage(self, generation: int) -> tuple[int, int]:
        """Return how many memories have their vectors of this generation, and how many memories there are."""

    async def add_passages(
        self, texts: Sequence[UnembeddedText], passages: Sequence[Sequence[Passage]], generation: int
    ) -> int:
        """Store the passages of texts that have not changed since; return the number of these texts.

        Not fsynced: they can be made again. Raises StorageUnavailable when the database is busy for long.
        """

    async def largest_other(self, generation: int) -> EmbeddingGeneration | None:
        """Return of the other generations the one with the most memories; None where none has any."""

    async def drop_others(self, generation: int, limit: int) -> int:
        """Erase up to `limit` vectors of each other generation; return how many were erased."""


class OwedLooks(Protocol):
    """New memories that nobody has compared with others: from their first vector on, which notes them."""

    async def looks(self, generation: int, after: int, limit: int) -> tuple[list[UnembeddedText], int, bool]:
        """Return memories after a position that owe a look and have their vector, the oldest first.

        With them comes the position where to go on, and whether there may be more; 0 is the first position.
        """

    async def looked(self, memory_ids: Sequence[str], keep: int) -> None:
        """Note that memories owe no look any more, nor does any but the newest `keep`.

        Not fsynced: a second look changes nothing. Raises StorageUnavailable when the database is busy for long.
        """


@dataclass(frozen=True)
class IndexState:
    """The state of the derived vector index: `applied` of `newest` changes, holding `count` vectors."""

    generation: int
    applied: int
    newest: int
    count: int


class IndexPhase(StrEnum):
    """The phase of the index: not in use, being built, usable, or broken (then search works without it)."""

    OFF = "off"
    BUILDING = "building"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True)
class IndexStatus:
    """The index as last seen: `applied` of `newest` changes, `count` vectors, and what is wrong with it."""

    state: IndexPhase
    applied: int
    newest: int
    count: int
    problem: str | None


class IndexUpkeep(Protocol):
    """The upkeep of the index of vectors."""

    @property
    def status(self) -> IndexStatus:
        """The index as last seen: asks nobody, so that it is always at hand."""

    @property
    def needed(self) -> bool:
        """Return whether there are enough vectors for searches to go through the index."""

    @property
    def deleted(self) -> int:
        """The number of deleted vectors that its files still hold."""

    async def glance(self, generation: int) -> bool:
        """Return whether it holds every change, judged by its notes and files alone: nothing is started."""

    async def purge(self) -> None:
        """Build it anew if its files still hold deleted vectors; searches go on meanwhile."""

    async def rest(self) -> None:
        """Give its memory back until the next call; searches go on without it."""

    async def open(self, generation: int) -> IndexState:
        """Open it for a generation, reconcile it with the database, rebuild it where it disagrees."""

    async def catch_up(self, limit: int) -> int:
        """Apply up to `limit` changes in order; return how many were applied."""

    async def state(self) -> IndexState:
        """Return how far it has got."""

    async def close(self) -> None:
        """Release the index."""


class VectorIndex(IndexUpkeep, Protocol):
    """The approximate index derived from the stored vectors; may be deleted and rebuilt at any time."""

    async def nearest(self, namespace: str, vector: Vector, limit: int) -> list[Candidate]:
        """Return the nearest vectors by cosine similarity, best first: indexed ones approximately, newer ones exactly.

        Raises StorageUnavailable at once when it is not ready.
        """


class Embedder(Protocol):
    """Texts to passages with vectors. Loads its model at first use, in a thread; never blocks the event loop."""

    @property
    def fingerprint(self) -> str:
        """A name for the model, its weights and what is made of a text; vectors of two fingerprints are never compared.

        Only meaningful once `ready` has returned True.
        """

    @property
    def dimension(self) -> int:
        """The number of values that a vector has."""

    async def ready(self, wait_s: float) -> bool:
        """Start loading if that has not happened, wait at most `wait_s` seconds; return whether it can embed now."""

    @property
    def problem(self) -> str | None:
        """The reason why there is no model, in words for the user; None while it loads or once it is ready."""

    async def encode(self, contents: Sequence[str]) -> list[list[Passage]]:
        """Return the passages of each content, in order: one, or overlapping ones that cover a long content."""

    async def encode_query(self, query: str) -> QueryEncoding:
        """Return what a search needs of its query; what exceeds the model's window is cut off."""

    async def knows(self, texts: Sequence[str]) -> list[bool]:
        """Return whether the model reads the script of each text, without which its vector says nothing.

        True where that is not known. Raises AgentOSError where there is no model.
        """

    def close(self) -> None:
        """Let the model's thread end; callers that still wait get an error. Does not block."""


class EarnedTrust(Protocol):
    """The trust that memories have earned or lost by judgements."""

    async def earned(self, namespace: str, memory_ids: Sequence[str]) -> Mapping[str, float]:
        """Return by id what judgements added (at most .235) or took away; empty where nothing was judged."""

    async def in_authors(self, namespace: str, memory_ids: Sequence[str]) -> Mapping[str, float]:
        """Return by id how what its author stored has fared with others, 0..1; .5 where that is not known."""


class PairJudge(Protocol):
    """Scores texts against another one, reading both together.

    Beside a query it judges how well they answer it, beside a newer statement whether it replaces them. Loads its model
    at first use, in a thread; never blocks.
    """

    async def ready(self, wait_s: float) -> bool:
        """Start loading if that has not happened, wait at most `wait_s` seconds; return whether it can judge now."""

    @property
    def problem(self) -> str | None:
        """The reason why there is no model, in words for the user; None while it loads or once it is ready."""

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score a text, in order, higher is better; a reranker's are comparable within one call only.

        A caller that is cancelled leaves little work behind. Raises AgentOSError where there is no model.
        """

    def close(self) -> None:
        """Let the model's thread end; callers that still wait get an error. Does not block."""
