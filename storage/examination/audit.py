"""The check of the audit log: every entry is as it was written, and none is gone."""

from ...modules.health.models import Finding, Severity, ok
from ..repositories.audit_log import ENDS, LOWEST, faults
from .overview import Reader

LATEST = 20_000
"""The entries at the end that are verified when an examination is not deep: they take about a quarter of a second."""


def look_at_chain(reader: Reader, broken: str, *, deep: bool) -> Finding:
    """Check the chain; `broken` is the engine's query for entries that have not the hash of their content."""
    first = 0 if deep else reader.one("SELECT coalesce(max(seq), 0) FROM audit") - LATEST
    ends = reader.rows(ENDS)
    names = ("seq", "hash", "entries", "found", "last", "first", "at_head")
    found = list(
        faults(
            reader.rows(broken, first if first > 0 else LOWEST),
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
    return ok(f"{ends[0][2]} entries, unchanged", entries=ends[0][2], hash=ends[0][1])
