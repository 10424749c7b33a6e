"""What may be told to an agent that did not ask for it; a search, which was asked, tells the rest with its labels."""

from collections.abc import Iterable

from .. import offload
from ..memory.lifecycle import TRUSTED, is_believed
from ..memory.models import Memory
from ..suspicion import is_an_order, unsuspicious


async def that_may_be_told(memories: Iterable[Memory]) -> list[Memory]:
    """The memories that somebody stands up for, and that do not look like an instruction to the agent: nothing that
    tells anybody what to do, where its source is trusted little.
    """
    some = list(filter(is_believed, memories))
    chars = offload.length(memory.content for memory in some if memory.trust < TRUSTED)
    told = await offload.read(chars, lambda: [m for m in some if m.trust >= TRUSTED or not is_an_order(m.content)])
    return await unsuspicious(told, lambda memory: memory.content)
