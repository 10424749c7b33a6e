"""The check of the audit log in SQLite; a store of an older schema has none yet."""

from ....modules.health.models import Check, Finding, ok
from ...examination.audit import look_at_chain
from ..audit_log import BROKEN
from .subject import Subject


def checks(subject: Subject) -> list[Check]:
    """Return the check of the audit log."""
    return [Check("rows.audit", lambda: _chain(subject), ("database.schema",))]


def _chain(subject: Subject) -> Finding:
    if not subject.reader.has("audit_head"):
        return ok("has no chain yet: the next start migrates it")
    return look_at_chain(subject.reader, BROKEN, deep=subject.deep)
