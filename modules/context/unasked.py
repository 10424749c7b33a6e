"""What may be told to an agent that did not ask for it; a search, which was asked, tells the rest with its labels."""

from datetime import datetime

from ..memory.lifecycle import is_believed
from ..memory.models import Memory, Status
from ..suspicion import is_suspicious


def may_be_told(memory: Memory) -> bool:
    """Whether somebody stands up for a memory, and it does not look like an instruction to the agent."""
    return is_believed(memory) and not is_suspicious(memory.content)


def caveats(memory: Memory, now: datetime) -> list[str]:
    """What must be said of a memory that does not simply hold, in the words of a search; mostly nothing."""
    words = [] if memory.status is Status.ACTIVE else [memory.status.value]
    return [*words, f"from {memory.holds_from:%Y-%m-%d}"] if memory.holds_from > now else words
