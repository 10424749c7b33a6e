"""Questions to an agent: whether a memory replaces an older one, as one line each."""

from collections.abc import Sequence

from ..framing import quote
from ..memory.questions import Question
from ..records import dataclass
from .labels import suspicious_among
from .texts import cut

CHARS = 120
SETTLE = 'memory_feedback(memory_id, "supersede", by) if so; "confirm" if both hold.'


@dataclass(frozen=True)
class OpenQuestion:
    """A memory, by the beginning of its text, and the newer one that may replace it."""

    id: str
    content: str
    by: str
    newer: str

    def line(self) -> str:
        """Return the question as one line."""
        return f"- Is {self.id} {quote(self.content)} replaced by {self.by} {quote(self.newer)}?"


async def open_questions(questions: Sequence[Question]) -> list[OpenQuestion]:
    """Return the views of questions, without what looks like an instruction to its reader."""
    suspicious = await suspicious_among(one for each in questions for one in (each.older, each.newer))
    return [
        OpenQuestion(one.older.id, cut(one.older.content, CHARS), one.newer.id, cut(one.newer.content, CHARS))
        for one in questions
        if suspicious.isdisjoint((one.older.id, one.newer.id))
    ]
