"""Old values beside new ones: what another memory may have replaced is never told alone."""

from collections.abc import Collection, Sequence

from ..memory.lifecycle_service import LifecycleService
from ..memory.models import Memory
from ..memory.outdated import STEPS
from ..records import dataclass
from .foremost import is_for
from .unasked import Unasked


@dataclass(frozen=True)
class Told:
    """A memory to tell, and the older one that it may have replaced, if any."""

    memory: Memory
    was: Memory | None = None


class Replaced:
    """Tells the newer memory where an older one that it may have replaced would be told."""

    def __init__(self, lifecycle: LifecycleService, unasked: Unasked) -> None:
        self._lifecycle = lifecycle
        self._unasked = unasked

    async def __call__(
        self, namespace: str, memories: Sequence[Memory], project: Collection[str] = (), asked: Collection[str] = ()
    ) -> dict[str, Told]:
        """Return what to tell in the place of each memory, by its id; nothing for what is told in another's place.

        A newer one that may not be shown unasked replaces nothing. Older ones that are `asked` about are told there.
        """
        newer = await self._newest(namespace, memories, project)
        was = {one.id: memory for memory in reversed(memories) if (one := newer.get(memory.id)) is not None}
        told: dict[str, Told] = {}
        done: set[str] = set()
        for memory in memories:
            now = newer.get(memory.id, memory)
            if now.id not in done:
                done.add(now.id)
                older = was.get(now.id)
                told[memory.id] = Told(now, None if older is None or older.id in asked else older)
        return told

    async def _newest(self, namespace: str, memories: Sequence[Memory], project: Collection[str]) -> dict[str, Memory]:
        newest: dict[str, Memory] = {}
        open_ends = {memory.id: memory for memory in memories if memory.outdated_by is not None}
        for _ in range(STEPS):
            pairs = [(last.id, last.outdated_by) for last in open_ends.values() if last.outdated_by is not None]
            if not pairs:
                break
            found = {one.older.id: one.newer for one in await self._lifecycle.still_open(namespace, pairs)}
            own = [memory for memory in found.values() if is_for(memory, project)]
            allowed = {memory.id for memory in await self._unasked(own)}
            open_ends = {
                name: found[last.id]
                for name, last in open_ends.items()
                if last.id in found and found[last.id].id in allowed
            }
            newest |= open_ends
        return newest
