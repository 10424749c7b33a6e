"""Filters for what an agent is shown without asking; a search shows the rest too, with labels."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .. import offload
from ..memory.lifecycle import TRUSTED, is_believed
from ..memory.models import Memory
from ..suspicion import is_an_order, unsuspicious

if TYPE_CHECKING:
    from ..trust.service import TrustService


class Unasked:
    """Selects the memories that may be shown without a query."""

    def __init__(self, trust: "TrustService") -> None:
        self._trust = trust

    async def __call__(self, memories: Iterable[Memory]) -> list[Memory]:
        """Return the memories that are credible and do not look like an instruction to the agent."""
        return await unsuspicious(await self.credible(memories), lambda memory: memory.words)

    async def credible(self, memories: Iterable[Memory]) -> list[Memory]:
        """Return the memories that are believed and trusted.

        Of sources that are trusted little, memories that tell anybody what to do are left out as well.
        """
        believed = list(filter(is_believed, memories))
        low = await self._trust.low(believed) if believed else frozenset()
        credible = [memory for memory in believed if memory.id not in low]
        chars = offload.length(memory.content for memory in credible if memory.trust < TRUSTED)
        return await offload.read(
            chars, lambda: [m for m in credible if m.trust >= TRUSTED or not is_an_order(m.content)]
        )
