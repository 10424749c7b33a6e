"""The search among what was found in conversations, for services that know memory by no more than that."""

from collections.abc import Sequence

from .models import Kind, Memory, MemoryFilter
from .service import MemoryService

KINDS = (Kind.FACT, Kind.PREFERENCE, Kind.ATTRIBUTE, Kind.KNOWLEDGE)


class FoundMemories:
    """What was found in the turns of conversations, by whom it is about."""

    def __init__(self, memory: MemoryService) -> None:
        self._memory = memory

    async def nearest(self, namespace: str, query: str, about: str, limit: int) -> tuple[list[Memory], tuple[str, ...]]:
        """What was found about `user` or `assistant` that is nearest to a query, best first, and notes on what is
        degraded.

        Whether it answers the query is not asked: what is known of somebody may matter to what says nothing of it. Nor
        whether somebody confirmed it. Counts no access.
        """
        found = await self._memory.recall(namespace, query, MemoryFilter(kinds=KINDS, found_about=about), limit)
        return [hit.memory for hit in (*found.hits, *found.misses)][:limit], found.notes

    async def shown(self, memory_ids: Sequence[str]) -> None:
        """Count an access of each: an agent was shown them."""
        await self._memory.shown(memory_ids)
