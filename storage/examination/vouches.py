"""The check of what persons confirmed: whether it has been rewritten since."""

from ...modules.health.models import Finding, Severity, ok
from ...modules.memory.vouching import AGAIN
from .overview import Reader


def look_at_vouches(reader: Reader) -> Finding:
    """Check that no memory that a person confirmed was rewritten without a person having looked at it."""
    found = reader.rows(
        f"SELECT namespace, subject FROM approvals WHERE action = '{AGAIN}' AND status = 'pending' "
        "ORDER BY namespace, subject"
    )
    if not found:
        return ok("everything a person confirmed is unchanged")
    rewritten = [subject.partition(":")[2] for _, subject in found]
    message = f"{len(found)} confirmed memories were rewritten and are confirmed no more: {', '.join(rewritten[:3])}"
    return Finding(Severity.WARNING, message, "agentos approvals", {"memories": rewritten})
