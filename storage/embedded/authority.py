"""What rows from elsewhere may not bring along: a human's decision. A file's word is none."""

from typing import Any

HUMAN = "human:"
ELSEWHERE = "elsewhere"
"""Who decided, as far as this store knows."""

UNDECIDED: dict[str, Any] = {
    "status": "pending",
    "note": None,
    **dict.fromkeys(("decided_at", "decided_by", "lease_owner", "lease_until", "announced_at")),
}
"""What was approved and is not done yet waits for a human again."""


def undecided(table: str, row: dict[str, Any]) -> dict[str, Any]:
    """A row with what was approved and is not done yet as it was before, for whoever runs it."""
    return row | UNDECIDED if table == "approvals" and row["status"] in ("approved", "executing") else row


def without_authority(table: str, row: dict[str, Any]) -> dict[str, Any]:
    """A row in which nobody of this store has decided anything."""
    row = undecided(table, row)
    if table == "approvals" and str(row["decided_by"] or "").startswith(HUMAN):
        return row | {"decided_by": ELSEWHERE}
    if table == "approval_events" and str(row["by"]).startswith(HUMAN):
        return row | {"by": ELSEWHERE}
    if table == "changes" and row["by"] == "human":
        return row | {"by": "agent", "approval": None}
    return row
