"""What users stated for good in prompts and nobody has confirmed: one line to ask about, never told as a fact."""

from ..extraction.service import STATED
from ..framing import quote
from ..memory.models import MemoryFilter, Status
from ..memory.service import MemoryService
from ..sessions.models import Session
from ..suspicion import unsuspicious
from .entries import KeyedLine
from .foremost import is_for
from .tokens import cut

MOST, LOOKED_AT = 3, 20
STATEMENT_TOKENS = 30
PREFIX = "confirm:"
"""The prefix of the entry of these statements."""


class Unconfirmed:
    """Finds the newest statements that are to be confirmed."""

    def __init__(self, memory: MemoryService) -> None:
        self._memory = memory

    async def __call__(self, session: Session) -> list[KeyedLine]:
        """Return the one line that asks about the newest statements of earlier sessions; none without any."""
        where = MemoryFilter(source=STATED, statuses=(Status.CANDIDATE,))
        newest = await self._memory.newest(session.namespace, where, LOOKED_AT)
        own = [
            one
            for one in newest
            if is_for(one, session.project.names) and not one.rejections and one.metadata.get("said_in") != session.id
        ]
        asked = (await unsuspicious(own, lambda one: one.content))[:MOST]
        line = "; ".join(f"{one.id} {quote(cut(one.content, STATEMENT_TOKENS))}" for one in asked)
        return [KeyedLine(PREFIX + ",".join(one.id for one in asked), f"- {line}?")] if asked else []
