"""The memory service: store, search, list, get, update, delete."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from .. import identifiers, inputs
from ..clock import Clock
from ..errors import InvalidInput, NotFound
from ..facts.models import SAME_AS, Relation
from ..facts.slots import GIVEN
from ..facts.sources import trust_of
from ..identifiers import Source
from ..records import dataclass
from ..redactor import Redactor
from ..store_request import StoreRequest
from . import cursors, dialogue, formulas, gate, standing
from .background import AccessCounter, Foreground, Tell
from .conflict_resolution import Addition, RuleResolver, YieldingResolver
from .embedding import MemoryEmbedding
from .gathering import Gathered
from .groups import joined
from .models import (
    Change,
    Consistency,
    GateDecision,
    Kind,
    Memory,
    MemoryFilter,
    MemoryPage,
    MemoryType,
    MemoryVersion,
    SearchResult,
    Slot,
    Status,
    Timeline,
)
from .ports import EarnedTrust, PairJudge, UnembeddedText
from .questions import Asker
from .ranking import Ranked, RankingProfile
from .recall import Recall, RecallSettings
from .several_namespaces import discounted, merged
from .slot_channel import SlotChannel
from .storing import MAX_SLOT_BYTES, composed, content_hash, redacted, stated, stating, validated
from .summarising import summary
from .supersession import Supersession

if TYPE_CHECKING:
    from ...storage.repositories.archive import ArchiveRepository
    from ...storage.repositories.memories import MemoriesRepository, Visit
    from ...storage.repositories.surroundings import SurroundingsRepository

MAX_LIMIT = 200
MAX_QUERY_BYTES = 1024 * 1024
MAX_OFFSET = 10_000_000
MAX_NEIGHBOURS = 50
STATED = frozenset({Kind.NOTE, Kind.FACT, Kind.PREFERENCE, Kind.ATTRIBUTE})
"""Kinds that are read from a text; any other was given with it, and stays when the text changes."""
FOUND_IMPORTANCE = 0.4
"""The importance of what a machine found: somewhat less than the default of what is stored."""


@dataclass(frozen=True)
class MemorySettings:
    """Settings of the memory service; sizes are bytes of UTF-8."""

    max_content_bytes: int = 64 * 1024
    working_memory_hours: float = 24.0
    recall: RecallSettings = field(default_factory=RecallSettings)

    @property
    def decay_rate(self) -> float:
        """The rate at which strength decays, per day."""
        return self.recall.scoring.decay_rate


@dataclass(frozen=True)
class Stored:
    """The outcome of a store: the memory, and whether it was there already (same text: the first one stands).

    `made_lasting` when it was a working memory and is now kept for good, as it was stored this time. `change` is what
    was judged about it and others: what it superseded, contests or confirms. `may_replace` are older ones that it may
    be meant to replace, the likeliest first, where nothing was judged: only the caller knows. Of an event, `times` is
    how often it is known to have happened. `same_as` is an older one that tells the same in other words.
    """

    memory: Memory
    duplicate: bool
    made_lasting: bool = False
    change: Change | None = None
    may_replace: Sequence[Memory] = ()
    times: int = 1
    same_as: Sequence[Memory] = ()


@dataclass(frozen=True)
class MemoryChanges:
    """The fields that an update replaces; None leaves a field as it is."""

    content: str | None = None
    memory_type: str | None = None
    importance: float | None = None
    tags: Sequence[str] | None = None
    metadata: dict[str, Any] | None = None

    @property
    def is_empty(self) -> bool:
        return self == MemoryChanges()


MAX_LINEAGE = 20
MAX_RELATED = 1_000


class MemoryService:
    """The rules of memory over one store; knows no SQL and no protocol."""

    def __init__(
        self,
        repository: "MemoriesRepository[Any]",
        archive: "ArchiveRepository",
        surroundings: "SurroundingsRepository",
        embedding: MemoryEmbedding,
        settings: MemorySettings,
        redactor: Redactor,
        clock: Clock,
        foreground: Foreground,
        for_person: Callable[[], bool],
        *,
        reranker: PairJudge | None = None,
        supersession: Supersession | None = None,
        slots: SlotChannel | None = None,
        trust: EarnedTrust | None = None,
        tell: Tell | None = None,
        visits: "Sequence[Visit]" = (),
    ) -> None:
        self._trust = trust
        self._repository = repository
        self._archive = archive
        self._surroundings = surroundings
        self._embedding = embedding
        self._settings = settings
        self._redactor = redactor
        self._clock = clock
        self._foreground = foreground
        self._judge = RuleResolver()
        self._supersession = supersession
        self._accesses = AccessCounter(repository, clock, for_person, tell, visits)
        self._recall = Recall(repository, surroundings, embedding, settings.recall, clock, reranker, slots, trust)

    async def store(
        self, namespace: str, request: StoreRequest, *, ask: bool = False, asker: Asker = (), by: str = "agent"
    ) -> Stored:
        """Store a memory durably, without secrets; its vector follows.

        The same text twice returns the first memory, confirmed; the same text in another session is another memory,
        and so is an event at another time.
        What it states is judged beside what was stated before, in the transaction that writes it. For a caller that can
        answer (`ask`), what it may replace is named; the `asker` is told later of what takes long. `by` says who
        answers for what it replaces. Raises InvalidInput or NotFound, and changes nothing then.
        """
        with self._foreground.answering():
            return await self._stored(namespace, request, ask=ask, asker=asker, by=by)

    async def _stored(self, namespace: str, request: StoreRequest, *, ask: bool, asker: Asker, by: str) -> Stored:
        now = self._clock()
        draft = await redacted(validated(request, self._settings.max_content_bytes, now), self._redactor)
        memory = composed(draft, await stating(draft), namespace, now, self._settings.working_memory_hours)
        judging = None if self._supersession is None else self._supersession.begin(memory, asker if ask else ())
        stored = await self._written(memory, draft.supersedes, draft.valid_until, by)
        if self._supersession is None or judging is None:
            return stored
        if stored.memory.id != memory.id:
            self._supersession.drop(memory.id)
        elif ask and stored.change is None:
            may_replace, same = await self._supersession.asked(judging, asker)
            return replace(stored, may_replace=may_replace, same_as=same)
        else:
            self._supersession.questions.forget(memory.id)
        return stored

    async def _written(
        self, memory: Memory, supersedes: Sequence[str], valid_until: datetime | None, by: str = "agent"
    ) -> Stored:
        """Write a memory, judged once; its vector follows.

        What is stored again for good does not expire any more; one that is stored again with an end has that end.
        """
        digest = content_hash(memory.content, memory.session)
        added = await self._repository.add(Addition(memory, digest, self._judge, supersedes, by))
        stored = added.memory
        if added.is_new:
            self._embed_soon(stored)
        if stored.memory_type is MemoryType.WORKING and memory.memory_type is not MemoryType.WORKING:
            lasting = replace(memory, id=stored.id, created_at=stored.created_at)  # it is as it was stored now
            stored = await self._repository.revise(lasting, digest, stored.version, self._judge)
            return Stored(stored, duplicate=True, made_lasting=True, change=added.change)
        if valid_until is not None and stored.valid_to != valid_until:
            ending = replace(stored, valid_to=valid_until, updated_at=memory.updated_at)
            stored = await self._repository.revise(ending, digest, stored.version, self._judge)
        return Stored(stored, duplicate=not added.is_new, change=added.change, times=added.times)

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
        """Store an extracted fact as a candidate; for an existing text, return the existing memory unchanged.

        What it states is read as of any memory; it may end what was only found before, and nothing that was stated.
        Raises InvalidInput.
        """
        now = self._clock()
        request = StoreRequest(content, importance=FOUND_IMPORTANCE, metadata=metadata, confidence=confidence)
        draft = await redacted(validated(request, self._settings.max_content_bytes, now), self._redactor)
        draft = replace(draft, occurred_at=occurred_at)
        found = replace(
            composed(draft, await stating(draft), namespace, now, self._settings.working_memory_hours),
            kind=inputs.choice("kind", kind, Kind),
            status=Status.CANDIDATE,
            source=source,
            trust=trust_of(source),
        )
        added = await self._repository.add(Addition(found, content_hash(found.content), YieldingResolver()))
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
        *,
        is_use: bool = True,
        also: Sequence[Source] = (),
        federated: bool = False,
    ) -> SearchResult:
        """Return the memories that fit a query best; filters hold before ranking. Counts an access, where `is_use`.

        What is found in the namespaces of `also` is among them, by its score. A `federated` one takes from them alone,
        and lowers each score by the trust in its author and by its age.

        A walk by cursor gives each memory once, MAX_LIMIT in all. `profile` and `consistency` are the settings' if
        they are not given. Raises InvalidInput.
        """
        if not query.strip():
            raise InvalidInput("query", "is empty; say what to look for, or use memory_list to browse")
        inputs.text("query", query, MAX_QUERY_BYTES, allow_empty=True)
        inputs.count("limit", limit, 1, MAX_LIMIT)
        chosen = None if profile is None else inputs.choice("profile", profile, RankingProfile)
        waits = None if consistency is None else inputs.choice("consistency", consistency, Consistency)
        where = where or MemoryFilter()
        walked = repr((namespace, *also, *(("federated",) if federated else ()))) if also else namespace
        given = cursors.given(cursor, walked, query, where, MAX_LIMIT) if cursor else []
        limit = min(limit, MAX_LIMIT - len(given))
        depth = len(given) + limit + 1
        places = [*(() if federated else (Source(namespace),)), *also]
        found = await asyncio.gather(
            *(self.recall(one.namespace, query, _within(where, one, namespace), depth, chosen, waits) for one in places)
        )
        if federated:
            found = [await self._discounted(one, each) for one, each in zip(also, found, strict=True)]
        result = merged(found, depth) if len(places) > 1 else found[0]
        instruction = None if given or federated else standing.instruction_among(found[0].hits)
        known = frozenset(given)
        fresh = [hit for hit in result.hits if cursors.mark(hit.memory.id) not in known]
        result = gate.with_misses(
            replace(result, hits=standing.in_sight(fresh, instruction, limit)), result.misses[:limit]
        )
        given += [cursors.mark(hit.memory.id) for hit in result.hits]
        if len(fresh) > limit and len(given) < MAX_LIMIT:
            result = replace(result, next_cursor=cursors.after_given(given, walked, query, where))
        if is_use:
            self._accesses.count([namespace, *(one.namespace for one in also)], [hit.memory.id for hit in result.hits])
        return result

    async def _discounted(self, source: Source, found: SearchResult) -> SearchResult:
        assert self._trust is not None, "a federated search needs to know whom to trust"
        ids = [hit.memory.id for hit in (*found.hits, *found.misses)]
        trust = await self._trust.in_authors(source.namespace, ids)
        return discounted(found, trust, self._clock())

    async def recall(
        self,
        namespace: str,
        query: str,
        where: MemoryFilter,
        limit: int,
        profile: RankingProfile | None = None,
        consistency: Consistency | None = None,
    ) -> SearchResult:
        """Search without counting an access, for services that look at memory."""
        with self._foreground.answering():
            await self._accesses.settled()
            found = await self._recall(namespace, query, where, limit, profile, consistency)
        uncounted = self._accesses.take_problem()
        earlier = () if uncounted is None else (f"accesses of an earlier answer were not counted: {uncounted}",)
        return replace(found, notes=(*found.notes, *earlier, *self.limits))

    async def shown(self, namespace: str, memory_ids: Sequence[str], *, is_told: bool = True) -> None:
        """Count an access for each memory, which an agent was shown; none is counted where nothing can be written.

        Not `is_told`: that it was told is noted by whoever knows to which session, or it was used, and told before.
        """
        self._accesses.count([namespace, identifiers.GLOBAL], memory_ids, is_told=is_told)
        await self._accesses.settled()

    async def gather(self, namespace: str, query: str, limit: int) -> Gathered:
        """Return what ranking would know of a query and its candidates: for training and measuring."""
        return await self._recall.gather(namespace, query, limit)

    async def order(self, gathered: Gathered, limit: int) -> tuple[list[Ranked], GateDecision]:
        """Rank the candidates of `gather` as a search does, before newer ones go first; return the decision too."""
        ranked, decision, _ = await self._recall.order(gathered, limit, self._clock(), RankingProfile.DEFAULT)
        return ranked, decision

    @property
    def max_content_bytes(self) -> int:
        """Return the greatest length of a content, in bytes of UTF-8."""
        return self._settings.max_content_bytes

    async def check(self, request: StoreRequest) -> None:
        """Refuse what `store` would refuse, and store nothing. Raises InvalidInput."""
        await stating(
            await redacted(validated(request, self._settings.max_content_bytes, self._clock()), self._redactor)
        )

    async def known(self, namespace: str, contents: Sequence[str]) -> list[str | None]:
        """Return for each text the id of the memory that keeps it already, as it would be stored."""
        hashes = [content_hash(await self._redactor.text(content)) for content in contents]
        found = await self._archive.known_hashes(namespace, hashes)
        return [found.get(one) for one in hashes]

    async def embedded(self, wait_s: float) -> bool:
        """Return whether every memory has its vector, waiting at most `wait_s` seconds for it."""
        return await self._embedding.caught_up(wait_s)

    @property
    def limits(self) -> tuple[str, ...]:
        """Notes for an answer about what cannot be done just now."""
        why = self._repository.read_only
        return () if why is None else (f"nothing can be stored now: {why}",)

    async def settled(self) -> None:
        """Wait for what still goes on in the background of an answer."""
        await self._accesses.settled()

    def close(self) -> None:
        """Stop what is prepared for later searches. Does not block."""
        self._recall.close()

    async def page(
        self,
        namespace: str,
        where: MemoryFilter | None = None,
        limit: int = 20,
        offset: int = 0,
        cursor: str | None = None,
    ) -> MemoryPage:
        """Return memories newest first; a walk by cursor gives each once, whatever is stored meanwhile."""
        inputs.count("limit", limit, 1, MAX_LIMIT)
        inputs.count("offset", offset, 0, MAX_OFFSET)
        before = cursors.sequence_of(cursor) if cursor else None
        await self._accesses.settled()
        where, now = where or MemoryFilter(), self._clock()
        rows, total = await asyncio.gather(
            self._repository.page(namespace, where, now, limit + 1, offset, before),
            self._repository.count(namespace, where, now),
        )
        page = rows[:limit]
        more = len(rows) > limit
        next_cursor = cursors.before_sequence(page[-1][0]) if more else None
        return MemoryPage(tuple(memory for _, memory in page), total, next_cursor)

    async def walk(self, namespace: str, where: MemoryFilter | None = None) -> AsyncIterator[Memory]:
        """Give all memories newest first, each once, whatever is stored meanwhile."""
        await self._accesses.settled()
        before: int | None = None
        while True:
            rows = await self._repository.page(namespace, where or MemoryFilter(), self._clock(), MAX_LIMIT, 0, before)
            for before, memory in rows:  # noqa: B007
                yield memory
            if len(rows) < MAX_LIMIT:
                return

    async def newest(self, namespace: str, where: MemoryFilter, limit: int) -> list[Memory]:
        """Return the newest memories that pass a filter, which are not counted."""
        await self._accesses.settled()
        rows = await self._repository.page(namespace, where, self._clock(), limit, 0, None)
        return [memory for _, memory in rows]

    async def count(self, namespace: str) -> int:
        """Count the memories that an answer may contain now."""
        return await self._repository.count(namespace, MemoryFilter(), self._clock())

    async def get(self, namespace: str, memory_id: str) -> tuple[Memory, list[MemoryVersion]]:
        """Return one memory whole, with its earlier versions, newest first; does not count as access.

        Raises NotFound.
        """
        await self._accesses.settled()
        memory = await self._existing(namespace, memory_id)
        return memory, await self._archive.history(namespace, memory.id)

    async def lineage(self, memory: Memory) -> list[Relation]:
        """Return the relations of a memory: sources, supersession, contradiction, support; the newest first."""
        return await self._surroundings.relations(memory.namespace, memory.id, MAX_LINEAGE)

    async def related(self, namespace: str, memory_ids: Sequence[str], kinds: Sequence[str]) -> list[Relation]:
        """Return the relations of some kinds between memories and others, the closest first; MAX_RELATED at most."""
        return await self._surroundings.related(namespace, memory_ids, kinds, MAX_RELATED)

    async def same(self, namespace: str, memory_ids: Sequence[str]) -> Mapping[str, str]:
        """Return for each memory what stands for its group: those that tell the same in other words."""
        links = await self.related(namespace, memory_ids, (SAME_AS,)) if memory_ids else []
        return joined(links, memory_ids)

    async def timeline(self, namespace: str, memory_id: str, before: int = 3, after: int = 3) -> Timeline:
        """Return what came before and after a memory: in its session, else in the namespace by when it happened.

        Does not count as access. Raises NotFound, InvalidInput.
        """
        inputs.count("before", before, 0, MAX_NEIGHBOURS)
        inputs.count("after", after, 0, MAX_NEIGHBOURS)
        memory = await self._existing(namespace, memory_id)
        return await self._surroundings.around(memory, self._clock(), before, after)

    async def update(
        self, namespace: str, memory_id: str, changes: MemoryChanges, expected_version: int | None = None
    ) -> Memory:
        """Change a memory; its version rises by one and the old state goes to its history.

        What a new text states is read and judged as when it is stored. An explicit importance is taken as it is. Raises
        NotFound, InvalidInput, or Conflict when `expected_version` is not the stored one.
        """
        if changes.is_empty:
            raise InvalidInput("content", "nothing to change; give content, memory_type, importance, tags or metadata")
        memory = await self._existing(namespace, memory_id)
        revised = await self._stated_anew(memory, await self._revised(memory, changes))
        version = memory.version if expected_version is None else expected_version
        if replace(revised, updated_at=memory.updated_at) == memory and version == memory.version:
            return memory  # nothing changes: no new version
        digest = content_hash(revised.content, revised.session)
        updated = await self._repository.revise(revised, digest, version, self._judge)
        if revised.content != memory.content:
            self._embed_soon(updated)
        return updated

    async def state(self, namespace: str, memory_id: str, slot: Slot) -> Memory:
        """Let a memory state a slot, and judge that as when it is stored; the text stays. Raises as `update`."""
        for name, text in (("subject", slot.subject), ("attribute", slot.attribute), ("value", slot.value)):
            if text is not None:
                inputs.text(name, text, MAX_SLOT_BYTES)
        inputs.unit_interval("confidence", slot.confidence)
        memory = await self._existing(namespace, memory_id)
        stating = replace(memory, slot=slot, updated_at=self._clock())
        digest = content_hash(memory.content, memory.session)
        return await self._repository.revise(stating, digest, memory.version, self._judge)

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
            summary=summary(content),
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
        """Return the memory with the slot of its new text; one that a caller gave stays, with its value read anew."""
        if (revised.content, revised.memory_type) == (memory.content, memory.memory_type):
            return revised
        if memory.kind not in STATED:
            return revised
        slot = memory.slot if memory.slot is not None and memory.slot.confidence >= GIVEN else None
        given = {} if slot is None else {"subject": slot.subject, "attribute": slot.attribute}
        is_turn = revised.speaker is not None
        statement = await stated(revised.content, revised.memory_type, revised.occurred_at, given, is_turn=is_turn)
        return replace(
            revised,
            slot=statement.slot,
            kind=statement.kind,
            valid_from=statement.valid_from or memory.valid_from,
            valid_to=memory.valid_to or statement.valid_to,
        )

    async def delete(self, namespace: str, *memory_ids: str, by: str = "agent", version: int | None = None) -> None:
        """Erase memories at once: row, history, text index, vectors. Raises NotFound where none of them is there.

        Raises PermissionDenied where a person vouches for one, or is to decide about one, and `by` is none; Conflict
        where one is at another `version`.
        """
        for memory_id in memory_ids:
            inputs.text("memory_id", memory_id, 200)
        if not await self._repository.erase(namespace, memory_ids, None, self._clock(), by, version):
            raise no_memory(memory_ids[0])

    async def delete_where(self, namespace: str, where: MemoryFilter, by: str = "agent") -> int:
        """Erase every memory that a filter matches; return how many.

        Raises InvalidInput for an empty filter, and PermissionDenied as `delete` does.
        """
        if where.is_empty:
            raise InvalidInput(
                "memory_id", "nothing selects what to delete; give memory_id, tags, before, session or memory_type"
            )
        return await self._repository.erase(namespace, [], where, self._clock(), by)

    async def strongest(self, namespace: str, limit: int) -> list[Memory]:
        """Return the memories with the highest importance × strength, best first."""
        await self._accesses.settled()
        return await self._archive.strongest(namespace, self._settings.decay_rate, self._clock(), limit)

    async def replacing(self, namespace: str, memory_ids: Sequence[str]) -> frozenset[str]:
        """Return those of the memories that have replaced others."""
        return await self._surroundings.replacing(namespace, memory_ids)

    async def fading(self, namespace: str, min_importance: float, max_strength: float, limit: int) -> list[Memory]:
        """Return memories at least so important whose strength is below a bound, the most important first."""
        rate = self._settings.decay_rate
        await self._accesses.settled()
        return await self._archive.fading(namespace, rate, self._clock(), min_importance, max_strength, limit)

    def strength(self, memory: Memory, now: datetime) -> float:
        """Return how alive a memory is at `now`, 0..1."""
        return formulas.strength(self._settings.decay_rate, memory.importance, memory.accessed_at, now)

    async def vouched(self, namespace: str, tag: str) -> list[Memory]:
        """Return what has a tag and a person confirmed, at a terminal, as it reads now; no agent or import can do that.

        The newest first; all of them, however much else has the tag.
        """
        return await self._archive.vouched(namespace, tag, self._clock())

    async def _existing(self, namespace: str, memory_id: str) -> Memory:
        inputs.text("memory_id", memory_id, 200)
        memory = await self._repository.get(namespace, memory_id)
        if memory is None or memory.has_expired(self._clock()):
            raise no_memory(memory_id)
        if memory.status is Status.FORGOTTEN:
            raise NotFound(
                f"memory_id: memory {memory.id} was forgotten; memory_revert brings it back until it is erased"
            )
        return memory


def no_memory(memory_id: str) -> NotFound:
    """Return the error that there is no such memory, which says where ids come from."""
    return NotFound(f"memory_id: there is no memory {memory_id[:60]!r}; memory_search and memory_list give valid ids")


def _within(where: MemoryFilter, source: Source, own: str) -> MemoryFilter:
    """Return a filter that also leaves out what may not be read of a namespace; others have projects of their own."""
    if source.namespace != own:
        where = replace(where, working_in=())
    return where if source.tag is None else replace(where, tags=(*where.tags, source.tag))
