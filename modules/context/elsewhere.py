"""What other projects' findings are about: they are of no use in the project that is worked on."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from ..goals.service import GoalService, is_for
from ..insights.triggers import action_subject, goal_subject
from ..records import dataclass
from ..reflection.service import ReflectionService

T = TypeVar("T")


@dataclass(frozen=True)
class Others:
    """The subjects of findings that belong to other projects alone."""

    subjects: Collection[str] = ()

    def without(self, found: Iterable[T], subject: Callable[[T], str]) -> list[T]:
        """Return what is not about another project, by the subject of each."""
        return [one for one in found if subject(one) not in self.subjects]


class Elsewhere:
    """Finds the subjects of insights and tasks that belong to other projects alone."""

    def __init__(self, goals: GoalService, reflection: ReflectionService) -> None:
        self._goals = goals
        self._reflection = reflection

    async def __call__(self, namespace: str, project: Sequence[str]) -> Others:
        """Return the subjects of actions and goals of other projects than the one of this id and name."""
        if not project:
            return Others()
        names = {name.casefold() for name in project}
        actions = await self._reflection.elsewhere(namespace, project[0])
        goals = await self._goals.active(namespace)
        return Others(
            {
                *(action_subject(action) for action in actions),
                *(goal_subject(goal.id) for goal in goals if not is_for(goal.tags, names)),
            }
        )
