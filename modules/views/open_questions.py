"""Open questions about memories as a result: pairs of which one may replace the other, and contradictions."""

from collections.abc import Mapping, Sequence

from ..framing import NOTICE, quote
from ..memory.models import Memory
from ..memory.questions import Question
from ..records import dataclass
from .labels import Labels, source_of
from .memories import MemoryResult
from .questions import SETTLE
from .texts import cut

CHARS = 240
PERSON = "Only the user decides these: agentos approvals list, or the dashboard."
NOTHING = "Nothing is open."


@dataclass(frozen=True)
class OpenPair:
    """A memory, and a newer one that may replace it."""

    older: MemoryResult
    newer: MemoryResult

    def lines(self) -> list[str]:
        """Return the pair as lines."""
        return [f"Is {self.older.id} replaced by {self.newer.id}?", self.older.line(), self.newer.line()]


@dataclass(frozen=True)
class Contradiction:
    """A memory and older ones that it contradicts; the request `approval_id` asks a person which holds."""

    approval_id: str
    newer: MemoryResult
    older: tuple[MemoryResult, ...]

    def lines(self) -> list[str]:
        """Return the contradiction as lines."""
        return [f"{self.approval_id}: which holds?", *(one.line() for one in (*self.older, self.newer))]


@dataclass(frozen=True)
class OpenQuestions:
    """Open questions of a namespace, the newest first; `more` is how many are not shown."""

    agent_id: str
    questions: tuple[OpenPair, ...] = ()
    contested: tuple[Contradiction, ...] = ()
    more: int = 0
    hints: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return what is open for a model to read."""
        if not (self.questions or self.contested):
            return " ".join([NOTHING, *self.hints])
        lines = [f"# Open questions of agent {quote(self.agent_id)}", NOTICE]
        lines += [f"## {SETTLE}", *(line for one in self.questions for line in one.lines())] if self.questions else []
        lines += [f"## {PERSON}", *(line for one in self.contested for line in one.lines())] if self.contested else []
        lines += [f"{self.more} more: raise limit."] if self.more else []
        return "\n".join([*lines, *self.hints])


def open_questions(
    namespace: str,
    questions: Sequence[Question],
    contested: Mapping[str, Sequence[Memory]],
    labels: Labels,
    more: int,
) -> OpenQuestions:
    """Return the view of questions, and of contradictions by the id of their request, the newer memory first."""

    def short(memory: Memory) -> MemoryResult:
        label, text = labels.of(memory), cut(memory.content, CHARS)
        return MemoryResult(memory.id, text, memory.occurred_at.date(), source_of(memory, label), label)

    return OpenQuestions(
        namespace,
        tuple(OpenPair(short(one.older), short(one.newer)) for one in questions),
        tuple(
            Contradiction(name, short(newer), tuple(map(short, older))) for name, (newer, *older) in contested.items()
        ),
        more,
    )
