"""The interfaces that the compiler needs of those who keep turns, the graph, procedures and the profile."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..records import dataclass

if TYPE_CHECKING:
    from ..turns.models import Stretch, Turn


@dataclass(frozen=True)
class Material:
    """A text to tell, and its `label`, which says what it is and how old.

    `id` is that of the memory that it is, None where it is none.
    """

    text: str
    label: str = ""
    id: str | None = None


Window = Callable[[str, str, int], Awaitable[Sequence["Turn"]]]
"""The last turns of a session in a namespace, in order, at most so many."""

Inherited = Callable[[str, str], Awaitable[Sequence[Material]]]
"""The material that a session took over from the one that it branched off; nothing where it did not."""

About = Callable[[str, str, int], Awaitable[Sequence[Material]]]
"""The material in a namespace about a query, best first, at most so many."""


Lineage = Callable[[str, str], Awaitable[Sequence["Stretch"]]]
"""The parts of a session in a namespace: its own turns, then those that it inherits."""

Chains = Callable[[str, str], Awaitable[Sequence[Material]]]
"""The topics that a session went on with over several pages, the latest first."""

Evidence = Callable[[str, Sequence[str]], Awaitable[Mapping[str, Sequence[Material]]]]
"""The sources that each of some summaries of a namespace was made of, by the summary's id."""


class Sources:
    """The sources of the parts of a context; a part without one is empty, and its share goes to the others.

    Features set theirs once they are wired.
    """

    def __init__(
        self,
        window: Window | None = None,
        inherited: Inherited | None = None,
        graph: About | None = None,
        procedures: About | None = None,
        profile: About | None = None,
        lineage: Lineage | None = None,
        chains: Chains | None = None,
        evidence: Evidence | None = None,
    ) -> None:
        self.window = window
        self.inherited = inherited
        self.graph = graph
        self.procedures = procedures
        self.profile = profile
        self.lineage = lineage
        self.chains = chains
        self.evidence = evidence
