"""Search among the memories that were found in conversations, for services that need no more of memory than that."""

from collections.abc import Sequence

from ...modules.memory.models import Kind, Memory, MemoryFilter
from ...modules.memory.service import MemoryService

KINDS = (Kind.FACT, Kind.PREFERENCE, Kind.ATTRIBUTE, Kind.KNOWLEDGE)


class FoundMemories:
    """The memories that were found in turns of conversations, by whom they are about."""

    def __init__(self, memory: MemoryService) -> None:
        self._memory = memory

    async def nearest(self, namespace: str, query: str, about: str, limit: int) -> tuple[list[Memory], tuple[str, ...]]:
        """Return what was found about `user` or `assistant` nearest to a query, best first, and notes on degradation.

        The gate does not apply: what is known of somebody may matter to a query that it does not answer. Nor need
        anybody have confirmed it. Counts no access.
        """
        found = await self._memory.recall(namespace, query, MemoryFilter(kinds=KINDS, found_about=about), limit)
        return [hit.memory for hit in (*found.hits, *found.misses)][:limit], found.notes

    async def shown(self, namespace: str, memory_ids: Sequence[str]) -> None:
        """Count an access for each memory, which an agent was shown."""
        await self._memory.shown(namespace, memory_ids)
