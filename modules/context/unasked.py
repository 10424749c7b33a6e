"""What may be told to an agent that did not ask for it; a search, which was asked, tells the rest with its labels."""

from collections.abc import Iterable

from ..memory.lifecycle import is_believed
from ..memory.models import Memory
from ..suspicion import unsuspicious


async def that_may_be_told(memories: Iterable[Memory]) -> list[Memory]:
    """The memories that somebody stands up for, and that do not look like an instruction to the agent."""
    return await unsuspicious(filter(is_believed, memories), lambda memory: memory.content)
