"""The labels of memories that are about to be shown."""

from collections.abc import Sequence

from ..modules.agentos import AgentOS
from ..modules.memory.models import Memory
from ..modules.views.labels import Labels


async def labels_of(agentos: AgentOS, namespace: str, memories: Sequence[Memory]) -> Labels:
    """Return what must be known now about memories, and what has superseded them."""
    return Labels(agentos.clock(), await agentos.lifecycle.successors(namespace, memories))
