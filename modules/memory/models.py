"""The domain types of memory."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from ..errors import Conflict
from ..facts.models import FactState, Relation
from ..records import dataclass
from .dialogue import role_of


class MemoryType(StrEnum):
    """The sort of knowledge that a memory is; `working` memories expire."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    WORKING = "working"


class Kind(StrEnum):
    """A memory's kind in the domain's own terms; `fact`, `preference` and `attribute` state something by a slot."""

    NOTE = "note"
    FACT = "fact"
    PREFERENCE = "preference"
    ATTRIBUTE = "attribute"
    OBSERVATION = "observation"
    SUMMARY = "summary"
    EPISODE = "episode"
    PROCEDURE = "procedure"
    RULE = "rule"
    KNOWLEDGE = "knowledge"


class Status(StrEnum):
    """The degree to which a memory is believed and used. A superseded one keeps its status: its `valid_to` is set.

    A `candidate` waits for confirmation; `contested` ones disagree; a `stale` one was not used for long; `archived`
    ones are out of every answer until they are restored; `forgotten` ones are hidden everywhere and erased later.
    """

    CANDIDATE = "candidate"
    ACTIVE = "active"
    CONTESTED = "contested"
    STALE = "stale"
    ARCHIVED = "archived"
    FORGOTTEN = "forgotten"


HIDDEN = (Status.ARCHIVED, Status.FORGOTTEN)
"""Statuses of memories that no answer contains unless they are asked for by their status."""


class Order(StrEnum):
    """The order of a listing; of equals in importance, or by use, the one that was used last is the first or last."""

    NEWEST = "newest"
    OLDEST = "oldest"
    IMPORTANT = "important"
    UNIMPORTANT = "unimportant"
    UNUSED = "unused"


class SearchMode(StrEnum):
    """The channels that answered a search: both, or the text index alone (degraded)."""

    HYBRID = "hybrid"
    LEXICAL = "lexical"


class Consistency(StrEnum):
    """The treatment of memories that have no vector yet, in a search.

    `strong` waits for their vectors, within its bound, so that it finds by meaning what was just stored; `eventual`
    never waits. Their words are searched either way.
    """

    STRONG = "strong"
    EVENTUAL = "eventual"


@dataclass(frozen=True)
class Slot:
    """The subject matter of a statement: the `attribute` of a `subject`, both in canonical form, in lower case.

    `value` is what it says of it, None where only the subject is known. `confidence` (0..1) is 1 where the caller gave
    it (`facts/slots.py`). A denial ("no longer uses X") has `polarity` False.
    """

    subject: str
    attribute: str
    value: str | None = None
    confidence: float = 1.0
    polarity: bool = True

    def is_also(self, other: "Slot | None") -> bool:
        """Return whether both are about the same attribute of the same subject."""
        return other is not None and (self.subject, self.attribute) == (other.subject, other.attribute)


@dataclass(frozen=True)
class LikelySuccessor:
    """A newer memory that may have replaced another one, and how probable that is (0..1); nobody has settled it."""

    id: str
    probability: float


@dataclass(frozen=True)
class Memory:
    """One memory as it is stored.

    `importance` and `strength`-related times follow `formulas.py`; all times are aware and in UTC.
    `importance` is worth keeping (0..1); `accessed_at` is when a search last returned it. One that belongs to a
    conversation has its `session`, its `place` there by arrival, from 0, and the `speaker` that its content names
    (`dialogue.py`). `confidence` is how sure it is true, `trust` how good its source is (both 0..1). It holds from
    `valid_from` (None: since `occurred_at`) until `valid_to` (None: it still holds). What `may_be_outdated_by` names
    was judged when that one was stored: readers show it, and change nothing by it. `code_mark` says what became of the
    code that it is about.
    """

    id: str
    namespace: str
    memory_type: MemoryType
    content: str
    summary: str
    tags: tuple[str, ...]
    importance: float
    metadata: dict[str, Any]
    source: str
    occurred_at: datetime
    created_at: datetime
    updated_at: datetime
    accessed_at: datetime
    access_count: int
    version: int
    expires_at: datetime | None = None
    session: str | None = None
    place: int | None = None
    speaker: str | None = None
    kind: Kind = Kind.NOTE
    status: Status = Status.ACTIVE
    confidence: float = 0.7
    trust: float = 1.0
    slot: Slot | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    confirmations: int = 0
    rejections: int = 0
    may_be_outdated_by: LikelySuccessor | None = None
    code_mark: str = ""

    @property
    def words(self) -> str:
        """Return all that readers see of it in its author's words: they may hide an instruction anywhere."""
        return "\n".join(filter(None, (self.content, *self.tags, self.source)))

    @property
    def project(self) -> str:
        """The project that it belongs to: an id, or a name where no id is known; "" for none."""
        return str(self.metadata.get("project") or self.metadata.get("project_name") or "")

    def has_ended(self, now: datetime) -> bool:
        """Return whether it no longer holds."""
        return self.valid_to is not None and self.valid_to <= now

    def has_expired(self, now: datetime) -> bool:
        """Return whether its time is over: it counts as gone, and is erased by the next sweep."""
        return self.expires_at is not None and self.expires_at <= now

    @property
    def outdated_by(self) -> str | None:
        """The id of a newer memory that may have replaced it."""
        return None if self.may_be_outdated_by is None else self.may_be_outdated_by.id

    @property
    def standing(self) -> FactState:
        """The part of the memory that judgement may change."""
        return FactState(
            self.status, self.confidence, self.valid_from, self.valid_to, self.confirmations, self.rejections
        )

    @property
    def holds_from(self) -> datetime:
        """The moment from which the memory holds."""
        return self.valid_from or self.occurred_at


@dataclass(frozen=True)
class MemoryVersion:
    """An earlier state of a memory that an update replaced at `replaced_at`."""

    version: int
    content: str
    memory_type: MemoryType
    tags: tuple[str, ...]
    importance: float
    metadata: dict[str, Any]
    replaced_at: datetime


@dataclass(frozen=True)
class MemoryFilter:
    """Predicates that hold before ranking; an empty field does not restrict.

    `tags` must all be present. `since` and `until` bound `occurred_at` (until is exclusive). What holds now, or will,
    passes, with `as_of` what held then, with `include_superseded` also what holds no more. Without `statuses` all pass
    but those that are HIDDEN; with `kinds` those of any of them; with `found_about` what was found in conversations
    about the `user` or the `assistant`; with `projects` what belongs to one of these, by id or name, where "" is none;
    with `working_in`, the names of one project, what belongs to it or to none.
    `without_aside` leaves out summaries that were made of other memories, and what was found or mined in turns and that
    nobody confirmed; it restricts nothing else: what they were made of is there itself.
    """

    memory_type: MemoryType | None = None
    tags: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    min_importance: float = 0.0
    session: str | None = None
    source: str | None = None
    as_of: datetime | None = None
    include_superseded: bool = False
    statuses: tuple[Status, ...] = ()
    kinds: tuple[Kind, ...] = ()
    without_aside: bool = False
    found_about: str | None = None
    projects: tuple[str, ...] = ()
    working_in: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Return whether nothing restricts: such a filter matches the namespace, but for what does not hold now."""
        restricts = self.memory_type or self.tags or self.since or self.until or self.min_importance > 0
        named = self.session is not None or self.source is not None or self.found_about is not None
        placed = self.projects or self.working_in
        return not (restricts or self.as_of or self.statuses or self.kinds or named or placed)


@dataclass(frozen=True)
class Vector:
    """An embedding: unit-length float32 values, little-endian, `dimension` × 4 bytes, of one generation."""

    generation: int
    data: bytes


class RankedTurn(NamedTuple):
    """A memory that was found, or that stands near one, as ranking needs it: a tuple, since searches make thousands.

    `vector` is the one of the generation that was asked for, None where there is none; of a long content, that of
    its first passage. `slot_given` says that whoever stored it named its subject and attribute; `outdated_by` is the id
    of what may have replaced it; `chat_role` is its role in a chat with an assistant, where that was recorded;
    `project` is as a memory's.
    """

    seq: int
    id: str
    content: str
    session: str | None
    place: int | None
    speaker: str | None
    occurred_at: datetime
    created_at: datetime
    importance: float
    accessed_at: datetime
    vector: bytes | None
    status: Status = Status.ACTIVE
    confidence: float = 0.7
    trust: float = 1.0
    subject: str | None = None
    attribute: str | None = None
    valid_to: datetime | None = None
    slot_given: bool = False
    outdated_by: str | None = None
    valid_from: datetime | None = None
    chat_role: str | None = None
    project: str = ""

    @property
    def role(self) -> str | None:
        """`user`, `assistant`, `system` or `tool`: as recorded, else as its content begins; None where neither says."""
        return self.chat_role or role_of(self.content)

    @property
    def text_with_attribute(self) -> str:
        """The content with the name of the attribute that it states: people ask by that name."""
        return self.content if self.attribute is None else f"{self.content} {self.attribute}"


@dataclass(frozen=True)
class Change:
    """One judgement: the standings before and after it, by memory, and what it added; all that undo needs.

    `action` is one of a judgement, of a verdict (`lifecycle.py`), or `revert`; `by` is agent, human or job. What
    `before` has of the memory that a judgement came with is how it came. `reverted_by` is the change that undid it.
    """

    id: str
    namespace: str
    at: datetime
    action: str
    memory_id: str
    by: str
    reason: str
    before: Mapping[str, FactState]
    after: Mapping[str, FactState]
    relations: tuple[Relation, ...] = ()
    approval: str | None = None
    reverted_by: str | None = None


@dataclass(frozen=True)
class Timeline:
    """A memory, what came `before` it and what came `after` it, each in order of time."""

    before: tuple[Memory, ...]
    memory: Memory
    after: tuple[Memory, ...]


@dataclass(frozen=True)
class WordFrequencies:
    """The number of memories in which each word occurs, of `memories` in all; counts end at `bound`: "at least".

    All of one namespace. What a search leaves aside unless it is asked for counts only `with_aside`.
    """

    counts: dict[str, int]
    memories: int
    bound: int
    with_aside: bool = False

    @property
    def absent(self) -> frozenset[str]:
        """The words that no memory has, in any form."""
        return frozenset(word for word, count in self.counts.items() if not count)


@dataclass(frozen=True)
class Passage:
    """A stretch of a memory's content, characters `begin` to `end`, with what the model makes of it.

    `vector` is unit-length float32, little-endian. `signs` are the sign bits of its tokens' vectors, dimension / 8
    bytes a token; tokens that are only punctuation have none, and there are none at all without late interaction.
    """

    begin: int
    end: int
    vector: bytes
    signs: bytes


@dataclass(frozen=True)
class EmbeddingGeneration:
    """The vectors of one model: their number, the model's name, and how many memories have one."""

    id: int
    name: str
    embedded: int


@dataclass(frozen=True)
class QueryEncoding:
    """A query as the model sees it: its vector, and the vectors of its tokens for late interaction.

    `tokens` are unit-length float32 rows, little-endian, at most 64; `words` names for each row the word, in lower
    case, that the token is part of. Both are empty without late interaction. Where the model does not know the script
    there is nothing but that.
    """

    vector: bytes
    tokens: bytes = b""
    words: tuple[str, ...] = ()
    knows: bool = True


@dataclass(frozen=True)
class Candidate:
    """A memory that a channel names: its id and the channel's own score (higher is better).

    `passage` are the characters of the content that matched, where the channel looks at parts of it.
    """

    id: str
    score: float
    passage: tuple[int, int] | None = None


class Occasion(NamedTuple):
    """Another memory that tells the same as a hit, and when it happened."""

    id: str
    at: datetime


@dataclass(frozen=True)
class SearchHit:
    """A memory that a search found: its score and the named parts that the score is the sum of; the cosine
    similarity where the vector channel named it.

    `passage` are the characters of a long content that matched best; None when the content is short. `stretch` are
    those of them that answer the query by their words, where a model is shown less than all. `support` is how likely it
    answers the query, 0..1, where that was judged (`support.py`). `also` are the other occasions of what it tells.
    `newer` may have replaced it, where that may be told too.
    """

    memory: Memory
    score: float
    strength: float
    similarity: float | None
    parts: Mapping[str, float] = field(default_factory=dict)
    passage: tuple[int, int] | None = None
    support: float | None = None
    stretch: tuple[int, int] | None = None
    also: tuple[Occasion, ...] = ()
    newer: Memory | None = None

    @property
    def matched(self) -> str:
        """Return the passage that matched; of a short content all of it."""
        return self.memory.content if self.passage is None else self.memory.content[slice(*self.passage)]


@dataclass(frozen=True)
class Reading:
    """The reading of a query, which explains why a search found what it found.

    `words` were looked for in texts, `identifiers` as they stand, `speakers` among those who spoke; `dates` are
    ranges (ISO 8601, end exclusive); with `identifier_first` exact terms decide.
    """

    profile: str
    words: tuple[str, ...]
    speakers: tuple[str, ...]
    identifiers: tuple[str, ...]
    identifier_first: bool
    dates: tuple[str, ...]
    asks_when: bool
    asks_latest: bool
    candidates: int


DOUBTFUL = 0.0067
"""The least support, log-odds of -5, of what is shown as the nearest though nothing clearly answers; below it stand
gibberish and most questions about something else."""


@dataclass(frozen=True)
class GateDecision:
    """The decision whether anything that was found supports an answer (`gate.py`).

    `support` is the calibrated probability that it does, which must reach `threshold` (0: nothing is ever withheld);
    `parts` are the terms of its log-odds. `withheld` is how many of the nearest misses were kept back.
    """

    answered: bool
    support: float
    threshold: float
    parts: Mapping[str, float] = field(default_factory=dict)
    withheld: int = 0

    @property
    def is_doubtful(self) -> bool:
        """Return whether the nearest miss may answer after all: worth a line, but no answer."""
        return not self.answered and self.support >= DOUBTFUL


@dataclass(frozen=True)
class SearchResult:
    """The outcome of a search: hits, best first, and the channels that answered; `notes` say what is degraded and why.

    `next_cursor` leads to what comes after these hits; None where nothing does. Where the `gate` is closed there are
    no hits. What would have been one, and hardly answers, is in `misses`, for whoever asks why. `elsewhere` names, by
    their ids, those of other projects than the one searched that would be among the hits, with their projects.
    """

    hits: tuple[SearchHit, ...]
    mode: SearchMode
    notes: tuple[str, ...]
    reading: Reading
    next_cursor: str | None = None
    gate: GateDecision = field(default_factory=lambda: GateDecision(answered=True, support=1.0, threshold=0.0))
    misses: tuple[SearchHit, ...] = ()
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    @property
    def doubted(self) -> tuple[SearchHit, ...]:
        """The nearest miss, where the gate is closed but in doubt; shown apart, and never counted as an answer."""
        return self.misses[:1] if self.gate.is_doubtful else ()


@dataclass(frozen=True)
class MemoryPage:
    """One page of a listing, newest first; `next_cursor` is None on the last page."""

    memories: tuple[Memory, ...]
    total: int
    next_cursor: str | None


@dataclass(frozen=True)
class MemoryStatistics:
    """Counts over one namespace; `low_importance` counts memories below .2."""

    total: int = 0
    low_importance: int = 0


def require_version(found: int, expected: int | None) -> None:
    """Raise Conflict where a memory is at another version than is expected, if any is."""
    if expected is not None and found != expected:
        raise Conflict(
            f"version: the memory is at version {found}, not {expected}; read it with memory_get and try again"
        )
