"""Repeatable requests: whether one has already changed something, even if its answer was lost."""

import hmac
from datetime import timedelta
from typing import TYPE_CHECKING

from ..clock import Clock
from ..errors import Conflict
from ..records import dataclass
from .models import RequestKey

if TYPE_CHECKING:
    from ...storage.repositories.requests import RequestsRepository

REQUEST_LIFETIME = timedelta(hours=24)


@dataclass(frozen=True)
class RequestService:
    """Knows the requests of the last REQUEST_LIFETIME by their keys; each principal has keys of its own."""

    repository: "RequestsRepository"
    clock: Clock

    async def came_before(self, principal: str, request: RequestKey) -> bool:
        """Return whether a request has changed something. Raises Conflict where its key came with another request."""
        known = await self.repository.digest_everywhere(principal, request.key, self.clock() - REQUEST_LIFETIME)
        if known is not None and not hmac.compare_digest(known, request.digest):
            raise Conflict("this Idempotency-Key was used with another request; use a new key")
        return known is not None

    async def purge(self) -> int:
        """Forget the requests older than REQUEST_LIFETIME; return how many changes of theirs were noted."""
        return await self.repository.purge_everywhere(self.clock() - REQUEST_LIFETIME)
