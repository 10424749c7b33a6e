"""The trust service: the trust in memories and between agents, worked out from what was judged; it stores nothing."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from .. import vectors
from ..clock import Clock
from ..memory.models import Memory
from ..records import dataclass
from . import formulas
from .judging import REVERT, judgements
from .models import NOTHING, AgentTrust, Beta, Trust, TrustJudgement

if TYPE_CHECKING:
    from ...storage.repositories.trust import TrustRepository

MOST_JUDGEMENTS = 5_000
"""The judgements of a namespace that reputations go back to."""
NAMESPACES_KNOWN = 16
NEIGHBOURS = 200
"""The newest memories whose mean tells what is usual in a namespace."""


@dataclass(frozen=True)
class _Known:
    """The judgements of a namespace up to a change number, and the resulting reputations."""

    number: int = 0
    judgements: tuple[TrustJudgement, ...] = ()
    reputations: Mapping[str, Beta] = field(default_factory=dict)


class TrustService:
    """Works trust out. Who stored something is what the audit log says, by the credential; no argument changes that."""

    def __init__(self, reading: "TrustRepository", clock: Clock) -> None:
        self._reading = reading
        self._clock = clock
        self._known: OrderedDict[str, _Known] = OrderedDict()

    async def of(self, memories: Iterable[Memory]) -> dict[str, Trust]:
        """Return by id the trust in memories, each judged within its own namespace."""
        found: dict[str, Trust] = {}
        for namespace, group in _by_namespace(memories).items():
            found |= await self._trust_in(namespace, group)
        return found

    async def earned(self, namespace: str, memory_ids: Sequence[str]) -> Mapping[str, float]:
        """Return what judgements added to the trust in memories or took from it; empty where nothing was judged."""
        known = await self._up_to_date(namespace)
        if not known.judgements:
            return {}
        authors, outcomes = await asyncio.gather(
            self._reading.authors(namespace, memory_ids), self._outcomes(namespace, memory_ids)
        )
        return {
            one: formulas.earned(known.reputations.get(authors.get(one, ""), NOTHING), outcomes.get(one, NOTHING))
            for one in memory_ids
        }

    async def in_authors(self, namespace: str, memory_ids: Sequence[str]) -> Mapping[str, float]:
        """Return, by memory id, the reputation of its author, 0..1; neutral where nothing is known."""
        known, authors = await asyncio.gather(self._up_to_date(namespace), self._reading.authors(namespace, memory_ids))
        return {one: known.reputations.get(authors.get(one, ""), NOTHING).mean for one in memory_ids}

    async def low(self, memories: Sequence[Memory]) -> frozenset[str]:
        """Return the ids of memories whose trust is too low to show them without a query."""
        found: set[str] = set()
        for namespace, group in _by_namespace(memories).items():
            lost = {name for name, by in (await self.earned(namespace, [one.id for one in group])).items() if by < 0}
            trusts = await self.of(one for one in group if one.id in lost) if lost else {}
            found |= {name for name, one in trusts.items() if formulas.is_low(one)}
        return frozenset(found)

    async def between(self, namespace: str) -> list[AgentTrust]:
        """Return the trust between the principals that have judged, or stored, in a namespace."""
        return formulas.between((await self._up_to_date(namespace)).judgements)

    async def reputations(self, namespace: str) -> Mapping[str, Beta]:
        """Return by principal how what it stored in a namespace has fared with others."""
        return (await self._up_to_date(namespace)).reputations

    async def _trust_in(self, namespace: str, memories: Sequence[Memory]) -> dict[str, Trust]:
        ids = [memory.id for memory in memories]
        known, authors, outcomes, cosines = await asyncio.gather(
            self._up_to_date(namespace),
            self._reading.authors(namespace, ids),
            self._outcomes(namespace, ids),
            self._cosines(namespace, ids),
        )
        now = self._clock()
        return {
            memory.id: formulas.trust(
                recency=formulas.recency(memory.updated_at, now),
                reputation=known.reputations.get(authors.get(memory.id, ""), NOTHING),
                kind_of_source=memory.trust,
                coherence=formulas.coherence(cosines.get(memory.id)),
                outcome=outcomes.get(memory.id, NOTHING),
                stored_by=authors.get(memory.id, ""),
            )
            for memory in memories
        }

    async def _outcomes(self, namespace: str, memory_ids: Sequence[str]) -> dict[str, Beta]:
        about: dict[str, list[TrustJudgement]] = {}
        for one in judgements(await self._reading.judged_of(namespace, memory_ids)):
            about.setdefault(one.memory_id, []).append(one)
        return {name: formulas.outcome(of_it) for name, of_it in about.items()}

    async def _cosines(self, namespace: str, memory_ids: Sequence[str]) -> dict[str, float]:
        own = await self._reading.vectors(namespace, memory_ids)
        if not own:
            return {}
        generation = max(number for number, _ in own.values())
        around = await self._reading.newest_vectors(namespace, generation, NEIGHBOURS)
        of_it = {name: vector for name, (number, vector) in own.items() if number == generation}
        return await asyncio.to_thread(_cosines, of_it, around) if around else {}

    async def _up_to_date(self, namespace: str) -> _Known:
        """Return what was judged in a namespace, with what came since it was last asked for."""
        known = self._known.get(namespace, _Known())
        new = await self._reading.judged_after(namespace, known.number, MOST_JUDGEMENTS)
        if any(one.change.action == REVERT for one in new) and known.number:
            known = _Known()  # something that was counted has been undone
            new = await self._reading.judged_after(namespace, 0, MOST_JUDGEMENTS)
        if new:
            all_of_it = (*known.judgements, *judgements(new))[-MOST_JUDGEMENTS:]
            known = _Known(new[-1].number, all_of_it, formulas.reputations(all_of_it))
        self._known[namespace] = known
        self._known.move_to_end(namespace)
        while len(self._known) > NAMESPACES_KNOWN:
            self._known.popitem(last=False)
        return known


def _cosines(own: Mapping[str, bytes], around: Sequence[bytes]) -> dict[str, float]:
    usual = vectors.mean(around)
    return {name: vectors.cosine(vector, usual) for name, vector in own.items()}


def _by_namespace(memories: Iterable[Memory]) -> dict[str, list[Memory]]:
    found: dict[str, list[Memory]] = {}
    for memory in memories:
        found.setdefault(memory.namespace, []).append(memory)
    return found
