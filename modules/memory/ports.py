"""The interfaces of storage, the vector index and the models, as memory needs them."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from ..records import dataclass
from .conflict_resolution import Decision
from .models import (
    Candidate,
    Memory,
    Passage,
    QueryEncoding,
    Vector,
)

Decide = Callable[[Sequence[Memory]], Sequence[Decision]]
"""Decides what is to change, given memories as they stand; pure, since it runs within the transaction."""


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
