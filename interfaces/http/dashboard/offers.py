"""Offers to undo: what takes an act back, in the address of the page after it, for the session that acted and no other.

They are signed: an address that somebody else made up offers nothing.
"""

from datetime import UTC, datetime, timedelta

from ....modules.principals.logins import Login
from ....modules.principals.service import PrincipalService
from .visit import Undo

HOLDS = timedelta(minutes=10)


class Offers:
    """Writes and reads offers at a moment."""

    def __init__(self, principals: PrincipalService, now: datetime) -> None:
        self._claims = principals.signed("", "undo")
        self._now = now

    async def written(self, login: Login, undo: Undo) -> str:
        """Return an offer as text; "" for one that is too long for an address."""
        return await self._claims.write([login.id, self._now.timestamp(), undo.path, dict(undo.fields)]) or ""

    async def read(self, login: Login, offer: str) -> Undo | None:
        """Return what an offer undoes; None where this session was not given it within HOLDS."""
        claims = await self._claims.read(offer) if offer else None
        if claims is None:
            return None
        session, at, path, fields = claims
        is_open = session == login.id and self._now < datetime.fromtimestamp(at, UTC) + HOLDS
        return Undo(path, fields) if is_open else None
