"""The memory service: store, search, list, get, update, delete."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from .. import identifiers, inputs
from ..clock import Clock
from ..errors import InvalidInput, NotFound
from ..redactor import Redactor
from ..truth.sources import trust_of
from . import cursors, dialogue, formulas, gate, lifecycle, predecessors
from .accesses import AccessCounter
from .embedding import MemoryEmbedding
from .judging import RuleJudge, YieldingJudge
from .models import (
    Change,
    Consistency,
    Kind,
    Memory,
    MemoryFilter,
    MemoryPage,
    MemoryType,
    MemoryVersion,
    SearchResult,
    Status,
    Timeline,
)
from .ports import MemoryArchive, MemoryRepository, MemorySurroundings, PairJudge, UnembeddedText
from .predecessors import Predecessors
from .ranking import Profile, Ranked
from .recall import Gathered, Recall, RecallSettings
from .second_opinion import SecondOpinion
from .slot_channel import SlotChannel
from .stating import stated

MAX_LIMIT = 200
MAX_QUERY_BYTES = 1024 * 1024
MAX_OFFSET = 10_000_000
MAX_SESSION_BYTES = 200
MAX_NEIGHBOURS = 50
MAX_SUPERSEDED = 50
STATED = frozenset({Kind.NOTE, Kind.FACT, Kind.PREFERENCE, Kind.ATTRIBUTE})
"""Kinds that are read from a text; any other was given with it, and stays when the text changes."""
FOUND_IMPORTANCE = 0.4
"""Of what a machine found: somewhat less than the default of what is stored."""


@dataclass(frozen=True)
class MemorySettings:
    """What the memory service is told; sizes are bytes of UTF-8."""

    max_content_bytes: int = 64 * 1024
    working_memory_hours: float = 24.0
    recall: RecallSettings = field(default_factory=RecallSettings)

    @property
    def decay_rate(self) -> float:
        """How fast strength decays, per day."""
        return self.recall.scoring.decay_rate


@dataclass(frozen=True)
class Stored:
    """What a store did: the memory, and whether it was there already (same text: the first one stands).

    `made_lasting` when it was a working memory and is now kept for good, as it was stored this time. `change` is what
    was judged about it and others: what it superseded, contests or confirms. `may_replace` are older ones that it may
    be meant to replace, where nothing was judged: whoever stores it knows.
    """

    memory: Memory
    duplicate: bool
    made_lasting: bool = False
    change: Change | None = None
    may_replace: Sequence[Memory] = ()


@dataclass(frozen=True)
class MemoryChanges:
    """What an update replaces; None leaves a field as it is."""

    content: str | None = None
    memory_type: str | None = None
    importance: float | None = None
    tags: Sequence[str] | None = None
    metadata: dict[str, Any] | None = None

    @property
    def is_empty(self) -> bool:
        return self == MemoryChanges()


class MemoryService:
    """The rules of memory over one store; knows no SQL and no protocol."""

    def __init__(
        self,
        repository: MemoryRepository,
        archive: MemoryArchive,
        surroundings: MemorySurroundings,
        embedding: MemoryEmbedding,
        settings: MemorySettings,
        redactor: Redactor,
        clock: Clock,
        reranker: PairJudge | None = None,
        predecessors: Predecessors | None = None,
        opinion: SecondOpinion | None = None,
        slots: SlotChannel | None = None,
    ) -> None:
        self._repository = repository
        self._archive = archive
        self._surroundings = surroundings
        self._embedding = embedding
        self._settings = settings
        self._redactor = redactor
        self._clock = clock
        self._judge = RuleJudge()
        self._predecessors = predecessors
        self._accesses = AccessCounter(repository, clock)
        self._recall = Recall(repository, surroundings, embedding, settings.recall, clock, reranker, opinion, slots)

    async def store(
        self,
        namespace: str,
        content: str,
        memory_type: str = MemoryType.EPISODIC,
        importance: float = 0.5,
        tags: Sequence[str] = (),
        metadata: dict[str, Any] | None = None,
        source: str = "",
        occurred_at: str | None = None,
        session: str | None = None,
        subject: str | None = None,
        attribute: str | None = None,
        value: str | None = None,
        confidence: float | None = None,
        supersedes: Sequence[str] = (),
        kind: str | None = None,
        ask: bool = False,
    ) -> Stored:
        """Keep a memory durably, without secrets; its vector follows. The same text twice returns the first, confirmed.

        `session` is the id of the conversation that it is a turn of; the same text in another one is another memory.
        What it states (`value` is the `attribute` of `subject`; read from the text where it is not given) is judged
        beside what was stated before, and it replaces those named by `supersedes`. Below .5, `confidence` makes it a
        candidate. A text of a given `kind` is that, and states nothing. For a caller that can answer (`ask`) it is
        looked what the memory may replace, beside the insert.

        Raises InvalidInput, or NotFound, and changes nothing when an argument is not acceptable.
        """
        content = await self._redactor.text(inputs.text("content", content, self._settings.max_content_bytes))
        type_ = inputs.choice("memory_type", memory_type, MemoryType)
        if session is not None:
            session = await self._redactor.text(inputs.text("session", session, MAX_SESSION_BYTES))
        now = self._clock()
        expires = timedelta(hours=self._settings.working_memory_hours) if type_ is MemoryType.WORKING else None
        happened = inputs.moment("occurred_at", occurred_at) or now
        speaker = None if session is None else dialogue.split_speaker(content)[0]
        statement = await stated(
            content,
            type_,
            happened,
            is_turn=speaker is not None or kind is not None,
            subject=None if subject is None else await self._redactor.text(subject),
            attribute=None if attribute is None else await self._redactor.text(attribute),
            value=None if value is None else await self._redactor.named(attribute or "", value),
        )
        sure = inputs.unit_interval("confidence", lifecycle.EXPLICIT_CONFIDENCE if confidence is None else confidence)
        inputs.count("supersedes", len(supersedes), 0, MAX_SUPERSEDED)
        memory = Memory(
            id=identifiers.new_id("mem"),
            namespace=namespace,
            memory_type=type_,
            content=content,
            summary=formulas.summary(content),
            tags=await self._redactor.tags(inputs.tags("tags", tags)),
            importance=formulas.importance(inputs.unit_interval("importance", importance), content, type_),
            metadata=await self._redactor.json(inputs.metadata("metadata", metadata or {})),
            source=await self._redactor.text(inputs.text("source", source, 200, allow_empty=True)),
            occurred_at=happened,
            created_at=now,
            updated_at=now,
            accessed_at=now,
            access_count=0,
            version=1,
            expires_at=now + expires if expires else None,
            session=session,
            speaker=speaker,
            kind=statement.kind if kind is None else inputs.choice("kind", kind, Kind),
            status=Status.CANDIDATE if sure < lifecycle.CANDIDATE_BELOW else Status.ACTIVE,
            confidence=sure,
            trust=trust_of(source),
            slot=statement.slot,
            valid_from=statement.valid_from,
            valid_to=statement.valid_to,
        )
        digest = content_hash(content, session)
        is_read = memory.slot is not None and subject is None and attribute is None and value is None
        # What rules have read may end what it only looks like: a second opinion comes first.
        judge = await self._judge_of(memory) if is_read else self._judge
        looking = self._predecessors.begin(memory) if ask and self._predecessors is not None else None
        try:
            added = await self._repository.add(memory, digest, judge, [*dict.fromkeys(supersedes)])
            kept = added.memory
            if added.is_new:
                self._embed_soon(kept)
            if kept.memory_type is MemoryType.WORKING and type_ is not MemoryType.WORKING:
                # What is stored again for good must not expire; it is as it was stored now.
                lasting = replace(memory, id=kept.id, created_at=kept.created_at)
                kept = await self._repository.revise(lasting, digest, kept.version, judge)
                return Stored(kept, duplicate=True, made_lasting=True, change=added.change)
            is_judged = not added.is_new or added.change is not None or bool(supersedes)
            may_replace = () if is_judged or looking is None else await predecessors.in_time(looking, ())
            return Stored(kept, not added.is_new, change=added.change, may_replace=may_replace)
        finally:
            if looking is not None:  # whoever stores next needs not wait for it; its vector is made all the same
                looking.cancel()

    async def keep_found(
        self,
        namespace: str,
        content: str,
        kind: str,
        confidence: float,
        source: str,
        metadata: dict[str, Any],
        occurred_at: datetime,
    ) -> Stored:
        """Keep what a machine found in others' words, as a candidate. The same text twice returns the first, as it is.

        What it states is read as of any memory; it may end what was only found before, and nothing that was stated.
        Raises InvalidInput.
        """
        content = await self._redactor.text(inputs.text("content", content, self._settings.max_content_bytes))
        now = self._clock()
        statement = await stated(content, MemoryType.SEMANTIC, occurred_at)
        memory = Memory(
            id=identifiers.new_id("mem"),
            namespace=namespace,
            memory_type=MemoryType.SEMANTIC,
            content=content,
            summary=formulas.summary(content),
            tags=(),
            importance=formulas.importance(FOUND_IMPORTANCE, content, MemoryType.SEMANTIC),
            metadata=await self._redactor.json(inputs.metadata("metadata", metadata)),
            source=source,
            occurred_at=occurred_at,
            created_at=now,
            updated_at=now,
            accessed_at=now,
            access_count=0,
            version=1,
            kind=inputs.choice("kind", kind, Kind),
            status=Status.CANDIDATE,
            confidence=inputs.unit_interval("confidence", confidence),
            trust=trust_of(source),
            slot=statement.slot,
            valid_from=statement.valid_from,
            valid_to=statement.valid_to,
        )
        added = await self._repository.add(memory, content_hash(content), YieldingJudge())
        if added.is_new:
            self._embed_soon(added.memory)
        return Stored(added.memory, duplicate=not added.is_new, change=added.change)

    async def search(
        self,
        namespace: str,
        query: str,
        where: MemoryFilter | None = None,
        limit: int = 5,
        cursor: str | None = None,
        profile: str | None = None,
        consistency: str | None = None,
    ) -> SearchResult:
        """The memories that fit a query best; filters hold before ranking. Counts an access for each.

        A walk by cursor gives each memory once, MAX_LIMIT in all. `profile` and `consistency` are the settings' if
        they are not given.
        """
        if not query.strip():
            raise InvalidInput("query", "is empty; say what to look for, or use memory_list to browse")
        inputs.text("query", query, MAX_QUERY_BYTES)
        inputs.count("limit", limit, 1, MAX_LIMIT)
        chosen = None if profile is None else inputs.choice("profile", profile, Profile)
        waits = None if consistency is None else inputs.choice("consistency", consistency, Consistency)
        where = where or MemoryFilter()
        given = cursors.given(cursor, namespace, query, where, MAX_LIMIT) if cursor else []
        limit = min(limit, MAX_LIMIT - len(given))
        result = await self.recall(namespace, query, where, len(given) + limit + 1, chosen, waits)
        known = frozenset(given)
        fresh = [hit for hit in result.hits if cursors.mark(hit.memory.id) not in known]
        result = gate.with_misses(replace(result, hits=tuple(fresh[:limit])), result.misses[:limit])
        given += [cursors.mark(hit.memory.id) for hit in result.hits]
        if len(fresh) > limit and len(given) < MAX_LIMIT:
            result = replace(result, next_cursor=cursors.after_given(given, namespace, query, where))
        self._accesses.count([hit.memory.id for hit in result.hits])
        return result

    async def recall(
        self,
        namespace: str,
        query: str,
        where: MemoryFilter,
        limit: int,
        profile: Profile | None = None,
        consistency: Consistency | None = None,
    ) -> SearchResult:
        """Search without counting an access: what other services use to look at memory."""
        await self._accesses.settled()
        found = await self._recall(namespace, query, where, limit, profile, consistency)
        uncounted = self._accesses.take_problem()
        earlier = () if uncounted is None else (f"accesses of an earlier answer were not counted: {uncounted}",)
        return replace(found, notes=(*found.notes, *earlier, *self.limits))

    async def shown(self, memory_ids: Sequence[str]) -> None:
        """Count an access for each of some memories: an agent was shown them. Where nothing can be written, none."""
        self._accesses.count(memory_ids)
        await self._accesses.settled()

    async def gather(self, namespace: str, query: str, limit: int) -> Gathered:
        """What ranking would know of a query and its candidates: for training and measuring."""
        return await self._recall.gather(namespace, query, MemoryFilter(), limit, self._clock())

    async def order(self, gathered: Gathered, limit: int) -> list[Ranked]:
        """Candidates of `gather` in the order of a search, before what is newer goes first."""
        ranked, _, _ = await self._recall.order(gathered, limit, self._clock(), Profile.DEFAULT)
        return ranked

    async def known(self, namespace: str, contents: Sequence[str]) -> list[bool]:
        """Whether each text is kept already, as it would be stored."""
        hashes = [content_hash(await self._redactor.text(content)) for content in contents]
        found = await self._archive.known_hashes(namespace, hashes)
        return [one in found for one in hashes]

    async def embedded(self, wait_s: float) -> bool:
        """Whether every memory has its vector, waiting at most so long for it."""
        return await self._embedding.caught_up(wait_s)

    @property
    def limits(self) -> tuple[str, ...]:
        """What cannot be done just now, for the notes of an answer."""
        why = self._repository.read_only
        return () if why is None else (f"nothing can be stored now: {why}",)

    async def settled(self) -> None:
        """Wait for what still goes on behind an answer."""
        await self._accesses.settled()

    def close(self) -> None:
        """Let go of what is prepared for later searches. Does not block."""
        self._recall.close()

    async def page(
        self,
        namespace: str,
        where: MemoryFilter | None = None,
        limit: int = 20,
        offset: int = 0,
        cursor: str | None = None,
    ) -> MemoryPage:
        """Memories newest first; a walk by cursor gives each once, whatever is stored meanwhile."""
        inputs.count("limit", limit, 1, MAX_LIMIT)
        inputs.count("offset", offset, 0, MAX_OFFSET)
        before = cursors.sequence_of(cursor) if cursor else None
        await self._accesses.settled()
        rows, total = await self._repository.page(
            namespace, where or MemoryFilter(), self._clock(), limit + 1, offset, before
        )
        page = rows[:limit]
        more = len(rows) > limit
        next_cursor = cursors.before_sequence(page[-1][0]) if more else None
        return MemoryPage(tuple(memory for _, memory in page), total, next_cursor)

    async def get(self, namespace: str, memory_id: str) -> tuple[Memory, list[MemoryVersion]]:
        """One memory whole, with its earlier versions, newest first; does not count as access.

        Raises NotFound.
        """
        await self._accesses.settled()
        memory = await self._existing(namespace, memory_id)
        return memory, await self._archive.history(memory.id)

    async def timeline(self, namespace: str, memory_id: str, before: int = 3, after: int = 3) -> Timeline:
        """What came before and after a memory: in its session, else in the namespace by when it happened.

        Does not count as access. Raises NotFound, InvalidInput.
        """
        inputs.count("before", before, 0, MAX_NEIGHBOURS)
        inputs.count("after", after, 0, MAX_NEIGHBOURS)
        memory = await self._existing(namespace, memory_id)
        return await self._surroundings.around(memory, self._clock(), before, after)

    async def update(
        self, namespace: str, memory_id: str, changes: MemoryChanges, expected_version: int | None = None
    ) -> Memory:
        """Change a memory; its version rises by one and the old state goes to its history. What a new text states is
        read and judged as when it is stored.

        An explicit importance is taken as it is. Raises NotFound, InvalidInput, or Conflict when
        `expected_version` is not the stored one.
        """
        if changes.is_empty:
            raise InvalidInput("content", "nothing to change; give content, memory_type, importance, tags or metadata")
        memory = await self._existing(namespace, memory_id)
        revised = await self._stated_anew(memory, await self._revised(memory, changes))
        version = memory.version if expected_version is None else expected_version
        if replace(revised, updated_at=memory.updated_at) == memory and version == memory.version:
            return memory  # nothing changes: no new version
        digest = content_hash(revised.content, revised.session)
        is_read = revised.content != memory.content and revised.slot is not None and revised.slot.confidence < 1.0
        judge = await self._judge_of(revised) if is_read else self._judge
        kept = await self._repository.revise(revised, digest, version, judge)
        if revised.content != memory.content:
            self._embed_soon(kept)
        return kept

    async def _judge_of(self, memory: Memory) -> RuleJudge:
        """The rules; without what they misread, where a model has said so in time."""
        misread = frozenset[str]() if self._predecessors is None else await self._predecessors.misread(memory)
        return RuleJudge(misread) if misread else self._judge

    def _embed_soon(self, memory: Memory) -> None:
        self._embedding.embed_soon(UnembeddedText(memory.id, memory.content))

    async def _revised(self, memory: Memory, changes: MemoryChanges) -> Memory:
        now = self._clock()
        content, kind = memory.content, memory.memory_type
        if changes.content is not None:
            content = inputs.text("content", changes.content, self._settings.max_content_bytes)
            content = await self._redactor.text(content)
        if changes.memory_type is not None:
            kind = inputs.choice("memory_type", changes.memory_type, MemoryType)
        expires_at = memory.expires_at
        if kind is not memory.memory_type:
            hours = timedelta(hours=self._settings.working_memory_hours)
            expires_at = now + hours if kind is MemoryType.WORKING else None
        return replace(
            memory,
            content=content,
            summary=formulas.summary(content),
            memory_type=kind,
            expires_at=expires_at,
            importance=(
                memory.importance
                if changes.importance is None
                else inputs.unit_interval("importance", changes.importance)
            ),
            tags=memory.tags if changes.tags is None else await self._redactor.tags(inputs.tags("tags", changes.tags)),
            metadata=(
                memory.metadata
                if changes.metadata is None
                else await self._redactor.json(inputs.metadata("metadata", changes.metadata))
            ),
            updated_at=now,
            speaker=None if memory.session is None else dialogue.split_speaker(content)[0],
        )

    async def _stated_anew(self, memory: Memory, revised: Memory) -> Memory:
        """With the slot of its new text; one that a caller gave stays, with what the new text says of it."""
        if (revised.content, revised.memory_type) == (memory.content, memory.memory_type):
            return revised
        if memory.kind not in STATED:
            return revised
        given = memory.slot if memory.slot is not None and memory.slot.confidence == 1.0 else None
        statement = await stated(
            revised.content,
            revised.memory_type,
            revised.occurred_at,
            is_turn=revised.speaker is not None,
            subject=None if given is None else given.subject,
            attribute=None if given is None else given.attribute,
        )
        return replace(
            revised,
            slot=statement.slot,
            kind=statement.kind,
            valid_from=statement.valid_from or memory.valid_from,
            valid_to=memory.valid_to or statement.valid_to,
        )

    async def delete(self, namespace: str, memory_id: str) -> None:
        """Erase one memory: row, history, text index, vectors. Raises NotFound."""
        inputs.text("memory_id", memory_id, 200)
        if not await self._repository.erase(namespace, [memory_id], None, self._clock()):
            raise no_memory(memory_id)

    async def delete_where(self, namespace: str, where: MemoryFilter) -> int:
        """Erase every memory that a filter matches; returns how many. An empty filter is refused."""
        if where.is_empty:
            raise InvalidInput(
                "memory_id", "nothing given to delete by; give memory_id, tags, before, session or memory_type"
            )
        return await self._repository.erase(namespace, [], where, self._clock())

    async def strongest(self, namespace: str, limit: int) -> list[Memory]:
        """The memories with the highest importance × strength, best first."""
        await self._accesses.settled()
        return await self._archive.strongest(namespace, self._settings.decay_rate, self._clock(), limit)

    async def fading(self, namespace: str, min_importance: float, max_strength: float, limit: int) -> list[Memory]:
        """Memories at least so important whose strength is below a bound, the most important first."""
        rate = self._settings.decay_rate
        await self._accesses.settled()
        return await self._archive.fading(namespace, rate, self._clock(), min_importance, max_strength, limit)

    def strength(self, memory: Memory, now: datetime) -> float:
        """How alive a memory is at `now`, 0..1."""
        return formulas.strength(self._settings.decay_rate, memory.importance, memory.accessed_at, now)

    async def _existing(self, namespace: str, memory_id: str) -> Memory:
        inputs.text("memory_id", memory_id, 200)
        memory = await self._repository.get(namespace, memory_id)
        if memory is None or (memory.expires_at and memory.expires_at <= self._clock()):
            raise no_memory(memory_id)
        if memory.status is Status.FORGOTTEN:
            raise NotFound(
                f"memory_id: memory {memory.id} was forgotten; memory_revert brings it back until it is erased"
            )
        return memory


def content_hash(content: str, session: str | None = None) -> str:
    """What makes two memories exact duplicates: SHA-256 of the text, of a turn with its session before it."""
    text = content if session is None else f"{session}\x00{content}"  # neither can hold a NUL
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def no_memory(memory_id: str) -> NotFound:
    """That there is no such memory, and where ids come from."""
    return NotFound(f"memory_id: there is no memory {memory_id[:60]!r}; memory_search and memory_list give valid ids")
