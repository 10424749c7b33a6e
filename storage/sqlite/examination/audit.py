"""The check of the audit log: every entry is as it was written, and none is gone."""

from ....modules.health.models import Check, Finding, Severity, ok
from ...repositories.audit_log import ENDS, LOWEST, faults
from ..audit_log import BROKEN
from .subject import Subject

LATEST = 20_000
"""The entries at the end that are verified when an examination is not deep: they take about a quarter of a second."""


def checks(subject: Subject) -> list[Check]:
    """Return the check of the audit log."""
    return [Check("rows.audit", lambda: _chain(subject), ("database.schema",))]


def _chain(subject: Subject) -> Finding:
    reader = subject.reader
    if not reader.has("audit_head"):
        return ok("has no chain yet: the next start migrates it")
    first = 0 if subject.deep else reader.one("SELECT coalesce(max(seq), 0) FROM audit") - LATEST
    ends = reader.rows(ENDS)
    names = ("seq", "hash", "entries", "found", "last", "first", "at_head")
    found = list(
        faults(
            reader.rows(BROKEN, first if first > 0 else LOWEST),
            dict(zip(names, ends[0], strict=True)) if ends else None,
        )
    )
    if found:
        return Finding(
            Severity.WARNING,
            f"was changed: {'; '.join(found[:3])}",
            "agentos audit verify names every entry; compare a backup: agentos backups",
            {"faults": found},
        )
    return ok(f"{ends[0][2]} entries, as they were written", entries=ends[0][2], hash=ends[0][1])
