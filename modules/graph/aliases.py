"""Entity aliases: certain matches are joined, possible ones are suggested for a person or an agent to decide."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .. import inputs
from ..clock import Clock
from ..errors import NotFound, StorageUnavailable
from ..vectors import Familiar
from .likeness import NEAR_IN_MEANING, STEM, forms, has_several_forms, likeness, speaks_against
from .models import EntityType, Node, OtherName, Pair

if TYPE_CHECKING:
    from ...storage.repositories.graph_names import AliasesRepository
    from ..memory.text_vectors import TextVectors

BATCH = 200
MAX_BATCHES = 10
"""Batches that one run of the job compares at most; the next run goes on from there."""
ALIKE_BY_FORM = 50
NEAREST_OF = 1_000
"""Number of the newest earlier names that a name is compared with by meaning."""
MAX_CACHED_VECTORS = 4_000
"""Name vectors kept in memory (about 6 MB)."""
BY_MEANING = (EntityType.ORGANIZATION, EntityType.PLACE, EntityType.PRODUCT, EntityType.NAME)
MAX_LISTED = 200

log = logging.getLogger(__name__)


class Aliases:
    """The aliases of one store's entities. Each name is compared once, with those that came before it."""

    def __init__(self, repository: "AliasesRepository", vectors: "TextVectors | None", clock: Clock) -> None:
        self._repository = repository
        self._vectors = vectors
        self._clock = clock
        self._at_hand: dict[str, bytes] = {}

    async def compare(self, namespace: str) -> int:
        """Compare new names and return how many pairs were found. May be interrupted at any point."""
        found = 0
        for _ in range(MAX_BATCHES):
            nodes = await self._repository.uncompared(namespace, BATCH)
            if not nodes:
                break
            of_nodes = {node.seq: sorted(forms(node.label, node.type)) for node in nodes}
            older = {
                node.seq: await self._repository.alike(namespace, of_nodes[node.seq], node.seq, ALIKE_BY_FORM)
                for node in nodes
            }
            by_form = await asyncio.to_thread(_by_form, nodes, of_nodes, older)
            by_meaning = await self._by_meaning(namespace, nodes)
            pairs = {(pair.alias, pair.canonical): pair for pair in [*by_meaning, *by_form]}  # a match by form wins
            found += await self._repository.compared(namespace, of_nodes, list(pairs.values()), self._clock())
        return found

    async def listed(self, namespace: str, limit: int = 50) -> list[OtherName]:
        """List the pairs that were found, suggestions first. Raises InvalidInput."""
        inputs.count("limit", limit, 1, MAX_LISTED)
        return await self._repository.other_names(namespace, limit, self._clock())

    async def decide(self, namespace: str, pair_id: str, *, accept: bool) -> None:
        """Accept or reject a pair of names as aliases. A rejected alias is undone and is not made again.

        A decision may be changed at any time. Raises NotFound.
        """
        inputs.text("id", pair_id, 200)
        if not await self._repository.decide(namespace, pair_id, self._clock(), accept=accept):
            raise NotFound(f"id: there is no pair of names {pair_id[:60]!r}; graph_aliases lists them")

    async def _by_meaning(self, namespace: str, nodes: Sequence[Node]) -> list[Pair]:
        new = [node for node in nodes if node.type in BY_MEANING]
        if not new or self._vectors is None:
            return []
        older = await self._repository.newest(namespace, BY_MEANING, new[0].seq, NEAREST_OF)
        compared = [*reversed(older), *new]
        try:
            vectors = await self._encoded([node.label for node in compared])
            familiar = [await self._vectors.familiar(node.label) for node in new]
        except StorageUnavailable as error:
            log.info("names were compared by their form alone: %s", error)
            return []
        return await asyncio.to_thread(_near, compared, vectors, len(older), familiar)

    async def _encoded(self, labels: Sequence[str]) -> list[bytes]:
        assert self._vectors is not None
        missing = list(dict.fromkeys(label for label in labels if label not in self._at_hand))
        if missing:
            self._at_hand |= dict(zip(missing, await self._vectors.vectors(missing), strict=True))
        found = [self._at_hand[label] for label in labels]
        while len(self._at_hand) > MAX_CACHED_VECTORS:
            del self._at_hand[next(iter(self._at_hand))]
        return found


def _by_form(
    nodes: Sequence[Node], of_nodes: Mapping[int, Sequence[str]], older: Mapping[int, Sequence[Node]]
) -> list[Pair]:
    """Return pairs of each node and an earlier one that shares a form, from `older` or from the same batch."""
    found = []
    sharing: defaultdict[str, list[Node]] = defaultdict(list)
    for node in nodes:
        earlier = {each.seq: each for form in of_nodes[node.seq] for each in sharing[form][-ALIKE_BY_FORM:]}
        others = [*earlier.values(), *older[node.seq]]
        for other in others:
            like = likeness(node.label, node.type, other.label, other.type)
            if like is not None:
                is_open = like.basis == STEM and has_several_forms(node.label, [each.label for each in others])
                found.append(Pair(node.seq, other.seq, like.basis, like.score, like.is_sure and not is_open))
        for form in of_nodes[node.seq]:
            sharing[form].append(node)
    return found


def _near(nodes: Sequence[Node], vectors: Sequence[bytes], first: int, familiar: Sequence[Familiar]) -> list[Pair]:
    """Return pairs of a node from `first` on and an earlier one near in meaning; these are only ever suggestions.

    `familiar` are the scales of the cosines of each node from `first` on.
    """
    import numpy as np

    matrix = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(nodes), -1)
    cosines = np.stack([of_row(row) for of_row, row in zip(familiar, matrix[first:] @ matrix.T, strict=True)])
    found = []
    for row, column in zip(*np.nonzero(cosines >= NEAR_IN_MEANING), strict=True):
        if column >= first + row:
            continue
        one, other = nodes[first + row], nodes[column]
        if not speaks_against(one.label, one.type, other.label, other.type):
            score = min(1.0, round(float(cosines[row, column]), 4))
            found.append(Pair(one.seq, other.seq, "near in meaning", score, False))
    return found
