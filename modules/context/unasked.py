"""Filters for what is told to an agent that did not ask; a search, which was asked, tells the rest with labels."""

from collections.abc import Iterable

from .. import offload
from ..memory.lifecycle import TRUSTED, is_believed
from ..memory.models import Memory
from ..suspicion import is_an_order, unsuspicious


async def that_may_be_told(memories: Iterable[Memory]) -> list[Memory]:
    """Return the memories that are believed and do not look like an instruction to the agent.

    Of sources that are trusted little, memories that tell anybody what to do are left out as well.
    """
    some = list(filter(is_believed, memories))
    chars = offload.length(memory.content for memory in some if memory.trust < TRUSTED)
    told = await offload.read(chars, lambda: [m for m in some if m.trust >= TRUSTED or not is_an_order(m.content)])
    return await unsuspicious(told, lambda memory: memory.content)
