"""What a new memory may replace: older ones that whoever stores it is asked about, since rules could not tell; and what
it does not, though rules may read it like that.

The former are looked for beside the insert, and named in its answer if they are found in time; the latter before it. A
logistic model over `truth.succession` and the cosines decides, with a second opinion (`second_opinion.py`). Its weights
are in predecessors_weights.json, which `python -m benchmarks.lifecycle.train_predecessors --write` makes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from ..clock import Clock
from ..errors import AgentOSError
from . import lifecycle, logistic
from .embedding import MemoryEmbedding
from .judging import doubtful
from .models import Kind, Memory, MemoryFilter, MemoryType, Status
from .ports import MemoryRepository
from .second_opinion import ASKED_AT_ONCE, CONSIDERED, UNLIKELY, SecondOpinion, together

if TYPE_CHECKING:  # its lexicons take a while to load, which is for whoever stores
    from ..truth.competing import Told

NEIGHBOURS, COMPARED, NAMED = 20, 8, 2
"""How many of the nearest memories are looked at, how many of these are read, and how many are named at most."""
NEAR = 0.12
"""The least cosine of two that may be about the same."""
LARGEST = 20_000
"""With more memories a namespace is not looked through: what is near is found too late, and the store is slowed."""
LIKELY = 0.5
"""How likely it must be by weights and model together to be asked about."""
WAIT_S = 0.1
"""How long an answer waits for this at most, once its memory is durable; and a memory that rules have read before."""

OF_THE_VECTORS = ("cosine", "behind_nearest", "behind_named", "place")
TOGETHER = (
    *(("cosine", "same_type"), ("cosine", "change"), ("cosine", "strong_change"), ("cosine", "shares_name")),
    *(("cosine", "subject"), ("cosine", "nobody"), ("cosine", "both_user"), ("change", "same_type")),
    *(("change", "nobody"), ("change", "names_former"), ("change", "both_user"), ("change", "planned")),
    *(("change", "same_list"), ("change", "mentioned"), ("change", "shares_name"), ("nobody", "same_type")),
    *(("mentioned", "same_type"), ("shares_name", "behind_nearest"), ("subject", "behind_nearest")),
)
"""Pairs of features that say more together."""

Found = TypeVar("Found")

log = logging.getLogger(__name__)


@cache
def model() -> logistic.Model:
    """The model as it was trained."""
    return logistic.read("predecessors_weights.json")


def candidates(newer: Told, nearest: Sequence[tuple[Told, float]]) -> list[tuple[int, Mapping[str, float]]]:
    """Which of the nearest older ones, best first and each with its cosine, may be replaced; with all features."""
    from ..truth import succession

    if not succession.may_replace(newer.content):
        return []
    near = [(place, *one) for place, one in enumerate(nearest[:COMPARED]) if one[1] >= NEAR]
    known = [(place, cosine, succession.evidence(older, newer)) for place, older, cosine in near]
    shown = [(place, cosine, found) for place, cosine, found in known if found is not None]
    best = max((cosine for _, cosine, _ in shown), default=0.0)
    named = max((cosine for _, cosine, found in shown if found["shares_name"]), default=0.0)
    rows: list[tuple[int, Mapping[str, float]]] = []
    for order, (place, cosine, found) in enumerate(shown):
        behind = max(0.0, named - cosine)
        seen = dict(zip(OF_THE_VECTORS, (cosine, best - cosine, behind, order / COMPARED), strict=True))
        features = {**found, **seen}
        rows.append((place, features | {f"{one} {other}": features[one] * features[other] for one, other in TOGETHER}))
    return rows


def likely(newer: Told, nearest: Sequence[tuple[Told, float]]) -> list[tuple[float, int]]:
    """How likely each of the nearest is replaced, by the weights alone, with its place; the likeliest first.

    Some milliseconds. Those below CONSIDERED are left out.
    """
    judged = [(model().probability(features), place) for place, features in candidates(newer, nearest)]
    return sorted((one for one in judged if one[0] >= CONSIDERED), reverse=True)


class Predecessors:
    """Looks for what a memory that is being stored may replace (not without `asks`), and for what it does not."""

    def __init__(
        self,
        repository: MemoryRepository,
        embedding: MemoryEmbedding,
        clock: Clock,
        opinion: SecondOpinion | None = None,
        *,
        asks: bool = True,
    ) -> None:
        self._repository = repository
        self._embedding = embedding
        self._clock = clock
        self._opinion = opinion
        self._asks = asks

    def begin(self, memory: Memory) -> asyncio.Task[Sequence[Memory]] | None:
        """Start to look for what to ask about, while the memory is stored; the likeliest first.

        None for a memory that replaces nothing. Whoever begins cancels it.
        """
        if not self._asks or not _may_replace(memory):
            return None
        return asyncio.create_task(self._attempted(memory, self._likely, ()), name="predecessors")

    async def misread(self, memory: Memory) -> frozenset[str]:
        """Ids of what rules would take for replaced by a memory, and the model does not; waits at most WAIT_S."""
        if self._opinion is None or memory.slot is None or not _may_replace(memory):
            return frozenset()
        looking = asyncio.create_task(self._attempted(memory, self._misread, frozenset[str]()), name="second-opinion")
        try:
            return await in_time(looking, frozenset[str]())
        finally:
            looking.cancel()

    async def _attempted(self, memory: Memory, look: Callable[[Memory], Awaitable[Found]], nothing: Found) -> Found:
        try:
            if self._opinion is not None:
                await self._opinion.begin()
            return await look(memory)
        except AgentOSError:
            pass  # the memory itself is what was asked for; what fails here is told where it matters
        except Exception as error:  # noqa: BLE001 - an error would say that a memory was not stored, which is durable
            log.warning("not looked at what memory %s may replace: %s", memory.id, error)
        return nothing

    async def _nearest(self, memory: Memory) -> list[tuple[Memory, float]]:
        """What it may replace of the nearest, best first, each with its cosine."""
        if await self._repository.count_up_to(memory.namespace, LARGEST + 1) > LARGEST:
            return []
        newer = await asyncio.to_thread(_statement, memory)
        vector = None if newer is None else await self._embedding.vector_ahead(memory.content)
        if vector is None:
            return []
        # What is left aside by searches is no one's to replace: whoever stores has not seen it.
        where = MemoryFilter(without_aside=True)
        near = await self._repository.vector_candidates(memory.namespace, vector, where, self._clock(), NEIGHBOURS)
        cosines = {each.id: each.score for each in near}
        known = await self._repository.fetch(memory.namespace, list(cosines))
        older = [(each, cosines[each.id]) for each in known if _may_be_replaced(each, memory)]
        return sorted(older, key=lambda pair: -pair[1])

    async def _likely(self, memory: Memory) -> Sequence[Memory]:
        older = await self._nearest(memory)
        nearest = [(_told(each), cosine) for each, cosine in older]
        found = await asyncio.to_thread(likely, _told(memory), nearest) if nearest else []
        opinions = await self._opinions(memory, [older[place][0] for _, place in found])
        judged = [
            (together(chance, opinion), place)
            for (chance, place), opinion in zip(found, opinions, strict=True)
            if together(chance, opinion) >= (model().threshold if opinion is None else LIKELY)
        ]
        return [older[place][0] for _, place in sorted(judged, reverse=True)[:NAMED]]

    async def _misread(self, memory: Memory) -> frozenset[str]:
        """Those that rules would end, and that stay."""
        rivals = await self._repository.rivals(memory, self._clock())
        ended = await asyncio.to_thread(doubtful, memory, rivals) if rivals else []
        opinions = await self._opinions(memory, ended, of_same_words=True)
        said = {each.id: opinion for each, opinion in zip(ended, opinions, strict=True) if opinion is not None}
        misread = frozenset(name for name, opinion in said.items() if opinion < UNLIKELY)
        # Where nothing that could be asked about is replaced, what there was no room to ask about is not either.
        is_none = len(said) == ASKED_AT_ONCE == len(misread)
        return frozenset(each.id for each in ended) if is_none else misread

    async def _opinions(
        self, memory: Memory, older: Sequence[Memory], *, of_same_words: bool = False
    ) -> Sequence[float | None]:
        if self._opinion is None:
            return [None] * len(older)
        return await self._opinion.of(memory.content, [each.content for each in older], of_same_words=of_same_words)


async def in_time(looking: asyncio.Task[Found], nothing: Found) -> Found:
    """What was found by now, or within WAIT_S; `nothing` where that takes longer, or the services are closed."""
    done, _ = await asyncio.wait([looking], timeout=WAIT_S)
    return looking.result() if done and not looking.cancelled() else nothing


def _may_replace(memory: Memory) -> bool:
    return _lasts(memory) and memory.status is Status.ACTIVE and memory.trust >= lifecycle.TRUSTED


def _statement(memory: Memory) -> Told | None:
    """What a memory says, None where that replaces nothing; for a thread, since the first one loads what reads it."""
    from ..truth import succession

    return _told(memory) if succession.may_replace(memory.content) else None


def _told(memory: Memory) -> Told:
    from ..truth.competing import Told

    slot = memory.slot
    return Told(memory.content) if slot is None else Told(memory.content, slot.subject, slot.attribute)


def _lasts(memory: Memory) -> bool:
    """Statements of record that hold: no turns of conversations, nothing that expires or has ended."""
    is_kept = memory.session is None and memory.memory_type is not MemoryType.WORKING and memory.expires_at is None
    return is_kept and memory.valid_to is None


def _may_be_replaced(older: Memory, newer: Memory) -> bool:
    stands = older.status in (Status.ACTIVE, Status.STALE, Status.CANDIDATE)
    is_other = older.id != newer.id and older.content != newer.content
    earlier = older.occurred_at <= newer.occurred_at and older.holds_from <= newer.holds_from
    is_statement = older.kind is not Kind.SUMMARY
    return is_other and stands and is_statement and _lasts(older) and earlier and lifecycle.may_supersede(newer, older)
