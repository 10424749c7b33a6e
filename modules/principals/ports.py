"""The ports of identity: the secret that digests are made with, and the sign-ins that ended."""

from datetime import datetime
from typing import Protocol


class ServerKey(Protocol):
    """The random key of a home, without which no digest of a secret can be made."""

    def read(self) -> bytes:
        """Return it, made at the first call. Blocks. Raises StorageUnavailable."""


class EndedLogins(Protocol):
    """The browsers' sessions that were signed out, and the links that were used, for as long as they would hold.

    Whoever serves the same store knows the same. Raises StorageUnavailable.
    """

    async def has(self, name: str, until: datetime, now: datetime) -> bool:
        """Return whether what would hold until a moment has ended; also where nobody knows any more."""

    async def add(self, name: str, until: datetime, now: datetime) -> bool:
        """Keep a name until a moment, for good; False where it was kept already."""
