"""What may be told to an agent that did not ask for it; a search, which was asked, tells the rest with its labels."""

from ..memory.lifecycle import is_believed
from ..memory.models import Memory
from ..suspicion import is_suspicious


def may_be_told(memory: Memory) -> bool:
    """Whether somebody stands up for a memory, and it does not look like an instruction to the agent."""
    return is_believed(memory) and not is_suspicious(memory.content)
