"""The service of deeds: keeps what people did for a week, so that it can be undone after a restart too."""

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import unquote_plus

from ..clock import Clock
from ..records import dataclass
from .models import Deed, Undo

if TYPE_CHECKING:
    from ...storage.repositories.deeds import DeedsRepository

OFFERED = timedelta(minutes=10)
"""How long the page after an act offers to undo it; the history does so later."""
KEPT_FOR = timedelta(days=7)
MOST = 50
"""The deeds that a history tells."""


@dataclass(frozen=True)
class DeedService:
    """The deeds of one store."""

    repository: "DeedsRepository"
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

    async def all_of(self, namespace: str) -> Sequence[Deed]:
        """Return every deed in a namespace, in order."""
        return await self.repository.of_namespace(namespace)

    async def naming(self, namespace: str, subject: str) -> list[str]:
        """Return the ids of the deeds in a namespace that name a subject, where they led to or in what undoes them."""
        wanted = subject.casefold()
        return [one.id for one in await self.all_of(namespace) if wanted in _told_by(one).casefold()]

    async def forget(self, namespace: str, subject: str) -> None:
        """Drop the deeds in a namespace that name a subject, for good."""
        if named := await self.naming(namespace, subject):
            await self.repository.drop(namespace, named)

    async def tidy_up(self) -> None:
        """Drop what is older than KEPT_FOR."""
        await self.repository.drop_before_everywhere(self.clock() - KEPT_FOR)


def _told_by(deed: Deed) -> str:
    """Return the texts of a deed, addresses as people read them."""
    undo = () if deed.undo is None else (deed.undo.path, *deed.undo.fields.values())
    return "\n".join(map(unquote_plus, (deed.path, deed.address, *undo))) + "\n".join(undo)
