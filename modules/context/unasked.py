"""What may be told to an agent that did not ask for it; a search, which was asked, tells the rest with its labels."""

from collections.abc import Iterable
from datetime import datetime

from ..memory.lifecycle import is_believed
from ..memory.models import Memory, Status
from ..suspicion import unsuspicious


async def that_may_be_told(memories: Iterable[Memory]) -> list[Memory]:
    """The memories that somebody stands up for, and that do not look like an instruction to the agent."""
    return await unsuspicious(filter(is_believed, memories), lambda memory: memory.content)


def caveats(memory: Memory, now: datetime) -> list[str]:
    """What must be said of a memory that does not simply hold, in the words of a search; mostly nothing."""
    words = [] if memory.status is Status.ACTIVE else [memory.status.value]
    return [*words, f"from {memory.holds_from:%Y-%m-%d}"] if memory.holds_from > now else words
