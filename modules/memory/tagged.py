"""The search among memories with one tag, for services that know memory by no more than that."""

from collections.abc import Sequence

from .models import Memory, MemoryFilter
from .service import MemoryService


class TaggedMemories:
    """Memories of one tag, nearest first."""

    def __init__(self, memory: MemoryService) -> None:
        self._memory = memory

    async def tagged(self, namespace: str, query: str, tag: str, limit: int) -> tuple[list[Memory], tuple[str, ...]]:
        """The memories with a tag that are nearest to a query, best first, and notes on what is degraded.

        Whether they answer it is not asked: what is known of somebody may matter to what says nothing of it. Counts no
        access.
        """
        found = await self._memory.recall(namespace, query, MemoryFilter(tags=(tag,)), limit)
        return [hit.memory for hit in (*found.hits, *found.misses)][:limit], found.notes

    async def shown(self, memory_ids: Sequence[str]) -> None:
        """Count an access of each: an agent was shown them."""
        await self._memory.shown(memory_ids)
