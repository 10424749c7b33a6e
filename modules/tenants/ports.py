"""The port of tenants: what is known of all stores of a database together."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Protocol

from .models import Tenant


class Tenants(Protocol):
    """The stores of a database. Raises StorageUnavailable."""

    async def of_key(self, prefix: str, digest: bytes | None) -> list[Tenant]:
        """Return the stores that have a key of this prefix and digest; without a digest, of this prefix.

        Several have the same one where a store was copied.
        """

    async def due(self, now: datetime, open_ones: Collection[str]) -> list[str]:
        """Return the stores in which jobs or tasks are due: asked once for all; those that are open rest for less."""

    async def counts(self) -> Mapping[str, int]:
        """Return how many stores are known, how many of these suspended, and how many hold as much as they may."""

    async def ended(self, open_ones: Collection[str]) -> list[str]:
        """Return those stores that were suspended or removed since they were opened."""
