"""Results of forgetting: what was forgotten, or what would be."""

from collections.abc import Sequence

from ..framing import NOTICE
from ..memory.models import Memory
from ..records import dataclass
from .labels import Labels
from .memories import MemoryResult, memory_result


@dataclass(frozen=True)
class Forgotten:
    """The number of memories that were forgotten, archived or erased; before that, those that would be."""

    mode: str
    deleted: int = 0
    would_forget: tuple[MemoryResult, ...] = ()
    notice: str | None = None

    def as_text(self) -> str:
        """Return what was done and how to undo it, or what would be and how to do it."""
        if self.deleted:
            undo = "" if self.mode == "erase" else " memory_revert undoes it."
            return f"{self.mode}: {self.deleted} of {self.deleted}.{undo}"
        if not self.would_forget:
            return "Nothing is about it; nothing was changed."
        lines = [memory.line() for memory in self.would_forget]
        do_it = f"Nothing was changed: {len(lines)} found. memory_forget with memory_ids does it."
        return "\n".join([NOTICE, *lines, do_it])


def preview(memories: Sequence[Memory], labels: Labels, mode: str) -> Forgotten:
    """Return the view of what would be forgotten."""
    found = tuple(memory_result(memory, labels) for memory in memories)
    return Forgotten(mode, would_forget=found, notice=NOTICE if found else None)
