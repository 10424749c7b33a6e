"""The labels of memories that are about to be shown."""

from collections.abc import Collection, Sequence

from ..modules.agentos import AgentOS
from ..modules.memory.models import Memory
from ..modules.views.labels import Labels, suspicious_among


async def labels_of(
    agentos: AgentOS, namespace: str, memories: Sequence[Memory], partly: Collection[str] = ()
) -> Labels:
    """Return what must be known now about memories, and what has superseded them; of what is `partly` open, no ids."""
    successors: dict[str, str] = {}
    for one in dict.fromkeys(memory.namespace for memory in memories):
        of_it = [memory for memory in memories if memory.namespace == one]
        successors |= {} if one in partly else await agentos.lifecycle.successors(one, of_it)
    return Labels(agentos.clock(), successors, namespace, await suspicious_among(memories))
