"""The questions that nobody has answered: whether a memory replaces another one."""

from collections.abc import Sequence

from ..memory.lifecycle_service import LifecycleService
from ..memory.questions import Question
from ..views.questions import OpenQuestion, open_questions
from .foremost import is_for
from .unasked import Unasked

MOST = 2
LOOKED_AT_ONCE = 5
"""The questions whose memories are read together: the first ones nearly always may be shown."""


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
        shown: list[Question] = []
        for begin in range(0, len(own), LOOKED_AT_ONCE):
            part = own[begin : begin + LOOKED_AT_ONCE]
            allowed = {memory.id for memory in await self._unasked(m for one in part for m in (one.older, one.newer))}
            shown += [one for one in part if {one.older.id, one.newer.id} <= allowed]
            if len(shown) >= MOST:
                break
        return await open_questions(shown[:MOST])
