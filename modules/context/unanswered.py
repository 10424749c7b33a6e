"""The questions that nobody has answered: whether a memory replaces another one."""

from collections.abc import Sequence

from ..memory.lifecycle_service import LifecycleService
from ..views.questions import OpenQuestion, open_questions
from .foremost import is_for
from .unasked import Unasked

MOST = 2


class Unanswered:
    """Finds the newest open questions that an agent may be shown."""

    def __init__(self, lifecycle: LifecycleService, unasked: Unasked, *, asks: bool) -> None:
        self._lifecycle = lifecycle
        self._unasked = unasked
        self._asks = asks

    async def __call__(self, namespace: str, project: Sequence[str] = ()) -> list[OpenQuestion]:
        """Return at most MOST questions, the newest first; with the names of a `project`, none of others."""
        if not self._asks:
            return []
        found = await self._lifecycle.open_questions(namespace)
        own = [one for one in found if is_for(one.older, project) and is_for(one.newer, project)]
        allowed = {memory.id for memory in await self._unasked(m for one in own for m in (one.older, one.newer))}
        return await open_questions([one for one in own if {one.older.id, one.newer.id} <= allowed][:MOST])
