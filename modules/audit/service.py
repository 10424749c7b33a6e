"""The audit service: what a caller may see of the log, and whether it is as it was written."""

from typing import TYPE_CHECKING

from .. import inputs
from ..errors import PermissionDenied
from ..principals.models import Caller, Role
from ..records import dataclass
from .models import AuditEntry, Verification

if TYPE_CHECKING:
    from ...storage.repositories.audit_log import AuditLogRepository

MOST_ENTRIES = 1_000


@dataclass(frozen=True)
class AuditService:
    """Reads the audit log, for operators."""

    log: "AuditLogRepository"

    async def show(
        self,
        caller: Caller,
        namespace: str | None = None,
        subject: str | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> list[AuditEntry]:
        """Return entries of one namespace, or of all that the caller may read, the newest first.

        Raises PermissionDenied, InvalidInput.
        """
        caller.requires(Role.OPERATOR)
        inputs.count("limit", limit, 1, MOST_ENTRIES)
        if namespace is not None:
            return await self.log.entries([caller.reading(namespace, "namespace")], subject, before, limit)
        if caller.namespaces is not None:
            return await self.log.entries(list(caller.namespaces), subject, before, limit)
        return await self.log.entries_everywhere(subject, before, limit)

    async def verify(self, caller: Caller, anchor: tuple[int, str] | None = None) -> Verification:
        """Look whether every entry is as it was written: of the whole log, since it is one chain.

        Raises PermissionDenied where the caller may not touch every namespace.
        """
        caller.requires(Role.OPERATOR)
        if caller.namespaces is not None:
            raise PermissionDenied("the log is one chain, so verifying it needs access to every namespace")
        return await self.log.verify_everywhere(anchor)
