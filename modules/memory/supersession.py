"""Supersession: a model compares a new memory with the nearest ones, once, to find what it may replace.

The answer to a store names what was likely by then; the worker that follows each new vector keeps the same as
relations, which every read tells. What the answer did not wait for is asked with the next one. Nothing ends by it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..clock import Clock
from ..errors import AgentOSError
from ..facts.models import MAY_SUPERSEDE, Relation
from ..facts.templates import doubts_itself
from ..facts.values import same_value
from ..records import dataclass
from . import lifecycle
from .conflict_resolution import CLOCKS_APART
from .embedding import MemoryEmbedding
from .models import Kind, Memory, MemoryFilter, MemoryType, Slot, Status, Vector
from .numbered import are_two_of_a_kind
from .occurrences import is_another_time
from .ports import PairJudge
from .questions import Asker, Questions
from .sameness import Difference, Wording, is_opposite, tells_the_same
from .slot_channel import name_of
from .supersession_chance import SupersessionModel, features, judges, with_opinion

if TYPE_CHECKING:
    from ...storage.repositories.lifecycle import LifecycleRepository
    from ...storage.repositories.memories import MemoriesRepository

NEIGHBOURS, JUDGED, JUDGED_OF_SLOTS, NAMED = 8, 2, 4, 3
"""The number of nearest memories looked at, the number of these that the model reads (more where a slot may have
another name), and the most an answer names. Of 250 updates 243 replace one of the two likeliest by cosine and words."""
NEAR = 0.25
"""The least cosine of two that may be about the same."""
SUREST = 0.99
"""The surest opinion there could be: a pair that is not asked about even with it is not read."""
DENIED = 0.9
"""The least chance of a memory that says the opposite of an older one word for word: "does not use GraphQL"."""
MAX_CHARS = 300
"""The longest text that is judged: a longer one says more than one thing, which the model was not trained for."""
WAIT_S = 0.1
"""The longest that an answer waits for opinions once its memory is durable; usually 10 ms, where it is busy more."""
LOAD_WAIT_S = 60.0
"""The time that the worker waits for the model to load."""
UNDER_WAY = 500
"""The most memories that are judged before they have their vector; of more the oldest are judged anew later."""
EVIDENCE = "pair model"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Likely:
    """An older memory that a newer one may replace, and how probable that is."""

    newer: Memory
    older: Memory
    chance: float


@dataclass
class Judging:
    """The judging of one new memory: `found` is complete once the task has ended.

    `same` are older memories that tell the same in other words, `near` all that it was compared with. It `read` the
    texts where there was a model and a vector in time.
    """

    memory_id: str
    found: Sequence[Likely] = ()
    same: Sequence[Memory] = ()
    near: frozenset[str] = frozenset()
    read: bool = False
    task: asyncio.Task[None] | None = None


@dataclass(frozen=True)
class _Pair:
    """A newer memory and an older one, the texts in which they are read, and the features of these but an opinion."""

    newer: Memory
    older: Memory
    texts: tuple[str, str]
    cosine: float
    known: Mapping[str, float]

    @classmethod
    def of_texts(cls, newer: Memory, older: Memory, text: str, other: str, cosine: float) -> _Pair:
        return cls(newer, older, (text, other), cosine, features(other, text, cosine, None))

    def in_words(self) -> _Pair:
        """Return the pair as their slots say it; both have one."""
        assert self.newer.slot and self.older.slot
        words = _in_words(self.newer.slot), _in_words(self.older.slot)
        return _Pair.of_texts(self.newer, self.older, *words, self.cosine)


class Supersession:
    """Judges what new memories may replace. One for all stores: it knows what is under way."""

    def __init__(
        self,
        neighbours: MemoriesRepository[Any],
        standings: LifecycleRepository,
        embedding: MemoryEmbedding,
        judge: PairJudge,
        model: SupersessionModel,
        clock: Clock,
        *,
        asks: bool = True,
        knows: Callable[[str], bool] = judges,
    ) -> None:
        self._neighbours = neighbours
        self._changes = standings
        self._embedding = embedding
        self._judge = judge
        self._model = model
        self._clock = clock
        self._asks = asks
        self._knows = knows
        self._under_way: OrderedDict[str, Judging] = OrderedDict()
        self.questions = Questions()

    def begin(self, memory: Memory, asker: Asker = ()) -> Judging | None:
        """Start to judge a memory while it is being written; None for one that can replace nothing. Does not wait.

        What its own answer does not ask, because it is not known yet, is asked of the `asker` with a later one.
        """
        if not self._may_replace(memory):
            return None
        if self._asks:
            self.questions.expect(memory.id, asker)
        judging = self._under_way[memory.id] = Judging(memory.id)
        judging.task = asyncio.create_task(self._ahead(memory, judging), name="supersession")
        if len(self._under_way) > UNDER_WAY:
            self._stop(next(iter(self._under_way)))
        return judging

    async def asked(self, judging: Judging, asker: Asker = ()) -> tuple[tuple[Memory, ...], tuple[Memory, ...]]:
        """Return the older memories to ask about, the likeliest first, and one that tells the same, if there is one.

        Only what is known within WAIT_S. An older memory may have got its vector after it was looked for.
        """
        if judging.task is None or not self._asks:
            return (), ()
        await asyncio.wait([judging.task], timeout=WAIT_S)
        if not (judging.read and judging.task.done()):
            return (), ()
        older = tuple(one.older for one in self._likeliest(judging, judging.memory_id))
        self.questions.asked(judging.memory_id, asker, [one.id for one in older])
        return older, tuple(judging.same[:1])

    def drop(self, memory_id: str) -> None:
        """Forget about a memory that was not written after all."""
        self.questions.forget(memory_id)
        self._stop(memory_id)

    def _stop(self, memory_id: str) -> None:
        if (judging := self._under_way.pop(memory_id, None)) is not None and judging.task is not None:
            judging.task.cancel()

    async def look(self, memory_id: str, generation: int) -> None:
        """Store what is thought of a memory that has its vector; what is being judged already is waited for.

        What could not be found yet when it was judged is read as well. The second time changes nothing. Raises
        AgentOSError.
        """
        judging = self._under_way.pop(memory_id, None) or Judging(memory_id)
        if judging.task is not None:
            await asyncio.wait([judging.task])
        embedded = await self._neighbours.with_vector_everywhere(memory_id, generation)
        if embedded is None or not self._may_replace(embedded[0]):
            return
        near = await self._near(embedded[0], Vector(generation, embedded[1]))
        if not (judging.read and near.keys() <= judging.near):
            if not await self._judge.ready(LOAD_WAIT_S):
                if self._judge.problem is None:
                    raise AgentOSError("the model of updates is still loading")
                return
            await self._read(embedded[0], near, judging)
        likely = [one for one in judging.found if one.chance >= self._model.asked]
        relations = [
            Relation(one.newer.id, one.older.id, MAY_SUPERSEDE, round(one.chance, 4), EVIDENCE) for one in likely
        ]
        if relations:
            await self._changes.relate(likely[0].newer.namespace, relations, self._clock())
        for newer in dict.fromkeys(one.newer.id for one in likely):
            self.questions.found(newer, [one.older.id for one in self._likeliest(judging, newer)])

    def _likeliest(self, judging: Judging, newer: str) -> list[Likely]:
        """Return what the memory of an id may replace, the likeliest first, at most NAMED."""
        likely = [one for one in judging.found if one.newer.id == newer and one.chance >= self._model.asked]
        return sorted(likely, key=lambda one: -one.chance)[:NAMED]

    def close(self) -> None:
        """Stop what is under way, and close the model. Does not block."""
        for memory_id in list(self._under_way):
            self._stop(memory_id)
        self._judge.close()

    async def _ahead(self, memory: Memory, judging: Judging) -> None:
        try:
            if not await self._judge.ready(0):
                return
            vector = await self._embedding.vector_ahead(memory.content)
            if vector is not None:
                await self._read(memory, await self._near(memory, vector), judging)
        except AgentOSError as error:
            log.info("what memory %s may replace is judged later: %s", memory.id, error)
        except Exception as error:  # noqa: BLE001 - an error would say that a memory was not stored, which is durable
            log.warning("what memory %s may replace: %s: %s", memory.id, type(error).__name__, error)
        finally:
            if not judging.read:  # it is judged once it has its vector
                self._under_way.pop(memory.id, None)

    async def _near(self, memory: Memory, vector: Vector) -> dict[str, float]:
        """Return the cosines of the nearest other memories."""
        # Memories that searches leave aside are not replaced: whoever stores has not seen them.
        where = MemoryFilter(without_aside=True)
        near = await self._neighbours.vector_candidates(memory.namespace, vector, where, self._clock(), NEIGHBOURS)
        near = (await self._embedding.told_scale(memory.content)).of_candidates(near)
        return {each.id: each.score for each in near if each.score >= NEAR and each.id != memory.id}

    async def _read(self, memory: Memory, cosines: Mapping[str, float], judging: Judging) -> None:
        """Judge a memory against those neighbours that it most likely replaces and was not compared with before."""
        others = await self._neighbours.fetch(memory.namespace, [one for one in cosines if one not in judging.near])
        text = Wording(memory.content)
        same = [other for other in others if tells_the_same(text, Wording(other.content), cosines[other.id])]
        judging.same = [*judging.same, *(other for other in same if self._may_be_confirmed(other, memory))]
        pairs = [self._pair(memory, other, cosines[other.id]) for other in others if other not in same]
        likeliest = sorted((pair for pair in pairs if pair is not None), key=self._prior, reverse=True)
        found = await self._judged(likeliest[: JUDGED if memory.slot is None else JUDGED_OF_SLOTS])
        judging.found, judging.near, judging.read = [*judging.found, *found], judging.near | cosines.keys(), True

    def _pair(self, memory: Memory, other: Memory, cosine: float) -> _Pair | None:
        """Return two memories as a pair, if one may replace the other, and an opinion could make that likely."""
        newer, older = _in_order(memory, other, self._clock())
        if not self._may_replace(newer) or not self._may_be_replaced(older, newer):
            return None
        if are_two_of_a_kind(newer.content, older.content):
            return None
        difference = Difference(Wording(older.content), Wording(newer.content))
        if difference.is_of_thing_and_value or (is_another_time(newer, older) and difference.is_of_more):
            return None
        pair = _Pair.of_texts(newer, older, newer.content, older.content, cosine)
        best = self._likely(pair, SUREST if self._is_read(pair.texts) else None)
        return pair if best.chance >= self._model.asked else None

    def _prior(self, pair: _Pair) -> float:
        """Return how likely the newer replaces the older as far as that is known without reading them."""
        return (
            self._model.of(pair.known, has_opinion=False) if self._is_read(pair.texts) else self._by_differences(pair)
        )

    async def _judged(self, pairs: Sequence[_Pair]) -> list[Likely]:
        """Return how likely each newer memory replaces its older one.

        Two that have slots are compared by these in words as well, and the higher chance counts.
        """
        readings = [*pairs, *(pair.in_words() for pair in pairs if pair.newer.slot and pair.older.slot)]
        opinions = await self._opinions([pair.texts for pair in readings])
        likely = [self._likely(pair, opinion) for pair, opinion in zip(readings, opinions, strict=True)]
        return list({one.older.id: one for one in sorted(likely, key=lambda one: one.chance)}.values())

    def _likely(self, pair: _Pair, opinion: float | None) -> Likely:
        if opinion is None:
            chance = self._by_differences(pair)
        else:
            chance = self._model.of(with_opinion(pair.known, opinion), has_opinion=True)
        return Likely(pair.newer, pair.older, max(chance, DENIED) if is_opposite(*pair.texts) else chance)

    def _by_differences(self, pair: _Pair) -> float:
        newer, older = pair.texts
        return self._model.in_any_language(older, newer, pair.cosine)

    def _is_read(self, texts: tuple[str, str]) -> bool:
        """Return whether the pair model knows the language of both."""
        return all(map(self._knows, texts))

    async def _opinions(self, pairs: Sequence[tuple[str, str]]) -> list[float | None]:
        """Return the model's opinion of each newer and older text; None in a language that it does not know.

        All pairs that share the newer text are read in one call.
        """
        older: dict[str, list[str]] = {}
        for newer, other in pairs:
            if self._is_read((newer, other)):
                older.setdefault(newer, []).append(other)
        opinions = {
            (newer, other): score
            for newer, others in older.items()
            for other, score in zip(others, await self._judge.scores(newer, others), strict=True)
        }
        return [opinions.get(pair) for pair in pairs]

    def _may_be_confirmed(self, older: Memory, newer: Memory) -> bool:
        is_told_anew = older.created_at < newer.created_at and not is_another_time(newer, older)
        return is_told_anew and self._may_be_replaced(older, newer)

    def _may_replace(self, memory: Memory) -> bool:
        sure = memory.status is Status.ACTIVE and memory.trust >= lifecycle.TRUSTED
        return sure and _is_statement(memory) and not doubts_itself(memory.content)

    def _may_be_replaced(self, older: Memory, newer: Memory) -> bool:
        if older.status not in (Status.ACTIVE, Status.STALE, Status.CANDIDATE) or older.content == newer.content:
            return False
        # The rules have decided about memories of one slot; the same value under two names replaces nothing.
        if older.slot and newer.slot and _is_decided(older.slot, newer.slot):
            return False
        return _is_statement(older) and lifecycle.may_supersede(newer, older)


def _is_statement(memory: Memory) -> bool:
    """Return whether a memory is of record and holds: no turn, no summary, nothing that expires or has ended."""
    lasts = memory.session is None and memory.memory_type is not MemoryType.WORKING and memory.expires_at is None
    holds = memory.valid_to is None and memory.kind is not Kind.SUMMARY
    return lasts and holds and len(memory.content) <= MAX_CHARS


def _is_decided(older: Slot, newer: Slot) -> bool:
    return older.is_also(newer) or same_value(older.value, newer.value)


def _in_order(memory: Memory, other: Memory, now: datetime) -> tuple[Memory, Memory]:
    """Return the newer and the older of two: by when they are told or come to hold, then by when they came.

    What is told to hold since March was not yet known when another value was told in April. What a clock that was far
    ahead has written is older than what was written since.
    """
    memory_first = _is_news_from(memory, now) < _is_news_from(other, now)
    return (other, memory) if memory_first else (memory, other)


def _is_news_from(memory: Memory, now: datetime) -> tuple[bool, datetime, datetime]:
    return memory.created_at - now < CLOCKS_APART, max(memory.holds_from, memory.occurred_at), memory.created_at


def _in_words(slot: Slot) -> str:
    """Return what a slot says, as a sentence: "The session's timeout is 30 minutes"."""
    name = name_of((slot.subject, slot.attribute))
    return f"{name[:1].upper()}{name[1:]} is {slot.value}."
