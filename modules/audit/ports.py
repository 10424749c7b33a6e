"""The port of the audit log: reading; entries are written by storage, with what they are of."""

from collections.abc import Sequence
from typing import Protocol

from .models import AuditEntry, Verification


class AuditLog(Protocol):
    """The entries of the audit log."""

    async def entries(
        self, namespaces: Sequence[str], subject: str | None, before: int | None, limit: int
    ) -> list[AuditEntry]:
        """Return entries of some namespaces, the newest first: of a subject, and those numbered below `before`."""

    async def entries_everywhere(self, subject: str | None, before: int | None, limit: int) -> list[AuditEntry]:
        """Return entries of all namespaces, as `entries` does."""

    async def verify_everywhere(self, anchor: tuple[int, str] | None = None) -> Verification:
        """Recompute every hash; with an `anchor`, a number and its hash as noted once, also compare that entry."""
