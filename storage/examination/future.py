"""The check of times: whether memories were written by a clock that was ahead."""

from datetime import datetime, timedelta

from ...modules.health.models import Finding, Severity, ok
from ...modules.text.counting import memories_counted
from ..engine.times import from_us, to_us
from .overview import Reader

AHEAD = timedelta(hours=1)
"""How far the clocks of machines may be apart."""


def look_at_future(reader: Reader, now: datetime) -> Finding:
    """Check that no memory was written later than now."""
    found = reader.rows(
        "SELECT id, created_at FROM memories WHERE created_at > ? ORDER BY created_at DESC", to_us(now + AHEAD)
    )
    if not found:
        return ok("no memory was written in the future")
    newest = f"{from_us(found[0][1]):%Y-%m-%d}"
    ids = [row[0] for row in found[:100]]
    message = f"{memories_counted(len(found))} from the future, up to {newest}: {', '.join(ids[:3])}"
    remedy = "check the clock; if it was ahead, store these memories again and delete them"
    return Finding(Severity.WARNING, message, remedy, {"memories": ids})
