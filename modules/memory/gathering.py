"""Gathering: a query's candidates, named by channels, with all that ranking needs to know of them.

Words, exact terms, vectors and stated slots are asked side by side; what they name is read with its neighbours.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..records import dataclass
from ..text.scripts import is_foreign
from ..tracing import span
from . import outdated, runs
from .asked_times import LONGEST_QUESTION
from .calibration import Scale
from .embedding import MemoryEmbedding, QueryVector
from .features import Evidence
from .models import Candidate, Consistency, MemoryFilter, RankedTurn, Reading, Status, Vector
from .query import Query, read_without_dates
from .ranking import Ranked, RankingProfile
from .slot_channel import SlotChannel, StatedSlot
from .word_channel import KnownWords, WordChannel
from .words import first_name, token

if TYPE_CHECKING:
    from ...storage.repositories.memories import MemoriesRepository
    from ...storage.repositories.surroundings import SurroundingsRepository

CANDIDATES_A_CHANNEL = 100
OF_A_SLOT = 20
SLOTS_LATE = "stated facts were not compared by meaning: their names are still being embedded"
BY_MEANING = 0.85
"""The score of what states a slot that is surely asked for: as much as of one that a query names."""
READ_AT_ONCE = 300
"""The longest query, in characters, that is read within a millisecond."""
COMPARED_BY_TOKENS = 384
"""The most passages whose single tokens are compared: about 3 ms for notes, 10 ms for long turns."""
SPEAKERS_SHOWN = 8
REACH = 2
"""The distance, in places of its session, up to which a candidate's neighbours are read."""


@dataclass(frozen=True)
class _Found:
    """The candidates that the channels named, best first in each."""

    text: Sequence[Candidate]
    meaning: Sequence[Candidate]
    identifiers: Sequence[Candidate]
    slots: Sequence[Candidate]

    @property
    def ids(self) -> list[str]:
        """The ids of all candidates, each once."""
        channels = (self.text, self.meaning, self.identifiers, self.slots)
        return list(dict.fromkeys(candidate.id for channel in channels for candidate in channel))

    @property
    def likely(self) -> list[str]:
        """Every candidate once, in the order of its best rank in a channel."""
        ranks: dict[str, int] = {}
        for channel in (self.slots, self.identifiers, self.text, self.meaning):
            for rank, candidate in enumerate(channel):
                ranks[candidate.id] = min(rank, ranks.get(candidate.id, rank))
        return sorted(ranks, key=lambda memory_id: ranks[memory_id])


@dataclass(frozen=True)
class Sought:
    """What is sought: an answer to a text, in a namespace, among what passes a filter, ranked by a profile."""

    namespace: str
    text: str
    where: MemoryFilter
    limit: int
    profile: RankingProfile
    consistency: Consistency


@dataclass(frozen=True)
class _Spelt:
    """A query read without a model: what is known of its words, and what these found."""

    query: Query
    speakers: Sequence[str]
    known: KnownWords
    found: _Found
    slots: Sequence[StatedSlot]


@dataclass(frozen=True)
class Gathered:
    """A query and its candidates with all that is known of them, before anything is scored.

    `turns` are the candidates and their neighbours; with `answers` only these ids may be results. What holds `at`
    that time is asked for; that is now where it is `of_now`, and what holds comes first with `holding_first`. Of
    `unread` ids the model does not know the script. Only what is of a given time is asked for where it is `in_time`.
    It `is_cut` if a channel could have named more.
    """

    query: Query
    evidence: Evidence
    turns: Sequence[RankedTurn]
    answers: frozenset[str] | None
    embedded: QueryVector
    nearest: Sequence[Candidate]
    at: datetime
    of_now: bool = True
    holding_first: bool = True
    unread: frozenset[str] = frozenset()
    in_time: bool = False
    is_cut: bool = False

    def parted(self, project: Collection[str]) -> tuple[Gathered, Gathered]:
        """Return what belongs to a project, by its names, or to none, and what belongs to others."""
        elsewhere = frozenset(turn.id for turn in self.turns if turn.project and turn.project not in project)
        here = frozenset(turn.id for turn in self.turns) - elsewhere
        return self.without(elsewhere), self.without(here)

    def without(self, ids: frozenset[str]) -> Gathered:
        """Return the same but for some memories."""
        if not ids:
            return self
        turns = [turn for turn in self.turns if turn.id not in ids]
        return replace(self, turns=turns, evidence=self.evidence.without(ids))

    def is_unread(self, one: Ranked) -> bool:
        """Return whether the model does not know a candidate's script."""
        return self.turns[one.row].id in self.unread

    def reading(self, profile: RankingProfile) -> Reading:
        """Return what was made of the query, in words."""
        query = self.query
        return Reading(
            profile=profile.value,
            words=tuple(self.evidence.words),
            speakers=tuple(self.evidence.speakers[:SPEAKERS_SHOWN]),
            identifiers=tuple(term.text for term in query.identifiers),
            identifier_first=query.identifier_first,
            dates=tuple(f"{dates.begin:%Y-%m-%d}/{dates.end:%Y-%m-%d}" for dates in query.dates),
            asks_when=query.asks_when,
            asks_latest=query.asks_latest,
            candidates=len(self.turns),
        )


class Gathering:
    """Asks the channels for candidates, and reads what stands around them; changes nothing.

    It waits `wait_s` seconds for vectors, and leaves out the features that are named in `without`.
    """

    def __init__(
        self,
        repository: MemoriesRepository[Any],
        surroundings: SurroundingsRepository,
        embedding: MemoryEmbedding,
        wait_s: float,
        without: frozenset[str],
        slots: SlotChannel | None = None,
    ) -> None:
        self._repository = repository
        self._surroundings = surroundings
        self._words = WordChannel(repository, without)
        self._embedding = embedding
        self._wait_s = wait_s
        self._without = without
        self._slots = slots

    def close(self) -> None:
        """Stop what is done in the background. Does not block."""
        if self._slots is not None:
            self._slots.close()

    async def __call__(self, sought: Sought, now: datetime) -> Gathered:
        """Gather all that ranking needs to know about a query and its candidates."""
        namespace, text, where = sought.namespace, sought.text, sought.where
        # Summaries and facts must not take the places of what they were made of: they are found where asked for.
        where = replace(
            where,
            without_aside=not (where.kinds or where.source is not None or Status.CANDIDATE in where.statuses),
        )
        depth = max(CANDIDATES_A_CHANNEL, sought.limit)
        # The model works on the text as it is, while the words are read and looked for.
        (embedded, by_meaning), spelt = await asyncio.gather(
            self._by_meaning(namespace, text, where, now, depth, sought.consistency),
            self._by_words(namespace, text, where, now, depth),
        )
        query, known, found = spelt.query, spelt.known, replace(spelt.found, meaning=by_meaning)
        vector = embedded.vector
        if vector is not None and spelt.slots:
            stating = await self._of_slots(namespace, spelt.slots, vector, embedded.calibration.asked(text), where, now)
            if stating is None:
                embedded = replace(embedded, notes=(*embedded.notes, SLOTS_LATE))
            found = replace(found, slots=_surest(stating or ()))
        turns, signs = await self._looked_at(namespace, found, now, embedded)
        turns, unread = await self._without_unread(turns, embedded, found)
        speakers, words = _also_who(spelt.speakers, known.words, query, turns)
        evidence = Evidence(
            words=words,
            speakers=speakers,
            frequencies=known.frequencies,
            text=_scores(found.text),
            cosine=_scores([near for near in found.meaning if near.id not in unread]),
            identifiers=_scores(found.identifiers),
            slots=_scores(found.slots),
            vector=None if vector is None or "vectors" in self._without else vector.data,
            tokens=embedded.tokens,
            token_words=[token(word) for word in embedded.words],
            signs={memory_id: bits for memory_id, bits in signs.items() if memory_id not in unread},
            absent=known.absent,
            memories=known.memories,
            scale=embedded.calibration.asked(text),
        )
        # A neighbour need not pass the filter: it lends its words, and is an answer only where nothing restricts.
        answers = None if where.is_empty else frozenset(found.ids)
        of_now = outdated.is_of_now(where, query)
        holding_first = of_now and outdated.orders(where)
        in_time = where.since is not None or where.until is not None
        return Gathered(
            *(query, evidence, turns, answers, embedded, found.meaning, where.as_of or now),
            *(of_now, holding_first, unread, in_time),
            max(map(len, (found.text, found.meaning, found.identifiers))) >= depth,
        )

    async def _by_words(self, namespace: str, text: str, where: MemoryFilter, now: datetime, depth: int) -> _Spelt:
        """Read the query, and look up its words, names and times."""
        query = await _understood(text)
        speakers, words = _who_and_what(query, await self._surroundings.speakers(namespace))
        identifiers = query.identifiers
        if "identifiers" in self._without:  # nobody looks for them: that none is found says nothing
            identifiers, query = (), replace(query, identifier_first=False)
        with span("search.words"):
            by_text, exact, slots = await asyncio.gather(
                self._words(namespace, text, words, where, now, depth),
                self._repository.identifier_candidates(namespace, identifiers, where, now, depth),
                self._stated_of(namespace, text),
            )
        found = _Found(by_text.candidates, (), exact, ())
        return _Spelt(replace(query, dates=by_text.dates), speakers, by_text.known, found, slots)

    async def _looked_at(
        self, namespace: str, found: _Found, now: datetime, embedded: QueryVector
    ) -> tuple[Sequence[RankedTurn], Mapping[str, Sequence[bytes]]]:
        """Return the candidates with their neighbours, and the token signs of the likely ones."""
        generation = None if embedded.vector is None else embedded.vector.generation
        looking = self._turns(namespace, found.ids, now, generation)
        if generation is None or not embedded.tokens or "late_interaction" in self._without:
            return await looking, {}
        signs_of = self._repository.token_signs
        turns, signs = await asyncio.gather(looking, signs_of(namespace, found.likely, generation, COMPARED_BY_TOKENS))
        named, left = frozenset(found.ids), COMPARED_BY_TOKENS - sum(map(len, signs.values()))
        beside = [turn.id for turn in turns if turn.id not in named][: max(0, left)]
        if beside:
            signs = {**signs, **await signs_of(namespace, beside, generation, left)}
        return turns, signs

    async def _turns(
        self, namespace: str, ids: Sequence[str], now: datetime, generation: int | None
    ) -> Sequence[RankedTurn]:
        """Return the memories with their neighbours, those in a session that was not named too."""
        turns = await self._surroundings.turns(namespace, ids, now, generation, REACH)
        alone = runs.without_session(turns)
        if not alone:
            return turns
        stored = await self._surroundings.stored_beside(namespace, [turn.seq for turn in alone], now, generation)
        joined = {turn.id: turn for turn in runs.joined(stored)}
        return [*(turn for turn in turns if turn.id not in joined), *joined.values()]

    async def _without_unread(
        self, turns: Sequence[RankedTurn], embedded: QueryVector, found: _Found
    ) -> tuple[Sequence[RankedTurn], frozenset[str]]:
        """Return the turns, without the vectors of those whose script the model does not know, and the ids of these.

        Those of them that nothing but their vector has named are left out.
        """
        foreign = [] if embedded.vector is None else [turn for turn in turns if is_foreign(turn.content)]
        if not foreign:
            return turns, frozenset()
        known = await self._embedding.knows([turn.content for turn in foreign], embedded.calibration)
        unread = frozenset(turn.id for turn, knows in zip(foreign, known, strict=True) if not knows)
        by_vector = unread.intersection(near.id for near in found.meaning).difference(replace(found, meaning=()).ids)
        remaining = (turn for turn in turns if turn.id not in by_vector)
        return [turn._replace(vector=None) if turn.id in unread else turn for turn in remaining], unread

    async def _stated_of(self, namespace: str, text: str) -> Sequence[StatedSlot]:
        """Return the slots that a query may ask for, to be compared with it once it has its vector."""
        is_long = len(text) > LONGEST_QUESTION
        if self._slots is None or is_long or {"slots", "vectors"} & self._without:
            return ()
        return await self._slots.candidates(namespace, text)

    async def _of_slots(
        self,
        namespace: str,
        slots: Sequence[StatedSlot],
        query: Vector,
        scale: Scale,
        where: MemoryFilter,
        now: datetime,
    ) -> list[Candidate] | None:
        """Return what states the slots that a query asks for by its meaning, scored by how likely it asks for them.

        None where that is not known in time.
        """
        assert self._slots is not None
        likely = await self._slots.likely(slots, query, scale)
        if likely is None:
            return None
        stating = await asyncio.gather(
            *(self._repository.stating(namespace, *slot, where, now, OF_A_SLOT) for slot, _ in likely)
        )
        return [
            Candidate(memory_id, BY_MEANING * chance)
            for (_, chance), ids in zip(likely, stating, strict=True)
            for memory_id in ids
        ]

    async def _by_meaning(
        self, namespace: str, text: str, where: MemoryFilter, now: datetime, depth: int, consistency: Consistency
    ) -> tuple[QueryVector, list[Candidate]]:
        with span("search.embed"):
            embedded = await self._embedding.query_vector(text, self._wait_s, consistency)
        if embedded.vector is None or "vectors" in self._without:
            return embedded, []
        with span("search.vectors"):
            found = await self._repository.vector_candidates(namespace, embedded.vector, where, now, depth)
        return embedded, embedded.calibration.asked(text).of_candidates(found)


async def _understood(text: str) -> Query:
    """Read a query but for its dates; in a thread where it is long."""
    at_once = len(text) <= READ_AT_ONCE
    return read_without_dates(text) if at_once else await asyncio.to_thread(read_without_dates, text)


def _who_and_what(query: Query, speakers: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the speakers that a query names by their first name, and its words without those names.

    A name is in every turn of its person: as a word it says nothing, as the speaker it says much.
    """
    first: dict[str, list[str]] = {}
    for speaker in speakers:
        first.setdefault(first_name(speaker), []).append(speaker)
    named = [speaker for word in query.words for speaker in first.get(word, ())]
    words = [word for word in query.words if word not in first]
    return named, words or list(query.words)


def _also_who(
    speakers: Sequence[str], words: Sequence[str], query: Query, turns: Sequence[RankedTurn]
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the speakers that a query names, and its words without names, where turns say who speaks in runs."""
    others = {turn.speaker for turn in turns if turn.session is not None and turn.speaker is not None}
    named, _ = _who_and_what(query, sorted(others.difference(speakers)))
    first = {first_name(speaker) for speaker in named}
    return [*speakers, *named], [word for word in words if word not in first] or words


def _surest(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return every candidate once, with the highest score that it was named with, the highest first."""
    best: dict[str, Candidate] = {}
    for each in sorted(candidates, key=lambda one: -one.score):
        best.setdefault(each.id, each)
    return list(best.values())


def _scores(candidates: Sequence[Candidate]) -> dict[str, float]:
    return {candidate.id: candidate.score for candidate in candidates}
