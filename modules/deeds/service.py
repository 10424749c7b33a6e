"""The service of deeds: keeps what people did for a week, so that it can be undone after a restart too."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from ..clock import Clock
from .models import Deed, Undo
from .ports import DeedRepository

OFFERED = timedelta(minutes=10)
"""How long the page after an act offers to undo it; the history does so later."""
KEPT_FOR = timedelta(days=7)
MOST = 50
"""The deeds that a history tells."""


@dataclass(frozen=True)
class DeedService:
    """The deeds of one store."""

    repository: DeedRepository
    clock: Clock

    async def note(self, deed: Deed) -> None:
        """Keep a deed."""
        await self.repository.add(deed)

    async def of(self, namespace: str, principal: str) -> Sequence[Deed]:
        """Return the last deeds of a principal in a namespace, the newest first."""
        return await self.repository.latest(namespace, principal, MOST)

    async def offered(self, namespace: str, session: str, address: str) -> Undo | None:
        """Return what undoes the last deed of a session, on the page that it led to."""
        last = await self.repository.last_of_session(namespace, session)
        if last is None or last.address != address or last.undone_at is not None or self.clock() >= last.at + OFFERED:
            return None
        return last.undo

    async def undone(self, namespace: str, principal: str, undo: Undo) -> str:
        """Note that the newest deed that a form undoes was undone by it; return its name, "" where there is none."""
        for one in await self.of(namespace, principal):
            if one.undo == undo and one.undone_at is None:
                await self.repository.undone(namespace, one.id, self.clock())
                return one.done
        return ""

    async def tidy_up(self) -> None:
        """Drop what is older than KEPT_FOR."""
        await self.repository.drop_before_everywhere(self.clock() - KEPT_FOR)
